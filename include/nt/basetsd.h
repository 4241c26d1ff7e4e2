// Base types of fixed widths and of pointers' widths. Public page: basetsd.h.
#pragma once

#include "ntdef.h"
