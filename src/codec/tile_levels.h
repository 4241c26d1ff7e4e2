// A strip at the levels that a budget may bring its tiles to, each made when it is asked for, and whether the other side holds as
// much. Internal to the room.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/simd/strip_functions.h"
#include "codec/tile_edges.h"
#include "codec/tile_format.h"

namespace tandem::codec {

// How much of a tile is kept: all, without kDroppedBits[level], or its mean.
inline constexpr std::uint32_t kLossless = 0;
inline constexpr std::uint32_t kMean = static_cast<std::uint32_t>(std::size(kDroppedBits));
inline constexpr std::uint32_t kCoarsestDrop = kMean - 1;

class StripLevels {
 public:
  explicit StripLevels(TileContent content) : content_(content), channels_(ChannelsOf(content)) {}

  // Goes on to another strip. `planes`: of the samples; `held`: as the other side has them, null: it has nothing. They live until
  // the next one.
  void Begin(const WholeStrip& samples, const StripPlanes& planes, const WholeStrip* held) {
    samples_ = &samples;
    planes_ = &planes;
    held_ = held;
    made_ = 0;
  }

  // Without the low bits of a level, 1..kCoarsestDrop.
  [[nodiscard]] const StripCode& CodeAt(std::uint32_t level) {
    Make(level);
    return codes_[level - 1];
  }

  // Whether the other side holds as much of tile `index` as the level keeps, or more; never of kLossless.
  [[nodiscard]] bool IsHeld(std::uint32_t index, std::uint32_t level);

 private:
  void Make(std::uint32_t level);
  [[nodiscard]] bool IsMeanHeld(std::uint32_t index);

  const TileContent content_;
  const std::uint32_t channels_;
  const StripFunctions& strip_ = simd::StripFunctionsHere();
  const WholeStrip* samples_ = nullptr;
  const StripPlanes* planes_ = nullptr;
  const WholeStrip* held_ = nullptr;
  std::uint32_t made_ = 0;  // bit l: level l is of the strip at hand; bit 0: held_planes_ is
  std::array<StripCode, kCoarsestDrop> codes_;
  std::array<std::uint32_t, kCoarsestDrop> held_tiles_;  // bit t: the other side holds as much of tile t
  StripPlanes held_planes_;
};

}  // namespace tandem::codec
