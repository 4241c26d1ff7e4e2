#include "drivers/common/vidpn_modes.h"

#include <vector>

namespace tandem::drivers {
namespace {

// The functions of a VidPN that sources and targets have alike.
struct SourceSets {
  using Handle = D3DKMDT_HVIDPNSOURCEMODESET;
  using Functions = DXGK_VIDPNSOURCEMODESET_INTERFACE;
  using Mode = D3DKMDT_VIDPN_SOURCE_MODE;
  static constexpr auto kAcquire = &DXGK_VIDPN_INTERFACE::pfnAcquireSourceModeSet;
  static constexpr auto kRelease = &DXGK_VIDPN_INTERFACE::pfnReleaseSourceModeSet;
  static constexpr auto kCreate = &DXGK_VIDPN_INTERFACE::pfnCreateNewSourceModeSet;
  static constexpr auto kAssign = &DXGK_VIDPN_INTERFACE::pfnAssignSourceModeSet;
};
struct TargetSets {
  using Handle = D3DKMDT_HVIDPNTARGETMODESET;
  using Functions = DXGK_VIDPNTARGETMODESET_INTERFACE;
  using Mode = D3DKMDT_VIDPN_TARGET_MODE;
  static constexpr auto kAcquire = &DXGK_VIDPN_INTERFACE::pfnAcquireTargetModeSet;
  static constexpr auto kRelease = &DXGK_VIDPN_INTERFACE::pfnReleaseTargetModeSet;
  static constexpr auto kCreate = &DXGK_VIDPN_INTERFACE::pfnCreateNewTargetModeSet;
  static constexpr auto kAssign = &DXGK_VIDPN_INTERFACE::pfnAssignTargetModeSet;
};

// The kernel wants a size and leaves the rest open; Windows takes no such target mode. Each screen has its own refresh rate,
// which the modes do not choose.
void Complete(D3DKMDT_VIDPN_TARGET_MODE& mode) {
  constexpr UINT kHertz = 60;
  D3DKMDT_VIDEO_SIGNAL_INFO& signal = mode.VideoSignalInfo;
  if (signal.VSyncFreq.Numerator != D3DKMDT_FREQUENCY_NOTSPECIFIED) return;
  signal.VSyncFreq = {kHertz, 1};
  signal.HSyncFreq = {kHertz * signal.ActiveSize.cy, 1};
  signal.PixelRate = SIZE_T{kHertz} * signal.ActiveSize.cx * signal.ActiveSize.cy;
}
void Complete(D3DKMDT_VIDPN_SOURCE_MODE& /*mode*/) {}

template <class Sets>
class Offer {
 public:
  using Mode = typename Sets::Mode;

  Offer(const DXGK_VIDPN_INTERFACE& vidpn, D3DKMDT_HVIDPN handle, std::uint32_t owner)
      : vidpn_(vidpn), handle_(handle), owner_(owner) {}

  NTSTATUS Make() {
    std::vector<Mode> wanted;
    bool pinned = false;
    if (const NTSTATUS status = Read(wanted, pinned); !NT_SUCCESS(status) || pinned) return status;
    typename Sets::Handle set = nullptr;
    const typename Sets::Functions* functions = nullptr;
    NTSTATUS status = (vidpn_.*Sets::kCreate)(handle_, owner_, &set, &functions);
    if (!NT_SUCCESS(status)) return status;
    for (const Mode& mode : wanted) {
      status = Add(set, *functions, mode);
      if (!NT_SUCCESS(status)) break;
    }
    if (NT_SUCCESS(status)) status = (vidpn_.*Sets::kAssign)(handle_, owner_, set);
    if (!NT_SUCCESS(status)) static_cast<void>((vidpn_.*Sets::kRelease)(handle_, set));
    return status;
  }

 private:
  NTSTATUS Read(std::vector<Mode>& modes, bool& pinned) {
    typename Sets::Handle set = nullptr;
    const typename Sets::Functions* functions = nullptr;
    NTSTATUS status = (vidpn_.*Sets::kAcquire)(handle_, owner_, &set, &functions);
    if (!NT_SUCCESS(status)) return status;
    const Mode* mode = nullptr;
    pinned = functions->pfnAcquirePinnedModeInfo(set, &mode) == STATUS_SUCCESS;
    if (pinned) {
      static_cast<void>(functions->pfnReleaseModeInfo(set, mode));
    } else {
      status = functions->pfnAcquireFirstModeInfo(set, &mode);
      while (status == STATUS_SUCCESS) {
        modes.push_back(*mode);
        const Mode* next = nullptr;
        status = functions->pfnAcquireNextModeInfo(set, mode, &next);
        static_cast<void>(functions->pfnReleaseModeInfo(set, mode));
        mode = next;
      }
    }
    static_cast<void>((vidpn_.*Sets::kRelease)(handle_, set));
    return NT_SUCCESS(status) ? STATUS_SUCCESS : status;
  }

