// Ownership of file descriptors. A raw int stands only on the line of the system call.
#pragma once

#include <memory>
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

// A descriptor with several owners; the last one closes it. Copies may be used by any thread.
class SharedFd {
 public:
  SharedFd() = default;
  explicit SharedFd(UniqueFd fd) : fd_(fd.valid() ? std::make_shared<const UniqueFd>(std::move(fd)) : nullptr) {}

  [[nodiscard]] bool valid() const { return fd_ != nullptr; }
  // Borrowed; -1 when there is none.
  [[nodiscard]] int get() const { return fd_ ? fd_->get() : -1; }
  // Borrowed, for functions that take a UniqueFd; invalid when there is none.
  [[nodiscard]] const UniqueFd& unique() const;
  [[nodiscard]] Result<UniqueFd> Duplicate() const { return unique().Duplicate(); }
  void Reset() { fd_.reset(); }

 private:
  std::shared_ptr<const UniqueFd> fd_;
};

}  // namespace tandem
