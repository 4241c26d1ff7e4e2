#include "color/blit.h"

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "color/channels.h"
#include "color/dither.h"
#include "color/model.h"
#include "color/simd/testing/each_target.h"

namespace tandem::color {
namespace {

constexpr Format kFormats[] = {Format::kR16G16B16A16Float, Format::kR10G10B10A2Unorm, Format::kR8G8B8A8Unorm,
                               Format::kR8G8B8A8UnormSrgb, Format::kB8G8R8A8Unorm,    Format::kB8G8R8X8Unorm,
                               Format::kB8G8R8A8UnormSrgb};
constexpr Rotation kRotations[] = {Rotation::kIdentity, Rotation::k90, Rotation::k180, Rotation::k270};

// A request with its own memory; guard bytes around the destination reveal stray writes.
struct Picture {
  explicit Picture(const BlitRequest& wanted, std::uint32_t misalign) : request(wanted) {
    const bool turned = IsQuarterTurn(request.rotation);
    const std::uint32_t columns = turned ? request.part.height() : request.part.width();
    const std::uint32_t rows = turned ? request.part.width() : request.part.height();
    request.source_pitch = std::uint64_t{request.source_width} * BytesPerPixel(request.source_format) + misalign;
    request.destination_pitch = std::uint64_t{columns} * BytesPerPixel(request.destination_format) + 3 * misalign;
    if (misalign == 0) request.destination_pitch = (request.destination_pitch + 63) / 64 * 64;
    source.resize(request.source_pitch * request.source_height + misalign);
    std::mt19937 random(request.source_width * 31 + request.source_height);
    for (std::byte& byte : source) byte = static_cast<std::byte>(random());
    destination.assign(request.destination_pitch * rows + misalign + 64, std::byte{0xEE});
    request.source = source.data() + misalign;
    offset = misalign;
  }
  std::vector<std::byte> Run(void (*blit)(const BlitRequest&)) const {
    std::vector<std::byte> out = destination;
    BlitRequest job = request;
    job.destination = out.data() + offset;
    blit(job);
    return out;
  }
  BlitRequest request;
  std::vector<std::byte> source, destination;
  std::uint32_t offset = 0;
};

BlitRequest Unstretched(std::uint32_t width, std::uint32_t height, Format from, Format to) {
  BlitRequest request;
  request.source_width = request.destination_width = width;
  request.source_height = request.destination_height = height;
  request.source_format = from;
  request.destination_format = to;
  request.part = {0, 0, width, height};
  return request;
}

void ExpectEqualsReference(const BlitRequest& request, std::uint32_t misalign) {
  const Picture picture(request, misalign);
  const auto expected = picture.Run(BlitReference);
  simd::OnEachTarget([&] {
    ASSERT_EQ(picture.Run(Blit), expected) << ToString(request.source_format) << " to " << ToString(request.destination_format)
                                           << " rotation " << static_cast<int>(request.rotation) << " " << request.part.width()
                                           << "x" << request.part.height() << " misaligned by " << misalign;
  });
}

TEST(BlitTest, EveryPairOfFormats_EveryRotation_EqualsTheReference) {
  for (const Format from : kFormats) {
    for (const Format to : kFormats) {
      for (const Rotation rotation : kRotations) {
        BlitRequest request = Unstretched(37, 21, from, to);
        request.rotation = rotation;
        ExpectEqualsReference(request, 1);
        request.dither = true;
        ExpectEqualsReference(request, 1);
      }
    }
  }
}

TEST(BlitTest, SizesAroundTilesAndLines_EveryRotation_EqualTheReference) {
  for (const Format format : {Format::kB8G8R8A8Unorm, Format::kR16G16B16A16Float}) {
    for (const Rotation rotation : kRotations) {
      for (const std::uint32_t width : {1U, 3U, 4U, 15U, 16U, 17U, 64U, 131U, 257U}) {
        for (const std::uint32_t height : {1U, 2U, 7U, 16U, 33U, 65U, 129U}) {
          BlitRequest request = Unstretched(width, height, format, format);
          request.rotation = rotation;
          for (const std::uint32_t misalign : {0U, 1U, 4U}) ExpectEqualsReference(request, misalign);
        }
      }
      BlitRequest streamed = Unstretched(500, 400, format, format);
      streamed.rotation = rotation;
      for (const std::uint32_t misalign : {0U, 4U, 5U}) ExpectEqualsReference(streamed, misalign);
    }
  }
}

TEST(BlitTest, StretchesAndParts_EqualTheReference) {
  std::mt19937 random(7);
  const auto upTo = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit) + 1; };
  for (int i = 0; i < 300; ++i) {
    BlitRequest request;
    request.source_width = upTo(300);
    request.source_height = upTo(40);
    request.destination_width = upTo(600);
    request.destination_height = upTo(60);
    request.part.left = upTo(request.destination_width) - 1;
    request.part.top = upTo(request.destination_height) - 1;
    request.part.right = request.part.left + upTo(request.destination_width - request.part.left);
    request.part.bottom = request.part.top + upTo(request.destination_height - request.part.top);
    request.source_format = kFormats[random() % std::size(kFormats)];
    request.destination_format = kFormats[random() % std::size(kFormats)];
    request.rotation = kRotations[random() % 4];
    if (CanBlit(request.source_format, request.destination_format, Transfer::kLinearToSrgb) && random() % 4 == 0)
      request.transfer = Transfer::kLinearToSrgb;
    request.dither = random() % 2 == 0;
    ExpectEqualsReference(request, upTo(9));
  }
}

