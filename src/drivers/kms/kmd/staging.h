// Pictures of the mode's size that the processor writes when no plane reads a frame where it is.
#pragma once

#include <array>
#include <cstdint>

#include "base/memory_map.h"
#include "base/result.h"
#include "color/blit.h"
#include "drivers/kms/card/buffer.h"
#include "drivers/kms/card/card.h"
#include "drivers/kms/card/framebuffer.h"
#include "drivers/processor/kmd/gpu_memory.h"
#include "drivers/processor/kmd/nv12_reader.h"
#include "drivers/processor/kmd/scan_out_frame.h"

namespace tandem::kms {

// One thread. The card outlives it.
class Staging {
 public:
  Staging(const Card& card, bool dithers) : card_(card), dithers_(dithers) {}

  struct Written {
    std::uint32_t framebuffer = 0;  // id
    color::BlitRect content;        // of the frame in the picture; black around it
    std::uint64_t bytes = 0;        // that the processor wrote
  };
  // Writes the frame into a picture that is not `on_screen`, rotated, as large as it fits and not larger than it is. Two pictures
  // are made at the first call for an extent. kNotFound for an address that is not mapped, kUnsupported for planes on each other.
  [[nodiscard]] Result<Written> Write(const processor::ScanOutFrame& frame, color::Rotation rotation,
                                      processor::GpuMemory& memory, std::uint32_t width, std::uint32_t height,
                                      std::uint32_t on_screen);

 private:
  struct Picture {
    DumbBuffer buffer;
    MemoryMap map;
    Framebuffer framebuffer;
    color::BlitRect content;  // that is not black
  };
  Result<void> Prepare(std::uint32_t width, std::uint32_t height);

  const Card& card_;
  const bool dithers_;
  std::uint32_t width_ = 0, height_ = 0;
  std::array<Picture, 2> pictures_;
  processor::Nv12Reader nv12_;
};

// The largest rectangle of the picture's proportions in the middle of width x height; of the picture's own size where that fits.
[[nodiscard]] color::BlitRect FitInto(std::uint32_t picture_width, std::uint32_t picture_height, std::uint32_t width,
                                      std::uint32_t height);
// In the middle, and as large as it can be without cutting it.
[[nodiscard]] color::BlitRect FillInto(std::uint32_t picture_width, std::uint32_t picture_height, std::uint32_t width,
                                       std::uint32_t height);

}  // namespace tandem::kms
