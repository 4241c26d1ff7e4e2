// The NT kernel's functions for drivers, for those that include the file systems' header. Public page: ntifs.h.
#pragma once

#include "ntddk.h"
