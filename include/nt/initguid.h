// GUIDs are constants of internal linkage in every source, so this header adds nothing. Public page: initguid.h.
#pragma once

#ifndef INITGUID
#define INITGUID
#endif
#include "wdm/guid.h"
