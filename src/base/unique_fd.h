// Ownership of file descriptors. A raw int stands only on the line of the system call.
#pragma once

#include <utility>

#include "base/result.h"

namespace tandem {

// Owns one descriptor and closes it. Threads: as a plain int, not shared without a lock.
class UniqueFd {
 public:
  UniqueFd() = default;
  // Takes ownership. A negative value is "none".
  explicit UniqueFd(int fd) : fd_(fd < 0 ? -1 : fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      Reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { Reset(); }

  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  // Borrowed; -1 when there is none.
  [[nodiscard]] int get() const { return fd_; }
  // The caller owns it from now on, as an API that consumes descriptors does.
  [[nodiscard]] int Release() { return std::exchange(fd_, -1); }
  // Closes it. errno is left as it was.
  void Reset();
  // A second descriptor, close-on-exec, of the same open file. kInvalidArgument for "none", kIo when the system has none left.
  [[nodiscard]] Result<UniqueFd> Duplicate() const;

 private:
  int fd_ = -1;
};

}  // namespace tandem
