#include "conform/screen_driver.h"

namespace tandem::conform {

kernel::DisplayOnlyMode ScreenDriver::ScreenOr(const kernel::DisplayOnlyMode& otherwise) const {
  const kernel::DisplayOnlyMode screen = rig_.DisplayDevice().screen();
  return screen.width != 0 ? screen : otherwise;
}

kernel::PointerCaps ScreenDriver::pointer() const {
  return behind() != nullptr ? behind()->pointer() : rig_.Description(rig_.display()).pointer;
}

Result<void> ScreenDriver::SetPointerShape(const kernel::PointerShape& shape) {
  return behind() != nullptr ? behind()->SetPointerShape(shape) : rig_.kernel().SetPointerShape(rig_.display(), 0, shape);
}

Result<void> ScreenDriver::SetPointerPosition(const kernel::PointerPosition& position) {
  return behind() != nullptr ? behind()->SetPointerPosition(position)
                             : rig_.kernel().SetPointerPosition(rig_.display(), 0, position);
}

NTSTATUS ScreenDriver::SetGammaRamp(const UserDevice& user, D3DDDI_GAMMA_RAMP_RGB256x3x16* values) {
  const D3DDDI_GAMMARAMP_TYPE type = values == nullptr ? D3DDDI_GAMMARAMP_DEFAULT : D3DDDI_GAMMARAMP_RGB256x3x16;
  const UINT bytes = values == nullptr ? 0 : sizeof(*values);
  if (behind() != nullptr) return behind()->SetGammaRamp({type, bytes, {values}});
  const D3DKMT_SETGAMMARAMP set{user.device(), 0, type, {values}, bytes};
  return D3DKMTSetGammaRamp(&set);
}

NTSTATUS ScreenDriver::TakeRecommendation(const UserDevice& user) {
  kernel::DisplayOnlyMode mode;
  if (behind() != nullptr) return behind()->RecommendMode(mode);
  const D3DKMT_INVALIDATEACTIVEVIDPN invalidate{user.adapter(), nullptr, 0};
  return D3DKMTInvalidateActiveVidPn(&invalidate);
}

Result<kernel::MonitorDescription> ScreenDriver::Monitor() const {
  if (behind() != nullptr) return behind()->monitor();
  return rig_.kernel().Monitor(rig_.display(), 0);
}

Result<kernel::SystemDisplay> ScreenDriver::EnableSystemDisplay() {
  return behind() != nullptr ? behind()->EnableSystemDisplay() : rig_.kernel().EnableSystemDisplay(rig_.display());
}

Result<void> ScreenDriver::WriteSystemDisplay(const kernel::SystemBlock& block) {
  return behind() != nullptr ? behind()->WriteSystemDisplay(block) : rig_.kernel().WriteSystemDisplay(rig_.display(), block);
}

}  // namespace tandem::conform
