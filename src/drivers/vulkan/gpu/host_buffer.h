// System pages as a VkBuffer: the pages themselves where the device imports them, else a buffer of the device's own that the CPU
// copies from and to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/gpu/rows.h"

namespace tandem::vulkan {

// The pages outlive it. Nothing on the GPU uses it when it is destroyed.
class HostBuffer {
 public:
  // The whole range by VK_EXT_external_memory_host. `failure` gets the VkResult of the call that refused, VK_SUCCESS when none
  // was made. kUnsupported with a sentence.
  [[nodiscard]] static Result<std::unique_ptr<HostBuffer>> Import(const Gpu& gpu, std::byte* pages, std::uint64_t size_bytes,
                                                                  VkResult& failure);
  // A host-visible buffer of the same size; without pages it stands for itself. kOutOfMemory.
  [[nodiscard]] static Result<std::unique_ptr<HostBuffer>> CreateBounce(const Gpu& gpu, std::byte* pages,
                                                                        std::uint64_t size_bytes);
  ~HostBuffer();
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  [[nodiscard]] VkBuffer handle() const { return buffer_; }
  [[nodiscard]] bool imported() const { return bounce_ == nullptr; }
  [[nodiscard]] VkDeviceMemory memory() const { return memory_; }
  [[nodiscard]] std::uint32_t memory_type() const { return memory_type_; }
  [[nodiscard]] std::byte* pages() const { return pages_; }
  // The CPU's view of the device's own buffer; null when the pages are imported.
  [[nodiscard]] std::byte* bounce() const { return bounce_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  // Shaders can have it.
  [[nodiscard]] bool storage() const { return storage_; }
  // As a command finds it.
  [[nodiscard]] Rows rows() const {
    return {buffer_, 0, pages_ == nullptr ? bounce_ : pages_, pages_ == nullptr ? nullptr : bounce_, storage_};
  }

 private:
  HostBuffer(const Gpu& gpu, std::byte* pages, std::uint64_t size_bytes) : gpu_(gpu), pages_(pages), size_bytes_(size_bytes) {}

  const Gpu& gpu_;
  std::byte* pages_;
  std::uint64_t size_bytes_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::uint32_t memory_type_ = 0;
  std::byte* bounce_ = nullptr;
  bool storage_ = true;
};

// Memory types that the pages can be imported as; 0 when the device refuses them (`failure` tells) or has no such extension.
[[nodiscard]] std::uint32_t HostPointerTypes(const Gpu& gpu, const std::byte* pages, VkResult& failure);

// One more VkDeviceMemory over the same pages. The size is a multiple of the import alignment.
[[nodiscard]] VkResult ImportPages(const Gpu& gpu, std::byte* pages, std::uint64_t size_bytes, std::uint32_t memory_type,
                                   VkDeviceMemory& out);

}  // namespace tandem::vulkan
