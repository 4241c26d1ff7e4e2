// Win32 error values of video drivers. Public page: dderror.h.
#pragma once

#include "winerror.h"
