#include "tests/integration/linked_pattern.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "tests/programs/pattern.h"

namespace tandem::test {
namespace {

constexpr std::uint32_t kSlices = 4;  // slices of a swap chain's frame
constexpr std::uint32_t kShownBytes = 4;

}  // namespace

std::vector<std::byte> LinkedPattern(const LinkedPicture& picture, std::uint32_t number, link::LinkEncoding encoding) {
  const auto& [width, height, painted_format, shown_format, colors] = picture;
  const std::uint32_t painted_bytes = color::BytesPerPixel(painted_format);
  std::vector<std::byte> painted(std::size_t{painted_bytes} * width * height);
  FillPattern(painted, width, height, painted_bytes, number);
  std::vector<std::byte> surface(link::LinkSurfaceBytes(width, height));
  link::InitializeLinkSurface(surface, link::LinkSliceRows(height, kSlices), colors);
  link::RequestLinkFrame(surface, 1, encoding);
  const link::LinkRows rows{surface, 0, height};
  std::vector<std::byte> room;
  std::vector<std::byte> shown(std::size_t{kShownBytes} * width * height);
  EXPECT_TRUE(link::EncodeLinkRows(rows, {painted.data(), std::uint64_t{width} * painted_bytes, painted_format, width, height},
                                   MonotonicClock(), room)
                  .ok());
  EXPECT_TRUE(link::DecodeLinkRows(rows, {shown.data(), std::uint64_t{width} * kShownBytes, shown_format, width, height},
                                   MonotonicClock(), room)
                  .ok());
  return shown;
}

}  // namespace tandem::test
