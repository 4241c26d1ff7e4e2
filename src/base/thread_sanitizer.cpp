#include "base/thread_sanitizer.h"

#include <dlfcn.h>

namespace tandem::internal {
namespace {

// The runtime is preloaded, so that it is there before the process's first object.
OrderFunction Find(const char* name) { return reinterpret_cast<OrderFunction>(dlsym(RTLD_DEFAULT, name)); }

}  // namespace

const OrderFunction tsan_acquire = Find("__tsan_acquire");
const OrderFunction tsan_release = Find("__tsan_release");

}  // namespace tandem::internal
