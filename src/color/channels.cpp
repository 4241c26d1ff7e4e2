#include "color/channels.h"

#include <cmath>
#include <vector>

#include "color/model.h"

namespace tandem::color {
namespace {

constexpr PixelLayout kBgra8{ChannelCode::kUnorm8, ChannelCode::kUnorm8, true, {16, 8, 0, 24}, 0x00FFFFFF};
constexpr PixelLayout kBgrx8{ChannelCode::kUnorm8, ChannelCode::kUnorm8, false, {16, 8, 0, 24}, 0x00FFFFFF};
constexpr PixelLayout kRgba8{ChannelCode::kUnorm8, ChannelCode::kUnorm8, true, {0, 8, 16, 24}, 0x00FFFFFF};
constexpr PixelLayout kRgb10A2{ChannelCode::kUnorm10, ChannelCode::kUnorm2, true, {0, 10, 20, 30}, 0x3FFFFFFF};
constexpr PixelLayout kRgba16Half{ChannelCode::kHalf, ChannelCode::kHalf, true, {0, 16, 32, 48}, 0x0000FFFFFFFFFFFF};

double ValueOf(ChannelCode code, std::uint32_t bits) {
  if (code == ChannelCode::kHalf) {
    const double value = HalfToDouble(static_cast<std::uint16_t>(bits));
    return value > 0.0 ? std::fmin(value, 1.0) : 0.0;  // NaN fails this comparison
  }
  return static_cast<double>(bits) / (CodeCount(code) - 1);
}

// The half float nearest to `value` in 0..1, ties to even.
std::uint16_t NearestHalf(double value) {
  if (value < 0x1p-14) return static_cast<std::uint16_t>(std::nearbyint(value * 0x1p24));  // subnormal numbers
  int exponent = 0;
  const double significand = std::frexp(value, &exponent);  // 0.5..1
  const auto rounded = static_cast<std::uint32_t>(std::nearbyint(significand * 2048.0));
  return static_cast<std::uint16_t>((static_cast<std::uint32_t>(exponent + 13) << 10) + rounded);
}

std::uint16_t NearestCode(ChannelCode code, double value) {
  if (code == ChannelCode::kHalf) return NearestHalf(value);
  return static_cast<std::uint16_t>(std::nearbyint(value * (CodeCount(code) - 1)));
}

constexpr std::uint32_t kCodes = 4;

using Table = std::vector<std::uint16_t>;

Table MakeTable(ChannelCode from, ChannelCode to, Transfer transfer) {
  Table table(CodeCount(from));
  for (std::uint32_t bits = 0; bits < table.size(); ++bits) {
    const double value = ValueOf(from, bits);
    table[bits] = NearestCode(to, transfer == Transfer::kLinearToSrgb ? LinearToSrgb(value) : value);
  }
  return table;
}

// A function for each table, so that each table is made once and only if needed.
template <ChannelCode kFrom, ChannelCode kTo, Transfer kTransfer>
const std::uint16_t* TableOf() {
  static const Table table = MakeTable(kFrom, kTo, kTransfer);
  return table.data();
}

template <ChannelCode kFrom, ChannelCode kTo>
const std::uint16_t* TableOf(Transfer transfer) {
  if (transfer == Transfer::kLinearToSrgb) return TableOf<kFrom, kTo, Transfer::kLinearToSrgb>();
  if constexpr (kFrom == kTo) return nullptr;
  return TableOf<kFrom, kTo, Transfer::kPassThrough>();
}

template <ChannelCode kFrom>
const std::uint16_t* TableTo(ChannelCode to, Transfer transfer) {
  switch (to) {
    case ChannelCode::kUnorm2: return TableOf<kFrom, ChannelCode::kUnorm2>(transfer);
    case ChannelCode::kUnorm8: return TableOf<kFrom, ChannelCode::kUnorm8>(transfer);
    case ChannelCode::kUnorm10: return TableOf<kFrom, ChannelCode::kUnorm10>(transfer);
    case ChannelCode::kHalf: return TableOf<kFrom, ChannelCode::kHalf>(transfer);
  }
  return nullptr;
}

}  // namespace

const PixelLayout& LayoutOf(Format format) {
  switch (format) {
    case Format::kR16G16B16A16Float: return kRgba16Half;
    case Format::kR10G10B10A2Unorm: return kRgb10A2;
    case Format::kR8G8B8A8Unorm:
    case Format::kR8G8B8A8UnormSrgb: return kRgba8;
    case Format::kB8G8R8X8Unorm: return kBgrx8;
    case Format::kB8G8R8A8Unorm:
    case Format::kB8G8R8A8UnormSrgb:
    case Format::kUnknown: break;
  }
  return kBgra8;
}

std::uint32_t CodeCount(ChannelCode code) {
  constexpr std::uint32_t kCounts[kCodes] = {4, 256, 1024, 65536};
  return kCounts[static_cast<std::uint32_t>(code)];
}

std::uint16_t CodeOfOne(ChannelCode code) {
  return code == ChannelCode::kHalf ? std::uint16_t{0x3C00} : static_cast<std::uint16_t>(CodeCount(code) - 1);
}

const std::uint16_t* ChannelTable(ChannelCode from, ChannelCode to, Transfer transfer) {
  switch (from) {
    case ChannelCode::kUnorm2: return TableTo<ChannelCode::kUnorm2>(to, transfer);
    case ChannelCode::kUnorm8: return TableTo<ChannelCode::kUnorm8>(to, transfer);
    case ChannelCode::kUnorm10: return TableTo<ChannelCode::kUnorm10>(to, transfer);
    case ChannelCode::kHalf: return TableTo<ChannelCode::kHalf>(to, transfer);
  }
  return nullptr;
}

PixelConverter::PixelConverter(Format from, Format to, Transfer transfer)
    : from_(LayoutOf(from)),
      to_(LayoutOf(to)),
      color_(ChannelTable(from_.color, to_.color, transfer)),
      alpha_(ChannelTable(from_.alpha, to_.alpha, Transfer::kPassThrough)),
      color_code_mask_(CodeCount(from_.color) - 1),
      alpha_code_mask_(CodeCount(from_.alpha) - 1),
      one_(CodeOfOne(to_.alpha)) {}

}  // namespace tandem::color
