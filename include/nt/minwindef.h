// Base types of Windows. Public page: minwindef.h.
#pragma once

#include "windef.h"
