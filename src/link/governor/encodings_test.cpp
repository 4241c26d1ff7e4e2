#include "link/governor/encodings.h"

#include <gtest/gtest.h>

#include "color/format.h"

namespace tandem::link {
namespace {

TEST(ParseEncodings, EveryWayOfSayingItIsReadAndWrittenBack) {
  for (const std::string_view text :
       {"auto", "off", "plain", "lossless", "420", "packed", "420-tiles", "bc1", "plain,lossless", "lossless,420",
        "plain,packed,lossless,420,420-tiles,bc1", "no-bc1", "no-420,no-420-tiles"}) {
    const auto request = ParseEncodings(text);
    ASSERT_TRUE(request.ok()) << text;
    EXPECT_EQ(ToString(*request), text);
  }
  EXPECT_TRUE(ParseEncodings("off")->off());
  EXPECT_TRUE(ParseEncodings("auto")->Allows(LinkEncoding::kYuv420));
  EXPECT_FALSE(ParseEncodings("plain,lossless")->Allows(LinkEncoding::kYuv420));
  EXPECT_TRUE(ParseEncodings("420")->asked_for);
}

TEST(ParseEncodings, WhatIsLeftOutOfAutoIsNotAskedFor) {
  const auto request = ParseEncodings("no-420,no-420-tiles");
  ASSERT_TRUE(request.ok());
  EXPECT_FALSE(request->asked_for);
  for (const LinkEncoding encoding : kLinkEncodingsByPicture) {
    EXPECT_EQ(request->Allows(encoding), encoding != LinkEncoding::kYuv420 && encoding != LinkEncoding::kYuv420Tiles);
  }
  EXPECT_TRUE(ParseEncodings("no-plain,no-packed,no-lossless,no-420,no-420-tiles,no-bc1")->off());
}

TEST(EncodingRequest, BuiltLeavesOutWhatTheBuildDoes) {
  const EncodingRequest all;
  EXPECT_TRUE(all.Built().Allows(LinkEncoding::kLossless));
  EXPECT_EQ(all.Built().Allows(LinkEncoding::kYuv420), IsBuilt(LinkEncoding::kYuv420));
  EXPECT_EQ(all.Built().Allows(LinkEncoding::kYuv420Tiles), IsBuilt(LinkEncoding::kYuv420));
  EXPECT_TRUE(all.Built().Allows(LinkEncoding::kBc1));
  EXPECT_EQ(ParseEncodings("420,420-tiles")->Built().off(), !IsBuilt(LinkEncoding::kYuv420));
  EXPECT_FALSE(ParseEncodings("plain")->Built().Allows(LinkEncoding::kLossless));
}

TEST(ParseEncodings, RefusesOtherWordsByName) {
  for (const std::string_view text : {"", "yuv", "420,", ",420", "auto,420", "off,plain", "420 ", "no-", "no-yuv", "no-off",
                                      "no-420,bc1", "420,no-bc1", "no-no-420"}) {
    const auto request = ParseEncodings(text);
    ASSERT_FALSE(request.ok()) << text;
    EXPECT_NE(request.error().message.find("plain, packed, lossless, 420, 420-tiles, bc1"), std::string::npos);
  }
}

TEST(ParseLinkLimit, ReadsDecimalUnitsWithinLimits) {
  EXPECT_EQ(*ParseLinkLimit("250MB/s"), 250'000'000U);
  EXPECT_EQ(*ParseLinkLimit("2.5GB/s"), 2'500'000'000U);
  EXPECT_EQ(*ParseLinkLimit("1000kB/s"), 1'000'000U);
  EXPECT_EQ(*ParseLinkLimit("1000KB/s"), 1'000'000U);
  EXPECT_EQ(*ParseLinkLimit("off"), 0U);
  EXPECT_EQ(LinkLimitText(250'000'000), "250MB/s");
  EXPECT_EQ(LinkLimitText(2'500'000'000), "2.5GB/s");
  for (const std::string_view text :
       {"", "250", "MB/s", "-1MB/s", "1e3MB/s", "nanMB/s", "infGB/s", "999kB/s", "1001GB/s", "2 GB/s", "250MB/s ", "0MB/s"}) {
    EXPECT_FALSE(ParseLinkLimit(text).ok()) << text;
  }
}

TEST(ParseYuv, ReadsWhatIsNamedAndLeavesTheRest) {
  EXPECT_EQ(*ParseYuv("auto"), LinkYuv());
  EXPECT_EQ(LinkYuvText(*ParseYuv("auto")), "bt709,full,nearest");
  EXPECT_EQ(LinkYuvText(*ParseYuv("bt601")), "bt601,full,nearest");
  EXPECT_EQ(LinkYuvText(*ParseYuv("limited,bt2020")), "bt2020,limited,nearest");
  EXPECT_EQ(LinkYuvText(*ParseYuv("bilinear")), "bt709,full,bilinear");
  for (const std::string_view matrix : {"bt709", "bt601", "bt2020"}) {
    for (const std::string_view rest : {",full,nearest", ",limited,nearest", ",full,bilinear", ",limited,bilinear"}) {
      const std::string text = std::string(matrix) + std::string(rest);
      EXPECT_EQ(LinkYuvText(*ParseYuv(text)), text);
    }
  }
}

TEST(ParseYuv, RefusesOtherWordsByName) {
  for (const std::string_view text :
       {"", "bt", "BT709", "bt709,", ",full", "bt709,bt601", "full,limited", "nearest,nearest", "auto,full", "bt709 ,full"}) {
    const auto yuv = ParseYuv(text);
    ASSERT_FALSE(yuv.ok()) << text;
    EXPECT_NE(yuv.error().message.find("one of bt709, bt601, bt2020, one of full, limited and one of nearest, bilinear"),
              std::string::npos);
  }
  EXPECT_NE(ParseYuv("bt709,pal").error().message.find("'pal' cannot stand there"), std::string::npos);
}

TEST(ParseFrameBytes, ReadsDecimalUnitsWithinLimits) {
  EXPECT_EQ(*ParseFrameBytes("2MB"), 2'000'000U);
  EXPECT_EQ(*ParseFrameBytes("1.5MB"), 1'500'000U);
  EXPECT_EQ(*ParseFrameBytes("500kB"), 500'000U);
  EXPECT_EQ(*ParseFrameBytes("500KB"), 500'000U);
  EXPECT_EQ(*ParseFrameBytes("1GB"), 1'000'000'000U);
  EXPECT_EQ(*ParseFrameBytes("off"), 0U);
  for (const std::uint64_t bytes : {0U, 1000U, 500'000U, 2'500'000U, 1'000'000'000U}) {
    EXPECT_EQ(*ParseFrameBytes(FrameBytesText(bytes)), bytes);
  }
  for (const std::string_view text : {"", "2", "MB", "2MB/s", "-1MB", "nanMB", "0.9kB", "1.1GB", "2 MB", "2MB "}) {
    EXPECT_FALSE(ParseFrameBytes(text).ok()) << text;
  }
  EXPECT_EQ(ParseFrameBytes("9GB").error().message, "Frame bytes '9GB' are not off or a size such as 2MB, from 1kB to 1000MB.");
}

TEST(EncodingRequest, WithinLeavesOutWhatHasMoreBytes) {
  const EncodingRequest::Frame frame{color::Format::kB8G8R8A8Unorm, 1920, 1080, LinkSliceRows(1080, 4)};
  const EncodingRequest all;
  const auto allowed = [&](std::uint64_t bytes) { return ToString(all.Within(bytes, frame)); };
  EXPECT_EQ(allowed(100'000'000), "auto");
  EXPECT_EQ(allowed(8'000'000), "no-plain");
  EXPECT_EQ(allowed(6'000'000), "no-plain,no-packed");
  EXPECT_EQ(allowed(2'000'000), "no-plain,no-packed,no-420,no-420-tiles");
  EXPECT_EQ(allowed(500'000), "no-plain,no-packed,no-420,no-420-tiles,no-bc1");
  EXPECT_EQ(allowed(100'000), "off");
}

TEST(ParseContentKind, ReadsItsWords) {
  for (const ContentKind kind : {ContentKind::kAuto, ContentKind::kGame, ContentKind::kDesktop, ContentKind::kCad}) {
    EXPECT_EQ(*ParseContentKind(ToString(kind)), kind);
  }
  EXPECT_FALSE(ParseContentKind("drawing").ok());
}

}  // namespace
}  // namespace tandem::link
