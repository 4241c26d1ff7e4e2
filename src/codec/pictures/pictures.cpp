#include "codec/pictures/pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>

namespace tandem::codec {
namespace {

// std::minstd_rand in 32 bits. Two numbers make one, because single neighbours are too much alike.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t operator()() {
    const std::uint32_t high = engine_() >> 7;
    return high ^ engine_();
  }

 private:
  std::linear_congruential_engine<std::uint32_t, 48271, 0, 2147483647> engine_;
};

struct Color {
  int blue = 0, green = 0, red = 0;
};

class Canvas {
 public:
  Canvas(std::uint32_t width, std::uint32_t height)
      : width_(width), height_(height), pixels_(4ULL * width * height, std::byte{255}) {}

  void Put(std::uint32_t x, std::uint32_t y, Color color) {
    if (x >= width_ || y >= height_) return;
    std::byte* const pixel = &pixels_[4 * (std::size_t{y} * width_ + x)];
    pixel[0] = static_cast<std::byte>(std::clamp(color.blue, 0, 255));
    pixel[1] = static_cast<std::byte>(std::clamp(color.green, 0, 255));
    pixel[2] = static_cast<std::byte>(std::clamp(color.red, 0, 255));
  }

  void Fill(std::uint32_t x, std::uint32_t y, std::uint32_t width, std::uint32_t height, Color color) {
    for (std::uint32_t row = y; row < std::min(y + height, height_); ++row) {
      for (std::uint32_t column = x; column < std::min(x + width, width_); ++column) Put(column, row, color);
    }
  }

  // Draws one letter of 8 x 16, smoothed; the letter's number determines its strokes.
  void Letter(std::uint32_t x, std::uint32_t y, std::uint32_t letter, Color ink, Color paper) {
    Random random(letter + 1);
    std::array<std::array<int, 8>, 16> coverage{};
    for (int stroke = 0; stroke < 3; ++stroke) {
      const bool upright = random() % 2 == 0;
      const std::uint32_t at = upright ? 1 + random() % 5 : 3 + random() % 9;
      const int edge = static_cast<int>(random() % 3) * 85;
      for (std::uint32_t i = upright ? 3 : 1; i < (upright ? 13U : 6U); ++i) {
        int& full = upright ? coverage[i][at] : coverage[at][i];
        int& half = upright ? coverage[i][at + 1] : coverage[at + 1][i];
        full = 255;
        half = std::max(half, edge);
      }
    }
    for (std::uint32_t row = 0; row < 16; ++row) {
      for (std::uint32_t column = 0; column < 8; ++column) {
        const int c = coverage[row][column];
        const auto mix = [c](int a, int b) { return (a * c + b * (255 - c)) / 255; };
        Put(x + column, y + row, {mix(ink.blue, paper.blue), mix(ink.green, paper.green), mix(ink.red, paper.red)});
      }
    }
  }

  [[nodiscard]] std::vector<std::byte> Take() { return std::move(pixels_); }

 private:
  std::uint32_t width_, height_;
  std::vector<std::byte> pixels_;
};

void DrawText(Canvas& canvas, std::uint32_t width, std::uint32_t height, std::uint32_t seed) {
  static constexpr std::array<Color, 6> kInks = {
      {{220, 220, 220}, {120, 200, 120}, {90, 160, 240}, {230, 180, 90}, {80, 220, 240}, {200, 120, 220}}};
  constexpr Color kPaper = {34, 28, 30};
  Random random(seed + 17);
  canvas.Fill(0, 0, width, height, kPaper);
  for (std::uint32_t y = 4; y + 16 < height; y += 18) {
    const std::uint32_t end = random() % 8 == 0 ? 0 : 40 + random() % 180;  // letters of the line
    std::uint32_t x = 6 + 8 * 4 * (random() % 4);
    Color ink = kInks[0];
    for (std::uint32_t i = 0; i < end && x + 8 < width; ++i, x += 8) {
      if (random() % 6 == 0) {
        ink = kInks[random() % kInks.size()];
        continue;
      }
      canvas.Letter(x, y, random() % 60, ink, kPaper);
    }
  }
}

