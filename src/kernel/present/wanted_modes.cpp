#include "kernel/present/wanted_modes.h"

namespace tandem::kernel {

D3DKMDT_VIDPN_SOURCE_MODE WantedSourceMode(std::uint32_t width, std::uint32_t height, D3DDDIFORMAT format) {
  D3DKMDT_VIDPN_SOURCE_MODE mode{};
  mode.Type = D3DKMDT_RMT_GRAPHICS;
  mode.Format.Graphics.PrimSurfSize = mode.Format.Graphics.VisibleRegionSize = {width, height};
  mode.Format.Graphics.PixelFormat = format;
  mode.Format.Graphics.ColorBasis = D3DKMDT_CB_UNINITIALIZED;
  mode.Format.Graphics.PixelValueAccessMode = format == D3DDDIFMT_P8 ? D3DKMDT_PVAM_SETTABLEPALETTE : D3DKMDT_PVAM_DIRECT;
  return mode;
}

D3DKMDT_VIDPN_TARGET_MODE WantedTargetMode(std::uint32_t width, std::uint32_t height) {
  constexpr D3DDDI_RATIONAL kAny{D3DKMDT_FREQUENCY_NOTSPECIFIED, D3DKMDT_FREQUENCY_NOTSPECIFIED};
  D3DKMDT_VIDPN_TARGET_MODE mode{};
  mode.VideoSignalInfo.VideoStandard = D3DKMDT_VSS_OTHER;
  mode.VideoSignalInfo.TotalSize = mode.VideoSignalInfo.ActiveSize = {width, height};
  mode.VideoSignalInfo.VSyncFreq = mode.VideoSignalInfo.HSyncFreq = kAny;
  mode.VideoSignalInfo.PixelRate = D3DKMDT_FREQUENCY_NOTSPECIFIED;
  mode.VideoSignalInfo.AdditionalSignalInfo.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
  mode.Preference = D3DKMDT_MP_PREFERRED;
  return mode;
}

D3DKMDT_VIDPN_PRESENT_PATH WantedPath(std::uint32_t source, std::uint32_t target, std::size_t importance) {
  D3DKMDT_VIDPN_PRESENT_PATH path{};
  path.VidPnSourceId = source;
  path.VidPnTargetId = target;
  path.ImportanceOrdinal = importance == 1   ? D3DKMDT_VPPI_PRIMARY
                           : importance == 2 ? D3DKMDT_VPPI_SECONDARY
                                             : D3DKMDT_VPPI_TERTIARY;
  path.ContentTransformation.Scaling = D3DKMDT_VPPS_UNPINNED;
  path.ContentTransformation.ScalingSupport.Identity = 1;
  path.ContentTransformation.Rotation = D3DKMDT_VPPR_UNPINNED;
  path.ContentTransformation.RotationSupport.Identity = 1;
  path.VidPnTargetColorBasis = D3DKMDT_CB_SCRGB;
  path.Content = D3DKMDT_VPPC_GRAPHICS;
  path.CopyProtection.CopyProtectionType = D3DKMDT_VPPMT_NOPROTECTION;
  path.GammaRamp.Type = D3DDDI_GAMMARAMP_DEFAULT;
  return path;
}

void Hold(VidPn& vidpn, const PinnedSource& held) {
  for (const PinnedSource::Target& target : held.targets) {
    vidpn.AddPath(target.path);
    vidpn.PinTarget(target.path.VidPnTargetId, vidpn.Offer(target.path.VidPnTargetId, target.mode));
  }
  if (!held.targets.empty()) vidpn.PinSource(held.source, vidpn.Offer(held.source, held.mode));
}

D3DKMDT_VIDPN_PRESENT_PATH_ROTATION ToPathRotation(D3DDDI_ROTATION content, D3DDDI_ROTATION offset) {
  return static_cast<D3DKMDT_VIDPN_PRESENT_PATH_ROTATION>(content + 4 * (offset - D3DDDI_ROTATION_IDENTITY));
}

D3DDDI_ROTATION OffsetOf(D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation) {
  return static_cast<D3DDDI_ROTATION>(D3DKMDT_VPPR_GET_OFFSET_ROTATION(rotation));
}

bool Supports(const D3DKMDT_VIDPN_PRESENT_PATH_ROTATION_SUPPORT& support, D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation) {
  const auto content = static_cast<UINT>(D3DKMDT_VPPR_GET_CONTENT_ROTATION_PART(rotation)) - 1;
  const auto offset = static_cast<UINT>(D3DKMDT_VPPR_GET_OFFSET_ROTATION(rotation)) - 1;
  return (support.Value >> content & 1) != 0 && (offset == 0 || (support.Value >> (4 + offset) & 1) != 0);
}

std::optional<D3DKMDT_VIDPN_PRESENT_PATH_SCALING> FitScaling(const D3DKMDT_VIDPN_PRESENT_PATH_SCALING_SUPPORT& support) {
  if (support.Identity) return D3DKMDT_VPPS_IDENTITY;
  if (support.AspectRatioCenteredMax) return D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX;
  if (support.Centered) return D3DKMDT_VPPS_CENTERED;
  if (support.Stretched) return D3DKMDT_VPPS_STRETCHED;
  return std::nullopt;
}

}  // namespace tandem::kernel
