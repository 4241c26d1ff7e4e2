// The channels of a pixel, and the tables that convert between channels. Shared by blit and its reference.
#pragma once

#include <array>
#include <cstdint>

#include "color/convert.h"
#include "color/format.h"

namespace tandem::color {

// Coding of a channel.
enum class ChannelCode : std::uint8_t { kUnorm2, kUnorm8, kUnorm10, kHalf };

struct PixelLayout {
  ChannelCode color = ChannelCode::kUnorm8;
  ChannelCode alpha = ChannelCode::kUnorm8;
  bool has_alpha = true;                // false: the channel is X
  std::array<std::uint8_t, 4> shift{};  // bits; R, G, B, A or X in the pixel
  std::uint64_t color_mask = 0;         // bits of the colour channels
  [[nodiscard]] bool has_8_bits() const { return color == ChannelCode::kUnorm8; }
};

// Precondition: the format is known.
[[nodiscard]] const PixelLayout& LayoutOf(Format format);

// The number of codes of a channel, and the code for 1.
[[nodiscard]] std::uint32_t CodeCount(ChannelCode code);
[[nodiscard]] std::uint16_t CodeOfOne(ChannelCode code);

// Table from each code of `from` to the code of `to`, by the rules of blit.h. Static storage, made at first use; thread-safe.
// Null: the codes are equal and pass through.
[[nodiscard]] const std::uint16_t* ChannelTable(ChannelCode from, ChannelCode to, Transfer transfer);

// Converts one pixel; finds the tables once for each copy.
class PixelConverter {
 public:
  PixelConverter(Format from, Format to, Transfer transfer);
  [[nodiscard]] std::uint64_t operator()(std::uint64_t pixel) const {
    return Convert(pixel, [this](std::uint16_t code) { return color_ != nullptr ? color_[code] : code; });
  }
  // Converts a pixel with `color(code)` for each colour channel's code; alpha is converted as usual.
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
