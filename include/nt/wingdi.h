// The parts of GDI that display drivers name. Public page: wingdi.h.
#pragma once

#include "windef.h"

#define DISPLAY_DEVICE_ATTACHED_TO_DESKTOP 0x00000001
#define CCHDEVICENAME 32
