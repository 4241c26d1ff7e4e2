// Pictures in tiles of 4:2:0 of which only the groups of 16 x 16 pixels come that changed since the frame that the other side
// still shows: side by side, as one picture of yuv_tiles.h. The pixels of the others stay where they are, so the decoder keeps
// nothing but its destination.
//
//   header      YuvGroupsHeader
//   map         a bit for each group, row by row: it comes
//   picture     from the next multiple of 8 bytes on: the groups that come, as many in a row as the picture has, those at its
//               right and lower edge made whole by their last column and row; nothing when none comes
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "codec/yuv/yuv_tiles.h"
#include "color/yuv.h"

namespace tandem::codec {

inline constexpr std::uint32_t kYuvGroupsMagic = 0x31474454;  // "TDG1"
inline constexpr std::uint32_t kGroupExtent = 16;             // pixels, in each direction

struct YuvGroupsHeader {
  std::uint32_t magic;
  std::uint16_t width, height;  // of the picture
  std::uint32_t bytes;          // of all of it
  std::uint32_t groups;         // that come
  std::uint64_t frame;          // numbers grow; never 0
  std::uint64_t reference;      // the frame whose pixels stay; never 0
  std::uint64_t checksum;       // of header and map; the picture has its own
};
static_assert(sizeof(YuvGroupsHeader) == 40);

struct YuvGroupsJob {
  color::Bgra8<const std::byte> picture;  // 1..kMaxSurfaceExtent in each direction
  // The same picture in the frame that the other side shows; alpha counts.
  const std::byte* before = nullptr;
  std::uint64_t before_pitch = 0;
  std::uint64_t frame_number = 0;
  std::uint64_t reference_number = 0;  // not 0, below frame_number
  color::YuvCoding coding;
  FullChroma full_chroma;  // of the tiles of the whole picture
};

[[nodiscard]] constexpr std::uint32_t GroupsAcross(std::uint32_t extent) { return (extent + kGroupExtent - 1) / kGroupExtent; }
[[nodiscard]] constexpr std::uint32_t GroupsOf(std::uint32_t width, std::uint32_t height) {
  return GroupsAcross(width) * GroupsAcross(height);
}
[[nodiscard]] constexpr std::uint64_t GroupMapBytes(std::uint32_t width, std::uint32_t height) {
  return (std::uint64_t{GroupsOf(width, height)} + 7) / 8;
}

// The map of the groups that changed; answers how many these are. `map` has GroupMapBytes() that nobody else writes.
[[nodiscard]] std::uint32_t MarkChangedGroups(const YuvGroupsJob& job, std::span<std::byte> map);

// Bytes that the output and the room must have when so many groups of a picture come.
[[nodiscard]] std::uint64_t YuvGroupsCapacity(std::uint32_t width, std::uint32_t height, FullChroma full_chroma,
                                              std::uint32_t groups);
[[nodiscard]] std::uint64_t YuvGroupsRoomBytes(std::uint32_t width, std::uint32_t height, FullChroma full_chroma,
                                               std::uint32_t groups);
// The most room that a picture takes on either side, whichever of its groups come: who keeps it needs no more for the next one.
[[nodiscard]] std::uint64_t YuvGroupsMostRoomBytes(std::uint32_t width, std::uint32_t height, FullChroma full_chroma);

// Codes the groups of MarkChangedGroups()'s map and answers the bytes. `out` and `room` have what is asked above. Cannot fail.
[[nodiscard]] std::uint64_t EncodeYuvGroups(const YuvGroupsJob& job, std::span<const std::byte> map, std::span<std::byte> out,
                                            std::span<std::byte> room);

struct CheckedYuvGroups {
  YuvGroupsHeader header;
  std::span<const std::byte> map;
  CheckedYuvTiles picture;  // only there when groups come
};

// Checks all of it before anything is decoded. kInvalidArgument with what is wrong.
[[nodiscard]] Result<CheckedYuvGroups> CheckYuvGroups(std::span<const std::byte> bytes);

[[nodiscard]] std::uint64_t YuvGroupsRoomBytes(const CheckedYuvGroups& groups);

// The groups that come, decoded side by side into `room`. Chroma is brought back by nearest: groups know nothing of their
// neighbours. Not without groups. Cannot fail.
[[nodiscard]] color::Bgra8<std::byte> DecodeYuvGroups(const CheckedYuvGroups& groups, color::YuvCoding coding,
                                                      std::span<std::byte> room);

// One that comes: its place in the picture, as far as it is inside, and among those that come.
struct YuvGroup {
  std::uint32_t left, top, width, height;
  std::uint32_t packed_left, packed_top;
};

// Calls `visit` with each group that the map names, `count` at the most: whatever others write into a map that was checked, none
// is outside of the picture or of the groups that come.
template <class Visit>
void ForGroups(std::uint32_t width, std::uint32_t height, std::span<const std::byte> map, std::uint32_t count, Visit&& visit) {
  const std::uint32_t across = GroupsAcross(width);
  std::uint32_t index = 0;
  for (std::uint32_t byte = 0; byte < map.size(); ++byte) {
    for (std::uint32_t bits = std::to_integer<std::uint32_t>(map[byte]); bits != 0; bits &= bits - 1) {
      const std::uint32_t group = 8 * byte + static_cast<std::uint32_t>(std::countr_zero(bits));
      if (index == count || group >= GroupsOf(width, height)) return;
      const std::uint32_t left = group % across * kGroupExtent;
      const std::uint32_t top = group / across * kGroupExtent;
      visit(YuvGroup{left, top, std::min(kGroupExtent, width - left), std::min(kGroupExtent, height - top),
                     index % across * kGroupExtent, index / across * kGroupExtent});
      ++index;
    }
  }
}

}  // namespace tandem::codec
