#include "kernel/submit/counting_fence.h"

#include <sys/eventfd.h>

namespace tandem::kernel {

bool CpuNotification::Raise(std::uint64_t /*value*/) {
  static_cast<void>(eventfd_write(event_.get(), 1));
  return false;
}

}  // namespace tandem::kernel
