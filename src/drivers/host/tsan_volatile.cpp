// Volatile accesses of a driver that is built with ThreadSanitizer. Microsoft's compiler orders them: a read is an acquire, a
// write a release (/volatile:ms). The compiler calls these functions before each such access.
#include "drivers/host/tsan_order.h"

using namespace tandem::drivers::host;

extern "C" {

#define TANDEM_VOLATILE_ACCESS(size)                                                    \
  void __tsan_volatile_read##size(void* at) { TellAfter(at); }             /* NOLINT */ \
  void __tsan_volatile_write##size(void* at) { TellBefore(at); }           /* NOLINT */ \
  void __tsan_unaligned_volatile_read##size(void* at) { TellAfter(at); }   /* NOLINT */ \
  void __tsan_unaligned_volatile_write##size(void* at) { TellBefore(at); } /* NOLINT */

TANDEM_VOLATILE_ACCESS(1)
TANDEM_VOLATILE_ACCESS(2)
TANDEM_VOLATILE_ACCESS(4)
TANDEM_VOLATILE_ACCESS(8)
TANDEM_VOLATILE_ACCESS(16)

}  // extern "C"
