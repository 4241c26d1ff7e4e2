// Orders this device's work on a dma-buf with other devices': fences cross as sync_files, and no processor waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include <vulkan/vulkan_core.h>

#include "drivers/vulkan/gpu/gpu.h"

namespace tandem::vulkan {

// Submissions that write one dma-buf. A submission holds Turn() from before WaitForOthers() until after Announce().
class DmaBufFences {
 public:
  // Null when the device's semaphores are no sync_files, or the kernel takes none: then the processor waits.
  [[nodiscard]] static std::unique_ptr<DmaBufFences> Create(Gpu& gpu, int dma_buf);
  ~DmaBufFences();
  DmaBufFences(const DmaBufFences&) = delete;
  DmaBufFences& operator=(const DmaBufFences&) = delete;

  [[nodiscard]] std::unique_lock<std::mutex> Turn() { return std::unique_lock(mutex_); }
  // A semaphore that waits for the dma-buf's other users. VK_NULL_HANDLE when none works on it, or when an earlier submission of
  // this device, which has not ended, waits for them.
  [[nodiscard]] VkSemaphore WaitForOthers();
  // The semaphore that the submission signals.
  [[nodiscard]] VkSemaphore signal() const { return signal_; }
  // The submission signals `value` of `timeline` as well. Others wait for it from now on.
  void Announce(VkSemaphore timeline, std::uint64_t value);
  // The submission failed.
  void Withdraw() { waiting_ = false; }

 private:
  DmaBufFences(Gpu& gpu, int dma_buf) : gpu_(gpu), dma_buf_(dma_buf) {}

  Gpu& gpu_;
  const int dma_buf_;  // the buffer's
  std::mutex mutex_;
  VkSemaphore wait_ = VK_NULL_HANDLE;
  VkSemaphore signal_ = VK_NULL_HANDLE;
  bool waiting_ = false;  // the latest wait was not announced yet
  VkSemaphore last_timeline_ = VK_NULL_HANDLE;
  std::uint64_t last_value_ = 0;
};

}  // namespace tandem::vulkan
