#include "bus/virtio/edid.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "bus/millimetres.h"

namespace tandem::bus {
namespace {

using Block = std::array<std::uint8_t, kEdidBytes>;

// Identity, an 8-bit digital input, gamma 2.2, sRGB's primaries.
constexpr std::array<std::uint8_t, 35> kStart{
    0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00,              // header
    0x50, 0x8D, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x22,  // "TDM", product 1, of 2024
    0x01, 0x04, 0xA0, 0x00, 0x00, 0x78, 0x06,                    // version 1.4, input, size, gamma, features
    0xEE, 0x91, 0xA3, 0x54, 0x4C, 0x99, 0x26, 0x0F, 0x50, 0x54};
constexpr std::size_t kSize = 21, kEstablished = 35, kStandard = 38, kDescriptors = 54, kDescriptorBytes = 18;
constexpr std::size_t kDescriptorCount = 4;

constexpr std::uint32_t kBlankColumns = 160, kFrontPorch = 48, kSync = 32;  // reduced blanking
constexpr std::uint32_t kBlankRows = 40, kFrontRows = 3, kSyncRows = 5;

std::uint8_t Low(std::uint32_t value) { return static_cast<std::uint8_t>(value); }

void PutTiming(std::uint8_t* at, std::uint32_t width, std::uint32_t height, std::uint32_t clock) {
  const std::uint32_t wide = std::min(Millimetres(width), 4095u), high = std::min(Millimetres(height), 4095u);
  const std::array<std::uint8_t, kDescriptorBytes> timing{Low(clock),
                                                          Low(clock >> 8),
                                                          Low(width),
                                                          Low(kBlankColumns),
                                                          Low(width >> 8 << 4 | kBlankColumns >> 8),
                                                          Low(height),
                                                          Low(kBlankRows),
                                                          Low(height >> 8 << 4 | kBlankRows >> 8),
                                                          Low(kFrontPorch),
                                                          Low(kSync),
                                                          Low(kFrontRows << 4 | kSyncRows),
                                                          0,
                                                          Low(wide),
                                                          Low(high),
                                                          Low(wide >> 8 << 4 | high >> 8),
                                                          0,
                                                          0,
                                                          0x1A};
  std::ranges::copy(timing, at);
}

void PutText(std::uint8_t* at, std::uint8_t tag, std::string_view text) {
  constexpr std::size_t kTextBytes = 13;
  std::fill_n(at, kDescriptorBytes, std::uint8_t{0});
  at[3] = tag;
  if (text.empty()) return;
  std::fill_n(at + 5, kTextBytes, std::uint8_t{' '});
  std::ranges::copy(text, at + 5);
  at[5 + text.size()] = '\n';
}

// Modes of 60 Hz that every machine shows, as far as they fit.
void PutEstablished(Block& block, std::uint32_t width, std::uint32_t height) {
  struct Mode {
    std::uint32_t width, height;
    std::size_t byte;
    std::uint8_t bit;
  };
  constexpr std::array<Mode, 3> kModes{Mode{640, 480, 0, 0x20}, Mode{800, 600, 0, 0x01}, Mode{1024, 768, 1, 0x08}};
  for (const Mode& mode : kModes) {
    if (mode.width <= width && mode.height <= height) block[kEstablished + mode.byte] |= mode.bit;
  }
}

}  // namespace

Block MakeEdid(std::uint32_t width, std::uint32_t height, std::int64_t refresh_period_ns) {
  constexpr std::uint8_t kName = 0xFC, kNothing = 0x10;
  constexpr std::uint64_t kNsAt10KHz = 100'000;
  Block block{};
  std::ranges::copy(kStart, block.begin());
  block[kSize] = Low(std::min(Millimetres(width) / 10, 255u));
  block[kSize + 1] = Low(std::min(Millimetres(height) / 10, 255u));
  PutEstablished(block, width, height);
  std::fill_n(block.begin() + kStandard, kDescriptors - kStandard, std::uint8_t{1});  // no standard timings
  std::uint8_t* next = block.data() + kDescriptors;
  const std::uint64_t total = std::uint64_t{width + kBlankColumns} * (height + kBlankRows);
  const std::uint64_t clock = total * kNsAt10KHz / static_cast<std::uint64_t>(std::max<std::int64_t>(refresh_period_ns, 1));
  if (width <= 0xFFF && height <= 0xFFF && clock <= 0xFFFF) {
    PutTiming(next, width, height, static_cast<std::uint32_t>(clock));
    next += kDescriptorBytes;
  }
  PutText(next, kName, "Tandem");
  for (next += kDescriptorBytes; next < block.data() + kDescriptors + kDescriptorCount * kDescriptorBytes;) {
    PutText(next, kNothing, {});
    next += kDescriptorBytes;
  }
  block.back() = Low(0u - std::accumulate(block.begin(), block.end() - 1, 0u));
  return block;
}

}  // namespace tandem::bus
