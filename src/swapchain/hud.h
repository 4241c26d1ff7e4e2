// Figures of the running program, drawn into the picture by fills of the display adapter. Internal to the module.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "link/surface/link_surface.h"
#include "swapchain/hud_glyphs.h"
#include "swapchain/runtime.h"
#include "swapchain/swap_chain.h"

namespace tandem::swapchain {

// Totals cover the life of the swap chain so far.
struct HudFigures {
  std::int64_t now_ns = 0;
  std::uint64_t frames_shown = 0;
  std::int64_t latency_sum_ns = 0;  // present to vertical blank, summed over the frames shown
  link::LinkEncoding encoding = link::LinkEncoding::kPlain;
};

// Two lines of text on a dark plate in the upper left corner: frames a second and latency, path and encoding.
// Thread: the display thread. Nothing is allocated.
class Hud {
 public:
  // Extents of the picture in pixels. Letters are enlarged with them; the plate is cut where the picture is smaller.
  Hud(std::uint32_t width, std::uint32_t height, Path path);
  Hud(const Hud&) = delete;
  Hud& operator=(const Hud&) = delete;

  // Draws anew where the text is older than kPeriodNs.
  void Update(const HudFigures& figures);
  // The figures of every frame, valid until the next Update.
  [[nodiscard]] std::span<const PresentFill> fills() const { return fills_; }

  static constexpr std::int64_t kPeriodNs = 250'000'000;
  static constexpr std::size_t kLineLetters = 22;

 private:
  static constexpr std::size_t kLines = 2;
  // A row of a glyph has three strokes at most.
  static constexpr std::size_t kMostStrokes = kLines * kLineLetters * kGlyphHeight * 3;

  void Write(std::uint32_t line, std::string_view text);
  // Adds a rectangle of glyph pixels, within the picture.
  void AddStroke(std::uint32_t left, std::uint32_t top, std::uint32_t right, std::uint32_t bottom);

  const std::uint32_t width_;
  const std::uint32_t height_;
  const Path path_;
  const std::uint32_t scale_;  // pixels of the picture for one of a glyph
  RECT plate_{};
  std::array<RECT, kMostStrokes> strokes_{};
  std::size_t stroke_count_ = 0;
  std::array<PresentFill, 2> fills_{};
  HudFigures drawn_;  // at the last change of the text
  bool begun_ = false;
};

}  // namespace tandem::swapchain
