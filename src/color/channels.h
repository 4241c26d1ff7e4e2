// The channels of a pixel, and the tables that convert one channel to another: what blit and its reference share.
#pragma once

#include <array>
#include <cstdint>

#include "color/convert.h"
#include "color/format.h"

namespace tandem::color {

// How a channel is coded.
enum class ChannelCode : std::uint8_t { kUnorm2, kUnorm8, kUnorm10, kHalf };

struct PixelLayout {
  ChannelCode color = ChannelCode::kUnorm8;
  ChannelCode alpha = ChannelCode::kUnorm8;
  bool has_alpha = true;                // false: the channel is X
  std::array<std::uint8_t, 4> shift{};  // of R, G, B, A or X in the pixel, in bits
  std::uint64_t color_mask = 0;         // bits of the colour channels
  [[nodiscard]] bool has_8_bits() const { return color == ChannelCode::kUnorm8; }
};

// Of a known format.
[[nodiscard]] const PixelLayout& LayoutOf(Format format);

// The number of codes of a channel, and the code for 1.
[[nodiscard]] std::uint32_t CodeCount(ChannelCode code);
[[nodiscard]] std::uint16_t CodeOfOne(ChannelCode code);

// For each code of `from` the code of `to`, by the rules of blit.h. Static storage, made at first use; thread-safe. Null for the
// identity: the same code on both sides, passed through.
[[nodiscard]] const std::uint16_t* ChannelTable(ChannelCode from, ChannelCode to, Transfer transfer);

// Converts one pixel; tables once for each copy.
class PixelConverter {
 public:
  PixelConverter(Format from, Format to, Transfer transfer);
  [[nodiscard]] std::uint64_t operator()(std::uint64_t pixel) const {
    return Convert(pixel, [this](std::uint16_t code) { return color_ != nullptr ? color_[code] : code; });
  }
  // With `color(code)` for what becomes of a colour channel's code; alpha as ever.
  template <class Color>
  [[nodiscard]] std::uint64_t Convert(std::uint64_t pixel, Color&& color) const {
    std::uint64_t out = 0;
    for (std::uint32_t channel = 0; channel < 3; ++channel) {
      const auto code = static_cast<std::uint16_t>((pixel >> from_.shift[channel]) & color_code_mask_);
      out |= static_cast<std::uint64_t>(color(code)) << to_.shift[channel];
    }
    const auto code = static_cast<std::uint16_t>((pixel >> from_.shift[3]) & alpha_code_mask_);
    const std::uint16_t alpha = !from_.has_alpha ? one_ : alpha_ != nullptr ? alpha_[code] : code;
    return out | std::uint64_t{alpha} << to_.shift[3];
  }

 private:
  const PixelLayout& from_;
  const PixelLayout& to_;
  const std::uint16_t* color_;
  const std::uint16_t* alpha_;
  std::uint64_t color_code_mask_;
  std::uint64_t alpha_code_mask_;
  std::uint16_t one_;
};

}  // namespace tandem::color
