#include "outputs/x11/fitted_picture.h"

#include <algorithm>
#include <utility>

#include "color/blit.h"
#include "color/fill.h"
#include "outputs/eight_bits.h"

namespace tandem::outputs {
namespace {

constexpr std::uint32_t kBgraBytes = 4;
constexpr std::uint32_t kBlack = 0xFF000000;

// The part of the placed picture that is inside the window, in the picture's own coordinates.
color::BlitRect VisiblePart(const Placement& placed, Extent window) {
  const auto span = [](std::int64_t begin, std::uint32_t length, std::uint32_t limit) {
    const std::int64_t first = std::max<std::int64_t>(-begin, 0);
    const std::int64_t last = std::min<std::int64_t>(length, std::int64_t{limit} - begin);
    return std::pair{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(std::max(first, last))};
  };
  const auto [left, right] = span(placed.left, placed.size.width, window.width);
  const auto [top, bottom] = span(placed.top, placed.size.height, window.height);
  return {left, top, right, bottom};
}

}  // namespace

Surface FittedPicture::Compose(const Surface& surface, const Fit& fit, Extent window) {
  const std::uint32_t pitch = window.width * kBgraBytes;
  const Placement placed = Place(fit, {surface.width, surface.height}, window);
  if (extent_ != window || placed_ != placed) {
    pixels_.resize(std::size_t{pitch} * window.height);
    color::FillRows(pixels_.data(), pitch, kBlack, kBgraBytes, window.width, window.height);
    extent_ = window;
    placed_ = placed;
  }
  color::BlitRequest blit;
  blit.source = surface.pixels;
  blit.source_pitch = surface.pitch;
  blit.source_format = surface.format;
  if (!IsBgra8(surface.format)) {
    blit.source_pitch = std::uint64_t{surface.width} * kBgraBytes;
    decoded_.resize(blit.source_pitch * surface.height);
    ToBgra8(decoded_.data(), blit.source_pitch, surface, 0, surface.height, color::Alpha::kKeep);
    blit.source = decoded_.data();
    blit.source_format = color::Format::kB8G8R8A8Unorm;
  }
  blit.source_width = surface.width;
  blit.source_height = surface.height;
  blit.destination_pitch = pitch;
  blit.destination_format = blit.source_format;
  blit.destination_width = placed.size.width;
  blit.destination_height = placed.size.height;
  blit.part = VisiblePart(placed, window);
  if (blit.part.width() != 0 && blit.part.height() != 0) {
    const auto left = static_cast<std::uint64_t>(std::max<std::int64_t>(placed.left, 0));
    const auto top = static_cast<std::uint64_t>(std::max<std::int64_t>(placed.top, 0));
    blit.destination = pixels_.data() + top * pitch + left * kBgraBytes;
    color::Blit(blit);
  }
  Surface composed;
  composed.pixels = pixels_.data();
  composed.width = window.width;
  composed.height = window.height;
  composed.pitch = pitch;
  composed.format = color::Format::kB8G8R8A8Unorm;
  return composed;
}

}  // namespace tandem::outputs
