#include "kernel/thunk/fence_shares.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tandem::kernel {
namespace {

bool IsClosed(const UniqueFd& reading_end) {
  pollfd state{reading_end.get(), 0, 0};
  return poll(&state, 1, 0) == 1 && (state.revents & POLLHUP) != 0;
}

}  // namespace

FenceShares::~FenceShares() {
  for (const Share& share : shares_) share.fence->DropName();
}

void FenceShares::DropClosed() {
  std::erase_if(shares_, [](const Share& share) {
    if (!IsClosed(share.reading_end)) return false;
    share.fence->DropName();
    return true;
  });
}

Result<UniqueFd> FenceShares::Export(std::shared_ptr<Fence> fence) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    return Fail(ErrorKind::kIo, "A fence gets no descriptor: {}.", std::strerror(errno));
  UniqueFd reading_end(ends[0]);
  UniqueFd writing_end(ends[1]);
  struct stat status {};
  if (fstat(reading_end.get(), &status) != 0)
    return Fail(ErrorKind::kIo, "A fence's descriptor has no number: {}.", std::strerror(errno));
  const MutexLock lock(mutex_);
  DropClosed();
  shares_.push_back({std::move(reading_end), status.st_dev, status.st_ino, std::move(fence)});
  shares_.back().fence->AddName();
  return writing_end;
}

std::shared_ptr<Fence> FenceShares::Open(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode)) return nullptr;
  const MutexLock lock(mutex_);
  const auto found = std::find_if(shares_.begin(), shares_.end(), [&](const Share& share) {
    return share.device == status.st_dev && share.inode == status.st_ino;
  });
  if (found == shares_.end()) return nullptr;
  found->fence->AddName();
  return found->fence;
}

}  // namespace tandem::kernel
