// Gamma ramps and pointers of a script's calls, in memory that a driver cannot read beyond.
#pragma once

#include <array>
#include <cstdint>

#include "conform/fuzz/call_script.h"
#include "conform/fuzz/guarded_bytes.h"
#include "kernel/kernel.h"

#include <d3dkmddi.h>

namespace tandem::conform {

// The ramp of a Call::kGamma, of any type, with `value` in all places.
class GuardedRamp {
 public:
  explicit GuardedRamp(const std::array<std::uint64_t, kMostFields>& numbers);

  // Valid while the object is.
  [[nodiscard]] D3DKMDT_GAMMA_RAMP Get();

 private:
  const D3DDDI_GAMMARAMP_TYPE type_;
  GuardedBytes values_;
};

// The shape of a Call::kPointerShape.
class GuardedShape {
 public:
  explicit GuardedShape(const std::array<std::uint64_t, kMostFields>& numbers);

  // Valid while the object is.
  [[nodiscard]] kernel::PointerShape Get();

 private:
  kernel::PointerShape shape_;
  GuardedBytes pixels_;
};

// The place of a Call::kPointerMove.
[[nodiscard]] kernel::PointerPosition PositionOf(const std::array<std::uint64_t, kMostFields>& numbers);

}  // namespace tandem::conform
