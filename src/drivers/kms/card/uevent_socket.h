// A socket on which the kernel reports devices, without udev.
#pragma once

#include <array>
#include <optional>

#include "base/result.h"
#include "base/unique_fd.h"
#include "drivers/kms/card/uevent.h"

namespace tandem::kms {

// One thread at a time.
class UeventSocket {
 public:
  // kUnsupported where the sandbox or kernel has no such sockets, kLimit.
  [[nodiscard]] static Result<UeventSocket> Open();

  [[nodiscard]] int fd() const { return fd_.get(); }  // readable when a message waits

  enum class Read : std::uint8_t { kEvent, kIgnored, kLost, kEmpty };
  // Takes one message without waiting. kIgnored: not the kernel's, or malformed. kLost: the kernel dropped messages because
  // nobody read in time. The event's views are valid until the next call.
  [[nodiscard]] Read Next(Uevent& event);

 private:
  explicit UeventSocket(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
  std::array<char, 8192> message_{};  // UEVENT_BUFFER_SIZE of the kernel is 2048
};

}  // namespace tandem::kms
