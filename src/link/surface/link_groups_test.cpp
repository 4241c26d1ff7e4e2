// 420-tiles on a link surface, with pictures that mostly stand still.
#include <algorithm>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "codec/pictures/quality.h"
#include "codec/yuv/yuv_groups.h"
#include "color/convert.h"
#include "link/testing/link_crossing.h"

namespace tandem::link {
namespace {

constexpr LinkEncoding kTiles = LinkEncoding::kYuv420Tiles;

class LinkGroups : public testing::Test {
 protected:
  void SetUp() override {
    if (!color::kHasYuv420) GTEST_SKIP() << "TANDEM_YUV420 is OFF: the 4:2:0 encodings are not in this build.";
  }
};

codec::Quality QualityOf(const std::vector<std::byte>& in, const std::vector<std::byte>& out, std::uint32_t width,
                         std::uint32_t height) {
  return codec::Compare({in.data(), 4ULL * width, width, height}, {out.data(), 4ULL * width, width, height});
}

// Replaces the text in one corner.
void Type(Crossing& crossing, std::uint32_t width, std::uint32_t height) {
  const auto other = codec::DrawPicture(codec::Picture::kText, width, height, 3);
  for (std::uint32_t y = height / 2; y < std::min(height, height / 2 + 9); ++y) {
    for (std::uint32_t x = width / 3; x < width / 2; ++x) {
      for (std::uint32_t c = 0; c < 4; ++c) crossing.pixel(x, y, c) = other[(std::size_t{y} * width + x) * 4 + c];
    }
  }
}

TEST_F(LinkGroups, WhatDidNotChange_StaysAndIsNotSent) {
  for (const auto& [width, height] : {std::pair{1U, 1U}, {17U, 33U}, {200U, 131U}, {640U, 360U}}) {
    Crossing crossing(width, height, kBgra);
    crossing.Draw(codec::Picture::kInterface);
    const auto first = crossing.Encode(1, kTiles);
    ASSERT_TRUE(first.ok() && crossing.Decode().ok());
    const std::vector<std::byte> shown = crossing.out();
    const auto still = crossing.Encode(2, kTiles);
    ASSERT_TRUE(still.ok());
    const auto decoded = crossing.Decode();
    ASSERT_TRUE(decoded.ok()) << decoded.error().message;
    EXPECT_EQ(crossing.out(), shown) << width;
    if (width < 200) continue;
    EXPECT_EQ(crossing.Slice(0).unchanged, 1000);
    EXPECT_LT(*still, 400U);
    Type(crossing, width, height);
    const auto typed = crossing.Encode(3, kTiles);
    ASSERT_TRUE(typed.ok() && crossing.Decode().ok());
    EXPECT_LT(*typed * 4, *first);
    Crossing whole(width, height, kBgra);
    whole.Set(crossing.in());
    ASSERT_TRUE(whole.Encode(1, kTiles).ok() && whole.Decode().ok());
    EXPECT_GT(QualityOf(crossing.in(), crossing.out(), width, height).psnr_db,
              QualityOf(crossing.in(), whole.out(), width, height).psnr_db - 0.5);
    for (std::size_t i = 0; i < shown.size() / 4; ++i) {
      const std::size_t y = i / width;
      const bool near = y / 16 >= height / 2 / 16 && y / 16 <= (height / 2 + 8) / 16;
      ASSERT_TRUE(near || std::memcmp(&crossing.out()[4 * i], &shown[4 * i], 4) == 0) << i;
    }
  }
}

TEST_F(LinkGroups, EveryFormat_AsAWholePictureWouldBe) {
  for (const auto& [format, dithers] : {std::pair{color::Format::kR8G8B8A8Unorm, false},
                                        {color::Format::kR10G10B10A2Unorm, false},
                                        {color::Format::kR10G10B10A2Unorm, true},
                                        {color::Format::kB8G8R8X8Unorm, false}}) {
    const LinkColors colors{.dithers = dithers};
    Crossing crossing(200, 75, format, 4, colors);
    for (std::uint64_t frame = 1; frame < 6; ++frame) {
      for (std::uint32_t x = 0; x < 8; ++x) crossing.pixel(40 + x, 40, 1) = static_cast<std::byte>(frame * 30);
      ASSERT_TRUE(crossing.Encode(frame, kTiles).ok());
      const auto decoded = crossing.Decode();
      ASSERT_TRUE(decoded.ok()) << decoded.error().message;
      Crossing whole(200, 75, format, 4, colors);
      whole.Set(crossing.in());
      ASSERT_TRUE(whole.Encode(1, kTiles).ok() && whole.Decode().ok());
      const bool groups = frame > 1 && crossing.Slice(0).encoding == static_cast<std::uint32_t>(kTiles);
      EXPECT_EQ(crossing.Slice(0).unchanged, groups ? 1000 : 0) << frame;
      // The choice of lossless tiles depends on the other tiles.
      std::size_t differ = 0;
      for (std::size_t i = 0; i < crossing.out().size(); i += 4)
        differ += std::memcmp(&crossing.out()[i], &whole.out()[i], 4) != 0 ? 1 : 0;
      EXPECT_LE(differ, 256U) << color::ToString(format) << " " << frame;
    }
  }
}

TEST_F(LinkGroups, HalfFloats_StandStillAsWell) {
  std::vector<std::byte> surface(LinkSurfaceBytes(64, 32));
  InitializeLinkSurface(surface, 32);
  std::vector<std::uint16_t> pixels(64 * 32 * 4);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<std::uint16_t>(i % 4 == 3 ? 0x3C00 : 0x3000 + i / 4 % 64);
  std::vector<std::byte> room;
  std::vector<std::byte> out(64 * 32 * 4);
  const LinkPicture<const std::byte> from{reinterpret_cast<const std::byte*>(pixels.data()), 64 * 8,
                                          color::Format::kR16G16B16A16Float, 64, 32};
  const LinkPicture<std::byte> to{out.data(), 64 * 4, kBgra, 64, 32};
  for (std::uint64_t frame = 1; frame < 4; ++frame) {
    RequestLinkFrame(surface, frame, kTiles);
    ASSERT_TRUE(EncodeLinkRows({surface, 0, 32}, from, MonotonicClock(), room).ok());
    EXPECT_EQ(ReadLinkSlice(surface, 0).unchanged, frame > 1 ? 1000 : 0);
    ASSERT_TRUE(DecodeLinkRows({surface, 0, 32}, to, MonotonicClock(), room).ok());
  }
}

// The room has its final size at once, so that no later frame allocates.
TEST_F(LinkGroups, Rooms_AreAsLargeWithTheFirstPictureAsWithAnyOther) {
  constexpr std::uint32_t kWidth = 320, kHeight = 96;
  for (const color::Format format : {kBgra, color::Format::kR8G8B8A8Unorm, color::Format::kR10G10B10A2Unorm}) {
    Crossing crossing(kWidth, kHeight, format, 1);
    std::vector<std::byte> encoders, decoders;
    const auto cross = [&](std::uint64_t frame) {
      RequestLinkFrame(crossing.surface(), frame, kTiles);
      ASSERT_TRUE(EncodeLinkRows(crossing.rows(0, kHeight), crossing.from(), MonotonicClock(), encoders).ok());
      ASSERT_TRUE(DecodeLinkRows(crossing.rows(0, kHeight), crossing.to(), MonotonicClock(), decoders).ok());
    };
    crossing.Set(std::vector<std::byte>(crossing.in().size()));
    cross(1);
    const std::size_t encoders_bytes = encoders.size(), decoders_bytes = decoders.size();
    std::uint64_t frame = 2;
    for (const codec::Picture picture : {codec::Picture::kText, codec::Picture::kInterface, codec::Picture::kNoise}) {
      crossing.Draw(picture);
      cross(frame++);
      Type(crossing, kWidth, kHeight);
      for (int i = 0; i < 10; ++i) cross(frame++);
    }
    EXPECT_EQ(encoders.size(), encoders_bytes) << color::ToString(format);
    EXPECT_EQ(decoders.size(), decoders_bytes) << color::ToString(format);
  }
}

// The decoder holds a frame of another encoding, another frame, or none: the whole picture is sent.
TEST_F(LinkGroups, OnlyWhatTheOtherSideShowsInThisEncoding_IsReferredTo) {
  for (const LinkEncoding between : kLinkEncodingsByPicture) {
    Crossing crossing(320, 64, kBgra, 1);
    crossing.Draw(codec::Picture::kInterface);
    ASSERT_TRUE(crossing.Encode(1, between).ok() && crossing.Decode().ok());
    ASSERT_TRUE(crossing.Encode(2, kTiles).ok() && crossing.Decode().ok());
    EXPECT_EQ(crossing.Slice(0).unchanged, between == kTiles ? 1000 : 0) << ToString(between);
    ASSERT_TRUE(crossing.Encode(3, between).ok() && crossing.Decode().ok());
    EXPECT_EQ(crossing.Slice(0).unchanged, between == kTiles ? 1000 : 0) << ToString(between);
    EXPECT_EQ(crossing.same(), IsExact(between)) << ToString(between);
  }
  // Encoded but never decoded.
  Crossing crossing(320, 64, kBgra, 1);
  crossing.Draw(codec::Picture::kInterface);
  ASSERT_TRUE(crossing.Encode(1, kTiles).ok() && crossing.Decode().ok());
  ASSERT_TRUE(crossing.Encode(2, kTiles).ok() && crossing.Encode(3, kTiles).ok());
  EXPECT_EQ(crossing.Slice(0).unchanged, 0);
  EXPECT_TRUE(crossing.Decode().ok());
}

TEST_F(LinkGroups, AMovingPicture_RestsFromComparing) {
  Crossing crossing(320, 64, kBgra, 1);
  for (std::uint64_t frame = 1; frame < 20; ++frame) {
    std::vector<std::byte> pixels(4 * 320 * 64, std::byte{255});
    for (std::size_t i = 0; i < pixels.size(); i += 4)
      pixels[i] = static_cast<std::byte>((i / 4 % 320 + i / 1280 + 3 * frame) / 2);
    crossing.Set(pixels);
    ASSERT_TRUE(crossing.Encode(frame, kTiles).ok() && crossing.Decode().ok());
    EXPECT_EQ(crossing.Slice(0).backoff > 0, frame % 8 != 1) << frame;
  }
}

// Groups that reference a dropped or later frame, or are broken, are refused before any pixel is written.
TEST_F(LinkGroups, GroupsThatDoNotBelongToWhatIsShown_AreRefused) {
  using Break = std::function<void(Crossing&, std::byte * payload)>;
  const auto reseal = [](std::byte* payload, const std::function<void(codec::YuvGroupsHeader&)>& spoil) {
    codec::YuvGroupsHeader header;
    std::memcpy(&header, payload, sizeof(header));
    spoil(header);
    header.checksum = 0;
    header.checksum = codec::BytesChecksum(std::as_bytes(std::span(&header, 1)),
                                           {payload + sizeof(header), codec::GroupMapBytes(header.width, header.height)});
    std::memcpy(payload, &header, sizeof(header));
  };
  const Break breaks[] = {
      [](Crossing& c, std::byte*) { c.SetHeld(0, 1); },  // another frame is shown
      [](Crossing& c, std::byte*) { c.SetHeld(0, 0); },
      [](Crossing&, std::byte* payload) { payload[41] ^= std::byte{1}; },   // the map
      [](Crossing&, std::byte* payload) { payload[100] ^= std::byte{1}; },  // the picture
      [&](Crossing&, std::byte* payload) { reseal(payload, [](codec::YuvGroupsHeader& h) { h.reference = 1; }); },
      [&](Crossing&, std::byte* payload) { reseal(payload, [](codec::YuvGroupsHeader& h) { h.reference = 0; }); },
      [&](Crossing&, std::byte* payload) { reseal(payload, [](codec::YuvGroupsHeader& h) { h.reference = h.frame; }); },
      [&](Crossing&, std::byte* payload) { reseal(payload, [](codec::YuvGroupsHeader& h) { --h.frame; }); },
      [&](Crossing&, std::byte* payload) { reseal(payload, [](codec::YuvGroupsHeader& h) { ++h.groups; }); },
      [&](Crossing&, std::byte* payload) { reseal(payload, [](codec::YuvGroupsHeader& h) { h.groups = 0; }); },
      [&](Crossing&, std::byte* payload) { reseal(payload, [](codec::YuvGroupsHeader& h) { h.width -= 16; }); },
      [&](Crossing&, std::byte* payload) { reseal(payload, [](codec::YuvGroupsHeader& h) { h.height = 0; }); },
      [&](Crossing&, std::byte* payload) { reseal(payload, [](codec::YuvGroupsHeader& h) { h.bytes += 8; }); },
      [](Crossing& c, std::byte*) {
        auto slice = c.Slice(0);
        slice.bytes -= 8;
        c.SetSlice(0, slice);
      },
      [](Crossing& c, std::byte*) {
        auto slice = c.Slice(0);
        slice.bytes = 20;
        c.SetSlice(0, slice);
      },
      // The groups of the previous frame, sent again.
      [](Crossing& c, std::byte* payload) {
        const std::vector<std::byte> before(payload, payload + c.Slice(0).bytes);
        ASSERT_TRUE(c.Decode().ok());
        c.pixel(100, 40, 0) = std::byte{9};
        ASSERT_TRUE(c.Encode(4, kTiles).ok());
        std::copy(before.begin(), before.end(), payload);
      },
  };
  for (const Break& break_it : breaks) {
    Crossing crossing(320, 64, kBgra, 1);
    crossing.Draw(codec::Picture::kInterface);
    ASSERT_TRUE(crossing.Encode(2, kTiles).ok() && crossing.Decode().ok());
    crossing.pixel(100, 40, 0) = std::byte{7};
    ASSERT_TRUE(crossing.Encode(3, kTiles).ok());
    ASSERT_GT(crossing.Slice(0).unchanged, 900);
    break_it(crossing, crossing.surface().data() + LinkPayloadOffset(320, 0));
    const std::vector<std::byte> before = crossing.out();
    const auto decoded = crossing.Decode();
    EXPECT_FALSE(decoded.ok()) << &break_it - breaks;
    EXPECT_EQ(crossing.out(), before) << &break_it - breaks;
  }
}

}  // namespace
}  // namespace tandem::link
