// System pages as a VkBuffer. The device imports the pages themselves if it can; otherwise the CPU copies between them and a
// buffer of the device's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/gpu/memory_import.h"
#include "drivers/vulkan/gpu/rows.h"

namespace tandem::vulkan {

// The pages must outlive the buffer. The GPU must not use it when it is destroyed.
class HostBuffer {
 public:
  // Imports the whole range by VK_EXT_external_memory_host. `failure` gets the VkResult of the refused call, VK_SUCCESS when no
  // call was made. kUnsupported with a sentence.
  [[nodiscard]] static Result<std::unique_ptr<HostBuffer>> Import(const Gpu& gpu, std::byte* pages, std::uint64_t size_bytes,
                                                                  VkResult& failure);
  // An import by VK_EXT_external_memory_dma_buf; `dma_buf` holds the pages from its first byte on. kInvalidArgument when it holds
  // less.
  [[nodiscard]] static Result<std::unique_ptr<HostBuffer>> ImportDmaBuf(const Gpu& gpu, UniqueFd dma_buf, std::byte* pages,
                                                                        std::uint64_t size_bytes, VkResult& failure);
  // A host-visible buffer of the same size. Without `pages` the buffer itself holds the data. kOutOfMemory.
  [[nodiscard]] static Result<std::unique_ptr<HostBuffer>> CreateBounce(const Gpu& gpu, std::byte* pages,
                                                                        std::uint64_t size_bytes);
  ~HostBuffer();
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  [[nodiscard]] VkBuffer handle() const { return buffer_; }
  [[nodiscard]] bool imported() const { return bounce_ == nullptr; }
  [[nodiscard]] VkDeviceMemory memory() const { return memory_; }
  // The imported pages, for further imports.
  [[nodiscard]] ImportSource source() const { return {pages_, size_bytes_, dma_buf_.get()}; }
  [[nodiscard]] const OutsideFamilies& outside() const { return outside_; }
  [[nodiscard]] std::uint32_t memory_type() const { return memory_type_; }
  [[nodiscard]] std::byte* pages() const { return pages_; }
  // The CPU's view of the device's own buffer; null when the pages are imported.
  [[nodiscard]] std::byte* bounce() const { return bounce_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }
  // True if shaders can use the buffer.
  [[nodiscard]] bool storage() const { return storage_; }
  // The buffer's rows for a command.
  [[nodiscard]] Rows rows() const {
    return {buffer_, 0, pages_ == nullptr ? bounce_ : pages_, pages_ == nullptr ? nullptr : bounce_, storage_, outside_};
  }

 private:
  HostBuffer(const Gpu& gpu, std::byte* pages, std::uint64_t size_bytes) : gpu_(gpu), pages_(pages), size_bytes_(size_bytes) {}

  // Binds the buffer to the pages of source().
  Result<void> BindImport(bool dedicated, VkResult& failure);

  const Gpu& gpu_;
  std::byte* pages_;
  std::uint64_t size_bytes_;
  UniqueFd dma_buf_;  // invalid unless imported by it
  OutsideFamilies outside_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::uint32_t memory_type_ = 0;
  std::byte* bounce_ = nullptr;
  bool storage_ = true;
};

}  // namespace tandem::vulkan