TEST(BlitTest, WholePictures_AreDitheredAsTheConversionToBgra8Is) {
  for (const Format format : {Format::kR10G10B10A2Unorm, Format::kR16G16B16A16Float}) {
    BlitRequest request = Unstretched(300, 20, format, Format::kB8G8R8A8Unorm);
    request.dither = true;
    const Picture picture(request, 4);
    std::vector<std::byte> expected = picture.destination;
    DitherToBgra8(expected.data() + picture.offset, picture.request.destination_pitch,
                  {picture.request.source, picture.request.source_pitch, 300, 20, format}, Transfer::kPassThrough, Alpha::kKeep,
                  0);
    EXPECT_EQ(picture.Run(Blit), expected) << ToString(format);
  }
}

TEST(BlitTest, LinearHalves_BecomeTheNearestTenBitsOfTheCurve) {
  const std::uint16_t* curve = ChannelTable(ChannelCode::kHalf, ChannelCode::kUnorm10, Transfer::kLinearToSrgb);
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    ASSERT_EQ(curve[bits], std::nearbyint(LinearToSrgb(HalfToDouble(static_cast<std::uint16_t>(bits))) * 1023)) << bits;
  }
}

TEST(BlitTest, AnySplitOfAStretch_GivesTheSamePicture) {
  BlitRequest whole = Unstretched(61, 47, Format::kR10G10B10A2Unorm, Format::kR8G8B8A8Unorm);
  whole.dither = true;  // parts continue the pattern
  whole.destination_width = 100;
  whole.destination_height = 33;
  whole.part = {0, 0, 100, 33};
  const Picture picture(whole, 4);
  const auto expected = picture.Run(BlitReference);
  std::vector<std::byte> got = picture.destination;
  for (std::uint32_t top = 0; top < 33; top += 7) {
    for (std::uint32_t left = 0; left < 100; left += 13) {
      BlitRequest part = picture.request;
      part.part = {left, top, std::min(left + 13, 100U), std::min(top + 7, 33U)};
      part.destination = got.data() + picture.offset + top * part.destination_pitch + 4 * left;
      Blit(part);
    }
  }
  EXPECT_EQ(got, expected);
}

