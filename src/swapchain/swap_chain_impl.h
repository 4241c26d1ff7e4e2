// The swap chain: a schedule under a lock, the calls of the application and a display thread. Internal to the module.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/latency.h"
#include "base/thread.h"
#include "swapchain/buffer_set.h"
#include "swapchain/fence.h"
#include "swapchain/frame_flipper.h"
#include "swapchain/frame_lines.h"
#include "swapchain/frame_schedule.h"
#include "swapchain/hud.h"
#include "swapchain/link_frames.h"
#include "swapchain/pass_meters.h"
#include "swapchain/shown_figures.h"
#include "swapchain/swap_chain.h"

namespace tandem::swapchain {

// Locks: mutex_, then those of the runtimes, then the kernel's. Copies are queued under mutex_, so that their fence values rise
// in the order of the context. Only the display thread queues flips, outside mutex_. A copy may wait for a DMA buffer or for
// memory. Its context waits for no fence, so the kernel's timeout detection and its limit for memory end that wait.
class SwapChainImpl final : public SwapChain {
 public:
  [[nodiscard]] static Result<std::unique_ptr<SwapChain>> Make(Runtime& render, Runtime& display, const SwapChainDesc& desc,
                                                               Clock& clock, std::unique_ptr<BufferSet> buffers,
                                                               PathDecision decision);
  ~SwapChainImpl() override;
  SwapChainImpl(const SwapChainImpl&) = delete;
  SwapChainImpl& operator=(const SwapChainImpl&) = delete;

  [[nodiscard]] std::uint32_t image_count() const override { return buffers_->image_count(); }
  [[nodiscard]] D3D10DDI_HRESOURCE image(std::uint32_t index) const override { return buffers_->image(index); }
  Result<std::uint32_t> Acquire(std::int64_t timeout_ns) override;
  Result<void> Present(std::uint32_t index, std::uint64_t present_id) override;
  Result<void> AwaitCopies(std::uint32_t index, std::int64_t timeout_ns) override;
  Result<void> Release(std::uint32_t index) override;
  Result<void> WaitForPresent(std::uint64_t present_id, std::int64_t timeout_ns) override;
  void Retire() override;
  [[nodiscard]] DisplayStatus display_status() const override { return status_.load(std::memory_order_relaxed); }
  [[nodiscard]] const PathDecision& decision() const override { return decision_; }
  [[nodiscard]] std::vector<PathEvent> events() const override;
  [[nodiscard]] Statistics statistics() const override;

 private:
  SwapChainImpl(Runtime& render, Runtime& display, const SwapChainDesc& desc, Clock& clock, std::unique_ptr<BufferSet> buffers,
                PathDecision decision);
  Result<void> Start();

  // The application's side.
  [[nodiscard]] std::optional<Error> WhyNot() const TANDEM_REQUIRES(mutex_);
  // Sleeps until a change, at most until the deadline, and polls the display afterwards. Returns false if the deadline has
  // passed.
  bool Sleep(MutexLock& lock, std::int64_t deadline_ns) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] std::int64_t DeadlineAfter(std::int64_t timeout_ns) const;
  // `waited`: the frames could not be queued when they were presented. No buffer was free, earlier frames had not come far
  // enough, or the encoding waited for reported costs.
  void QueueCopies(bool waited) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] Result<void> QueueCopy(const CopyWork& work, bool waited) TANDEM_REQUIRES(mutex_);
  void PollDisplay() TANDEM_REQUIRES(mutex_);
  void MarkLost(ErrorKind kind, const Error& why) TANDEM_REQUIRES(mutex_);

  // The display thread's side.
  void RunDisplay();
  void CollectDone() TANDEM_REQUIRES(mutex_);
  void ReportLive() TANDEM_REQUIRES(mutex_);
  void UpdateHud(std::int64_t now_ns) TANDEM_REQUIRES(mutex_);
  // Fence values to wait for.
  struct Progress {
    std::uint64_t slices = 0;
    std::uint64_t copied_on = 0;
    std::uint64_t flips = 0;
  };
  [[nodiscard]] Result<void> AwaitProgress(const Progress& next) const;
  [[nodiscard]] ErrorKind WhoIsGone() const;

  Runtime& render_;
  Runtime& display_;
  const SwapChainDesc desc_;
  Clock& clock_;
  const std::unique_ptr<BufferSet> buffers_;
  const PathDecision decision_;
  const std::uint64_t shared_bytes_;            // bytes of a frame in its shared surface; compressed path: bytes as drawn
  const std::uint32_t slices_;                  // values of copy_fence_ for each copy
  std::unique_ptr<MonitoredFence> copy_fence_;  // value: complete slices of all copies
  std::unique_ptr<MonitoredFence> wake_fence_;  // 1: the display thread must end
  PassMeters meters_;
  std::unique_ptr<FrameFlipper> flipper_;  // used by the display thread only
  std::optional<Hud> hud_;                 // the same; empty: no figures are drawn
  LatencyHistogram latency_;               // written by the display thread
  std::atomic<DisplayStatus> status_{DisplayStatus::kOk};

  mutable Mutex mutex_;
  std::condition_variable changed_;
  FrameSchedule schedule_ TANDEM_GUARDED_BY(mutex_);
  std::optional<Error> lost_ TANDEM_GUARDED_BY(mutex_);
  bool retired_ TANDEM_GUARDED_BY(mutex_) = false;
  bool stop_ TANDEM_GUARDED_BY(mutex_) = false;
  std::uint64_t frames_copied_ TANDEM_GUARDED_BY(mutex_) = 0;  // copies queued on the render adapter
  ShownFigures shown_ TANDEM_GUARDED_BY(mutex_);
  std::optional<LinkFrames> link_ TANDEM_GUARDED_BY(mutex_);  // compressed path only
  FrameLines lines_ TANDEM_GUARDED_BY(mutex_);
  std::string priority_refusal_ TANDEM_GUARDED_BY(mutex_);  // Statistics::priority_refusal
  Thread thread_;
};

// Bytes of one pixel in formats that cross adapters; 0 for others.
[[nodiscard]] std::uint32_t BytesPerPixel(DXGI_FORMAT format);

}  // namespace tandem::swapchain
