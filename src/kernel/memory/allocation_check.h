// Checks of a driver's answer to CreateAllocation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/adapter/adapter.h"
#include "kernel/memory/allocation.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

struct Violation {
  const char* rule;
  std::string seen;  // a sentence with the value
  // User mode may be the cause, by private data that contradict its flags: the creation is refused, and the driver stays.
  bool may_be_the_callers = false;
};

struct AllocationExpectation {
  bool primary = false;
  bool cross_adapter = false;
  bool on_existing_pages = false;
};

// Nothing when `info` keeps every rule.
[[nodiscard]] std::optional<Violation> CheckAllocationInfo(const DXGK_ALLOCATIONINFO& info, const AllocationExpectation& expected,
                                                           const std::vector<SegmentDescription>& segments);

// DxgkDdiDescribeAllocation's answer: a surface has both extents, at most kMaxSurfaceExtent unless it is a row of bytes without a
// format, which fits its `bytes`; a primary is a surface with a format.
[[nodiscard]] std::optional<Violation> CheckDescription(const SurfaceDescription& description, bool primary, std::uint64_t bytes);

// The segments to try in order: the preferred ones, then the rest of the supported set. Cross-adapter: aperture segments only.
// At most 32 ids; `out` is overwritten.
void SegmentOrder(const DXGK_ALLOCATIONINFO& info, bool cross_adapter, const std::vector<SegmentDescription>& segments,
                  std::vector<std::uint32_t>& out);

}  // namespace tandem::kernel
