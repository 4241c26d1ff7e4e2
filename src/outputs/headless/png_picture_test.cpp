#include "outputs/headless/png_picture.h"

#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

namespace tandem::outputs {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kHeaderAt = 8 + 8;  // offset of IHDR's data: width, height, bit depth, colour type, ..., interlace

// 5 x 3 pixels, written by libpng.
std::vector<std::byte> Png(std::uint32_t format) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = 5;
  image.height = 3;
  image.format = format;
  std::vector<std::uint16_t> pixels(PNG_IMAGE_SIZE(image));
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint16_t>(i * 4001);
  png_alloc_size_t size = 0;
  EXPECT_NE(png_image_write_to_memory(&image, nullptr, &size, 0, pixels.data(), 0, nullptr), 0) << image.message;
  std::vector<std::byte> bytes(size);
  EXPECT_NE(png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr), 0) << image.message;
  return bytes;
}

// Changes the width, height or bit depth, and updates the checksum.
void SetHeader(std::vector<std::byte>& png, std::size_t offset, const std::vector<std::uint8_t>& value) {
  std::memcpy(png.data() + kHeaderAt + offset, value.data(), value.size());
  constexpr std::size_t kBytes = 4 + 13;
  std::uint32_t crc = ~0U;
  for (std::size_t i = 0; i < kBytes; ++i) {
    crc ^= std::to_integer<std::uint32_t>(png[kHeaderAt - 4 + i]);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320U : 0);
  }
  crc = ~crc;
  for (std::size_t i = 0; i < 4; ++i) png[kHeaderAt + 13 + i] = static_cast<std::byte>(crc >> (24 - 8 * i));
}

std::string MessageOf(const std::vector<std::byte>& png) {
  const auto decoded = DecodePng(png, "hostile");
  return decoded.ok() ? "" : decoded.error().message;
}

TEST(PngPicture, EachKindOfPixels_BecomesFourBytes) {
  for (const unsigned format : std::array<std::uint32_t, 6>{PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB, PNG_FORMAT_BGRA,
                                                            PNG_FORMAT_LINEAR_Y, PNG_FORMAT_LINEAR_RGB_ALPHA}) {
    const auto decoded = DecodePng(Png(format), "any");
    ASSERT_TRUE(decoded.ok()) << format << decoded.error().message;
    EXPECT_EQ(decoded->width, 5U);
    EXPECT_EQ(decoded->height, 3U);
    EXPECT_EQ(decoded->pixels.size(), 60U);
  }
}

TEST(PngPicture, CutShortAnywhere_IsRefused) {
  const auto png = Png(PNG_FORMAT_BGRA);
  // The last chunk only marks the end.
  for (std::size_t size = 0; size < png.size() - 12; ++size) {
    const auto decoded = DecodePng(std::span(png).first(size), "cut");
    EXPECT_FALSE(decoded.ok()) << size;
  }
}

TEST(PngPicture, BeyondALimit_SaysTheValueAndTheLimit) {
  auto png = Png(PNG_FORMAT_BGRA);
  SetHeader(png, 0, {0, 0, 0x40, 1});
  EXPECT_THAT(MessageOf(png), HasSubstr("Picture hostile has 16385 x 3 pixels; the limit is 16384 each way."));
  png = Png(PNG_FORMAT_BGRA);
  SetHeader(png, 0, {0, 0, 0x40, 0, 0, 0, 0x40, 0});
  EXPECT_THAT(MessageOf(png), HasSubstr("bytes; 16384 x 16384 pixels take 32513 at least."));
}

TEST(PngPicture, AHeaderThatContradictsItself_IsRefused) {
  for (const auto& [offset, value] : {std::pair<std::size_t, std::uint8_t>{3, 0}, {8, 3}, {9, 7}, {10, 1}, {11, 1}, {12, 2}}) {
    auto png = Png(PNG_FORMAT_BGRA);
    SetHeader(png, offset, {value});
    EXPECT_THAT(MessageOf(png), HasSubstr("Picture hostile cannot be read: ")) << offset;
  }
}

TEST(PngPicture, AChunkLongerThanTheFile_TakesNoMemory) {
  auto png = Png(PNG_FORMAT_BGRA);
  const std::array<std::uint8_t, 8> text{0x74, 0, 0, 0x0F, 'z', 'T', 'X', 't'};
  constexpr std::size_t kBehindHeader = 8 + 12 + 13;
  const std::size_t left = png.size() - kBehindHeader - 12;
  std::memcpy(png.data() + kBehindHeader, text.data(), text.size());
  EXPECT_EQ(MessageOf(png), "Picture hostile cannot be read: its chunk at byte 33 has 1946157071 bytes; the file has " +
                                std::to_string(left) + " for it.");
}

TEST(PngPicture, WhatIsNoFile_IsRefused) {
  EXPECT_THAT(ReadPng("/nowhere/a.png").error().message, HasSubstr("/nowhere/a.png cannot be opened: No such file"));
  EXPECT_THAT(ReadPng("/tmp").error().message, HasSubstr("/tmp cannot be read: Is a directory"));
  EXPECT_THAT(ReadPng("/dev/null").error().message, HasSubstr("/dev/null is empty"));
}

}  // namespace
}  // namespace tandem::outputs
