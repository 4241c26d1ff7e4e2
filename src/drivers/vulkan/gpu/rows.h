// Location of a surface's rows for a command.
#pragma once

#include <cstddef>
#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace tandem::vulkan {

// Queue families of an ownership transfer between the device and users outside it; VK_QUEUE_FAMILY_IGNORED: none.
struct OutsideFamilies {
  std::uint32_t inside = VK_QUEUE_FAMILY_IGNORED;
  std::uint32_t outside = VK_QUEUE_FAMILY_IGNORED;
  [[nodiscard]] bool transfers() const { return outside != VK_QUEUE_FAMILY_IGNORED; }
  friend bool operator==(const OutsideFamilies&, const OutsideFamilies&) = default;
};

// Owns nothing.
struct Rows {
  VkBuffer buffer = VK_NULL_HANDLE;
  std::uint64_t offset = 0;     // bytes to the first row in the buffer
  std::byte* pixels = nullptr;  // the CPU's view of the surface; null if it has none
  std::byte* bounce = nullptr;  // the CPU's view of the buffer if it differs from `pixels`: the CPU copies between them
  bool storage = false;         // shaders can use the buffer
  OutsideFamilies outside;      // of a dma-buf, which other devices use as well
  [[nodiscard]] bool valid() const { return buffer != VK_NULL_HANDLE || pixels != nullptr; }
  friend bool operator==(const Rows&, const Rows&) = default;
};

}  // namespace tandem::vulkan
