// The physical device of one instance that the program sees, and those that it saw before these were lost.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include <vulkan/vulkan_core.h>

#include "config/adapter_info.h"

namespace tandem::layer {

// One writer at a time; any thread reads.
class RenderDevices {
 public:
  static constexpr std::size_t kMax = 8;  // further losses are not followed

  struct Item {
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    const config::AdapterInfo* adapter = nullptr;  // the System's
  };

  // Makes a device the current one. False if there are too many.
  bool Add(const Item& item) {
    const std::size_t count = count_.load(std::memory_order_relaxed);
    if (count == kMax) return false;
    items_[count] = item;
    count_.store(count + 1, std::memory_order_release);
    return true;
  }

  // Nothing unless Add() was called.
  [[nodiscard]] Item current() const {
    const std::size_t count = count_.load(std::memory_order_acquire);
    return count == 0 ? Item() : items_[count - 1];
  }
  // An item without an adapter for a device that was never the current one.
  [[nodiscard]] Item Find(VkPhysicalDevice handle) const {
    const std::size_t count = count_.load(std::memory_order_acquire);
    for (std::size_t i = count; i-- > 0;) {
      if (items_[i].handle == handle) return items_[i];
    }
    return {};
  }
  [[nodiscard]] bool Has(VkPhysicalDevice handle) const { return Find(handle).adapter != nullptr; }

  template <class Visitor>
  void ForEach(Visitor visit) const {
    for (std::size_t i = 0; i < count_.load(std::memory_order_acquire); ++i) visit(items_[i].handle);
  }

 private:
  std::array<Item, kMax> items_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace tandem::layer
