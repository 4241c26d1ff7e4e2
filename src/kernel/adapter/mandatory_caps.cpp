#include "kernel/adapter/mandatory_caps.h"

#include "kernel/adapter/rules.h"

namespace tandem::kernel {
namespace {

// As Windows has been seen to ask.
constexpr std::size_t kWin8Bytes = offsetof(DXGK_DRIVERCAPS, MaxOverlayPlanes);
constexpr std::size_t kWddm13Bytes = offsetof(DXGK_DRIVERCAPS, InternalGpuVirtualAddressRangeStart);
constexpr std::size_t kWddm20Bytes = offsetof(DXGK_DRIVERCAPS, MiscCaps);
static_assert(kWin8Bytes == 0x220 && kWddm13Bytes == 0x228 && kWddm20Bytes == 0x240);

Result<void> CheckScheduling(const DXGK_VIDSCHCAPS& scheduling) {
  if (scheduling.MultiEngineAware != 0) return {};
  if (scheduling.PreemptionAware != 0) {
    return Fail(ErrorKind::kInternal, "{}: PreemptionAware is set and MultiEngineAware is not.", rules::kPreemptionNeedsContexts);
  }
  if (scheduling.CancelCommandAware != 0) {
    return Fail(ErrorKind::kInternal, "{}: CancelCommandAware is set and MultiEngineAware is not.", rules::kCancelNeedsContexts);
  }
  return {};
}

Result<void> CheckOverlayDdis(const DRIVER_INITIALIZATION_DATA& ddi) {
  const bool asks = ddi.DxgkDdiCheckMultiPlaneOverlaySupport != nullptr || ddi.DxgkDdiCheckMultiPlaneOverlaySupport2 != nullptr ||
                    ddi.DxgkDdiCheckMultiPlaneOverlaySupport3 != nullptr;
  const bool shows = ddi.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay != nullptr ||
                     ddi.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay2 != nullptr ||
                     ddi.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3 != nullptr;
  if (asks && shows) return {};
  return Fail(ErrorKind::kInternal, "{}: SupportMultiPlaneOverlay is set and every {} is missing.", rules::kOverlayDdis,
              asks ? "DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay" : "DxgkDdiCheckMultiPlaneOverlaySupport");
}

}  // namespace

std::size_t DriverCapsBytes(ULONG version) {
  switch (version) {
    case DXGKDDI_INTERFACE_VERSION_WIN8: return kWin8Bytes;
    case DXGKDDI_INTERFACE_VERSION_WDDM1_3:
    case DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION: return kWddm13Bytes;
    case DXGKDDI_INTERFACE_VERSION_WDDM2_0: return kWddm20Bytes;
    default: return sizeof(DXGK_DRIVERCAPS);
  }
}

Result<void> CheckMandatoryCaps(const DXGK_DRIVERCAPS& caps, const DRIVER_INITIALIZATION_DATA& ddi, std::uint32_t vidpn_sources) {
  if (Result<void> scheduling = CheckScheduling(caps.SchedulingCaps); !scheduling.ok()) return scheduling;
  if (caps.WDDMVersion >= DXGKDDI_WDDMv2_7 && caps.MiscCaps.IndependentVidPnVSyncControl != 0 &&
      ddi.DxgkDdiControlInterrupt3 == nullptr) {
    return Fail(ErrorKind::kInternal, "{}: IndependentVidPnVSyncControl is set and DxgkDdiControlInterrupt3 is missing.",
                rules::kIndependentVSyncControl);
  }
  return vidpn_sources > 0 && caps.SupportMultiPlaneOverlay != FALSE ? CheckOverlayDdis(ddi) : Result<void>();
}

Result<void> CheckMandatoryDisplayOnlyCaps(const DXGK_DRIVERCAPS& caps, const DRIVER_INITIALIZATION_DATA& ddi) {
  if (caps.WDDMVersion < DXGKDDI_WDDMv1_2) {
    return Fail(ErrorKind::kInternal, "{}: WDDMVersion 0x{:X} of a display-only driver is below 0x{:X}.",
                rules::kDisplayOnlyVersion, static_cast<unsigned>(caps.WDDMVersion), static_cast<unsigned>(DXGKDDI_WDDMv1_2));
  }
  if ((ddi.DxgkDdiControlInterrupt == nullptr) != (ddi.DxgkDdiGetScanLine == nullptr)) {
    return Fail(
        ErrorKind::kInternal, "{}: Only {} is there; vertical blanks need DxgkDdiControlInterrupt and DxgkDdiGetScanLine.",
        rules::kVSyncControlPair, ddi.DxgkDdiControlInterrupt != nullptr ? "DxgkDdiControlInterrupt" : "DxgkDdiGetScanLine");
  }
  return {};
}

Result<void> CheckAgp(DXGK_SEGMENTFLAGS flags, std::uint32_t id) {
  if (flags.Agp == 0) return {};
  DXGK_SEGMENTFLAGS others = flags;
  others.Agp = 0;
  if (others.Value != 0) {
    return Fail(ErrorKind::kInternal, "{}: Flags 0x{:X} of segment {} have another flag beside Agp.", rules::kAgpAlone,
                static_cast<unsigned>(flags.Value), id);
  }
  return Fail(ErrorKind::kInternal, "{}: Segment {} is an AGP aperture, and DXGK_QUERYSEGMENTIN names none.", rules::kAgpBridge,
              id);
}

Result<void> CheckChild(const DXGK_CHILD_DESCRIPTOR& child, ULONG version) {
  const DXGK_CHILD_CAPABILITIES& caps = child.ChildCapabilities;
  if (version < DXGKDDI_INTERFACE_VERSION_WDDM2_0 || child.ChildDeviceType != TypeVideoOutput ||
      caps.Type.VideoOutput.InterfaceTechnology != D3DKMDT_VOT_INTERNAL || caps.HpdAwareness != HpdAwarenessAlwaysConnected) {
    return {};
  }
  return Fail(ErrorKind::kInternal, "{}: Child 0x{:X} is D3DKMDT_VOT_INTERNAL with HpdAwarenessAlwaysConnected.",
              rules::kInternalChildConnected, static_cast<unsigned>(child.ChildUid));
}

}  // namespace tandem::kernel
