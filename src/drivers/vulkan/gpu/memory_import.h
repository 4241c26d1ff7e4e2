// System pages as VkDeviceMemory: by their address, or by a dma-buf over them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "base/unique_fd.h"
#include "drivers/vulkan/gpu/gpu.h"

namespace tandem::vulkan {

// Names the pages for imports. Owns nothing.
struct ImportSource {
  std::byte* pages = nullptr;
  std::uint64_t size_bytes = 0;
  int dma_buf = -1;  // the pages' dma-buf; -1: imported by their address

  [[nodiscard]] VkExternalMemoryHandleTypeFlagBits handle_type() const {
    return dma_buf >= 0 ? VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT : VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  }
};

// "vkCreateBuffer answered VK_ERROR_…", as kUnsupported.
[[nodiscard]] Error RefusedCall(const char* call, VkResult result);

// Memory types that take the pages; 0 when the device refuses. `failure` gets the call's result.
[[nodiscard]] std::uint32_t ImportTypes(const Gpu& gpu, const ImportSource& source, VkResult& failure);

// Imports all of the pages. `dedicated` (null: none) names the only buffer or image that the memory will have.
[[nodiscard]] VkResult ImportMemory(const Gpu& gpu, const ImportSource& source, std::uint32_t memory_type,
                                    const VkMemoryDedicatedAllocateInfo* dedicated, VkDeviceMemory& out);

// The memory that a buffer or image needs; the driver may ask for an allocation of its own.
struct ImportNeeds {
  VkMemoryRequirements memory{};
  bool dedicated = false;
};
[[nodiscard]] ImportNeeds NeedsOf(const Gpu& gpu, VkBuffer buffer, const ImportSource& source);
[[nodiscard]] ImportNeeds DmaBufNeedsOf(const Gpu& gpu, VkBuffer buffer);
[[nodiscard]] ImportNeeds NeedsOf(const Gpu& gpu, VkImage image, const ImportSource& source);

}  // namespace tandem::vulkan