void DrawInterface(Canvas& canvas, std::uint32_t width, std::uint32_t height, std::uint32_t seed) {
  Random random(seed + 5);
  canvas.Fill(0, 0, width, height, {246, 244, 240});
  canvas.Fill(0, 0, width, 34, {90, 60, 48});
  for (std::uint32_t x = 0; x < 240 && x < width; ++x) canvas.Fill(x, 34, 1, height, {232, 226, 220});
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t x = random() % width;
    const std::uint32_t y = 40 + random() % height;
    const Color color{static_cast<int>(random() % 200), static_cast<int>(random() % 200), static_cast<int>(random() % 200)};
    canvas.Fill(x, y, 120, 28, {200, 196, 190});
    for (std::uint32_t row = 0; row < 26; ++row) {
      const int shade = 26 - static_cast<int>(row);
      canvas.Fill(x + 1, y + 1 + row, 118, 1, {color.blue + shade, color.green + shade, color.red + shade});
    }
    for (std::uint32_t letter = 0; letter < 9; ++letter)
      canvas.Letter(x + 20 + 8 * letter, y + 6, random() % 60, {255, 255, 255}, color);
  }
}

// Hills with rough ground under a sky, from sums of waves: the smooth, textured and noisy parts of a rendered scene.
void DrawScene(Canvas& canvas, std::uint32_t width, std::uint32_t height, std::uint32_t seed) {
  Random random(seed + 3);
  const double shift = seed * 7.0;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      const double u = (x + shift) / 100.0;
      const double horizon = height * (0.4 + 0.08 * std::sin(u) + 0.04 * std::sin(2.7 * u + 1));
      if (y < horizon) {
        const double sky = y / static_cast<double>(height);
        canvas.Put(x, y, {static_cast<int>(240 - 60 * sky), static_cast<int>(190 - 40 * sky), static_cast<int>(120 + 60 * sky)});
        continue;
      }
      const double depth = (y - horizon) / height;
      const double v = 40 / (depth + 0.1);
      const double ground =
          20 * std::sin(u * 3 + v) + 12 * std::sin(x * 0.31 + 5 * std::sin(y * 0.17)) + 8 * std::sin(y * 0.53 + u);
      const int grain = static_cast<int>(random() % 7) - 3;
      const int light = static_cast<int>(90 + 60 * depth + ground) + grain;
      canvas.Put(x, y, {light / 3 + grain, light + 10, light * 2 / 3});
    }
  }
}

}  // namespace

std::string_view ToString(Picture picture) {
  switch (picture) {
    case Picture::kNoise: return "noise";
    case Picture::kGradient: return "gradients";
    case Picture::kInterface: return "interface";
    case Picture::kText: return "text";
    case Picture::kScene: return "scene";
  }
  return "unknown";
}

std::vector<std::byte> DrawPicture(Picture picture, std::uint32_t width, std::uint32_t height, std::uint32_t seed) {
  Canvas canvas(width, height);
  std::mt19937 random(seed);
  switch (picture) {
    case Picture::kText: DrawText(canvas, width, height, seed); break;
    case Picture::kInterface: DrawInterface(canvas, width, height, seed); break;
    case Picture::kScene: DrawScene(canvas, width, height, seed); break;
    case Picture::kNoise:
    case Picture::kGradient:
      for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
          const auto any = static_cast<std::uint32_t>(random());
          const Color noise{static_cast<int>(any & 255), static_cast<int>(any >> 8 & 255), static_cast<int>(any >> 16 & 255)};
          const auto level = [&](std::uint32_t at, std::uint32_t of) {
            return static_cast<int>((at + seed) % (of + 1) * 255ULL / of);
          };
          const Color smooth{level(x, width), level(y, height), level(x + y, width + height)};
          canvas.Put(x, y, picture == Picture::kNoise ? noise : smooth);
        }
      }
  }
  return canvas.Take();
}

}  // namespace tandem::codec
