// The planes of one source that are on. A flip names those that change: what it does not name stays as it is.
#pragma once

#include <array>
#include <optional>

#include "base/thread.h"
#include "drivers/processor/kmd/scan_out_frame.h"

#include <d3dkmddi.h>

namespace tandem::processor {

class Device;

// Threads: any, up to DIRQL.
class PlaneLayers {
 public:
  // Nothing when the driver cannot read a plane, or has no such layer: the flip does nothing then. A frame without a width when
  // all planes are off.
  [[nodiscard]] std::optional<ScanOutFrame> Flip(Device& device, const DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3& set);
  // The primary alone is shown, or nothing.
  void Clear();

 private:
  // Layer 0 is on top.
  using Layers = std::array<std::optional<ScanOutPlane>, kMaxScanOutPlanes>;
  Mutex mutex_;
  Layers layers_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::processor
