#include "shim/display_thread.h"

#include <array>
#include <limits>
#include <utility>

#include "base/log.h"

namespace tandem::shim {

Result<std::unique_ptr<DisplayThread>> DisplayThread::Start(D3DKMT_HANDLE device, const swapchain::MonitoredFence& copied,
                                                            const swapchain::MonitoredFence& gate) {
  std::unique_ptr<DisplayThread> started(new DisplayThread(device, copied, gate));
  auto thread = Thread::Start("shim-display", [&display = *started] { display.Run(); });
  if (!thread.ok()) return std::move(thread).error();
  started->thread_ = *std::move(thread);
  return started;
}

DisplayThread::~DisplayThread() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyOne();
  thread_.Join();
}

void DisplayThread::Expect(std::uint64_t frame) {
  {
    const MutexLock lock(mutex_);
    expected_ = frame;
  }
  changed_.NotifyOne();
}

std::uint64_t DisplayThread::NextFrame(std::uint64_t done) {
  MutexLock lock(mutex_);
  while (expected_ == done && !stopping_) changed_.Wait(lock.native());
  return expected_ == done ? 0 : done + 1;
}

void DisplayThread::Run() {
  RequestDisplayPriority();
  std::uint64_t done = 0;
  for (std::uint64_t frame = NextFrame(done); frame != 0; frame = NextFrame(done)) {
    const std::array target{swapchain::FenceTarget{&copied_, frame}};
    const auto copied = swapchain::WaitForAny(device_, target);
    if (!copied.ok()) {
      Log(LogLevel::kWarn, "The shim's frame {} did not arrive. {}", frame, copied.error().message);
      lost_.store(true, std::memory_order_release);
      // Frames that will never arrive must not hold the display adapter.
      static_cast<void>(gate_.SignalNow(std::numeric_limits<std::uint64_t>::max()));
      return;
    }
    if (const auto opened = gate_.SignalNow(frame); !opened.ok()) {
      lost_.store(true, std::memory_order_release);
      return;
    }
    done = frame;
  }
}

}  // namespace tandem::shim
