// The driver whose screen an output shows: the display adapter's own, or a display-only one behind it.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "conform/rig.h"
#include "kernel/kernel.h"

namespace tandem::conform {

// `rig` outlives it. Threads: one.
class ScreenDriver {
 public:
  explicit ScreenDriver(Rig& rig) : rig_(rig) {}

  // Pixels of a picture that covers the screen; `otherwise` for a driver that shows pictures of any size.
  [[nodiscard]] kernel::DisplayOnlyMode ScreenOr(const kernel::DisplayOnlyMode& otherwise) const;

  [[nodiscard]] kernel::PointerCaps pointer() const;
  Result<void> SetPointerShape(const kernel::PointerShape& shape);
  Result<void> SetPointerPosition(const kernel::PointerPosition& position);

  // Null: the default ramp. `user` shows the screen's picture. Errors: kernel::SetGammaRamp's, STATUS_NOT_SUPPORTED for a driver
  // without the DDI.
  [[nodiscard]] NTSTATUS SetGammaRamp(const UserDevice& user, D3DDDI_GAMMA_RAMP_RGB256x3x16* values);
  // The driver recommends a VidPN; a full one's is taken. Its status.
  [[nodiscard]] NTSTATUS TakeRecommendation(const UserDevice& user);

  [[nodiscard]] Result<kernel::MonitorDescription> Monitor() const;

  Result<kernel::SystemDisplay> EnableSystemDisplay();
  Result<void> WriteSystemDisplay(const kernel::SystemBlock& block);
  // The output gets what the driver drew; a screen that is read all the time needs no call.
  void ShowScreen() { rig_.DisplayDevice().ShowScreen(); }

 private:
  [[nodiscard]] kernel::DisplayOnlyAdapter* behind() const { return rig_.DisplayDevice().display_only(); }

  Rig& rig_;
};

}  // namespace tandem::conform
