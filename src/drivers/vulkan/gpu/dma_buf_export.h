// Memory of the device as dma-bufs, for surfaces that other devices and the processor use as well.
#pragma once

#include <cstdint>
#include <mutex>

#include <vulkan/vulkan_core.h>

#include "base/dma_buf.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "drivers/vulkan/gpu/gpu.h"

namespace tandem::vulkan {

// Linear memory of `size_bytes`, preferably in system memory; the descriptor keeps it alive. `failure` gets the VkResult of the
// refused call. kUnsupported with a sentence.
[[nodiscard]] Result<UniqueFd> ExportDmaBuf(const Gpu& gpu, std::uint64_t size_bytes, VkResult& failure);

// The memory of a started adapter's device. Thread-safe.
class DmaBufExporter final : public DmaBufSource {
 public:
  // `gpu` must stay valid until Detach().
  void Attach(const Gpu& gpu);
  // Waits for a call of Make().
  void Detach();
  [[nodiscard]] Result<UniqueFd> Make(std::uint64_t size_bytes) override;

 private:
  std::mutex mutex_;  // held while the device allocates
  const Gpu* gpu_ = nullptr;
};

}  // namespace tandem::vulkan