TEST(BlitTest, Rotation_IsCounterClockwise) {
  // 3 x 2:  1 2 3     rotated by 90 degrees counter-clockwise:  3 6
  //         4 5 6                                               2 5
  //                                                             1 4
  const std::vector<std::uint32_t> source = {1, 2, 3, 4, 5, 6};
  const std::vector<std::vector<std::uint32_t>> expected = {
      {1, 2, 3, 4, 5, 6}, {3, 6, 2, 5, 1, 4}, {6, 5, 4, 3, 2, 1}, {4, 1, 5, 2, 6, 3}};
  for (const Rotation rotation : kRotations) {
    std::vector<std::uint32_t> out(6);
    BlitRequest request = Unstretched(3, 2, Format::kB8G8R8A8Unorm, Format::kB8G8R8A8Unorm);
    request.rotation = rotation;
    request.source = reinterpret_cast<const std::byte*>(source.data());
    request.source_pitch = 12;
    request.destination = reinterpret_cast<std::byte*>(out.data());
    request.destination_pitch = IsQuarterTurn(rotation) ? 8 : 12;
    BlitReference(request);
    EXPECT_EQ(out, expected[static_cast<std::size_t>(rotation)]) << static_cast<int>(rotation);
  }
  EXPECT_EQ(RotatedRect({0, 0, 1, 1}, 768, 1024, Rotation::k90), (BlitRect{0, 767, 1, 768}));
  EXPECT_EQ(RotatedRect({0, 0, 1, 1}, 768, 1024, Rotation::k270), (BlitRect{1023, 0, 1024, 1}));
}

TEST(BlitTest, StretchedPosition_TakesThePixelUnderTheCentre) {
  EXPECT_EQ(StretchedPosition(0, 2, 4), 0U);
  EXPECT_EQ(StretchedPosition(1, 2, 4), 0U);
  EXPECT_EQ(StretchedPosition(2, 2, 4), 1U);
  EXPECT_EQ(StretchedPosition(0, 3, 1), 1U);
  EXPECT_EQ(StretchedPosition(16383, 16384, 16384), 16383U);
  for (std::uint32_t x = 0; x < 500; ++x) {
    EXPECT_EQ(StretchedPosition(x, 333, 500), static_cast<std::uint32_t>(std::floor((x + 0.5) * 333 / 500))) << x;
  }
}

TEST(BlitTest, ColorKeys_CompareColourAndNeverAlpha) {
  const std::vector<std::uint32_t> source = {0xFF102030, 0x00102030, 0xFF102031};
  for (const ColorKey key : {ColorKey::kSkipSource, ColorKey::kOnlyOver}) {
    std::vector<std::uint32_t> out = {0x11102030, 0x22445566, 0x33102030};
    BlitRequest request = Unstretched(3, 1, Format::kB8G8R8A8Unorm, Format::kB8G8R8A8Unorm);
    request.key = key;
    request.key_pixel = 0x77102030;
    request.source = reinterpret_cast<const std::byte*>(source.data());
    request.destination = reinterpret_cast<std::byte*>(out.data());
    request.source_pitch = request.destination_pitch = 12;
    Blit(request);
    EXPECT_EQ(out, key == ColorKey::kSkipSource ? (std::vector<std::uint32_t>{0x11102030, 0x22445566, 0xFF102031})
                                                : (std::vector<std::uint32_t>{0xFF102030, 0x22445566, 0xFF102031}));
  }
}

TEST(BlitTest, ConversionTo8Bits_IsTheOneOfTheOutputs) {
  for (const Format format : kFormats) {
    for (const Transfer transfer : {Transfer::kPassThrough, Transfer::kLinearToSrgb}) {
      if (transfer == Transfer::kLinearToSrgb && format != Format::kR16G16B16A16Float) continue;
      if (SameBits(format, Format::kB8G8R8A8Unorm)) continue;
      BlitRequest request = Unstretched(256, 64, format, Format::kB8G8R8A8Unorm);
      request.transfer = transfer;
      const Picture picture(request, 0);
      const auto got = picture.Run(BlitReference);
      std::vector<std::byte> expected = picture.destination;
      ConvertToBgra8Reference(expected.data(), picture.request.destination_pitch,
                              {picture.request.source, picture.request.source_pitch, 256, 64, format}, transfer, Alpha::kKeep);
      EXPECT_EQ(got, expected) << ToString(format);
    }
  }
}

