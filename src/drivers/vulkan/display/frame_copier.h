// Copies frames from shared rows into images of a window system's swap chain.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "base/pass_meter.h"
#include "base/result.h"
#include "drivers/vulkan/display/frame_format.h"
#include "drivers/vulkan/gpu/allocation.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/wsi/wsi_presenter.h"

namespace tandem::vulkan {

// The destination of a frame's copy.
struct FrameTarget {
  WsiPresenter::Image image;
  VkExtent2D extent{};
  FrameFormat format;
  // The image holds an earlier copy, so the copy waits for `presentable` instead of `acquired`. `append` keeps its pixels.
  bool written = false;
  bool append = false;
  // Copies the whole frame instead of the command's rectangles.
  bool whole = true;
};

// One per head, on the queue that presents. Threads: the head's; any thread for Forget.
class FrameCopier {
 public:
  // kOutOfMemory.
  [[nodiscard]] static Result<std::unique_ptr<FrameCopier>> Create(Gpu& gpu);
  // Waits for all submitted work, unless the device is lost.
  ~FrameCopier();
  FrameCopier(const FrameCopier&) = delete;
  FrameCopier& operator=(const FrameCopier&) = delete;

  // Submits the copy; each source, image and set of rectangles is recorded once. If a window is larger than the frame, it is
  // cleared to black first, unless `append` is set. Signals the image's `presentable` and the returned value of the timeline.
  // kDeviceLost, kOutOfMemory.
  Result<std::uint64_t> Copy(const CopyCommand& command, const FrameTarget& target);
  // Passes of the last successful Copy. The head's thread.
  [[nodiscard]] const PassCount& passes() const { return passes_; }
  // Waits until a copy is done or the device is lost. Any thread.
  void Await(std::uint64_t value);

  // The window system's images were replaced; nothing uses the old ones any more.
  void ForgetImages();
  // The allocation is about to be destroyed; its last copy is complete.
  void Forget(const Allocation& allocation);

  [[nodiscard]] std::uint64_t recorded() const;  // recordings made so far

 private:
  struct Recording {
    const Allocation* source = nullptr;
    VkBuffer buffer = VK_NULL_HANDLE;
    VkImage image = VK_NULL_HANDLE;
    bool append = false;
    bool whole = true;
    std::int32_t offset_x = 0;
    std::int32_t offset_y = 0;
    std::vector<RECT> rects;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    PassCount passes;
  };
  // An image in the frame's format, the source of a converting blit.
  struct Conversion {
    VkFormat format = VK_FORMAT_UNDEFINED;
    VkExtent2D extent{};
    VkImage image = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
  };

  explicit FrameCopier(Gpu& gpu) : gpu_(gpu) {}
  const Recording* Find(const CopyCommand& command, const FrameTarget& target) const;
  Result<const Recording*> Record(const CopyCommand& command, const FrameTarget& target);
  Result<void> MakeConversion(VkFormat format, VkExtent2D extent);
  void DropConversion();
  void FreeRecordings();
  Result<std::uint64_t> Submit(VkCommandBuffer commands, const CopyCommand& command, const FrameTarget& target);

  Gpu& gpu_;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::uint64_t value_ = 0;  // used on the head's thread, as is passes_
  PassCount passes_;
  Conversion conversion_;     // used on the head's thread
  mutable std::mutex mutex_;  // guards the pool and the recordings
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::vector<Recording> recordings_;
  std::uint64_t recorded_ = 0;
};

}  // namespace tandem::vulkan
