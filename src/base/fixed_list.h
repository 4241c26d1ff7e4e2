// A list of fixed capacity in memory that another object owns.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "base/check.h"

namespace tandem {

// Not thread-safe.
template <class T>
class FixedList {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  FixedList() = default;
  // `room` outlives the list.
  explicit FixedList(std::span<T> room) : room_(room) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const T* data() const { return room_.data(); }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }
  [[nodiscard]] T& operator[](std::size_t index) {
    TANDEM_ASSERT(index < size_);
    return room_[index];
  }
  [[nodiscard]] const T& operator[](std::size_t index) const {
    TANDEM_ASSERT(index < size_);
    return room_[index];
  }
  void push_back(const T& value) {
    TANDEM_CHECK(size_ < room_.size());
    room_[size_++] = value;
  }
  void clear() { size_ = 0; }

 private:
  std::span<T> room_;
  std::size_t size_ = 0;
};

}  // namespace tandem
