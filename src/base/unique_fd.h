// Ownership of file descriptors. A raw int stands only on the line of the system call.
#pragma once

#include <utility>

#include "base/result.h"

namespace tandem {

// Owns one descriptor and closes it. Not thread-safe.
class UniqueFd {
 public:
  UniqueFd() = default;
  // Takes ownership. A negative value means none.
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
  // The caller does not own the descriptor; -1 when there is none.
  [[nodiscard]] int get() const { return fd_; }
  // Passes ownership to the caller, for an API that consumes descriptors.
  [[nodiscard]] int Release() { return std::exchange(fd_, -1); }
  // Closes the descriptor and preserves errno.
  void Reset();
  // Returns a second descriptor of the same open file, close-on-exec. kInvalidArgument when this one is empty, kIo when the
  // system has none left.
  [[nodiscard]] Result<UniqueFd> Duplicate() const;

 private:
  int fd_ = -1;
};

// A second descriptor of the same open file as a borrowed one, close-on-exec. Errors: as UniqueFd::Duplicate.
[[nodiscard]] Result<UniqueFd> DuplicateFd(int fd);

}  // namespace tandem
