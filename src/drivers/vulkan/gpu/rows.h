// Where the rows of a surface are, as a command finds them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <vulkan/vulkan_core.h>

namespace tandem::vulkan {

// Nothing of it is owned.
struct Rows {
  VkBuffer buffer = VK_NULL_HANDLE;
  std::uint64_t offset = 0;     // bytes, of the first row in the buffer
  std::byte* pixels = nullptr;  // the CPU's view of the same surface; null where it has none
  std::byte* bounce = nullptr;  // the CPU's view of the buffer where that is not `pixels`: copied from and to by the CPU
  bool storage = false;         // shaders can have the buffer
  [[nodiscard]] bool valid() const { return buffer != VK_NULL_HANDLE || pixels != nullptr; }
  friend bool operator==(const Rows&, const Rows&) = default;
};

}  // namespace tandem::vulkan
