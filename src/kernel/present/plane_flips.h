// The overlay planes of one VidPn source at its driver: what a flip names, and which planes vertical blanks have reported.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/limits.h"
#include "kernel/adapter/adapter.h"
#include "kernel/submit/plane_set.h"

namespace tandem::kernel {

// Threads: under the flip queue's lock. Allocates nothing.
//
// A driver goes on showing a plane that a flip does not name: each flip names the planes that it shows. With Enabled 0 it names
// those that were on before, and those that its present turns off.
class PlaneFlips {
 public:
  // The arguments of a flip to `set` by the driver's `context`, top plane first, each plane with a PresentId of its own. Valid
  // until the next call.
  [[nodiscard]] DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3& Program(std::uint32_t vidpn_source, const PlaneSet& set,
                                                                             HANDLE context, bool immediate);
  // DxgkDdiSetVidPnSourceAddress or an invisible source: all planes but the primary's are off.
  void Forget() { on_ = 0; }

  // A vertical blank of the target in place `place` tells of planes. True once it has told that all planes of the last flip are
  // shown; `counts` false: the blank is from before the flip, and only says how far the driver was.
  [[nodiscard]] bool Report(std::uint32_t place, DXGK_INTERRUPT_TYPE type, std::span<const PlaneReport> planes, bool counts);

 private:
  struct Due {
    std::uint64_t address = 0;
    std::uint64_t present_id = 0;
  };
  struct Target {
    std::uint32_t reported = 0;                           // bit N: layer N
    std::array<std::uint64_t, kMaxFlipPlanes> log_end{};  // the last FirstFreeFlipQueueLogEntryIndex of each layer
  };

  DXGK_MULTIPLANE_OVERLAY_PLANE3& Append();

  std::uint32_t on_ = 0;  // bit N: layer N is on
  std::uint64_t last_present_id_ = 0;
  std::array<Due, kMaxFlipPlanes> due_{};  // by layer; only layers that are on
  std::array<Target, kMaxVidPnSources> targets_{};
  DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 args_{};
  // Copies: a driver may write into its planes.
  std::array<DXGK_MULTIPLANE_OVERLAY_PLANE3, kMaxFlipPlanes> planes_{};
  std::array<DXGK_MULTIPLANE_OVERLAY_PLANE3*, kMaxFlipPlanes> pointers_{};
  std::array<DXGK_PRIMARYCONTEXTDATA, kMaxFlipPlanes> contexts_{};
  std::array<DXGK_PRIMARYCONTEXTDATA*, kMaxFlipPlanes> context_pointers_{};
};

}  // namespace tandem::kernel
