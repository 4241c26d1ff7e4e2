// Monitored fences as file descriptors, for devices of this process. A descriptor is the writing end of a pipe whose reading end
// stays here, so the kernel sees when its last duplicate is closed. In another process it names no fence.
#pragma once

#include <memory>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "base/thread.h"
#include "base/unique_fd.h"
#include "kernel/submit/fence.h"

namespace tandem::kernel {

// Threads: any.
class FenceShares {
 public:
  FenceShares() = default;
  ~FenceShares();
  FenceShares(const FenceShares&) = delete;
  FenceShares& operator=(const FenceShares&) = delete;

  // The caller owns the descriptor, which counts as a name of the fence. kIo: the system has no descriptors left.
  [[nodiscard]] Result<UniqueFd> Export(std::shared_ptr<Fence> fence);
  // Null for a descriptor of anything else. The fence has one more name, the caller's.
  [[nodiscard]] std::shared_ptr<Fence> Open(int fd);

 private:
  struct Share {
    UniqueFd reading_end;
    dev_t device = 0;  // of the pipe
    ino_t inode = 0;
    std::shared_ptr<Fence> fence;
  };
  void DropClosed() TANDEM_REQUIRES(mutex_);

  Mutex mutex_;
  std::vector<Share> shares_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::kernel
