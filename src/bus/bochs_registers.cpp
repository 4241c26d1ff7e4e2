#include "bus/bochs_registers.h"

#include <algorithm>

namespace tandem::bus {
namespace {

constexpr std::uint16_t kVersion = 0xB0C5, kUnlocks = 0xB0C0;               // versions that a driver may write
constexpr std::uint16_t kEnabled = 1, kTellsMost = 2, kKeepsMemory = 0x80;  // of Enable
constexpr std::uint32_t kPixelBytes = 4, kPixelBits = 32;

}  // namespace

BochsRegisters::BochsRegisters(std::uint32_t width, std::uint32_t height, std::uint64_t memory_bytes, std::uint32_t base)
    : most_width_(width), most_height_(height), memory_bytes_(memory_bytes) {
  values_[kId] = kVersion;
  values_[kMemory64K] = static_cast<std::uint16_t>(std::min<std::uint64_t>(memory_bytes >> 16, 0xFFFF));
  values_[kBaseHigh] = static_cast<std::uint16_t>(base >> 16);
}

std::uint16_t BochsRegisters::Read(std::uint32_t index) const {
  if (index >= kCount) return 0xFFFF;
  if ((values_[kEnable] & kTellsMost) == 0 || index < kWidth || index > kBits) return values_[index];
  const std::array<std::uint32_t, 3> most{most_width_, most_height_, kPixelBits};
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(most[index - kWidth], 0xFFFF));
}

void BochsRegisters::Write(std::uint32_t index, std::uint16_t value) {
  switch (index) {
    case kId:
      if (value >= kUnlocks && value <= kVersion) values_[kId] = value;
      break;
    case kWidth:
      if (value != 0 && value % 8 == 0 && value <= most_width_) values_[kWidth] = value;
      break;
    case kHeight:
      if (value != 0 && value <= most_height_) values_[kHeight] = value;
      break;
    case kBits:
      if (value == kPixelBits) values_[kBits] = value;
      break;
    case kEnable: Enable(value); break;
    case kVirtualWidth:
      if (value >= values_[kWidth]) values_[kVirtualWidth] = value;
      break;
    case kBank:
    case kOffsetX:
    case kOffsetY: values_[index] = value; break;
    default: break;  // the others are read-only
  }
}

bool BochsRegisters::ReadPort(std::uint32_t port, std::uint32_t size, std::uint32_t& value) const {
  if (port < kIndexPort || port > kDataPortToo || size != 2) return false;
  value = port == kIndexPort ? index_ : Read(index_);
  return true;
}

bool BochsRegisters::WritePort(std::uint32_t port, std::uint32_t size, std::uint32_t value) {
  if (port < kIndexPort || port > kDataPortToo || size != 2) return false;
  const auto word = static_cast<std::uint16_t>(value);
  if (port == kIndexPort) {
    index_ = word;
  } else {
    Write(index_, word);
  }
  return true;
}

// A mode that begins has rows without room behind them, and stands at the beginning of the memory.
void BochsRegisters::Enable(std::uint16_t value) {
  if ((value & kEnabled) != 0 && (values_[kEnable] & kEnabled) == 0) {
    values_[kVirtualWidth] = std::max(values_[kVirtualWidth], values_[kWidth]);
    values_[kOffsetX] = values_[kOffsetY] = 0;
    clears_ = (value & kKeepsMemory) == 0;
  }
  if ((value & kEnabled) == 0) values_[kVirtualWidth] = 0;
  values_[kEnable] = value;
}

std::optional<BochsRegisters::Picture> BochsRegisters::picture() const {
  if ((values_[kEnable] & kEnabled) == 0 || values_[kWidth] == 0 || values_[kHeight] == 0 || values_[kBits] == 0) return {};
  Picture picture{values_[kWidth], values_[kHeight], values_[kVirtualWidth] * kPixelBytes, 0};
  picture.offset = std::uint64_t{values_[kOffsetY]} * picture.pitch + std::uint64_t{values_[kOffsetX]} * kPixelBytes;
  const std::uint64_t end = picture.offset + std::uint64_t{picture.height} * picture.pitch;
  return end <= memory_bytes_ ? std::optional<Picture>(picture) : std::nullopt;
}

}  // namespace tandem::bus
