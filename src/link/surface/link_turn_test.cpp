// Pictures that are rotated while they come out of a link.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "color/blit.h"
#include "link/surface/link_parts.h"
#include "link/surface/link_surface.h"
#include "link/testing/link_crossing.h"

namespace tandem::link {
namespace {

using color::Rotation;

constexpr std::array kTurns{Rotation::k90, Rotation::k180, Rotation::k270};

struct Case {
  color::Format format;
  std::uint32_t width;
  std::uint32_t height;
  color::ChromaFilter filter;
};

void PrintTo(const Case& at, std::ostream* out) {
  *out << at.width << " x " << at.height << ", format " << static_cast<std::uint32_t>(at.format)
       << (at.filter == color::ChromaFilter::kNearest ? ", nearest" : ", bilinear");
}

// Every pixel starts with one value, so that an unwritten one is seen.
struct Turned {
  static constexpr std::uint32_t kEdge = 5;  // pixels behind each row

  Turned(const Case& at, Rotation rotation)
      : quarter(rotation != Rotation::k180),
        pitch(4ULL * ((quarter ? at.height : at.width) + kEdge)),
        bytes(pitch * (quarter ? at.width : at.height), std::byte{0x33}) {}

  bool quarter;
  std::uint64_t pitch;
  std::vector<std::byte> bytes;
};

Turned TurnPixels(const std::vector<std::byte>& pixels, const Case& at, Rotation rotation) {
  Turned turned(at, rotation);
  for (std::uint32_t y = 0; y < at.height; ++y) {
    for (std::uint32_t x = 0; x < at.width; ++x) {
      const color::BlitRect place = color::RotatedRect({x, y, x + 1, y + 1}, at.width, at.height, rotation);
      std::memcpy(turned.bytes.data() + place.top * turned.pitch + 4ULL * place.left,
                  pixels.data() + 4 * (std::size_t{y} * at.width + x), 4);
    }
  }
  return turned;
}

class LinkTurn : public ::testing::TestWithParam<Case> {};

TEST_P(LinkTurn, EachEncodingThatRefersToNoFrame_StandsAsItsUprightPixelsTurned) {
  const Case& at = GetParam();
  LinkColors colors;
  colors.yuv.filter = at.filter;
  Crossing crossing(at.width, at.height, at.format, 3, colors);
  std::vector<std::byte> room;
  std::uint64_t frame = 0;
  for (const LinkEncoding encoding : kLinkEncodingsByPicture) {
    if (RefersToFrames(encoding) || !IsBuilt(encoding)) continue;
    ASSERT_TRUE(crossing.Encode(++frame, encoding).ok());
    ASSERT_TRUE(crossing.Decode().ok());
    for (const Rotation rotation : kTurns) {
      const Turned due = TurnPixels(crossing.out(), at, rotation);
      Turned turned(at, rotation);
      const auto decoded =
          DecodeLinkRows(crossing.rows(0, at.height), {turned.bytes.data(), turned.pitch, at.format, at.width, at.height},
                         MonotonicClock(), room, rotation);
      ASSERT_TRUE(decoded.ok()) << decoded.error().message;
      EXPECT_EQ(turned.bytes, due.bytes) << ToString(encoding) << " " << static_cast<int>(rotation);
      EXPECT_EQ(ReadLinkHeld(crossing.surface(), 0).frame, frame);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pictures, LinkTurn,
                         ::testing::Values(Case{color::Format::kB8G8R8A8Unorm, 1, 1, color::ChromaFilter::kNearest},
                                           Case{color::Format::kB8G8R8A8Unorm, 131, 77, color::ChromaFilter::kNearest},
                                           Case{color::Format::kB8G8R8A8Unorm, 131, 77, color::ChromaFilter::kBilinear},
                                           Case{color::Format::kB8G8R8A8Unorm, 66, 172, color::ChromaFilter::kNearest},
                                           Case{color::Format::kB8G8R8A8Unorm, 66, 172, color::ChromaFilter::kBilinear},
                                           Case{color::Format::kR10G10B10A2Unorm, 66, 172, color::ChromaFilter::kNearest},
                                           Case{color::Format::kR8G8B8A8Unorm, 90, 161, color::ChromaFilter::kNearest},
                                           Case{color::Format::kR8G8B8A8Unorm, 33, 50, color::ChromaFilter::kBilinear},
                                           Case{color::Format::kR10G10B10A2Unorm, 77, 99, color::ChromaFilter::kNearest}),
                         [](const auto& at) { return "Picture" + std::to_string(at.index); });

TEST(LinkTurnChecks, WhatMayReferToFrames_IsRefusedAndNothingIsWritten) {
  const Case at{color::Format::kB8G8R8A8Unorm, 64, 40, color::ChromaFilter::kNearest};
  Crossing crossing(at.width, at.height, at.format);
  std::vector<std::byte> room;
  std::uint64_t frame = 0;
  for (const LinkEncoding encoding : {LinkEncoding::kLossless, LinkEncoding::kYuv420Tiles}) {
    if (!IsBuilt(encoding)) continue;
    ASSERT_TRUE(crossing.Encode(++frame, encoding).ok());
    Turned turned(at, Rotation::k90);
    const auto before = turned.bytes;
    const auto decoded =
        DecodeLinkRows(crossing.rows(0, at.height), {turned.bytes.data(), turned.pitch, at.format, at.width, at.height},
                       MonotonicClock(), room, Rotation::k90);
    ASSERT_FALSE(decoded.ok());
    EXPECT_EQ(decoded.error().message, "Slice 0 is in encoding " + std::string(ToString(encoding)) +
                                           ", which may refer to frames before: it is not turned.");
    EXPECT_EQ(turned.bytes, before);
    EXPECT_FALSE(LinkPartsToDecode(crossing.rows(0, at.height), at.format, at.width, at.height, Rotation::k90).ok());
  }
}

// The upright picture does not contain the rotated frame, so later lossless frames must not reference that.
TEST(LinkTurnChecks, ALosslessFrameBehindATurnedOne_RefersToNone) {
  const Case at{color::Format::kB8G8R8A8Unorm, 64, 40, color::ChromaFilter::kNearest};
  Crossing crossing(at.width, at.height, at.format);
  std::vector<std::byte> room;
  Turned turned(at, Rotation::k270);
  for (std::uint64_t frame = 1; frame < 12; ++frame) {
    crossing.pixel(3, 3, 1) ^= std::byte{0x10};
    const bool turns = frame % 3 == 2;
    ASSERT_TRUE(crossing.Encode(frame, turns ? LinkEncoding::kPacked : LinkEncoding::kLossless).ok());
    if (turns) {
      ASSERT_TRUE(DecodeLinkRows(crossing.rows(0, at.height), {turned.bytes.data(), turned.pitch, at.format, at.width, at.height},
                                 MonotonicClock(), room, Rotation::k270)
                      .ok());
      EXPECT_EQ(turned.bytes, TurnPixels(crossing.in(), at, Rotation::k270).bytes);
      crossing.pixel(40, 20, 1) ^= std::byte{0x10};  // only the rotated picture contains this change
      continue;
    }
    const auto decoded = crossing.Decode();
    ASSERT_TRUE(decoded.ok()) << decoded.error().message;
    EXPECT_TRUE(crossing.same()) << frame;
  }
}

}  // namespace
}  // namespace tandem::link
