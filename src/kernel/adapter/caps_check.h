// The rules that a driver's table, caps and segments must hold before its adapter may start. No state, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel/adapter/adapter.h"

#include <dispmprt.h>

namespace tandem::kernel {

// The paging buffer that a driver asks for, beside its segments.
struct PagingBufferDescription {
  std::uint32_t segment_id = 0;  // 0: contiguous system memory, else an aperture segment
  std::uint32_t size = 0;        // bytes
  std::uint32_t private_data_size = 0;
};

// Clears the tier bits that the driver's WDDM version reserves; one sentence for each.
[[nodiscard]] std::vector<std::string> DropLaterTiers(DXGK_DRIVERCAPS& caps);

// Failures are kInternal, or kUnsupported for caps that this kernel does not implement, and begin with the rule's name (rules.h).
[[nodiscard]] Result<void> CheckCaps(const DXGK_DRIVERCAPS& caps, const DRIVER_INITIALIZATION_DATA& ddi,
                                     std::uint32_t vidpn_sources);

// One descriptor as the driver wrote it; `id` counts from 1.
[[nodiscard]] Result<SegmentDescription> CheckSegment(const DXGK_SEGMENTDESCRIPTOR4& descriptor, std::uint32_t id);

[[nodiscard]] Result<void> CheckPagingBuffer(const PagingBufferDescription& paging,
                                             const std::vector<SegmentDescription>& segments);

// A cross-adapter resource lives in system memory, which only an aperture segment reaches.
[[nodiscard]] Result<void> CheckCrossAdapterSegments(const DXGK_DRIVERCAPS& caps,
                                                     const std::vector<SegmentDescription>& segments);

// The frame buffer that a driver leaves to the next owner of the display: a linear one of 24 or 32 bits a pixel on a target of
// its own.
[[nodiscard]] Result<void> CheckPostDisplay(const DXGK_DISPLAY_INFORMATION& information, const std::vector<ULONG>& targets);

}  // namespace tandem::kernel
