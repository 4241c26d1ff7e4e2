#include "system/link_pictures.h"

#include <algorithm>

#include "codec/pictures/pictures.h"

namespace tandem::system {
namespace {

std::vector<std::byte> Draw(LinkContent content, std::uint32_t width, std::uint32_t height, std::uint32_t number) {
  switch (content) {
    case LinkContent::kGame: return codec::DrawPicture(codec::Picture::kScene, width, height, 1 + number);
    case LinkContent::kDesktop: {
      auto picture = codec::DrawPicture(codec::Picture::kInterface, width, height, 1);
      // A line of text in progress, one sixtieth of the rows.
      const auto other = codec::DrawPicture(codec::Picture::kText, width, height, 1 + number);
      const std::size_t row = std::size_t{width} * 4;
      const std::size_t first = height / 2 * row;
      std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(first), std::max<std::size_t>(height / 60, 1) * row,
                  picture.begin() + static_cast<std::ptrdiff_t>(first));
      return picture;
    }
    case LinkContent::kVideo: {
      auto picture = codec::DrawPicture(codec::Picture::kGradient, width, height, 1 + number);
      const auto noise = codec::DrawPicture(codec::Picture::kNoise, width, height, 1 + number);
      for (std::size_t i = 0; i < picture.size(); ++i) {
        if (i % 4 == 3) continue;
        const auto grain = static_cast<std::uint8_t>(std::to_integer<std::uint32_t>(noise[i]) % 8);
        picture[i] = static_cast<std::byte>(std::min<std::uint32_t>(std::to_integer<std::uint32_t>(picture[i]) + grain, 255));
      }
      return picture;
    }
  }
  return {};
}

}  // namespace

std::string_view ToString(LinkContent content) {
  switch (content) {
    case LinkContent::kGame: return "game";
    case LinkContent::kDesktop: return "desktop";
    case LinkContent::kVideo: return "video";
  }
  return "unknown";
}

const std::vector<std::byte>& LinkPictures::At(LinkContent content, std::uint32_t width, std::uint32_t height,
                                               std::uint32_t number) {
  if (width != width_ || height != height_) pictures_ = {};
  width_ = width;
  height_ = height;
  std::vector<std::byte>& picture = pictures_.at(static_cast<std::size_t>(content)).at(number);
  if (picture.empty()) picture = Draw(content, width, height, number);
  return picture;
}

}  // namespace tandem::system
