#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tandem::internal {

void CheckFailed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "tandem: %s:%d: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace tandem::internal
