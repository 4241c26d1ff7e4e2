// Arbitrary slices with a correct checksum. A slice that passes the check is decoded without any access outside it, in place
// and from another frame, with equal pictures. Every truncation is refused.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "codec/tiles/tile_decoder.h"

namespace {

using namespace tandem::codec;

// Decodes over samples of at most 0x40, into memory that ends with the frame.
std::vector<std::byte> Decode(const CheckedTileSlice& slice, bool in_place) {
  const auto content = static_cast<TileContent>(slice.header.content);
  const std::uint64_t pitch = std::uint64_t{slice.header.width} * BytesPerSample(content);
  std::vector<std::byte> reference(pitch * slice.header.height);
  for (std::size_t i = 0; i < reference.size(); ++i) reference[i] = static_cast<std::byte>(i % 64);
  std::vector<std::byte> frame(in_place ? std::vector<std::byte>() : reference);
  std::vector<std::byte>& target = in_place ? reference : frame;
  DecodeTileSlice(slice, {target.data(), pitch, slice.header.width, slice.header.height},
                  {reference.data(), pitch, slice.header.width, slice.header.height});
  return target;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kMostSamples = 1 << 18;  // larger frames only take longer
  if (size < sizeof(TileSliceHeader)) return 0;
  const auto exact = std::make_unique<std::byte[]>(size);  // exact size, so that an overrun is detected
  std::memcpy(exact.get(), data, size);
  TileSliceHeader header{};
  std::memcpy(&header, data, sizeof(header));
  header.magic = kTileSliceMagic;
  header.bytes = static_cast<std::uint32_t>(size);
  header.checksum = TileSliceChecksum(header, exact.get() + sizeof(header), size - sizeof(header));
  std::memcpy(exact.get(), &header, sizeof(header));
  const auto checked = CheckTileSlice({exact.get(), size});
  if (!checked.ok()) return 0;
  if (CheckTileSlice({exact.get(), size - 1}).ok()) std::abort();
  if (std::uint64_t{header.width} * header.height > kMostSamples) return 0;
  if (Decode(*checked, true) != Decode(*checked, false)) std::abort();
  return 0;
}