TEST(ChannelTest, EveryCode_IsTheNearestOfItsValue) {
  const ChannelCode codes[] = {ChannelCode::kUnorm2, ChannelCode::kUnorm8, ChannelCode::kUnorm10, ChannelCode::kHalf};
  for (const ChannelCode from : codes) {
    const std::uint16_t* to_half = ChannelTable(from, ChannelCode::kHalf, Transfer::kPassThrough);
    if (to_half == nullptr) continue;
    EXPECT_EQ(to_half[CodeOfOne(from)], 0x3C00);
    for (std::uint32_t bits = 0; bits < CodeCount(from); ++bits) {
      const double value = static_cast<double>(bits) / (CodeCount(from) - 1);
      const double error = std::fabs(HalfToDouble(to_half[bits]) - value);
      EXPECT_LE(error, std::fabs(HalfToDouble(static_cast<std::uint16_t>(to_half[bits] + 1)) - value)) << bits;
      if (to_half[bits] != 0) {
        EXPECT_LE(error, std::fabs(HalfToDouble(static_cast<std::uint16_t>(to_half[bits] - 1)) - value)) << bits;
      }
    }
    for (const ChannelCode to : codes) {
      const std::uint16_t* there = ChannelTable(from, to, Transfer::kPassThrough);
      const std::uint16_t* back = ChannelTable(to, from, Transfer::kPassThrough);
      if (there == nullptr || CodeCount(to) < CodeCount(from)) continue;
      for (std::uint32_t bits = 0; bits < CodeCount(from); ++bits) EXPECT_EQ(back[there[bits]], bits);  // lossless
    }
  }
  const std::uint16_t* curve = ChannelTable(ChannelCode::kUnorm10, ChannelCode::kUnorm8, Transfer::kLinearToSrgb);
  for (std::uint32_t bits = 0; bits < 1024; ++bits) EXPECT_EQ(curve[bits], ToUnorm8(LinearToSrgb(bits / 1023.0))) << bits;
}

TEST(PixelOfArgbTest, EachFormat_HoldsTheColour) {
  EXPECT_EQ(PixelOfArgb(0x80FF4020, Format::kB8G8R8X8Unorm), 0x80FF4020U);
  EXPECT_EQ(PixelOfArgb(0x80FF4020, Format::kR8G8B8A8UnormSrgb), 0x802040FFU);
  EXPECT_EQ(PixelOfArgb(0xFFFF0000, Format::kR10G10B10A2Unorm), 0xC00003FFU);
  EXPECT_EQ(PixelOfArgb(0xFFFF0000, Format::kR16G16B16A16Float), 0x3C00000000003C00U);
}

TEST(CanBlitTest, TheCurve_NeedsAnEightBitDestination) {
  EXPECT_TRUE(CanBlit(Format::kR8G8B8A8Unorm, Format::kR16G16B16A16Float, Transfer::kPassThrough));
  EXPECT_TRUE(CanBlit(Format::kR10G10B10A2Unorm, Format::kB8G8R8X8Unorm, Transfer::kLinearToSrgb));
  EXPECT_TRUE(CanBlit(Format::kR16G16B16A16Float, Format::kR10G10B10A2Unorm, Transfer::kLinearToSrgb));
  EXPECT_FALSE(CanBlit(Format::kR10G10B10A2Unorm, Format::kR16G16B16A16Float, Transfer::kLinearToSrgb));
  EXPECT_FALSE(CanBlit(Format::kUnknown, Format::kB8G8R8A8Unorm, Transfer::kPassThrough));
}

}  // namespace
}  // namespace tandem::color
