// A Vulkan driver that lies: between the real driver and a borrowed device it returns errors that the real driver never
// returned.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan::testing {

// One at a time in a process, because Vulkan's functions take no user pointer. Disarm before the next test. Thread-safe.
class Liar {
 public:
  // Replaces the device's functions that return a VkResult. Only the borrower sees the replacements; the owner keeps the real
  // functions.
  [[nodiscard]] static BorrowedDevice Wrap(const BorrowedDevice& real);
  // Functions that can lie, by their names without "vk".
  [[nodiscard]] static std::vector<std::string_view> Functions();

  // After `truths` real calls, each call of `function` returns `result` without a call of the real function. Before it returns
  // VK_ERROR_DEVICE_LOST it waits until the real device is idle: a lost device runs nothing.
  static void Arm(std::string_view function, VkResult result, std::uint32_t truths);
  // Images over dma-bufs have this modifier, as the device says; 0 until Arm or Disarm: the truth.
  static void GiveModifier(std::uint64_t modifier);
  static void Disarm();
  // True if a lie was returned since Arm.
  [[nodiscard]] static bool told();
};

}  // namespace tandem::vulkan::testing
