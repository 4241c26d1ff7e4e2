// Overlay checks: the planes of each source, lowest first, become a frame that the card is asked about.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/limits.h"
#include "drivers/processor/allocation_data.h"
#include "drivers/processor/kmd/device.h"
#include "drivers/processor/kmd/display.h"
#include "drivers/processor/kmd/scan_out_frame.h"

#include <d3dkmddi.h>

namespace tandem::kms {

// The planes that the kernel's mode setting can express: upright or turned, not mirrored; a clip that leaves a rectangle of an
// unscaled plane. `surface` is its allocation's.
[[nodiscard]] std::optional<processor::ScanOutPlane> ToPlane(const processor::AllocationData& surface,
                                                             const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3& attributes);

// Asked about shapes, not about memory: a sample stands for every surface.
class PlaneQuestion {
 public:
  using CanShow = std::function<bool(std::uint32_t source, const processor::ScanOutFrame& frame)>;

  PlaneQuestion(processor::Device& device, const processor::Display& display, std::uint64_t local_bytes, bool refuses_imports)
      : device_(device), display_(display), local_bytes_(local_bytes), refuses_imports_(refuses_imports) {}

  // The first plane that cannot be shown with those before it in its source's order; nothing when all can.
  [[nodiscard]] std::optional<UINT> FirstRefused(const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3& check, const CanShow& can_show);

 private:
  [[nodiscard]] bool Add(const processor::Allocation& allocation, std::uint32_t source, processor::ScanOutPlane& plane,
                         const CanShow& can_show);

  processor::Device& device_;
  const processor::Display& display_;
  const std::uint64_t local_bytes_;
  const bool refuses_imports_;
  std::array<processor::ScanOutFrame, kMaxVidPnSources> frames_;
  std::array<bool, kMaxVidPnSources> whole_{};  // the lowest plane shows all of its surface in its own size
};

}  // namespace tandem::kms
