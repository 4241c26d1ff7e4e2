// A queue of fixed capacity that never allocates.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "base/check.h"

namespace tandem {

// Not thread-safe. A popped element is reset, so its resources are freed at once.
template <class T, std::size_t kCapacity>
class Ring {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] bool full() const { return count_ == kCapacity; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] T& front() { return at(0); }
  [[nodiscard]] T& back() { return at(count_ - 1); }
  // The element `index` places behind the front.
  [[nodiscard]] T& at(std::size_t index) {
    TANDEM_ASSERT(index < count_);
    return elements_[(head_ + index) % kCapacity];
  }
  [[nodiscard]] const T& at(std::size_t index) const {
    TANDEM_ASSERT(index < count_);
    return elements_[(head_ + index) % kCapacity];
  }
  // Removes the element `index` places behind the front; later elements move up.
  void erase(std::size_t index) {
    TANDEM_CHECK(index < count_);
    for (std::size_t i = index; i + 1 < count_; ++i) at(i) = std::move(at(i + 1));
    at(count_ - 1) = T{};
    --count_;
  }
  void push(T value) {
    TANDEM_CHECK(!full());
    elements_[(head_ + count_) % kCapacity] = std::move(value);
    ++count_;
  }
  T pop() {
    TANDEM_CHECK(!empty());
    T front = std::exchange(elements_[head_], T{});
    head_ = (head_ + 1) % kCapacity;
    --count_;
    return front;
  }

 private:
  std::array<T, kCapacity> elements_{};
  std::size_t head_ = 0;
  std::size_t count_ = 0;
};

}  // namespace tandem
