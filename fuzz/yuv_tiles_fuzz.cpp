// Arbitrary 4:2:0 pictures in tiles, whole or in changed groups, with correct checksums. A picture that passes the check is
// decoded without any access outside it; every truncation is refused. Every BC1 block is valid.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "codec/bc1/bc1.h"
#include "codec/yuv/yuv_groups.h"
#include "codec/yuv/yuv_tiles.h"
#include "fuzz/seal_tiles.h"

namespace {

using namespace tandem::codec;

constexpr std::uint64_t kMostPixels = 1 << 16;  // larger pictures only take longer

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

// Decodes the same bytes as groups.
void DecodeGroups(const std::uint8_t* data, std::size_t size) {
  const auto exact = std::make_unique<std::byte[]>(size);
  std::memcpy(exact.get(), data, size);
  tandem::fuzz::SealGroups(exact.get(), size);
  const auto checked = CheckYuvGroups({exact.get(), size});
  if (!checked.ok()) return;
  if (CheckYuvGroups({exact.get(), size - 1}).ok()) std::abort();
  const YuvGroupsHeader& header = checked->header;
  if (header.groups == 0 || header.groups > kMostPixels / (kGroupExtent * kGroupExtent)) return;
  std::vector<std::byte> room(YuvGroupsRoomBytes(*checked));
  const auto packed = DecodeYuvGroups(*checked, {}, room);
  ForGroups(header.width, header.height, checked->map, header.groups, [&](const YuvGroup& group) {
    if (group.left + group.width > header.width || group.top + group.height > header.height) std::abort();
    if (group.packed_left + kGroupExtent > packed.width || group.packed_top + kGroupExtent > packed.height) std::abort();
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < sizeof(YuvTilesHeader)) return 0;
  DecodeBlocks(data, size);
  DecodeGroups(data, size);
  const auto exact = std::make_unique<std::byte[]>(size);  // exact size, so that an overrun is detected
  std::memcpy(exact.get(), data, size);
  tandem::fuzz::SealPicture(exact.get(), size);
  const auto checked = CheckYuvTiles({exact.get(), size});
  if (!checked.ok()) return 0;
  if (CheckYuvTiles({exact.get(), size - 1}).ok()) std::abort();
  const YuvTilesHeader& header = checked->header;
  if (std::uint64_t{header.width} * header.height > kMostPixels) return 0;
  std::vector<std::byte> pixels(4ULL * header.width * header.height);
  std::vector<std::byte> room(YuvTilesRoomBytes(header));
  DecodeYuvTiles(*checked, {pixels.data(), 4ULL * header.width, header.width, header.height}, {},
                 tandem::color::ChromaFilter::kBilinear, room);
  return 0;
}
