#include "drivers/kms/card/edid.h"

#include <algorithm>

#include "base/printable.h"
#include "drivers/kms/card/edid_cta.h"

namespace tandem::kms {
namespace {

constexpr std::size_t kBlockBytes = 128;
constexpr std::size_t kFirstDescriptor = 54;
constexpr std::size_t kDescriptorBytes = 18;
constexpr std::size_t kDescriptors = 4;
constexpr std::uint8_t kCtaExtension = 0x02;
constexpr std::array<std::uint8_t, 8> kBaseHeader = {0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00};

using EdidBlock = std::span<const std::byte>;

std::uint8_t At(EdidBlock block, std::size_t position) { return std::to_integer<std::uint8_t>(block[position]); }
std::uint16_t Word(EdidBlock block, std::size_t position) {
  return static_cast<std::uint16_t>(At(block, position) | At(block, position + 1) << 8);
}

bool SumsUp(EdidBlock block) {
  std::uint8_t sum = 0;
  for (const std::byte byte : block) sum = static_cast<std::uint8_t>(sum + std::to_integer<std::uint8_t>(byte));
  return sum == 0;
}

std::string DescriptorText(EdidBlock descriptor) {
  std::string text;
  for (std::size_t i = 5; i < kDescriptorBytes && At(descriptor, i) != '\n'; ++i)
    text.push_back(static_cast<char>(At(descriptor, i)));
  while (text.ends_with(' ') || text.ends_with('\0')) text.pop_back();
  return Printable(text);
}

EdidTiming ReadTiming(EdidBlock descriptor) {
  const auto wide = [&](std::size_t low, std::size_t high, int shift) {
    return static_cast<std::uint16_t>(At(descriptor, low) | (At(descriptor, high) >> shift & 0xF) << 8);
  };
  EdidTiming timing;
  timing.clock_khz = Word(descriptor, 0) * 10U;
  timing.width = wide(2, 4, 4);
  timing.htotal = static_cast<std::uint16_t>(timing.width + wide(3, 4, 0));
  timing.height = wide(5, 7, 4);
  timing.vtotal = static_cast<std::uint16_t>(timing.height + wide(6, 7, 0));
  timing.interlaced = (At(descriptor, 17) & 0x80) != 0;
  return timing;
}

void ReadRange(EdidBlock descriptor, Edid& edid) {
  // EDID 1.4: bits of byte 4 add 255 to a rate.
  const std::uint8_t offsets = At(descriptor, 4);
  edid.min_refresh_hz = static_cast<std::uint16_t>(At(descriptor, 5) + ((offsets & 1) != 0 ? 255 : 0));
  edid.max_refresh_hz = static_cast<std::uint16_t>(At(descriptor, 6) + ((offsets & 2) != 0 ? 255 : 0));
}

void ReadDescriptor(EdidBlock descriptor, Edid& edid) {
  if (Word(descriptor, 0) != 0) {
    if (!edid.preferred) edid.preferred = ReadTiming(descriptor);
    return;
  }
  switch (At(descriptor, 3)) {
    case 0xFC: edid.name = DescriptorText(descriptor); break;
    case 0xFF: edid.serial_text = DescriptorText(descriptor); break;
    case 0xFD: ReadRange(descriptor, edid); break;
    default: break;
  }
}

std::string ManufacturerOf(EdidBlock base) {
  const unsigned packed = static_cast<unsigned>(At(base, 8) << 8 | At(base, 9));
  std::string text;
  for (int shift = 10; shift >= 0; shift -= 5) {
    const unsigned letter = packed >> shift & 0x1F;
    text.push_back(letter >= 1 && letter <= 26 ? static_cast<char>('A' + letter - 1) : '?');
  }
  return text;
}

void ReadColors(EdidBlock base, Edid& edid) {
  const auto value = [&](std::size_t high, std::size_t low, int shift) {
    return static_cast<std::uint16_t>(At(base, high) << 2 | (At(base, low) >> shift & 3));
  };
  edid.red = {value(27, 25, 6), value(28, 25, 4)};
  edid.green = {value(29, 25, 2), value(30, 25, 0)};
  edid.blue = {value(31, 26, 6), value(32, 26, 4)};
  edid.white = {value(33, 26, 2), value(34, 26, 0)};
}

void ReadBase(EdidBlock base, Edid& edid) {
  edid.manufacturer = ManufacturerOf(base);
  edid.product = Word(base, 10);
  edid.serial = static_cast<std::uint32_t>(Word(base, 12)) | static_cast<std::uint32_t>(Word(base, 14)) << 16;
  // A digital input of EDID 1.4 says its depth.
  const std::uint8_t input = At(base, 20);
  const unsigned depth = input >> 4 & 7;
  if ((input & 0x80) != 0 && At(base, 19) >= 4 && depth >= 1 && depth <= 6) {
    edid.bits_per_channel = static_cast<std::uint8_t>(4 + 2 * depth);
  }
  // Whole centimetres; with one of them 0 it is an aspect ratio.
  if (At(base, 21) != 0 && At(base, 22) != 0) {
    edid.width_mm = static_cast<std::uint16_t>(At(base, 21) * 10);
    edid.height_mm = static_cast<std::uint16_t>(At(base, 22) * 10);
  }
  ReadColors(base, edid);
  for (std::size_t i = 0; i < kDescriptors; ++i) {
    ReadDescriptor(base.subspan(kFirstDescriptor + i * kDescriptorBytes, kDescriptorBytes), edid);
  }
}

}  // namespace

std::optional<Edid> ParseEdid(std::span<const std::byte> bytes) {
  if (bytes.size() < kBlockBytes) return std::nullopt;
  const EdidBlock base = bytes.first(kBlockBytes);
  const bool begins = std::ranges::equal(base.first(kBaseHeader.size()), kBaseHeader, {},
                                         [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  if (!begins || !SumsUp(base)) return std::nullopt;
  Edid edid;
  ReadBase(base, edid);
  const std::size_t extensions = At(base, 126);
  for (std::size_t i = 1; i <= extensions; ++i) {
    if (bytes.size() < (i + 1) * kBlockBytes) {
      edid.bad_blocks += extensions - i + 1;
      break;
    }
    const EdidBlock block = bytes.subspan(i * kBlockBytes, kBlockBytes);
    if (!SumsUp(block)) {
      ++edid.bad_blocks;
    } else if (At(block, 0) == kCtaExtension) {
      ReadCtaBlock(block, edid);
    }
  }
  return edid;
}

}  // namespace tandem::kms
