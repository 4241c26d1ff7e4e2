#include "kernel/adapter/caps_check.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/limits.h"
#include "kernel/adapter/driver.h"
#include "kernel/adapter/mandatory_caps.h"
#include "kernel/adapter/rules.h"

namespace tandem::kernel {
namespace {

// D3DDDI_PATCHLOCATIONLIST::SlotId has 24 bits.
constexpr UINT kMaxSlotId = (1U << 24) - 1;

Result<void> CheckTiers(const DXGK_DRIVERCAPS& caps, const DRIVER_INITIALIZATION_DATA& ddi, std::uint32_t vidpn_sources) {
  const DXGK_VIDMMCAPS& memory = caps.MemoryManagementCaps;
  if (memory.CrossAdapterResourceTexture != 0 && memory.CrossAdapterResource == 0) {
    return Fail(ErrorKind::kInternal, "{}: CrossAdapterResourceTexture is set and CrossAdapterResource is not.",
                rules::kCrossAdapterTierSuperset);
  }
  if (memory.CrossAdapterResourceScanout != 0 && memory.CrossAdapterResourceTexture == 0) {
    return Fail(ErrorKind::kInternal, "{}: CrossAdapterResourceScanout is set and CrossAdapterResourceTexture is not.",
                rules::kCrossAdapterTierSuperset);
  }
  // With or without sources: a driver declares the tier for every configuration of its hardware.
  if (memory.CrossAdapterResourceScanout != 0 && ddi.DxgkDdiCheckMultiPlaneOverlaySupport3 == nullptr) {
    return Fail(ErrorKind::kInternal,
                "{}: CrossAdapterResourceScanout is set and DxgkDdiCheckMultiPlaneOverlaySupport3 is missing.",
                rules::kScanoutCheckOverlay);
  }
  if (caps.HybridIntegrated != 0 && caps.WDDMVersion >= DXGKDDI_WDDMv3_0 && memory.CrossAdapterResourceScanout == 0) {
    return Fail(ErrorKind::kInternal, "{}: HybridIntegrated is set at WDDM 0x{:X} and CrossAdapterResourceScanout is not.",
                rules::kHybridIntegratedScanout, static_cast<unsigned>(caps.WDDMVersion));
  }
  if (caps.HybridDiscrete != 0 && (memory.CrossAdapterResource == 0 || vidpn_sources > 0)) {
    return Fail(ErrorKind::kInternal,
                "{}: HybridDiscrete is set with {} VidPn sources (must be 0) and CrossAdapterResource {} (must be 1).",
                rules::kHybridDiscrete, vidpn_sources, static_cast<unsigned>(memory.CrossAdapterResource));
  }
  return {};
}

// A driver that addresses memory by GPU virtual addresses leaves patching out; this kernel patches and maps none.
Result<void> CheckImplemented(const DXGK_DRIVERCAPS& caps) {
  const DXGK_VIDMMCAPS& memory = caps.MemoryManagementCaps;
  const bool knows_virtual = caps.WDDMVersion >= DXGKDDI_WDDMv2;
  const char* cap = memory.VirtualAddressingSupported != 0 && knows_virtual ? "VirtualAddressingSupported"
                    : memory.GpuMmuSupported != 0 && knows_virtual          ? "GpuMmuSupported"
                    : caps.SchedulingCaps.NoDmaPatching != 0 && caps.WDDMVersion >= DXGKDDI_WDDMv1_2 ? "NoDmaPatching"
                                                                                                     : nullptr;
  if (cap == nullptr) return {};
  return Fail(ErrorKind::kUnsupported, "{}: {} is set; this kernel gives no GPU virtual addresses and patches every DMA buffer.",
              rules::kUnimplementedCaps, cap);
}

// "MCDM KM driver implementation guidelines" leave these out of what a compute-only driver must have.
Result<void> CheckGraphics(const DXGK_DRIVERCAPS& caps, const DRIVER_INITIALIZATION_DATA& ddi) {
  if (caps.MiscCaps.ComputeOnly != 0) return {};
  const DdiSlot slots[] = {{ddi.DxgkDdiPresent != nullptr, "DxgkDdiPresent"},
                           {ddi.DxgkDdiQueryCurrentFence != nullptr, "DxgkDdiQueryCurrentFence"}};
  return RequireSlots(slots);
}

Result<void> CheckDisplay(const DRIVER_INITIALIZATION_DATA& ddi) {
  const char* missing = ddi.DxgkDdiSetVidPnSourceAddress == nullptr      ? "DxgkDdiSetVidPnSourceAddress"
                        : ddi.DxgkDdiSetVidPnSourceVisibility == nullptr ? "DxgkDdiSetVidPnSourceVisibility"
                        : ddi.DxgkDdiCommitVidPn == nullptr              ? "DxgkDdiCommitVidPn"
                        : ddi.DxgkDdiControlInterrupt == nullptr         ? "DxgkDdiControlInterrupt"
                                                                         : nullptr;
  if (missing == nullptr) return {};
  return Fail(ErrorKind::kInternal, "{}: {} of an adapter with VidPn sources is missing.", rules::kMandatoryDdi, missing);
}

}  // namespace

std::vector<std::string> DropLaterTiers(DXGK_DRIVERCAPS& caps) {
  std::vector<std::string> dropped;
  const auto version = static_cast<unsigned>(caps.WDDMVersion);
  const auto drop = [&](const char* name, unsigned since) {
    dropped.push_back(
        fmt::format("{} is set at WDDM 0x{:X}, which has no such bit before 0x{:X}; it is ignored.", name, version, since));
  };
  DXGK_VIDMMCAPS& memory = caps.MemoryManagementCaps;
  if (memory.CrossAdapterResource != 0 && version < DXGKDDI_WDDMv1_3) {
    drop("CrossAdapterResource", DXGKDDI_WDDMv1_3);
    memory.CrossAdapterResource = 0;
  }
  if (memory.CrossAdapterResourceTexture != 0 && version < DXGKDDI_WDDMv2_9) {
    drop("CrossAdapterResourceTexture", DXGKDDI_WDDMv2_9);
    memory.CrossAdapterResourceTexture = 0;
  }
  if (memory.CrossAdapterResourceScanout != 0 && version < DXGKDDI_WDDMv2_9) {
    drop("CrossAdapterResourceScanout", DXGKDDI_WDDMv2_9);
    memory.CrossAdapterResourceScanout = 0;
  }
  return dropped;
}

Result<void> CheckCaps(const DXGK_DRIVERCAPS& caps, const DRIVER_INITIALIZATION_DATA& ddi, std::uint32_t vidpn_sources) {
  const UINT nodes = caps.GpuEngineTopology.NbAsymetricProcessingNodes;
  if (nodes == 0 || nodes > kMaxNodes) {
    return Fail(ErrorKind::kInternal, "{}: NbAsymetricProcessingNodes {} is not between 1 and {}.", rules::kNodeCount, nodes,
                kMaxNodes);
  }
  if (caps.MemoryManagementCaps.PagingNode >= nodes) {
    return Fail(ErrorKind::kInternal, "{}: PagingNode {} is not below NbAsymetricProcessingNodes {}.", rules::kPagingNode,
                static_cast<unsigned>(caps.MemoryManagementCaps.PagingNode), nodes);
  }
  if (caps.MaxAllocationListSlotId > kMaxSlotId) {
    return Fail(ErrorKind::kInternal, "{}: MaxAllocationListSlotId {} is above {}.", rules::kSlotId,
                static_cast<unsigned>(caps.MaxAllocationListSlotId), kMaxSlotId);
  }
  if (caps.SupportPerEngineTDR != 0 && (ddi.DxgkDdiQueryDependentEngineGroup == nullptr ||
                                        ddi.DxgkDdiQueryEngineStatus == nullptr || ddi.DxgkDdiResetEngine == nullptr)) {
    return Fail(ErrorKind::kInternal,
                "{}: SupportPerEngineTDR is set and one of DxgkDdiQueryDependentEngineGroup, DxgkDdiQueryEngineStatus and "
                "DxgkDdiResetEngine "
                "is missing.",
                rules::kPerEngineTdr);
  }
  if (ddi.DxgkDdiCreateContext == nullptr &&
      (caps.SchedulingCaps.MultiEngineAware != 0 || caps.SchedulingCaps.PreemptionAware != 0)) {
    return Fail(ErrorKind::kInternal, "{}: {} is set and DxgkDdiCreateContext is missing.", rules::kMultiEngineContexts,
                caps.SchedulingCaps.MultiEngineAware != 0 ? "MultiEngineAware" : "PreemptionAware");
  }
  if (Result<void> graphics = CheckGraphics(caps, ddi); !graphics.ok()) return graphics;
  if (Result<void> implemented = CheckImplemented(caps); !implemented.ok()) return implemented;
  if (Result<void> tiers = CheckTiers(caps, ddi, vidpn_sources); !tiers.ok()) return tiers;
  if (Result<void> mandatory = CheckMandatoryCaps(caps, ddi, vidpn_sources); !mandatory.ok()) return mandatory;
  return vidpn_sources > 0 ? CheckDisplay(ddi) : Result<void>();
}

Result<SegmentDescription> CheckSegment(const DXGK_SEGMENTDESCRIPTOR4& descriptor, std::uint32_t id) {
  const auto base = static_cast<std::uint64_t>(descriptor.BaseAddress.QuadPart);
  const std::uint64_t size = descriptor.Size;
  if (size == 0 || size % PAGE_SIZE != 0 || base % PAGE_SIZE != 0) {
    return Fail(ErrorKind::kInternal,
                "{}: Segment {} has base 0x{:X} and size 0x{:X}; both must be multiples of {}, and size not 0.",
                rules::kSegmentRange, id, base, size, PAGE_SIZE);
  }
  if (base + size < base) {
    return Fail(ErrorKind::kInternal, "{}: Segment {} at 0x{:X} of 0x{:X} bytes passes the end of the address space.",
                rules::kSegmentRange, id, base, size);
  }
  if (descriptor.CommitLimit > size) {
    return Fail(ErrorKind::kInternal, "{}: CommitLimit 0x{:X} of segment {} is above its size 0x{:X}.", rules::kSegmentRange,
                std::uint64_t{descriptor.CommitLimit}, id, size);
  }
  const DXGK_SEGMENTFLAGS flags = descriptor.Flags;
  const bool aperture = flags.Aperture != 0;
  if (aperture && (flags.UseBanking != 0 || flags.PopulatedFromSystemMemory != 0 || flags.SupportsCpuHostAperture != 0)) {
    return Fail(ErrorKind::kInternal,
                "{}: Flags 0x{:X} of segment {} mix Aperture with a flag of memory-space segments (UseBanking, "
                "PopulatedFromSystemMemory, "
                "SupportsCpuHostAperture).",
                rules::kSegmentFlags, static_cast<unsigned>(flags.Value), id);
  }
  if (Result<void> agp = CheckAgp(flags, id); !agp.ok()) return std::move(agp).error();
  const bool translated = flags.CpuVisible != 0 && !aperture && flags.SupportsCpuHostAperture == 0;
  const auto cpu_address = translated ? static_cast<std::uint64_t>(descriptor.CpuTranslatedAddress.QuadPart) : 0;
  return SegmentDescription{id, base, size, aperture, flags.CpuVisible != 0, cpu_address};
}

Result<void> CheckPagingBuffer(const PagingBufferDescription& paging, const std::vector<SegmentDescription>& segments) {
  if (paging.segment_id != 0 && (paging.segment_id > segments.size() || !segments[paging.segment_id - 1].aperture)) {
    return Fail(ErrorKind::kInternal, "{}: PagingBufferSegmentId {} is neither 0 nor an aperture segment among 1 to {}.",
                rules::kPagingBuffer, paging.segment_id, segments.size());
  }
  if (paging.size == 0 || paging.size > kMaxPagingBufferSize || paging.private_data_size > kMaxPagingBufferSize) {
    return Fail(ErrorKind::kInternal,
                "{}: PagingBufferSize {} is not between 1 and {}, or PagingBufferPrivateDataSize {} is above it.",
                rules::kPagingBuffer, paging.size, kMaxPagingBufferSize, paging.private_data_size);
  }
  return {};
}

Result<void> CheckCrossAdapterSegments(const DXGK_DRIVERCAPS& caps, const std::vector<SegmentDescription>& segments) {
  if (caps.MemoryManagementCaps.CrossAdapterResource == 0) return {};
  for (const SegmentDescription& segment : segments) {
    if (segment.aperture) return {};
  }
  return Fail(ErrorKind::kInternal, "{}: CrossAdapterResource is set and none of {} segments is an aperture.",
              rules::kCrossAdapterAperture, segments.size());
}

Result<void> CheckPostDisplay(const DXGK_DISPLAY_INFORMATION& information, const std::vector<ULONG>& targets) {
  const UINT bytes = information.ColorFormat == D3DDDIFMT_R8G8B8                                                      ? 3
                     : information.ColorFormat == D3DDDIFMT_A8R8G8B8 || information.ColorFormat == D3DDDIFMT_X8R8G8B8 ? 4
                                                                                                                      : 0;
  const bool has_extent = information.Width != 0 && information.Height != 0 && information.Width <= kMaxSurfaceExtent &&
                          information.Height <= kMaxSurfaceExtent;
  if (!has_extent || bytes == 0 || information.Pitch < information.Width * bytes) {
    return Fail(ErrorKind::kInternal,
                "The driver leaves a frame buffer of {} x {} pixels, {} bytes from row to row, in format {}.", information.Width,
                information.Height, information.Pitch, static_cast<int>(information.ColorFormat));
  }
  if (std::find(targets.begin(), targets.end(), information.TargetId) != targets.end()) return {};
  return Fail(ErrorKind::kInternal, "The driver leaves a frame buffer on target {}, which it does not have.",
              information.TargetId);
}

}  // namespace tandem::kernel
