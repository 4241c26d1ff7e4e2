#include "kernel/adapter/monitors.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "kernel/adapter/adapter.h"
#include "kernel/adapter/monitor_modes.h"
#include "kernel/adapter/rules.h"

namespace tandem::kernel {
namespace {

constexpr std::size_t kExtensionCount = 126;
constexpr std::size_t kFirstTiming = 54, kTimingBytes = 18;

template <class Function, class... Args>
NTSTATUS Ask(Adapter& adapter, Ddi ddi, Function function, Args... args) {
  if (!adapter.alive()) return STATUS_DEVICE_REMOVED;
  return function == nullptr ? STATUS_NOT_SUPPORTED : adapter.gate().Call(ddi, function, adapter.miniport_context(), args...);
}

// STATUS_NOT_SUPPORTED without the DDI.
NTSTATUS AskChild(Adapter& adapter, ULONG target, DXGK_CHILD_STATUS_TYPE type, DXGK_CHILD_STATUS& child) {
  child = {};
  child.Type = type;
  child.ChildUid = target;
  return Ask(adapter, Ddi::kQueryChildStatus, adapter.ddi().DxgkDdiQueryChildStatus, &child, BOOLEAN{TRUE});
}

bool IsConnected(Adapter& adapter, ULONG target) {
  if (adapter.ddi().DxgkDdiQueryChildStatus == nullptr) return true;
  DXGK_CHILD_STATUS child{};
  return NT_SUCCESS(AskChild(adapter, target, StatusConnection, child)) && child.HotPlug.Connected != FALSE;
}

// An EDID with a block that the driver does not give ends before it.
std::vector<std::uint8_t> ReadEdid(Adapter& adapter, ULONG target) {
  std::vector<std::uint8_t> edid;
  for (std::size_t blocks = 1; edid.size() < blocks * kEdidBlockBytes;) {
    const std::size_t begin = edid.size();
    edid.resize(begin + kEdidBlockBytes);
    DXGK_DEVICE_DESCRIPTOR descriptor{static_cast<ULONG>(begin), kEdidBlockBytes, edid.data() + begin};
    const NTSTATUS status =
        Ask(adapter, Ddi::kQueryDeviceDescriptor, adapter.ddi().DxgkDdiQueryDeviceDescriptor, target, &descriptor);
    if (!NT_SUCCESS(status)) {
      edid.resize(begin);
      break;
    }
    blocks = std::min<std::size_t>(std::size_t{edid[kExtensionCount]} + 1, kMaxEdidBlocks);
  }
  return edid;
}

std::vector<D3DKMDT_MONITOR_SOURCE_MODE> ReadModes(Adapter& adapter, ULONG target, const std::vector<std::uint8_t>& edid) {
  MonitorModes modes;
  if (const auto preferred = PreferredModeOf(edid)) modes.Offer(*preferred);
  const auto recommend = adapter.ddi().DxgkDdiRecommendMonitorModes;
  if (recommend == nullptr) return modes.Modes();
  const DXGKARG_RECOMMENDMONITORMODES args{target, modes.Lend(), &MonitorModes::Functions()};
  static_cast<void>(Ask(adapter, Ddi::kRecommendMonitorModes, recommend, &args));
  if (const std::uint32_t kept = modes.Return(); kept != 0) {
    adapter.ReportViolation(
        rules::kVidPnReleased,
        fmt::format("{} modes of a monitor were neither added nor released when DxgkDdiRecommendMonitorModes returned.", kept));
  }
  return modes.Modes();
}

}  // namespace

std::optional<D3DKMDT_MONITOR_SOURCE_MODE> PreferredModeOf(const std::vector<std::uint8_t>& edid) {
  if (edid.size() < kFirstTiming + kTimingBytes) return std::nullopt;
  const std::uint8_t* const timing = edid.data() + kFirstTiming;
  const UINT clock_10khz = timing[0] | UINT{timing[1]} << 8;
  const UINT width = timing[2] | (UINT{timing[4]} & 0xF0) << 4, height = timing[5] | (UINT{timing[7]} & 0xF0) << 4;
  const UINT blank_columns = timing[3] | (UINT{timing[4]} & 0x0F) << 8, blank_rows = timing[6] | (UINT{timing[7]} & 0x0F) << 8;
  if (clock_10khz == 0 || width == 0 || height == 0) return std::nullopt;
  D3DKMDT_MONITOR_SOURCE_MODE mode{};
  D3DKMDT_VIDEO_SIGNAL_INFO& signal = mode.VideoSignalInfo;
  signal.VideoStandard = D3DKMDT_VSS_OTHER;
  signal.ActiveSize = {width, height};
  signal.TotalSize = {width + blank_columns, height + blank_rows};
  signal.PixelRate = SIZE_T{clock_10khz} * 10'000;
  signal.HSyncFreq = {clock_10khz * 10'000, signal.TotalSize.cx};
  signal.VSyncFreq = {clock_10khz * 10'000, signal.TotalSize.cx * signal.TotalSize.cy};
  signal.AdditionalSignalInfo.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
  if ((timing[17] & 0x80) != 0) signal.AdditionalSignalInfo.ScanLineOrdering = D3DDDI_VSSLO_INTERLACED_UPPERFIELDFIRST;
  mode.ColorBasis = D3DKMDT_CB_SRGB;
  mode.ColorCoeffDynamicRanges = {8, 8, 8, 8};
  mode.Origin = D3DKMDT_MCO_MONITORDESCRIPTOR;
  mode.Preference = D3DKMDT_MP_PREFERRED;
  return mode;
}

MonitorDescription ReadMonitor(Adapter& adapter, ULONG target) {
  MonitorDescription monitor;
  monitor.connected = IsConnected(adapter, target);
  if (!monitor.connected) return monitor;
  monitor.edid = ReadEdid(adapter, target);
  monitor.modes = ReadModes(adapter, target, monitor.edid);
  return monitor;
}

void UpdateMonitor(Adapter& adapter, ULONG target, DXGK_CHILD_STATUS_TYPE type) {
  MonitorDescription before = adapter.monitors().Of(target);
  if (type == StatusRotation) {
    DXGK_CHILD_STATUS child{};
    if (NT_SUCCESS(AskChild(adapter, target, type, child))) before.angle = child.Rotation.Angle;
    return adapter.monitors().Set(target, std::move(before));
  }
  MonitorDescription now = ReadMonitor(adapter, target);
  now.angle = before.angle;
  adapter.monitors().Set(target, std::move(now));
}

MonitorDescription Monitors::Of(ULONG target) const {
  const MutexLock lock(mutex_);
  for (const Entry& entry : entries_) {
    if (entry.target == target) return entry.monitor;
  }
  return {};
}

void Monitors::Set(ULONG target, MonitorDescription monitor) {
  const MutexLock lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.target != target) continue;
    entry.monitor = std::move(monitor);
    return;
  }
  entries_.push_back({target, std::move(monitor)});
}

}  // namespace tandem::kernel
