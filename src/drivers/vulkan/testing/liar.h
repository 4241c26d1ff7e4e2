// A Vulkan driver that lies: between the real one and a borrowed device, answers errors that the real one never gave.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan::testing {

// One at a time in a process: Vulkan's functions have no place for a user's pointer. Disarm before the next test. Thread-safe.
class Liar {
 public:
  // The same device; its functions that answer a VkResult are the liar's. Only the borrower's: the owner keeps the real ones.
  [[nodiscard]] static BorrowedDevice Wrap(const BorrowedDevice& real);
  // Functions that can be lied about, by their names without "vk".
  [[nodiscard]] static std::vector<std::string_view> Functions();

  // The call of `function` after the next `truths` ones answers `result` without being made, and so do all that follow. Before it
  // answers VK_ERROR_DEVICE_LOST the real device is idle: nothing runs on a lost one.
  static void Arm(std::string_view function, VkResult result, std::uint32_t truths);
  static void Disarm();
  // A lie was told since Arm.
  [[nodiscard]] static bool told();
};

}  // namespace tandem::vulkan::testing
