#include "codec/packed/packed_yuv10.h"

#include <algorithm>
#include <cstring>

namespace tandem::codec {
namespace {

constexpr std::size_t kGroup = 4;  // samples
constexpr std::size_t kGroupBytes = 5;

std::uint64_t Packed(std::uint64_t words) {
  const std::uint64_t samples = words >> 6;
  const std::uint64_t pairs = (samples & 0x000003FF000003FF) | (samples >> 6 & 0x000FFC00000FFC00);
  return (pairs & 0x00000000000FFFFF) | (pairs >> 12 & 0x000000FFFFF00000);
}

std::uint64_t Unpacked(std::uint64_t group) {
  const std::uint64_t pairs = (group & 0x00000000000FFFFF) | (group << 12 & 0x000FFFFF00000000);
  const std::uint64_t samples = (pairs & 0x000003FF000003FF) | (pairs << 6 & 0x03FF000003FF0000);
  return samples << 6;
}

// Two rows of P010 in `room`.
struct RowPair {
  RowPair(std::byte* room, std::uint32_t width)
      : pitch(std::uint64_t{2} * (width + 1)), planes{room, room + 2 * pitch, pitch, pitch} {}
  std::uint64_t pitch;
  color::P010<std::byte> planes;
};

// Calls `visit(row, rows)` for each pair of rows; the last pair may have one row.
template <class Visit>
void ForEachPair(std::uint32_t height, Visit&& visit) {
  for (std::uint32_t y = 0; y < height; y += 2) visit(y, std::min(2U, height - y));
}

}  // namespace

// Groups before the last one move whole words; excess bytes belong to the next group, which overwrites them.
void PackSamples(std::byte* packed, const std::byte* words, std::uint32_t count) {
  std::uint64_t group = 0;
  std::uint32_t x = 0;
  for (; x + 2 * kGroup <= count; x += kGroup, packed += kGroupBytes) {
    std::memcpy(&group, words + 2ULL * x, sizeof(group));
    group = Packed(group);
    std::memcpy(packed, &group, sizeof(group));
  }
  for (; x < count; x += kGroup, packed += kGroupBytes) {
    group = 0;
    std::memcpy(&group, words + 2ULL * x, 2 * std::min<std::size_t>(kGroup, count - x));
    group = Packed(group);
    std::memcpy(packed, &group, kGroupBytes);
  }
}

void UnpackSamples(std::byte* words, const std::byte* packed, std::uint32_t count) {
  std::uint64_t group = 0;
  std::uint32_t x = 0;
  for (; x + 2 * kGroup <= count; x += kGroup, packed += kGroupBytes) {
    std::memcpy(&group, packed, sizeof(group));
    group = Unpacked(group);
    std::memcpy(words + 2ULL * x, &group, sizeof(group));
  }
  for (; x < count; x += kGroup, packed += kGroupBytes) {
    group = 0;
    std::memcpy(&group, packed, kGroupBytes);
    group = Unpacked(group);
    std::memcpy(words + 2ULL * x, &group, 2 * std::min<std::size_t>(kGroup, count - x));
  }
}

void EncodePackedYuv10(const PackedYuv10<std::byte>& to, const color::Rgb10<const std::byte>& from, color::YuvCoding coding,
                       std::byte* room) {
  const RowPair pair(room, from.width);
  const std::uint32_t chroma = 2 * color::ChromaExtent(from.width);
  ForEachPair(from.height, [&](std::uint32_t y, std::uint32_t rows) {
    color::EncodeP010(pair.planes, {from.pixels + y * from.pitch, from.pitch, from.width, rows}, coding);
    for (std::uint32_t row = 0; row < rows; ++row) {
      PackSamples(to.y + (y + row) * PackedSamplesBytes(from.width), pair.planes.y + row * pair.pitch, from.width);
    }
    PackSamples(to.uv + y / 2 * PackedSamplesBytes(chroma), pair.planes.uv, chroma);
  });
}

void DecodePackedYuv10(const color::Rgb10<std::byte>& to, const PackedYuv10<const std::byte>& from, color::YuvCoding coding,
                       std::byte* room) {
  const RowPair pair(room, to.width);
  const color::P010<const std::byte> planes{pair.planes.y, pair.planes.uv, pair.pitch, pair.pitch};
  const std::uint32_t chroma = 2 * color::ChromaExtent(to.width);
  ForEachPair(to.height, [&](std::uint32_t y, std::uint32_t rows) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      UnpackSamples(pair.planes.y + row * pair.pitch, from.y + (y + row) * PackedSamplesBytes(to.width), to.width);
    }
    UnpackSamples(pair.planes.uv, from.uv + y / 2 * PackedSamplesBytes(chroma), chroma);
    color::DecodeP010({to.pixels + y * to.pitch, to.pitch, to.width, rows}, planes, coding, color::ChromaFilter::kNearest);
  });
}

}  // namespace tandem::codec
