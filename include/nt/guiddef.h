// GUIDs. Public page: guiddef.h.
#pragma once

#include "wdm/guid.h"
