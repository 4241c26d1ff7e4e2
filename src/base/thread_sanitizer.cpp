#include "base/thread_sanitizer.h"

#include <string>

#include <dlfcn.h>

#include "base/env.h"

namespace tandem::internal {
namespace {

// The runtime is preloaded, so that it is there before the process's first object. A search that fails would leave its error for
// the program's next dlerror().
OrderFunction Find(const char* name) {
  const auto preloaded = EnvString("LD_PRELOAD");
  const bool has_runtime = preloaded && preloaded->find("tsan") != std::string::npos;
  return has_runtime ? reinterpret_cast<OrderFunction>(dlsym(RTLD_DEFAULT, name)) : nullptr;
}

}  // namespace

const OrderFunction tsan_acquire = Find("__tsan_acquire");
const OrderFunction tsan_release = Find("__tsan_release");

}  // namespace tandem::internal
