// Assertions. Public page: ntassert.h.
#pragma once

#include "wdm/debug.h"
