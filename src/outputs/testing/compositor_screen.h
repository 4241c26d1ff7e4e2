// The screen of a test's Wayland compositor: commits and refreshes, and the frames that were committed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "outputs/testing/compositor_surface.h"
#include "outputs/testing/wayland_compositor.h"

namespace tandem::outputs::testing {

// Commit and Refresh: the compositor's thread. The other functions: any thread.
class CompositorScreen final : public CompositorSurface::Host {
 public:
  explicit CompositorScreen(const CompositorManners& manners) : manners_(manners) {}

  void Commit(CompositorSurface& surface) override;
  std::vector<CompositorSurface*>& surfaces() override { return surfaces_; }
  clockid_t clock() override {
    const std::lock_guard lock(mutex_);
    return manners_.clock;
  }
  // Answers clients. Milliseconds until the next one.
  int Refresh();

  void Behave(const CompositorManners& manners) {
    const std::lock_guard lock(mutex_);
    manners_ = manners;
  }
  bool AwaitFrames(std::size_t count);
  [[nodiscard]] std::vector<CommittedFrame> frames() {
    const std::lock_guard lock(mutex_);
    return frames_;
  }
  [[nodiscard]] std::uint64_t seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  [[nodiscard]] std::uint64_t replaced() {
    const std::lock_guard lock(mutex_);
    return replaced_;
  }

 private:
  void EndFrame(CompositorSurface& surface, bool seen);

  std::mutex mutex_;
  std::condition_variable changed_;
  CompositorManners manners_;
  std::vector<CommittedFrame> frames_;
  std::uint64_t seen_ = 0, replaced_ = 0, refreshes_ = 0;
  std::vector<CompositorSurface*> surfaces_;
};

}  // namespace tandem::outputs::testing