  // The kernel gives each mode its id.
  static NTSTATUS Add(typename Sets::Handle set, const typename Sets::Functions& functions, const Mode& mode) {
    Mode* info = nullptr;
    NTSTATUS status = functions.pfnCreateNewModeInfo(set, &info);
    if (!NT_SUCCESS(status)) return status;
    const auto id = info->Id;
    *info = mode;
    info->Id = id;
    Complete(*info);
    status = functions.pfnAddMode(set, info);
    if (!NT_SUCCESS(status)) static_cast<void>(functions.pfnReleaseModeInfo(set, info));
    return status;
  }

  const DXGK_VIDPN_INTERFACE& vidpn_;
  const D3DKMDT_HVIDPN handle_;
  const std::uint32_t owner_;
};

}  // namespace

NTSTATUS OfferModes(const DXGKRNL_INTERFACE& kernel, const DXGKARG_ENUMVIDPNCOFUNCMODALITY& args, std::uint32_t source,
                    std::uint32_t target) {
  const DXGK_VIDPN_INTERFACE* vidpn = nullptr;
  NTSTATUS status = kernel.DxgkCbQueryVidPnInterface(args.hConstrainingVidPn, DXGK_VIDPN_INTERFACE_VERSION_V1, &vidpn);
  if (!NT_SUCCESS(status)) return status;
  if (args.EnumPivotType != D3DKMDT_EPT_VIDPNSOURCE || args.EnumPivot.VidPnSourceId != source) {
    status = Offer<SourceSets>(*vidpn, args.hConstrainingVidPn, source).Make();
  }
  if (NT_SUCCESS(status) && (args.EnumPivotType != D3DKMDT_EPT_VIDPNTARGET || args.EnumPivot.VidPnTargetId != target)) {
    status = Offer<TargetSets>(*vidpn, args.hConstrainingVidPn, target).Make();
  }
  return status;
}

NTSTATUS AddMonitorMode(const DXGKARG_RECOMMENDMONITORMODES& args, std::uint32_t width, std::uint32_t height,
                        std::int64_t period_ns) {
  const DXGK_MONITORSOURCEMODESET_INTERFACE& functions = *args.pMonitorSourceModeSetInterface;
  D3DKMDT_MONITOR_SOURCE_MODE* mode = nullptr;
  NTSTATUS status = functions.pfnCreateNewModeInfo(args.hMonitorSourceModeSet, &mode);
  if (!NT_SUCCESS(status)) return status;
  constexpr std::int64_t kNsAtMilliHertz = 1'000'000'000'000;
  const auto milli_hertz = static_cast<UINT>(kNsAtMilliHertz / period_ns);
  D3DKMDT_VIDEO_SIGNAL_INFO& signal = mode->VideoSignalInfo;
  signal.VideoStandard = D3DKMDT_VSS_OTHER;
  signal.TotalSize = signal.ActiveSize = {width, height};
  signal.VSyncFreq = {milli_hertz, 1000};
  signal.HSyncFreq = {static_cast<UINT>(std::uint64_t{milli_hertz} * height / 1000), 1};
  signal.PixelRate = SIZE_T{milli_hertz} * width * height / 1000;
  signal.AdditionalSignalInfo.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
  mode->ColorBasis = D3DKMDT_CB_SRGB;
  mode->ColorCoeffDynamicRanges = {8, 8, 8, 8};
  mode->Origin = D3DKMDT_MCO_DRIVER;
  mode->Preference = D3DKMDT_MP_PREFERRED;
  status = functions.pfnAddMode(args.hMonitorSourceModeSet, mode);
  if (NT_SUCCESS(status)) return status;
  static_cast<void>(functions.pfnReleaseModeInfo(args.hMonitorSourceModeSet, mode));
  return status == STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET ? STATUS_SUCCESS : status;
}

}  // namespace tandem::drivers
