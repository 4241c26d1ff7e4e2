#include "swapchain/hud.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "swapchain/hud_glyphs.h"

namespace tandem::swapchain {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

// The text of a line, read back from the strokes of an unscaled picture.
std::string ReadLine(const Hud& hud, std::uint32_t line) {
  std::vector<bool> set(160 * 40);
  for (const RECT& stroke : hud.fills()[1].rects) {
    for (LONG y = stroke.top; y < stroke.bottom; ++y) {
      for (LONG x = stroke.left; x < stroke.right; ++x) set[static_cast<std::size_t>(y * 160 + x)] = true;
    }
  }
  const auto letter_at = [&](std::size_t place) {
    Glyph seen{};
    for (std::size_t y = 0; y < kGlyphHeight; ++y) {
      for (std::size_t x = 0; x < kGlyphWidth; ++x) {
        const bool pixel = set[(3 + line * 10 + y) * 160 + 3 + place * 6 + x];
        seen[y] = static_cast<std::uint8_t>(seen[y] << 1 | (pixel ? 1 : 0));
      }
    }
    for (const char letter : std::string("0123456789abcdefghijklmnopqrstuvwxyz.-/")) {
      if (GlyphOf(letter) == seen) return letter;
    }
    return seen == Glyph{} ? ' ' : '?';
  };
  std::string text;
  for (std::size_t place = 0; place < Hud::kLineLetters; ++place) text += letter_at(place);
  text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

TEST(Hud, FirstFrame_HasPathAndEncoding_AndNoRateYet) {
  Hud hud(200, 200, Path::kTwoCopy);
  hud.Update({.now_ns = kSecondNs});
  EXPECT_EQ(ReadLine(hud, 0), "");
  EXPECT_EQ(ReadLine(hud, 1), "two-copy  plain");
}

TEST(Hud, APeriodLater_HasTheRateAndTheMeanLatencyOfThatPeriod) {
  Hud hud(200, 200, Path::kCompressed);
  hud.Update({.now_ns = kSecondNs, .frames_shown = 10, .latency_sum_ns = 500'000'000});
  hud.Update({kSecondNs + Hud::kPeriodNs - 1, 25, 700'000'000, link::LinkEncoding::kYuv420Tiles});
  EXPECT_EQ(ReadLine(hud, 0), "") << "It changes once a period.";
  hud.Update({kSecondNs + Hud::kPeriodNs, 25, 650'000'000, link::LinkEncoding::kYuv420Tiles});
  EXPECT_EQ(ReadLine(hud, 0), "60.0 fps  10.0 ms");
  EXPECT_EQ(ReadLine(hud, 1), "compressed  420-tiles");
}

TEST(Hud, PeriodWithoutFrames_HasNoRate) {
  Hud hud(200, 200, Path::kOneCopy);
  hud.Update({kSecondNs, 10, 100, link::LinkEncoding::kPlain});
  hud.Update({3 * kSecondNs, 10, 100, link::LinkEncoding::kPlain});
  EXPECT_EQ(ReadLine(hud, 0), "");
}

TEST(Hud, LongFigures_AreCutAtTheLine) {
  Hud hud(200, 200, Path::kOneCopy);
  hud.Update({kSecondNs, 0, 0, link::LinkEncoding::kPlain});
  hud.Update({2 * kSecondNs, 123'456'789, 123'456'789'000'000'000, link::LinkEncoding::kPlain});
  EXPECT_EQ(ReadLine(hud, 0), "123456789.0 fps  1000.");
}

TEST(Hud, EachExtent_FillsStayWithinThePicture) {
  for (const std::uint32_t width : {1U, 2U, 7U, 64U, 138U, 640U, 3840U, 16384U}) {
    for (const std::uint32_t height : {1U, 3U, 9U, 25U, 480U, 1080U, 2160U, 16384U}) {
      SCOPED_TRACE(std::to_string(width) + " x " + std::to_string(height));
      Hud hud(width, height, Path::kOneCopy);
      hud.Update({kSecondNs, 0, 0, link::LinkEncoding::kPlain});
      hud.Update({2 * kSecondNs, 88, 888'888'888, link::LinkEncoding::kLossless});
      for (const PresentFill& fill : hud.fills()) {
        for (const RECT& rect : fill.rects) {
          EXPECT_LT(rect.left, rect.right);
          EXPECT_LT(rect.top, rect.bottom);
          EXPECT_GE(std::min(rect.left, rect.top), 0);
          EXPECT_LE(rect.right, static_cast<LONG>(width));
          EXPECT_LE(rect.bottom, static_cast<LONG>(height));
        }
      }
    }
  }
}

TEST(Hud, LargerPictures_HaveLargerLetters) {
  const auto plate = [](std::uint32_t height) { return Hud(4000, height, Path::kOneCopy).fills()[0].rects[0].bottom; };
  EXPECT_EQ(plate(1080), 3 * plate(480));
  EXPECT_EQ(plate(2160), 5 * plate(480));
}

}  // namespace
}  // namespace tandem::swapchain
