// One end of the channel between a guest's kernel and its host's: whole messages, nothing that blocks but Receive().
#pragma once

#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"
#include "kernel/feature/feature_message.h"

namespace tandem::kernel {

// Threads: one receives, others send and shut down.
class FeatureSocket {
 public:
  // A connected stream socket.
  explicit FeatureSocket(UniqueFd fd) : fd_(std::move(fd)) {}

  // Blocks. kDeviceLost when the other end is gone or ShutDown() was called, kInvalidArgument for what is no message.
  [[nodiscard]] Result<FeatureMessage> Receive();
  // kIo when the other end takes nothing more: it never lets a buffer of so small messages fill up.
  Result<void> Send(const FeatureMessage& message);
  // Wakes Receive(), for good.
  void ShutDown();

 private:
  const UniqueFd fd_;
};

}  // namespace tandem::kernel
