// Pictures as the output of a target gets them: in colours, under the pointer, through the gamma ramp, and rotated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "color/blit.h"
#include "drivers/common/palette.h"
#include "drivers/processor/kmd/display.h"
#include "drivers/processor/kmd/nv12_reader.h"
#include "drivers/soft/kmd/pointer.h"
#include "outputs/output.h"

namespace tandem::soft {

// The steps between a surface and the output. A copy shares what is large.
struct PictureSettings {
  color::Rotation rotation = color::Rotation::kIdentity;
  std::shared_ptr<const drivers::PaletteColors> palette;  // colours of a surface of indexes; null: all black
  Pointer pointer;                                        // rotated with the picture
  processor::GammaRamp gamma;
};

// Threads: one. Allocates when a picture is larger than all before it.
class PictureMaker {
 public:
  // The picture, in the maker's memory until the next one, or `surface` where nothing changes it. A picture under a gamma ramp
  // has eight bits a channel. `takes_nv12`: the output shows NV12.
  [[nodiscard]] outputs::Surface Make(const outputs::Surface& surface, const PictureSettings& settings, bool takes_nv12);
  // Bytes that the last picture took to write.
  [[nodiscard]] std::uint64_t written_bytes() const { return written_bytes_; }

 private:
  [[nodiscard]] outputs::Surface Colored(const outputs::Surface& indexes, const drivers::PaletteColors& palette);
  [[nodiscard]] outputs::Surface Decoded(const outputs::Surface& nv12);
  // A copy in `format`.
  [[nodiscard]] outputs::Surface Copied(const outputs::Surface& surface, color::Format format);
  void ApplyGamma(const processor::GammaRamp& gamma, const outputs::Surface& copy);
  [[nodiscard]] outputs::Surface Turned(const outputs::Surface& surface, color::Rotation rotation);

  std::uint64_t written_bytes_ = 0;
  std::vector<std::uint32_t> colored_;
  processor::Nv12Reader nv12_;
  PointerPainter pointer_painter_;
  std::vector<std::byte> copied_;
  std::vector<std::byte> turned_;
  processor::GammaRamp ramp_;                              // of `values_`
  std::array<std::array<std::uint8_t, 256>, 3> values_{};  // of the ramp in eight bits: red, green, blue
};

}  // namespace tandem::soft
