#include <algorithm>
#include <array>
#include <cstring>

#include "color/yuv_fixed.h"
#include "color/yuv_rows.h"

namespace tandem::color {
namespace {

int At(const std::byte* bytes, std::size_t index) { return std::to_integer<int>(bytes[index]); }

std::byte ToByte(int value) { return static_cast<std::byte>(std::clamp(value, 0, 255)); }

int RoundShift(int value, int shift) { return (value + (1 << (shift - 1))) >> shift; }

std::byte LumaOf(const std::byte* pixel, const EncodeWeights& w) {
  const int blue_green = At(pixel, 0) * w.blue + At(pixel, 1) * w.green;
  const int red = At(pixel, 2) * w.red;
  return ToByte(w.luma_offset + RoundShift(blue_green * w.blue_green_multiplier + red * w.red_multiplier, kLumaShift));
}

void StorePixel(std::byte* pixel, int red, int green, int blue) {
  const std::array bytes = {ToByte(blue), ToByte(green), ToByte(red), std::byte{255}};
  std::memcpy(pixel, bytes.data(), bytes.size());
}

// U or V of pixel x, around 0 times 16; `step`: bytes between the plane's samples.
int ChromaAt(const std::byte* near_row, const std::byte* far_row, std::size_t step, std::size_t x, std::size_t last,
             ChromaFilter filter) {
  const std::size_t nearer = x / 2;
  std::size_t further = nearer;
  if (filter == ChromaFilter::kBilinear) further = (x % 2 != 0) ? std::min(nearer + 1, last) : nearer - (nearer != 0 ? 1 : 0);
  const auto column = [&](std::size_t at) { return 3 * At(near_row, at * step) + At(far_row, at * step); };
  return 3 * column(nearer) + column(further) - 16 * 128;
}

}  // namespace

void EncodeRowPairReference(const EncodeRowPair& rows, const EncodeWeights& w) {
  for (std::size_t x = 0; x < rows.width; x += 2) {
    const std::array<std::size_t, 2> columns = {4 * x, 4 * std::min<std::size_t>(x + 1, rows.width - 1)};
    int blue = 0;  // sum of four differences to green
    int red = 0;
    for (const std::byte* row : {rows.top, rows.bottom}) {
      std::byte* const y = row == rows.top ? rows.y_top : rows.y_bottom;
      for (const std::size_t at : columns) {
        y[at / 4] = LumaOf(row + at, w);
        blue += At(row, at) - At(row, at + 1);
        red += At(row, at + 2) - At(row, at + 1);
      }
    }
    const std::byte u = ToByte(128 + RoundShift(32 * (blue * w.u_blue + red * w.u_red), kChromaShift));
    const std::byte v = ToByte(128 + RoundShift(32 * (blue * w.v_blue + red * w.v_red), kChromaShift));
    if (rows.v != nullptr) {
      rows.u[x / 2] = u;
      rows.v[x / 2] = v;
    } else {
      rows.u[x] = u;
      rows.u[x + 1] = v;
    }
  }
}

void DecodeRowPairReference(const DecodeRowPair& rows, const TermWeights& w) {
  for (std::size_t x = 0; x < rows.width; ++x) {
    const int u = 256 * (At(rows.u, rows.v != nullptr ? x / 2 : x / 2 * 2) - 128);
    const int v = 256 * ((rows.v != nullptr ? At(rows.v, x / 2) : At(rows.u, x / 2 * 2 + 1)) - 128);
    const int red = RoundShift(v * w.red_v, kRedBlueShift);
    const int green = RoundShift(u * w.green_u + v * w.green_v, kGreenShift);
    const int blue = RoundShift(u * w.blue_u, kRedBlueShift);
    const int top = At(rows.y_top, x);
    const int bottom = At(rows.y_bottom, x);
    StorePixel(rows.top + 4 * x, top + red, top + green, top + blue);
    StorePixel(rows.bottom + 4 * x, bottom + red, bottom + green, bottom + blue);
  }
}

void DecodeRowReference(const DecodeRow& row, const SumWeights& w, ChromaFilter filter) {
  const bool pairs = row.v_near == nullptr;
  const std::size_t step = pairs ? 2 : 1;
  const std::size_t last = ChromaExtent(row.width) - 1;
  for (std::uint32_t x = 0; x < row.width; ++x) {
    const int u = ChromaAt(row.u_near, row.u_far, step, x, last, filter);
    const int v = pairs ? ChromaAt(row.u_near + 1, row.u_far + 1, step, x, last, filter)
                        : ChromaAt(row.v_near, row.v_far, step, x, last, filter);
    const int y = (At(row.y, x) - w.luma_offset) * w.luma;
    StorePixel(row.pixels + 4 * std::size_t{x}, RoundShift(y + v * w.red_v, kSumShift),
               RoundShift(y + u * w.green_u + v * w.green_v, kSumShift), RoundShift(y + u * w.blue_u, kSumShift));
  }
}

void EncodeYuv420Reference(const Yuv420<std::byte>& to, const Bgra8<const std::byte>& from, YuvCoding coding) {
  const EncodeWeights& weights = EncodeWeightsOf(coding);
  ForEachRowPair(to, from, [&](const EncodeRowPair& rows) { EncodeRowPairReference(rows, weights); });
}

void DecodeYuv420Reference(const Bgra8<std::byte>& to, const Yuv420<const std::byte>& from, YuvCoding coding,
                           ChromaFilter filter) {
  if (DecodesByTerms(coding, filter)) {
    const TermWeights& weights = TermWeightsOf(coding.matrix);
    ForEachRowPair(to, from, [&](const DecodeRowPair& rows) { DecodeRowPairReference(rows, weights); });
  } else {
    const SumWeights& weights = SumWeightsOf(coding);
    ForEachRow(to, from, filter, [&](const DecodeRow& row) { DecodeRowReference(row, weights, filter); });
  }
}

}  // namespace tandem::color
