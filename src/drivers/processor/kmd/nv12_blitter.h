// Copies into NV12 and out of it, by the processor.
#pragma once

#include <cstddef>
#include <vector>

#include "color/blit.h"
#include "drivers/processor/kmd/command_checks.h"
#include "drivers/processor/kmd/command_stream.h"
#include "drivers/processor/kmd/gpu_memory.h"
#include "drivers/processor/kmd/work_tally.h"

namespace tandem::processor {

// One for each engine, on its thread. Memory and tally outlive it.
class Nv12Blitter {
 public:
  Nv12Blitter(GpuMemory& memory, WorkTally& tally) : memory_(memory), tally_(tally) {}

  // Precondition: `request` is ToRequest(blit), and one side of it is NV12.
  [[nodiscard]] ExecutionResult Run(const BlitCommand& blit, const color::BlitRequest& request);

 private:
  [[nodiscard]] ExecutionResult Decode(const BlitCommand& blit, color::BlitRequest request);
  [[nodiscard]] ExecutionResult Encode(const BlitCommand& blit, color::BlitRequest request);

  GpuMemory& memory_;
  WorkTally& tally_;
  std::vector<std::byte> room_;  // pixels that become NV12, or were
};

}  // namespace tandem::processor
