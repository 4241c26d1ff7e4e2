// System pages as a VkBuffer. The device imports the pages themselves if it can; otherwise the CPU copies between them and a
// buffer of the device's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/gpu/rows.h"

namespace tandem::vulkan {

// The pages must outlive the buffer. The GPU must not use it when it is destroyed.
class HostBuffer {
 public:
  // Imports the whole range by VK_EXT_external_memory_host. `failure` gets the VkResult of the refused call, VK_SUCCESS when no
  // call was made. kUnsupported with a sentence.
  [[nodiscard]] static Result<std::unique_ptr<HostBuffer>> Import(const Gpu& gpu, std::byte* pages, std::uint64_t size_bytes,
                                                                  VkResult& failure);
  // A host-visible buffer of the same size. Without `pages` the buffer itself holds the data. kOutOfMemory.
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
  // True if shaders can use the buffer.
  [[nodiscard]] bool storage() const { return storage_; }
  // The buffer's rows for a command.
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

// Memory types for an import of the pages; 0 when the device refuses (reason in `failure`) or lacks the extension.
[[nodiscard]] std::uint32_t HostPointerTypes(const Gpu& gpu, const std::byte* pages, VkResult& failure);

// Imports the same pages as another VkDeviceMemory. The size must be a multiple of the import alignment.
[[nodiscard]] VkResult ImportPages(const Gpu& gpu, std::byte* pages, std::uint64_t size_bytes, std::uint32_t memory_type,
                                   VkDeviceMemory& out);

}  // namespace tandem::vulkan
