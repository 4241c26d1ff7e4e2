// The C library's stdlib.h, which brings the limits of integers and the length of arrays along on Windows.
#pragma once

// libstdc++ warns of the dialect, in which __STRICT_ANSI__ is undefined.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-W#warnings"
#endif
#include_next <stdlib.h>
#ifdef __clang__
#pragma clang diagnostic pop
#endif

#include <limits.h>

#define _countof(array) (sizeof(array) / sizeof((array)[0]))
