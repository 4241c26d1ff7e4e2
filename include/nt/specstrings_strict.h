// Annotations of the Windows kit; see sal.h.
#pragma once

#include "sal.h"
