// What a driver answers to CreateAllocation, held against the contract.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/adapter/adapter.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

struct Violation {
  const char* rule;
  std::string seen;  // a sentence with the value
};

struct AllocationExpectation {
  bool primary = false;
  bool cross_adapter = false;
};

// Nothing when `info` keeps every rule.
[[nodiscard]] std::optional<Violation> CheckAllocationInfo(const DXGK_ALLOCATIONINFO& info, const AllocationExpectation& expected,
                                                           const std::vector<SegmentDescription>& segments);

// The segments to try in order: the preferred ones, then the rest of the supported set. Cross-adapter: aperture segments only.
// At most 32 ids; `out` is overwritten.
void SegmentOrder(const DXGK_ALLOCATIONINFO& info, bool cross_adapter, const std::vector<SegmentDescription>& segments,
                  std::vector<std::uint32_t>& out);

}  // namespace tandem::kernel
