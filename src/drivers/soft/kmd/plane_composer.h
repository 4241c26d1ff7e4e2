// Puts planes together on their way to the output, as a display controller does while it reads them.
#pragma once

#include <cstddef>
#include <vector>

#include "drivers/processor/kmd/nv12_reader.h"
#include "drivers/processor/kmd/scan_out_frame.h"
#include "outputs/output.h"

namespace tandem::soft {

// Threads: one. Allocates when a picture is larger than all before it.
class PlaneComposer {
 public:
  // `dithers`: planes of more than eight bits onto pictures of eight.
  explicit PlaneComposer(bool dithers) : dithers_(dithers) {}

  // The picture, in the composer's memory until the next one; width 0 when a surface is not mapped.
  [[nodiscard]] outputs::Surface Compose(const processor::ScanOutFrame& frame, processor::GpuMemory& memory);
  // Bytes that the last picture took to write.
  [[nodiscard]] std::uint64_t written_bytes() const { return written_bytes_; }

 private:
  [[nodiscard]] bool Add(const processor::ScanOutPlane& plane, const outputs::Surface& canvas, processor::GpuMemory& memory);

  const bool dithers_;
  processor::Nv12Reader nv12_;
  std::uint64_t written_bytes_ = 0;
  std::vector<std::byte> canvas_;
  std::vector<std::byte> scratch_;  // of a plane that blends
};

}  // namespace tandem::soft
