// Frames into link surfaces and out of them, by the processor.
#pragma once

#include <cstddef>
#include <vector>

#include "base/clock.h"
#include "base/emulated_link.h"
#include "drivers/processor/kmd/command_checks.h"
#include "drivers/processor/kmd/command_stream.h"
#include "drivers/processor/kmd/gpu_memory.h"
#include "drivers/processor/kmd/work_tally.h"
#include "link/surface/link_surface.h"

namespace tandem::processor {

// One for each engine, on its thread. Everything that it is given outlives it.
class LinkCoder {
 public:
  // `link` tells how long an encoded frame takes; null for an adapter without one.
  LinkCoder(GpuMemory& memory, Clock& clock, const EmulatedLink* link, WorkTally& tally)
      : memory_(memory), clock_(clock), link_(link), tally_(tally) {}

  [[nodiscard]] ExecutionResult Run(const LinkCommand& command);

 private:
  [[nodiscard]] ExecutionResult Encode(const LinkCommand& command, const link::LinkRows& rows, const std::byte* picture);
  [[nodiscard]] ExecutionResult Decode(const LinkCommand& command, const link::LinkRows& rows, std::byte* picture);

  GpuMemory& memory_;
  Clock& clock_;
  const EmulatedLink* const link_;
  WorkTally& tally_;
  std::vector<std::byte> room_;  // of the codec
};

}  // namespace tandem::processor
