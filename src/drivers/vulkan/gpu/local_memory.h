// The memory segment: one buffer of the device's own memory in which the kernel places allocations.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/gpu/rows.h"

namespace tandem::vulkan {

// Constant after creation. The commands that use its bytes synchronize them.
class LocalMemory {
 public:
  // kOutOfMemory.
  [[nodiscard]] static Result<std::unique_ptr<LocalMemory>> Create(const Gpu& gpu, std::uint64_t base, std::uint64_t size_bytes);
  ~LocalMemory();
  LocalMemory(const LocalMemory&) = delete;
  LocalMemory& operator=(const LocalMemory&) = delete;

  [[nodiscard]] bool Contains(std::uint64_t address, std::uint64_t bytes) const {
    return address >= base_ && address - base_ <= size_bytes_ && bytes <= size_bytes_ - (address - base_);
  }
  // Precondition: the memory contains `address`.
  [[nodiscard]] Rows At(std::uint64_t address) const;

 private:
  LocalMemory(const Gpu& gpu, std::uint64_t base, std::uint64_t size_bytes) : gpu_(gpu), base_(base), size_bytes_(size_bytes) {}

  const Gpu& gpu_;
  const std::uint64_t base_;
  const std::uint64_t size_bytes_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::byte* mapped_ = nullptr;  // null if the CPU does not see it
};

}  // namespace tandem::vulkan
