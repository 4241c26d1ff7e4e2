#include "swapchain/hud.h"

#include <algorithm>

#include <fmt/format.h>

namespace tandem::swapchain {
namespace {

constexpr UINT kPlateColor = 0xFF101010;
constexpr UINT kTextColor = 0xFFE0E0E0;
// Distances in pixels of a glyph: from letter to letter, from line to line, and from the plate's edge to the text.
constexpr std::uint32_t kAdvance = kGlyphWidth + 1;
constexpr std::uint32_t kLineHeight = kGlyphHeight + 1;
constexpr std::uint32_t kMargin = 3;
// Lines of the picture for each step of enlargement.
constexpr std::uint32_t kLinesOfScale = 540;

}  // namespace

Hud::Hud(std::uint32_t width, std::uint32_t height, Path path)
    : width_(width), height_(height), path_(path), scale_(1 + height / kLinesOfScale) {
  const std::uint32_t right = (2 * kMargin + kLineLetters * kAdvance) * scale_;
  const std::uint32_t bottom = (2 * kMargin + kLines * kLineHeight) * scale_;
  plate_ = {0, 0, static_cast<LONG>(std::min(right, width)), static_cast<LONG>(std::min(bottom, height))};
  fills_[0] = {kPlateColor, std::span(&plate_, 1)};
  fills_[1] = {kTextColor, {}};
}

void Hud::Update(const HudFigures& figures) {
  const std::int64_t elapsed_ns = figures.now_ns - drawn_.now_ns;
  if (begun_ && elapsed_ns < kPeriodNs) return;
  const std::uint64_t frames = figures.frames_shown - drawn_.frames_shown;
  std::array<char, kLineLetters> line{};
  stroke_count_ = 0;
  if (begun_ && frames != 0) {
    const double rate = static_cast<double>(frames) * 1e9 / static_cast<double>(elapsed_ns);
    const double latency_ms =
        static_cast<double>(figures.latency_sum_ns - drawn_.latency_sum_ns) / 1e6 / static_cast<double>(frames);
    const auto end = fmt::format_to_n(line.begin(), line.size(), "{:.1f} fps  {:.1f} ms", rate, latency_ms);
    Write(0, {line.data(), std::min(end.size, line.size())});
  }
  const auto end = fmt::format_to_n(line.begin(), line.size(), "{}  {}", ToString(path_), link::ToString(figures.encoding));
  Write(1, {line.data(), std::min(end.size, line.size())});
  fills_[1].rects = std::span(strokes_).first(stroke_count_);
  drawn_ = figures;
  begun_ = true;
}

void Hud::Write(std::uint32_t line, std::string_view text) {
  const std::uint32_t top = kMargin + line * kLineHeight;
  std::uint32_t left = kMargin;
  for (const char letter : text) {
    const Glyph& glyph = GlyphOf(letter);
    for (std::uint32_t row = 0; row < kGlyphHeight; ++row) {
      for (std::uint32_t x = 0; x < kGlyphWidth; ++x) {
        const auto set = [&](std::uint32_t at) { return at < kGlyphWidth && (glyph[row] >> (kGlyphWidth - 1 - at) & 1) != 0; };
        if (!set(x)) continue;
        const std::uint32_t begin = x;
        while (set(x + 1)) ++x;
        AddStroke(left + begin, top + row, left + x + 1, top + row + 1);
      }
    }
    left += kAdvance;
  }
}

void Hud::AddStroke(std::uint32_t left, std::uint32_t top, std::uint32_t right, std::uint32_t bottom) {
  if (left * scale_ >= width_ || top * scale_ >= height_) return;
  strokes_[stroke_count_++] = {static_cast<LONG>(left * scale_), static_cast<LONG>(top * scale_),
                               static_cast<LONG>(std::min(right * scale_, width_)),
                               static_cast<LONG>(std::min(bottom * scale_, height_))};
}

}  // namespace tandem::swapchain
