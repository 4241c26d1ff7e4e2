// The shim's display thread: it waits for the copy event of each frame, then lets the display adapter go on. Internal to the
// module.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/condition.h"
#include "base/thread.h"
#include "swapchain/fence.h"

namespace tandem::shim {

// The program's thread queues copy and flip at once and never waits: the flip is held behind `gate`. Thread-safe.
class DisplayThread {
 public:
  // `copied` reaches a frame's number when the render adapter has copied it; `gate` holds the display adapter's context. Both
  // outlive the thread. `device`: any device of the process.
  [[nodiscard]] static Result<std::unique_ptr<DisplayThread>> Start(D3DKMT_HANDLE device, const swapchain::MonitoredFence& copied,
                                                                    const swapchain::MonitoredFence& gate);
  // Waits for the copies that were expected.
  ~DisplayThread();
  DisplayThread(const DisplayThread&) = delete;
  DisplayThread& operator=(const DisplayThread&) = delete;

  // The copy of `frame` is queued. Frames count up from 1.
  void Expect(std::uint64_t frame);
  // A copy cannot come any more: the render adapter is lost.
  [[nodiscard]] bool lost() const { return lost_.load(std::memory_order_acquire); }

 private:
  DisplayThread(D3DKMT_HANDLE device, const swapchain::MonitoredFence& copied, const swapchain::MonitoredFence& gate)
      : device_(device), copied_(copied), gate_(gate) {}
  void Run();
  // The next frame to wait for; 0: none will come.
  [[nodiscard]] std::uint64_t NextFrame(std::uint64_t done);

  const D3DKMT_HANDLE device_;
  const swapchain::MonitoredFence& copied_;
  const swapchain::MonitoredFence& gate_;
  std::atomic<bool> lost_{false};
  Mutex mutex_;
  Condition changed_;
  std::uint64_t expected_ TANDEM_GUARDED_BY(mutex_) = 0;
  bool stopping_ TANDEM_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace tandem::shim
