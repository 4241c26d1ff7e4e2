#include "kernel/memory/allocation_check.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "base/aligned.h"
#include "base/limits.h"
#include "kernel/adapter/rules.h"
#include "kernel/memory/limits.h"

namespace tandem::kernel {
namespace {

std::array<UINT, 5> Preferred(const DXGK_ALLOCATIONINFO& info) {
  const auto& preferred = info.PreferredSegment;
  return {preferred.SegmentId0, preferred.SegmentId1, preferred.SegmentId2, preferred.SegmentId3, preferred.SegmentId4};
}

bool InSet(UINT set, UINT segment_id) { return segment_id != 0 && segment_id <= 32 && ((set >> (segment_id - 1)) & 1) != 0; }

std::optional<Violation> CheckSegments(const DXGK_ALLOCATIONINFO& info, const AllocationExpectation& expected,
                                       const std::vector<SegmentDescription>& segments) {
  UINT existing = 0;
  UINT apertures = 0;
  UINT unseen = 0;  // by the CPU
  for (const SegmentDescription& segment : segments) {
    const UINT bit = 1u << (segment.id - 1);
    existing |= bit;
    if (segment.aperture) apertures |= bit;
    if (!segment.aperture && !segment.cpu_visible) unseen |= bit;
  }
  const UINT supported = info.SupportedWriteSegmentSet;
  if (supported == 0 || (supported & ~existing) != 0) {
    return Violation{"CreateAllocation.SupportedWriteSegmentSet",
                     fmt::format("The supported segment set 0x{:X} must name some of the segments 0x{:X}.", supported, existing)};
  }
  for (const UINT id : Preferred(info)) {
    if (id != 0 && !InSet(supported, id)) {
      return Violation{"CreateAllocation.PreferredSegment",
                       fmt::format("Preferred segment {} is not in the supported set 0x{:X}.", id, supported)};
    }
  }
  if ((info.EvictionSegmentSet & ~apertures) != 0) {
    return Violation{
        "CreateAllocation.EvictionSegmentSet",
        fmt::format("The eviction set 0x{:X} may name aperture segments 0x{:X} only.", info.EvictionSegmentSet, apertures)};
  }
  if (info.Flags.CpuVisible && (supported & unseen) != 0 && (supported & apertures) == 0) {
    return Violation{rules::kCpuVisibleSegment,
                     fmt::format("CpuVisible is set, and the supported set 0x{:X} names no aperture segment.", supported)};
  }
  if ((expected.cross_adapter || expected.on_existing_pages) && (supported & apertures) == 0) {
    return Violation{"CrossAdapterAllocation.ApertureSegment",
                     fmt::format("The supported set 0x{:X} names no aperture segment, in which a {} lies.", supported,
                                 expected.cross_adapter ? "cross-adapter allocation" : "shared allocation that is opened"),
                     true};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Violation> CheckAllocationInfo(const DXGK_ALLOCATIONINFO& info, const AllocationExpectation& expected,
                                             const std::vector<SegmentDescription>& segments) {
  if (info.hAllocation == nullptr)
    return Violation{"CreateAllocation.hAllocation", "The driver succeeded and left hAllocation NULL."};
  if (info.Size == 0 || info.Size > kMaxAllocationBytes) {
    return Violation{"CreateAllocation.Size", fmt::format("Size {} is not in 1..{}.", info.Size, kMaxAllocationBytes)};
  }
  if (info.Alignment != 0 && !IsPowerOfTwo(info.Alignment)) {
    return Violation{"CreateAllocation.Alignment", fmt::format("Alignment {} is not a power of two.", info.Alignment)};
  }
  if (info.PitchAlignedSize != 0 && info.PitchAlignedSize < info.Size) {
    return Violation{"CreateAllocation.PitchAlignedSize",
                     fmt::format("PitchAlignedSize {} is smaller than Size {}.", info.PitchAlignedSize, info.Size)};
  }
  if (info.AllocationPriority == 0) return Violation{"CreateAllocation.AllocationPriority", "AllocationPriority is 0."};
  if (auto violation = CheckSegments(info, expected, segments)) return violation;

  const auto& flags = info.Flags;
  if (expected.primary &&
      (flags.PermanentSysMem || flags.Cached || flags.Protected || flags.ExistingSysMem || flags.ExistingKernelSysMem)) {
    return Violation{"CreateAllocation.PrimaryFlags", fmt::format("Flags 0x{:X} are not for a primary.", flags.Value), true};
  }
  if (expected.cross_adapter && !flags.CpuVisible) {
    return Violation{"CrossAdapterAllocation.CpuVisible", fmt::format("Flags 0x{:X} lack CpuVisible.", flags.Value), true};
  }
  return std::nullopt;
}

std::optional<Violation> CheckDescription(const SurfaceDescription& description, bool primary, std::uint64_t bytes) {
  const auto& [width, height, format] = description;
  if ((width == 0) != (height == 0)) {
    return Violation{"DescribeAllocation.Extent", fmt::format("An extent of {} x {} is half of one.", width, height)};
  }
  if (primary && (width == 0 || format == D3DDDIFMT_UNKNOWN)) {
    return Violation{"DescribeAllocation.Primary",
                     fmt::format("A primary is described as {} x {} of format {}.", width, height, static_cast<int>(format)),
                     true};
  }
  const bool row = format == D3DDDIFMT_UNKNOWN && height == 1 && width <= bytes;
  if (!row && (width > kMaxSurfaceExtent || height > kMaxSurfaceExtent)) {
    return Violation{"DescribeAllocation.Extent",
                     fmt::format("An extent of {} x {} passes the limit of {}.", width, height, kMaxSurfaceExtent)};
  }
  return std::nullopt;
}

void SegmentOrder(const DXGK_ALLOCATIONINFO& info, bool cross_adapter, const std::vector<SegmentDescription>& segments,
                  std::vector<std::uint32_t>& out) {
  out.clear();
  const auto add = [&](std::uint32_t id) {
    if (id == 0 || id > segments.size() || !InSet(info.SupportedWriteSegmentSet, id)) return;
    if (cross_adapter && !segments[id - 1].aperture) return;
    if (std::find(out.begin(), out.end(), id) == out.end()) out.push_back(id);
  };
  for (const UINT id : Preferred(info)) add(id);
  for (const SegmentDescription& segment : segments) add(segment.id);
}

}  // namespace tandem::kernel
