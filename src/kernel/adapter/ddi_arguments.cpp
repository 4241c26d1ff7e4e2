#include "kernel/adapter/ddi_arguments.h"

#include <cstring>
#include <span>

#include <fmt/format.h>

namespace tandem::kernel {
namespace {

// The names of the bits that are set, lowest first; bits without a name in hexadecimal digits.
std::string Bits(UINT value, std::span<const char* const> names) {
  std::string text;
  for (std::size_t bit = 0; bit < names.size(); ++bit) {
    if ((value >> bit & 1) == 0) continue;
    text += (text.empty() ? "" : "|") + std::string(names[bit]);
    value &= ~(1u << bit);
  }
  if (value != 0 || text.empty()) text += fmt::format("{}0x{:X}", text.empty() ? "" : "|", value);
  return text;
}

std::string Rect(const RECT& rect) { return fmt::format("({}, {})-({}, {})", rect.left, rect.top, rect.right, rect.bottom); }

std::string Address(UINT segment, const PHYSICAL_ADDRESS& address) {
  return fmt::format("{}:0x{:X}", segment, static_cast<std::uint64_t>(address.QuadPart));
}

constexpr const char* kPresentFlags[] = {"Blt",
                                         "ColorFill",
                                         "Flip",
                                         "FlipWithNoWait",
                                         "SrcColorKey",
                                         "DstColorKey",
                                         "LinearToSrgb",
                                         "Rotate",
                                         "FlipStereo",
                                         "FlipStereoTemporaryMono",
                                         "FlipStereoPreferRight",
                                         "BltStereoUseRight",
                                         "FlipWithMultiPlaneOverlay",
                                         "RedirectedFlip"};
constexpr const char* kSubmitFlags[] = {"Paging",         "Present",       "RedirectedPresent", "NullRendering",     "Flip",
                                        "FlipWithNoWait", "ContextSwitch", "Resubmission",      "VirtualMachineData"};
constexpr const char* kPatchFlags[] = {"Paging", "Present", "RedirectedPresent", "NullRendering"};
constexpr const char* kVidPnHwCaps[] = {
    "DriverRotation",     "DriverScaling", "DriverCloning", "DriverColorConvert", "DriverLinkedAdapaterOutput",
    "DriverRemoteDisplay"};
constexpr const char* kPointerFlags[] = {"Monochrome", "Color", "MaskedColor"};
constexpr const char* kPointerPositionFlags[] = {"Visible", "Procedural"};
constexpr const char* kAddressFlags[] = {"ModeChange",
                                         "FlipImmediate",
                                         "FlipOnNextVSync",
                                         "FlipStereo",
                                         "FlipStereoTemporaryMono",
                                         "FlipStereoPreferRight",
                                         "SharedPrimaryTransition",
                                         "IndependentFlipExclusive",
                                         "MoveFlip"};

std::string Paging(const DXGKARG_BUILDPAGINGBUFFER& args) {
  switch (args.Operation) {
    case DXGK_OPERATION_TRANSFER:
      return fmt::format("TRANSFER, hAllocation {}, offset {}, {} bytes from segment {} to segment {}",
                         fmt::ptr(args.Transfer.hAllocation), args.Transfer.TransferOffset, args.Transfer.TransferSize,
                         args.Transfer.Source.SegmentId, args.Transfer.Destination.SegmentId);
    case DXGK_OPERATION_FILL:
      return fmt::format("FILL, hAllocation {}, {} bytes with 0x{:X} at {}", fmt::ptr(args.Fill.hAllocation), args.Fill.FillSize,
                         args.Fill.FillPattern, Address(args.Fill.Destination.SegmentId, args.Fill.Destination.SegmentAddress));
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
      return fmt::format("MAP_APERTURE_SEGMENT, hAllocation {}, {} pages at page {} of segment {}",
                         fmt::ptr(args.MapApertureSegment.hAllocation), args.MapApertureSegment.NumberOfPages,
                         args.MapApertureSegment.OffsetInPages, args.MapApertureSegment.SegmentId);
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
      return fmt::format("UNMAP_APERTURE_SEGMENT, hAllocation {}, {} pages at page {} of segment {}",
                         fmt::ptr(args.UnmapApertureSegment.hAllocation), args.UnmapApertureSegment.NumberOfPages,
                         args.UnmapApertureSegment.OffsetInPages, args.UnmapApertureSegment.SegmentId);
    default: return fmt::format("operation {}", static_cast<int>(args.Operation));
  }
}

}  // namespace

std::string DdiArgument(const DXGKARG_QUERYADAPTERINFO& args) {
  return fmt::format("Type {}, OutputDataSize {}", static_cast<int>(args.Type), args.OutputDataSize);
}
std::string DdiArgument(const DXGKARG_CREATECONTEXT& args) {
  return fmt::format("NodeOrdinal {}, Flags 0x{:X}", args.NodeOrdinal, args.Flags.Value);
}
std::string DdiArgument(const DXGKARG_CREATEALLOCATION& args) {
  return fmt::format("NumAllocations {}, Flags 0x{:X}, PrivateDriverDataSize {}", args.NumAllocations, args.Flags.Value,
                     args.NumAllocations == 0 ? 0 : args.pAllocationInfo[0].PrivateDriverDataSize);
}
std::string DdiArgument(const DXGKARG_DESTROYALLOCATION& args) { return fmt::format("NumAllocations {}", args.NumAllocations); }
std::string DdiArgument(const DXGKARG_OPENALLOCATION& args) {
  return fmt::format("NumAllocations {}, Flags 0x{:X}", args.NumAllocations, args.Flags.Value);
}
std::string DdiArgument(const DXGKARG_CLOSEALLOCATION& args) { return fmt::format("NumAllocations {}", args.NumAllocations); }
std::string DdiArgument(const DXGKARG_DESCRIBEALLOCATION& args) {
  return fmt::format("hAllocation {}", fmt::ptr(args.hAllocation));
}
std::string DdiArgument(const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA& args) {
  return fmt::format("StandardAllocationType {}, {}", static_cast<int>(args.StandardAllocationType),
                     args.pAllocationPrivateDriverData == nullptr ? "for the sizes" : "for the data");
}
std::string DdiArgument(const DXGKARG_BUILDPAGINGBUFFER& args) {
  return fmt::format("{}, DmaSize {}, MultipassOffset {}", Paging(args), args.DmaSize, args.MultipassOffset);
}
std::string DdiArgument(const DXGKARG_PRESENT& args) {
  return fmt::format(
      "Flags {}, SrcRect {}, DstRect {}, SubRectCnt {}, MultipassOffset {}, DmaSize {}, PatchLocationListOutSize {}",
      Bits(args.Flags.Value, kPresentFlags), Rect(args.SrcRect), Rect(args.DstRect), args.SubRectCnt, args.MultipassOffset,
      args.DmaSize, args.PatchLocationListOutSize);
}
std::string DdiArgument(const DXGKARG_RENDER& args) {
  return fmt::format("CommandLength {}, AllocationListSize {}, PatchLocationListInSize {}, MultipassOffset {}, DmaSize {}",
                     args.CommandLength, args.AllocationListSize, args.PatchLocationListInSize, args.MultipassOffset,
                     args.DmaSize);
}
std::string DdiArgument(const DXGKARG_PATCH& args) {
  return fmt::format("SubmissionFenceId {}, Flags {}, bytes {} to {} of {}, patch locations {} to {} of {}",
                     args.SubmissionFenceId, Bits(args.Flags.Value, kPatchFlags), args.DmaBufferSubmissionStartOffset,
                     args.DmaBufferSubmissionEndOffset, args.DmaBufferSize, args.PatchLocationListSubmissionStart,
                     args.PatchLocationListSubmissionStart + args.PatchLocationListSubmissionLength, args.PatchLocationListSize);
}
std::string DdiArgument(const DXGKARG_SUBMITCOMMAND& args) {
  return fmt::format("SubmissionFenceId {}, NodeOrdinal {}, Flags {}, bytes {} to {} of {}", args.SubmissionFenceId,
                     args.NodeOrdinal, Bits(args.Flags.Value, kSubmitFlags), args.DmaBufferSubmissionStartOffset,
                     args.DmaBufferSubmissionEndOffset, args.DmaBufferSize);
}
std::string DdiArgument(const DXGKARG_PREEMPTCOMMAND& args) {
  return fmt::format("PreemptionFenceId {}, NodeOrdinal {}", args.PreemptionFenceId, args.NodeOrdinal);
}
std::string DdiArgument(const DXGKARG_SETVIDPNSOURCEADDRESS& args) {
  return fmt::format("VidPnSourceId {}, address {}, hAllocation {}, ContextCount {}, Flags {}", args.VidPnSourceId,
                     Address(args.PrimarySegment, args.PrimaryAddress), fmt::ptr(args.hAllocation), args.ContextCount,
                     Bits(args.Flags.Value, kAddressFlags));
}
std::string DdiArgument(const DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3& args) {
  return fmt::format("VidPnSourceId {}, PlaneCount {}", args.VidPnSourceId, args.PlaneCount);
}
std::string DdiArgument(const DXGKARG_SETVIDPNSOURCEVISIBILITY& args) {
  return fmt::format("VidPnSourceId {}, Visible {}", args.VidPnSourceId, args.Visible != FALSE);
}
std::string DdiArgument(const DXGKARG_SETPOINTERPOSITION& args) {
  return fmt::format("VidPnSourceId {}, X {}, Y {}, Flags {}", args.VidPnSourceId, args.X, args.Y,
                     Bits(args.Flags.Value, kPointerPositionFlags));
}
std::string DdiArgument(const DXGKARG_SETPOINTERSHAPE& args) {
  return fmt::format("VidPnSourceId {}, {} x {}, Pitch {}, XHot {}, YHot {}, Flags {}", args.VidPnSourceId, args.Width,
                     args.Height, args.Pitch, args.XHot, args.YHot, Bits(args.Flags.Value, kPointerFlags));
}
std::string DdiArgument(const DXGKARG_COMMITVIDPN& args) {
  return fmt::format("AffectedVidPnSourceId {}, hPrimaryAllocation {}", static_cast<int>(args.AffectedVidPnSourceId),
                     fmt::ptr(args.hPrimaryAllocation));
}
std::string DdiArgument(const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH& args) {
  const D3DKMDT_VIDPN_PRESENT_PATH& path = args.VidPnPresentPathInfo;
  return fmt::format("VidPnSourceId {}, VidPnTargetId {}, GammaRamp.Type {}, {} bytes", path.VidPnSourceId, path.VidPnTargetId,
                     static_cast<UINT>(path.GammaRamp.Type), path.GammaRamp.DataSize);
}
std::string DdiArgument(const DXGKARG_RECOMMENDFUNCTIONALVIDPN& args) {
  return fmt::format("NumberOfVidPnTargets {}, RequestReason {}, PrivateDriverDataSize {}", args.NumberOfVidPnTargets,
                     static_cast<UINT>(args.RequestReason), args.PrivateDriverDataSize);
}
std::string DdiArgument(const DXGKARG_QUERYVIDPNHWCAPABILITY& args) {
  return fmt::format("SourceId {}, TargetId {}", args.SourceId, args.TargetId);
}
std::string DdiArgument(const DXGKARG_ESCAPE& args) {
  return fmt::format("hDevice {}, PrivateDriverDataSize {}, Flags 0x{:X}", fmt::ptr(args.hDevice), args.PrivateDriverDataSize,
                     args.Flags.Value);
}
std::string DdiArgument(const DXGKARG_QUERYCURRENTFENCE& args) { return fmt::format("NodeOrdinal {}", args.NodeOrdinal); }
std::string DdiArgument(const DXGKARG_QUERYENGINESTATUS& args) { return fmt::format("NodeOrdinal {}", args.NodeOrdinal); }
std::string DdiArgument(const DXGKARG_RESETENGINE& args) { return fmt::format("NodeOrdinal {}", args.NodeOrdinal); }
std::string DdiArgument(const DXGKARG_GETSCANLINE& args) { return fmt::format("VidPnTargetId {}", args.VidPnTargetId); }
std::string DdiArgument(const DXGKARG_QUERYFEATURESUPPORT& args) {
  return fmt::format("FeatureId 0x{:X}, AllowExperimental {}", static_cast<UINT>(args.FeatureId),
                     args.AllowExperimental != FALSE);
}
std::string DdiArgument(const DXGKARG_QUERYFEATUREINTERFACE& args) {
  return fmt::format("FeatureId 0x{:X}, Version {}", static_cast<UINT>(args.FeatureId), args.Version);
}

std::string DdiAnswer(const DXGKARG_CREATECONTEXT& args) {
  return fmt::format("hContext {}, DmaBufferSize {}, AllocationListSize {}, PatchLocationListSize {}", fmt::ptr(args.hContext),
                     args.ContextInfo.DmaBufferSize, args.ContextInfo.AllocationListSize, args.ContextInfo.PatchLocationListSize);
}
std::string DdiAnswer(const DXGKARG_CREATEALLOCATION& args) {
  std::string text;
  for (UINT i = 0; i < args.NumAllocations; ++i) {
    const DXGK_ALLOCATIONINFO& info = args.pAllocationInfo[i];
    text += fmt::format("{}hAllocation {}, Size {}, Alignment {}", text.empty() ? "" : "; ", fmt::ptr(info.hAllocation),
                        info.Size, info.Alignment);
  }
  return text;
}
std::string DdiAnswer(const DXGKARG_DESCRIBEALLOCATION& args) {
  return fmt::format("{} x {}, Format {}", args.Width, args.Height, static_cast<UINT>(args.Format));
}
std::string DdiAnswer(const DXGKARG_PRESENT& args) { return fmt::format("MultipassOffset {}", args.MultipassOffset); }
std::string DdiAnswer(const DXGKARG_QUERYVIDPNHWCAPABILITY& args) {
  UINT bits = 0;
  std::memcpy(&bits, &args.VidPnHWCaps, sizeof(bits));
  return fmt::format("VidPnHWCaps {}", Bits(bits, kVidPnHwCaps));
}
std::string DdiAnswer(const DXGKARG_QUERYCURRENTFENCE& args) { return fmt::format("CurrentFence {}", args.CurrentFence); }
std::string DdiAnswer(const DXGKARG_QUERYENGINESTATUS& args) {
  return fmt::format("EngineStatus 0x{:X}", args.EngineStatus.Value);
}
std::string DdiAnswer(const DXGKARG_RESETENGINE& args) { return fmt::format("LastAbortedFenceId {}", args.LastAbortedFenceId); }
std::string DdiAnswer(const DXGKARG_GETSCANLINE& args) {
  return fmt::format("ScanLine {}, InVerticalBlank {}", args.ScanLine, args.InVerticalBlank != FALSE);
}
std::string DdiAnswer(const DXGKARG_QUERYFEATURESUPPORT& args) {
  return fmt::format("SupportedByDriver {}, versions {} to {}", args.SupportedByDriver != FALSE, args.MinSupportedVersion,
                     args.MaxSupportedVersion);
}

}  // namespace tandem::kernel
