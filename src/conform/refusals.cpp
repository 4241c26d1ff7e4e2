#include "conform/refusals.h"

#include <string_view>

#include "base/log_listener.h"
#include "base/thread.h"

namespace tandem::conform {
namespace {

Mutex mutex;
std::string last TANDEM_GUARDED_BY(mutex);

void Hear(std::string_view line) noexcept {
  try {
    const MutexLock lock(mutex);
    last = line;
  } catch (...) {  // out of memory: the previous line stays
  }
}

}  // namespace

Refusals::Refusals() {
  {
    const MutexLock lock(mutex);
    last.clear();
  }
  SetLogListener(&Hear);
}

Refusals::~Refusals() { SetLogListener(nullptr); }

std::string Refusals::Last() {
  const MutexLock lock(mutex);
  return last;
}

}  // namespace tandem::conform
