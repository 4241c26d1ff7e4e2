// 4:2:0 pictures in tiles, of any bytes under checksums that are right: what the check lets through is decoded without reading or
// writing anything else; every way of cutting it short is refused. BC1 blocks of the same bytes always mean something.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "codec/bc1.h"
#include "codec/tile_format.h"
#include "codec/yuv_tiles.h"

namespace {

using namespace tandem::codec;

std::uint64_t MapBytesOf(const YuvTilesHeader& header) {
  return (std::uint64_t{TilesAcross(header.width)} * TilesAcross(header.height) + 7) / 8;
}

void Seal(TileSliceHeader& header, std::byte* at, std::uint64_t bytes) {
  header.magic = kTileSliceMagic;
  header.bytes = static_cast<std::uint32_t>(bytes);
  header.checksum = TileSliceChecksum(header, at + sizeof(header), bytes - sizeof(header));
  std::memcpy(at, &header, sizeof(header));
}

// Gives the picture and its slices the numbers that guard them.
void SealAll(std::byte* bytes, std::size_t size) {
  YuvTilesHeader header{};
  std::memcpy(&header, bytes, sizeof(header));
  header.magic = kYuvTilesMagic;
  header.bytes = static_cast<std::uint32_t>(size);
  header.checksum = 0;
  const std::uint64_t map = MapBytesOf(header);
  if (map > size - sizeof(header)) return;
  header.checksum = BytesChecksum(std::as_bytes(std::span(&header, 1)), {bytes + sizeof(header), map});
  std::memcpy(bytes, &header, sizeof(header));
  std::uint64_t at = (sizeof(header) + map + 7) / 8 * 8;
  for (const std::uint32_t slice_bytes : header.slice_bytes) {
    if (slice_bytes < sizeof(TileSliceHeader) || at > size || slice_bytes > size - at) return;
    TileSliceHeader slice{};
    std::memcpy(&slice, bytes + at, sizeof(slice));
    Seal(slice, bytes + at, slice_bytes);
    at = (at + slice_bytes + 7) / 8 * 8;
  }
}

void DecodeBlocks(const std::uint8_t* data, std::size_t size) {
  const std::uint32_t width = 1 + data[0] % 67U;
  const std::uint32_t height = 1 + data[1] % 13U;
  if (size < Bc1Bytes(width, height)) return;
  const auto blocks = std::make_unique<std::byte[]>(Bc1Bytes(width, height));
  std::memcpy(blocks.get(), data, Bc1Bytes(width, height));
  const std::uint64_t pitch = 4ULL * width;
  std::vector<std::byte> fast(pitch * height);
  std::vector<std::byte> slow(pitch * height);
  DecodeBc1({fast.data(), pitch, width, height}, blocks.get(), Bc1RowBytes(width));
  DecodeBc1Reference({slow.data(), pitch, width, height}, blocks.get(), Bc1RowBytes(width));
  if (fast != slow) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kMostPixels = 1 << 16;  // larger pictures only take longer
  if (size < sizeof(YuvTilesHeader)) return 0;
  DecodeBlocks(data, size);
  const auto exact = std::make_unique<std::byte[]>(size);  // so that one byte too far is seen
  std::memcpy(exact.get(), data, size);
  SealAll(exact.get(), size);
  const auto checked = CheckYuvTiles({exact.get(), size});
  if (!checked.ok()) return 0;
  if (CheckYuvTiles({exact.get(), size - 1}).ok()) std::abort();
  const YuvTilesHeader& header = checked->header;
  if (std::uint64_t{header.width} * header.height > kMostPixels) return 0;
  std::vector<std::byte> pixels(4ULL * header.width * header.height);
  std::vector<std::byte> room;
  DecodeYuvTiles(*checked, {pixels.data(), 4ULL * header.width, header.width, header.height}, {},
                 tandem::color::ChromaFilter::kBilinear, room);
  return 0;
}
