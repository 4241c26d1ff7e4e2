// Annotations of the kernel; see sal.h. Public page: kernelspecs.h.
#pragma once

#include "sal.h"
