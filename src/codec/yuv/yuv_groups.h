// Pictures in tiles of 4:2:0 of which only changed groups of 16 x 16 pixels are sent. The groups stand side by side as one
// picture of yuv_tiles.h. They changed since the frame that the decoder still shows. Other pixels stay in place, so the decoder
// keeps nothing but its destination.
//
//   header      YuvGroupsHeader
//   map         a bit for each group, row by row; 1: the group is sent
//   picture     from the next multiple of 8 bytes on: the sent groups, as many in a row as the picture has; groups at its right
//               and lower edge repeat their last column and row; absent if no group is sent
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
inline constexpr std::uint32_t kGroupExtent = 16;             // pixels in each direction

struct YuvGroupsHeader {
  std::uint32_t magic;
  std::uint16_t width, height;  // pixels of the picture
  std::uint32_t bytes;          // all parts together
  std::uint32_t groups;         // groups sent
  std::uint64_t frame;          // numbers grow; never 0
  std::uint64_t reference;      // frame whose pixels stay; never 0
  std::uint64_t checksum;       // checksum of header and map; the picture has its own
};
static_assert(sizeof(YuvGroupsHeader) == 40);

struct YuvGroupsJob {
  color::Bgra8<const std::byte> picture;  // 1..kMaxSurfaceExtent in each direction
  // The decoder's present picture, of the same place and size; alpha counts.
  const std::byte* before = nullptr;
  std::uint64_t before_pitch = 0;
  std::uint64_t frame_number = 0;
  std::uint64_t reference_number = 0;  // not 0, below frame_number
  color::YuvCoding coding;
  FullChroma full_chroma;  // share of the tiles of the whole picture
};

[[nodiscard]] constexpr std::uint32_t GroupsAcross(std::uint32_t extent) { return (extent + kGroupExtent - 1) / kGroupExtent; }
[[nodiscard]] constexpr std::uint32_t GroupsOf(std::uint32_t width, std::uint32_t height) {
  return GroupsAcross(width) * GroupsAcross(height);
}
[[nodiscard]] constexpr std::uint64_t GroupMapBytes(std::uint32_t width, std::uint32_t height) {
  return (std::uint64_t{GroupsOf(width, height)} + 7) / 8;
}

// Fills the map with the changed groups and returns their count. `map`: GroupMapBytes() that no other thread writes.
[[nodiscard]] std::uint32_t MarkChangedGroups(const YuvGroupsJob& job, std::span<std::byte> map);

// Sizes of output and room for `groups` sent groups of a picture.
[[nodiscard]] std::uint64_t YuvGroupsCapacity(std::uint32_t width, std::uint32_t height, FullChroma full_chroma,
                                              std::uint32_t groups);
[[nodiscard]] std::uint64_t YuvGroupsRoomBytes(std::uint32_t width, std::uint32_t height, FullChroma full_chroma,
                                               std::uint32_t groups);
// Largest room that a picture needs on either side, for every set of sent groups. A kept room of this size never grows.
[[nodiscard]] std::uint64_t YuvGroupsMostRoomBytes(std::uint32_t width, std::uint32_t height, FullChroma full_chroma);

// Encodes the groups in MarkChangedGroups()'s map and returns the bytes. `out` and `room` have the sizes above. Cannot fail.
[[nodiscard]] std::uint64_t EncodeYuvGroups(const YuvGroupsJob& job, std::span<const std::byte> map, std::span<std::byte> out,
                                            std::span<std::byte> room);

struct CheckedYuvGroups {
  YuvGroupsHeader header;
  std::span<const std::byte> map;
  CheckedYuvTiles picture;  // valid if a group is sent
};

// Checks all parts before anything is decoded. kInvalidArgument names the fault.
[[nodiscard]] Result<CheckedYuvGroups> CheckYuvGroups(std::span<const std::byte> bytes);

[[nodiscard]] std::uint64_t YuvGroupsRoomBytes(const CheckedYuvGroups& groups);

// Decodes the sent groups side by side into `room`. Chroma comes back by nearest, because groups lack their neighbours.
// Precondition: at least one group. Cannot fail.
[[nodiscard]] color::Bgra8<std::byte> DecodeYuvGroups(const CheckedYuvGroups& groups, color::YuvCoding coding,
                                                      std::span<std::byte> room);

// A sent group: its part inside the picture, and its place among the sent groups.
struct YuvGroup {
  std::uint32_t left, top, width, height;
  std::uint32_t packed_left, packed_top;
};

// Calls `visit` with each group in the map, `count` at most. A map that others change after the check still yields no group
// outside the picture or the sent groups.
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
