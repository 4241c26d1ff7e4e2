#include "codec/tile_levels.h"

#include <algorithm>
#include <cstring>

#include "codec/tile_writer.h"

namespace tandem::codec {
namespace {

// Bit t: tile t of the two is the same.
std::uint32_t SameTiles(const StripPlanes& a, const StripPlanes& b, std::uint32_t channels) {
  std::uint32_t same = (1U << kStripTiles) - 1;
  for (std::uint32_t c = 0; c < channels; ++c) {
    for (std::uint32_t y = 0; y < kTileExtent; ++y) {
      for (std::uint32_t i = 0; i < kStripTiles; ++i) {
        const std::size_t at = std::size_t{kTileExtent} * i;
        if (std::memcmp(a.at[c][y] + at, b.at[c][y] + at, kTileExtent) != 0) same &= ~(1U << i);
      }
    }
  }
  return same;
}

}  // namespace

bool StripLevels::IsHeld(std::uint32_t index, std::uint32_t level) {
  if (held_ == nullptr || level == kLossless) return false;
  const std::uint32_t dropped = std::min(level, kCoarsestDrop);
  Make(dropped);
  if ((held_tiles_[dropped - 1] >> index & 1) != 0) return true;
  return level == kMean && IsMeanHeld(index);
}

void StripLevels::Make(std::uint32_t level) {
  if ((made_ >> level & 1) != 0) return;
  made_ |= 1U << level;
  StripPlanes planes;
  strip_.split(samples_->data(), samples_->pitch(), 0, content_, kDroppedBits[level], planes);
  strip_.predict(planes, channels_, codes_[level - 1]);
  if (held_ == nullptr) return;
  StripPlanes held;
  strip_.split(held_->data(), held_->pitch(), 0, content_, kDroppedBits[level], held);
  held_tiles_[level - 1] = SameTiles(planes, held, channels_);
}

// Most tiles are seen to have more than one colour before the mean is made.
bool StripLevels::IsMeanHeld(std::uint32_t index) {
  if ((made_ & 1) == 0) strip_.split(held_->data(), held_->pitch(), 0, content_, kDroppedBits[kLossless], held_planes_);
  made_ |= 1;
  const std::size_t first = std::size_t{kTileExtent} * index;
  for (std::uint32_t c = 0; c < channels_; ++c) {
    for (const std::uint8_t* row : held_planes_.at[c]) {
      const auto is_base = [&](std::uint8_t sample) { return sample == held_planes_.at[c][0][first]; };
      if (!std::all_of(row + first, row + first + kTileExtent, is_base)) return false;
    }
  }
  std::array<std::uint8_t, 1 + kMaxChannels> mean;
  static_cast<void>(WriteMean(*planes_, channels_, index, mean.data()));
  for (std::uint32_t c = 0; c < channels_; ++c) {
    if (held_planes_.at[c][0][first] != mean[1 + c]) return false;
  }
  return true;
}

}  // namespace tandem::codec
