// The screen of a full driver without a user-mode half, used as Windows' desktop does: pictures are drawn into a shadow surface,
// which the driver copies to a primary and flips to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/result.h"
#include "kernel/kernel.h"
#include "swapchain/fence.h"

#include <d3dkmthk.h>

namespace tandem::system {

// Threads: one at a time.
class DesktopScreen {
 public:
  // Sets the mode of VidPn source 0 that is closest to width x height pixels (Kernel::ClosestMode). Errors: the driver's;
  // kUnsupported when it describes no shadow surface.
  static Result<std::unique_ptr<DesktopScreen>> Create(kernel::Kernel& kernel, LUID adapter, std::uint32_t width,
                                                       std::uint32_t height);
  ~DesktopScreen();
  DesktopScreen(const DesktopScreen&) = delete;
  DesktopScreen& operator=(const DesktopScreen&) = delete;

  [[nodiscard]] std::uint32_t width() const { return mode_.width; }    // pixels
  [[nodiscard]] std::uint32_t height() const { return mode_.height; }  // pixels
  [[nodiscard]] std::uint32_t pitch() const { return pitch_; }         // bytes of the shadow surface
  // True if the driver flips at vertical blanks alone. Known from the first Show() on.
  [[nodiscard]] bool waits_for_blanks() const { return interval_ != D3DDDI_FLIPINTERVAL_IMMEDIATE; }
  // The shadow surface, B8G8R8X8, with the picture before. Waits until that is on the screen. Valid until Unlock().
  [[nodiscard]] Result<std::byte*> Lock();
  void Unlock();
  // Copies the shadow surface to the primary that is not on the screen, and flips to that. Returns when it is shown, or at once
  // where the driver flips at vertical blanks alone.
  [[nodiscard]] Result<void> Show();
  // Waits until the last picture is on the screen.
  [[nodiscard]] Result<void> AwaitShown();

 private:
  DesktopScreen() = default;
  Result<void> Open(LUID adapter);
  Result<D3DKMT_HANDLE> CreateSurface(kernel::Kernel& kernel, LUID adapter, kernel::StandardSurface type);
  Result<void> SetMode() const;
  Result<void> Copy() const;
  Result<void> Flip();

  D3DKMT_HANDLE adapter_ = 0;
  D3DKMT_HANDLE device_ = 0;
  D3DKMT_HANDLE context_ = 0;
  std::unique_ptr<swapchain::MonitoredFence> fence_;
  std::uint64_t flips_ = 0;  // value of the fence behind the last flip
  kernel::SourceModeOffer mode_;
  D3DKMT_HANDLE shadow_ = 0;
  std::uint32_t pitch_ = 0;
  std::array<D3DKMT_HANDLE, 2> primaries_{};
  std::size_t back_ = 1;  // the primary that is not on the screen
  D3DDDI_FLIPINTERVAL_TYPE interval_ = D3DDDI_FLIPINTERVAL_IMMEDIATE;
};

}  // namespace tandem::system
