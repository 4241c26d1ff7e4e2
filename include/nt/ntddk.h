// The NT kernel's functions for drivers. Public page: ntddk.h.
#pragma once

#include "wdm.h"
#include "wdm/x86bios.h"
