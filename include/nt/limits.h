// Limits of integers. `long` has 32 bits in a driver, as on Windows. The C library's file is read more than once, so this is,
// too.
#ifndef TANDEM_NT_DRIVER
#include_next <limits.h>
#else
#include_next <limits.h>
#undef LONG_MIN
#undef LONG_MAX
#undef ULONG_MAX
#define LONG_MIN (-2147483647 - 1)
#define LONG_MAX 2147483647
#define ULONG_MAX 0xffffffffu
#endif
