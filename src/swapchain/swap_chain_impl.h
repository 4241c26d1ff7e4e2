// The swap chain: a schedule under a lock, the calls of the application and a display thread. Internal to the module.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/condition.h"
#include "base/latency.h"
#include "base/thread.h"
#include "swapchain/display_side.h"
#include "swapchain/frame_lines.h"
#include "swapchain/frame_schedule.h"
#include "swapchain/link_frames.h"
#include "swapchain/pass_meters.h"
#include "swapchain/path_builder.h"
#include "swapchain/shown_figures.h"
#include "swapchain/swap_chain.h"

namespace tandem::swapchain {

// Locks: mutex_, then those of the runtimes, then the kernel's. Copies are queued under mutex_, so that their fence values rise
// in the order of the context. Only the display thread queues flips, outside mutex_. A copy may wait for a DMA buffer or for
// memory. Its context waits for no fence, so the kernel's timeout detection and its limit for memory end that wait.
class SwapChainImpl final : public SwapChain {
 public:
  [[nodiscard]] static Result<std::unique_ptr<SwapChain>> Make(Runtime& render, Runtime& display, const SwapChainDesc& desc,
                                                               Clock& clock, BuiltPath path);
  ~SwapChainImpl() override;
  SwapChainImpl(const SwapChainImpl&) = delete;
  SwapChainImpl& operator=(const SwapChainImpl&) = delete;

  [[nodiscard]] std::uint32_t image_count() const override { return static_cast<std::uint32_t>(images_.size()); }
  [[nodiscard]] D3D10DDI_HRESOURCE image(std::uint32_t index) const override { return images_[index]->handle(); }
  Result<std::uint32_t> Acquire(std::int64_t timeout_ns) override;
  Result<void> Present(std::uint32_t index, std::uint64_t present_id, const ShowAt& at) override;
  Result<void> AwaitCopies(std::uint32_t index, std::int64_t timeout_ns) override;
  Result<void> Release(std::uint32_t index) override;
  Result<void> WaitForPresent(std::uint64_t present_id, std::int64_t timeout_ns) override;
  void Retire() override;
  [[nodiscard]] DisplayStatus display_status() const override { return status_.load(std::memory_order_relaxed); }
  [[nodiscard]] PathDecision decision() const override;
  [[nodiscard]] std::vector<PathEvent> events() const override;
  [[nodiscard]] std::vector<DisplayChange> display_changes() const override;
  [[nodiscard]] Statistics statistics() const override;

 private:
  SwapChainImpl(Runtime& render, const SwapChainDesc& desc, Clock& clock, Images images);
  Result<void> Start(Runtime& display, BuiltPath path);

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
  // Asks the display when it saw the last frame, for frames that have a time.
  void AskDisplay() TANDEM_REQUIRES(mutex_);
  // When the display thread looks at such frames again.
  [[nodiscard]] std::int64_t AlarmNs(std::int64_t now_ns) const TANDEM_REQUIRES(mutex_);
  void ReportLive() TANDEM_REQUIRES(mutex_);
  void UpdateHud(std::int64_t now_ns) TANDEM_REQUIRES(mutex_);
  // Fence values to wait for.
  struct Progress {
    std::uint64_t slices = 0;
    std::uint64_t copied_on = 0;
    std::uint64_t flips = 0;
    std::uint64_t alarms = 0;
  };
  [[nodiscard]] Result<void> AwaitProgress(const Progress& next) const;

  // The display thread, when a call towards the display adapter or a wait has failed (swap_chain_move.cpp).
  void OnFailure(const Error& why) TANDEM_EXCLUDES(mutex_);
  // True if another adapter may follow: the render adapter and the swap chain live, the display adapter does not.
  [[nodiscard]] bool MayMove() const TANDEM_REQUIRES(mutex_);
  // Waits for the copies on their way, drops their frames and destroys the lost adapter's side. Returns the frames dropped.
  [[nodiscard]] Result<std::uint64_t> LeaveSide() TANDEM_EXCLUDES(mutex_);
  // Null: the swap chain ends, or is lost.
  [[nodiscard]] std::unique_ptr<DisplaySide> FindSide(const std::string& lost) TANDEM_EXCLUDES(mutex_);
  [[nodiscard]] Result<std::unique_ptr<DisplaySide>> MakeSide(const NextDisplay& next, const std::string& lost);
  // False when the swap chain ends before.
  [[nodiscard]] bool WaitToAskAgain() TANDEM_EXCLUDES(mutex_);
  [[nodiscard]] Result<void> Install(std::unique_ptr<DisplaySide> side) TANDEM_REQUIRES(mutex_);

  // Figures of all frames that crossed encoded.
  [[nodiscard]] LinkFigures Encoded() const TANDEM_REQUIRES(mutex_);
  // Bytes copied or encoded towards the display adapter of now.
  [[nodiscard]] std::uint64_t CrossedBytes() const TANDEM_REQUIRES(mutex_);

  Runtime& render_;
  const SwapChainDesc desc_;  // as the swap chain was created; side_ has the one of now
  Clock& clock_;
  const Images images_;
  PassMeters meters_;
  LatencyHistogram latency_;  // written by the display thread
  std::atomic<DisplayStatus> status_{DisplayStatus::kOk};

  mutable Mutex mutex_;
  Condition changed_;
  // The display thread replaces it under mutex_ and reads it without. Null between two display adapters, and when none follows.
  std::unique_ptr<DisplaySide> side_;
  PathDecision decision_ TANDEM_GUARDED_BY(mutex_);  // side_'s, or the last one's
  // True while another display adapter is looked for; no copy is queued then.
  bool moving_ TANDEM_GUARDED_BY(mutex_) = false;
  std::vector<DisplayChange> changes_ TANDEM_GUARDED_BY(mutex_);
  FrameSchedule schedule_ TANDEM_GUARDED_BY(mutex_);
  std::optional<Error> lost_ TANDEM_GUARDED_BY(mutex_);
  bool retired_ TANDEM_GUARDED_BY(mutex_) = false;
  bool stop_ TANDEM_GUARDED_BY(mutex_) = false;
  std::uint64_t frames_copied_ TANDEM_GUARDED_BY(mutex_) = 0;  // copies queued towards the display adapter of now
  LinkFigures encoded_before_ TANDEM_GUARDED_BY(mutex_);       // towards lost display adapters
  std::uint64_t crossed_before_ TANDEM_GUARDED_BY(mutex_) = 0;
  ShownFigures shown_ TANDEM_GUARDED_BY(mutex_);
  std::optional<LinkFrames> link_ TANDEM_GUARDED_BY(mutex_);  // compressed path only
  FrameLines lines_ TANDEM_GUARDED_BY(mutex_);
  std::string priority_refusal_ TANDEM_GUARDED_BY(mutex_);  // Statistics::priority_refusal
  Thread thread_;
};

}  // namespace tandem::swapchain
