#include "codec/yuv/yuv_groups.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/aligned.h"
#include "base/check.h"
#include "base/limits.h"
#include "codec/tiles/tile_format.h"

namespace tandem::codec {
namespace {

constexpr std::uint64_t kPixelBytes = 4;
constexpr std::uint64_t kPictureAlignment = 8;

using Picture = color::Bgra8<const std::byte>;

struct Extent {
  std::uint32_t width, height;
};

// Extent of `groups` groups side by side, at least one.
Extent PackedExtent(std::uint32_t width, std::uint32_t groups) {
  const std::uint32_t across = std::min(groups, GroupsAcross(width));
  return {kGroupExtent * across, kGroupExtent * ((groups + across - 1) / across)};
}

std::uint64_t PackedBytes(Extent packed) { return kPixelBytes * packed.width * packed.height; }

std::uint64_t PictureAt(std::uint32_t width, std::uint32_t height) {
  return AlignUp(sizeof(YuvGroupsHeader) + GroupMapBytes(width, height), kPictureAlignment);
}

// The share of lossless tiles that allows as many as in the whole picture.
FullChroma FullChromaOf(std::uint32_t width, std::uint32_t height, FullChroma full_chroma, Extent packed) {
  const auto tiles = [](std::uint32_t across, std::uint32_t down) {
    return std::uint64_t{TilesAcross(across)} * TilesAcross(down);
  };
  const std::uint64_t share = tiles(width, height) * full_chroma.most_per_mille / tiles(packed.width, packed.height);
  return {static_cast<std::uint32_t>(std::min<std::uint64_t>(share, 1000)), full_chroma.least_step};
}

bool IsUnchanged(const YuvGroupsJob& job, std::uint32_t left, std::uint32_t top) {
  const std::size_t row_bytes = kPixelBytes * std::min(kGroupExtent, job.picture.width - left);
  const std::uint32_t end = std::min(job.picture.height, top + kGroupExtent);
  for (std::uint32_t y = top; y < end; ++y) {
    const std::uint64_t at = kPixelBytes * left;
    if (std::memcmp(job.picture.pixels + y * job.picture.pitch + at, job.before + y * job.before_pitch + at, row_bytes) != 0) {
      return false;
    }
  }
  return true;
}

std::uint32_t CountOf(std::span<const std::byte> map) {
  std::uint32_t count = 0;
  for (const std::byte byte : map) count += static_cast<std::uint32_t>(std::popcount(std::to_integer<std::uint8_t>(byte)));
  return count;
}

// Copies a group to its packed place and completes it at the picture's edge.
void Pack(const Picture& picture, const YuvGroup& group, std::byte* to, std::uint64_t to_pitch) {
  to += group.packed_top * to_pitch + kPixelBytes * group.packed_left;
  for (std::uint32_t y = 0; y < kGroupExtent; ++y, to += to_pitch) {
    const std::uint64_t row = group.top + std::min(y, group.height - 1);
    std::memcpy(to, picture.pixels + row * picture.pitch + kPixelBytes * group.left, kPixelBytes * group.width);
    for (std::uint32_t x = group.width; x < kGroupExtent; ++x) {
      std::memcpy(to + kPixelBytes * x, to + kPixelBytes * (group.width - 1), kPixelBytes);
    }
  }
}

std::optional<Error> HeaderFault(const YuvGroupsHeader& header, std::uint64_t bytes) {
  if (header.magic != kYuvGroupsMagic) {
    return Fail(ErrorKind::kInvalidArgument, "Groups begin with {:#x}, not with {:#x}.", header.magic, kYuvGroupsMagic);
  }
  if (header.bytes != bytes) return Fail(ErrorKind::kInvalidArgument, "Groups of {} bytes came with {}.", header.bytes, bytes);
  if (header.width == 0 || header.height == 0 || header.width > kMaxSurfaceExtent || header.height > kMaxSurfaceExtent) {
    return Fail(ErrorKind::kInvalidArgument, "Groups are of {} x {} pixels; 1 to {} are allowed.", header.width, header.height,
                kMaxSurfaceExtent);
  }
  if (header.reference == 0 || header.reference >= header.frame) {
    return Fail(ErrorKind::kInvalidArgument, "Groups of frame {} refer to frame {}.", header.frame, header.reference);
  }
  if (bytes < PictureAt(header.width, header.height)) {
    return Fail(ErrorKind::kInvalidArgument, "Groups of {} bytes have no room for their map.", bytes);
  }
  return std::nullopt;
}

// Checks that the map has the header's number of groups and no bit behind them.
std::optional<Error> MapFault(const YuvGroupsHeader& header, std::span<const std::byte> map) {
  const std::uint32_t groups = GroupsOf(header.width, header.height);
  const std::uint32_t count = CountOf(map);
  const bool too_far = groups % 8 != 0 && std::to_integer<std::uint32_t>(map.back()) >> groups % 8 != 0;
  if (count == header.groups && !too_far) return std::nullopt;
  return Fail(ErrorKind::kInvalidArgument, "A map of {} groups names {}; {} come.", groups, count, header.groups);
}

}  // namespace

std::uint32_t MarkChangedGroups(const YuvGroupsJob& job, std::span<std::byte> map) {
  const std::uint32_t across = GroupsAcross(job.picture.width);
  std::uint32_t changed = 0;
  std::ranges::fill(map, std::byte{0});
  for (std::uint32_t group = 0; group < GroupsOf(job.picture.width, job.picture.height); ++group) {
    if (IsUnchanged(job, group % across * kGroupExtent, group / across * kGroupExtent)) continue;
    map[group / 8] |= static_cast<std::byte>(1U << group % 8);
    ++changed;
  }
  return changed;
}

std::uint64_t YuvGroupsCapacity(std::uint32_t width, std::uint32_t height, FullChroma full_chroma, std::uint32_t groups) {
  const std::uint64_t begin = PictureAt(width, height);
  if (groups == 0) return begin;
  const Extent packed = PackedExtent(width, groups);
  return begin + YuvTilesCapacity(packed.width, packed.height, FullChromaOf(width, height, full_chroma, packed));
}

std::uint64_t YuvGroupsRoomBytes(std::uint32_t width, std::uint32_t height, FullChroma full_chroma, std::uint32_t groups) {
  if (groups == 0) return 0;
  const Extent packed = PackedExtent(width, groups);
  return PackedBytes(packed) + YuvTilesRoomBytes(packed.width, packed.height, FullChromaOf(width, height, full_chroma, packed));
}

std::uint64_t YuvGroupsMostRoomBytes(std::uint32_t width, std::uint32_t height, FullChroma full_chroma) {
  return std::max(YuvTilesRoomBytes(width, height, full_chroma),
                  YuvGroupsRoomBytes(width, height, full_chroma, GroupsOf(width, height)));
}

std::uint64_t EncodeYuvGroups(const YuvGroupsJob& job, std::span<const std::byte> map, std::span<std::byte> out,
                              std::span<std::byte> room) {
  const auto& [width, height] = std::pair(job.picture.width, job.picture.height);
  const std::uint32_t groups = CountOf(map);
  TANDEM_CHECK(map.size() == GroupMapBytes(width, height));
  TANDEM_CHECK(out.size() >= YuvGroupsCapacity(width, height, job.full_chroma, groups));
  TANDEM_CHECK(room.size() >= YuvGroupsRoomBytes(width, height, job.full_chroma, groups));
  YuvGroupsHeader header{};
  header.magic = kYuvGroupsMagic;
  header.width = static_cast<std::uint16_t>(width);
  header.height = static_cast<std::uint16_t>(height);
  header.groups = groups;
  header.frame = job.frame_number;
  header.reference = job.reference_number;
  std::uint64_t end = PictureAt(width, height);
  std::memset(out.data(), 0, end);
  std::ranges::copy(map, out.begin() + sizeof(header));
  if (groups != 0) {
    const Extent packed = PackedExtent(width, groups);
    const Picture picture{room.data(), kPixelBytes * packed.width, packed.width, packed.height};
    // Clears the last row of groups, which may not be full.
    const std::uint64_t last_row = (packed.height - kGroupExtent) * picture.pitch;
    std::memset(room.data() + last_row, 0, PackedBytes(packed) - last_row);
    ForGroups(width, height, map, groups, [&](const YuvGroup& group) { Pack(job.picture, group, room.data(), picture.pitch); });
    const FullChroma full_chroma = FullChromaOf(width, height, job.full_chroma, packed);
    const auto coded =
        EncodeYuvTiles({picture, job.frame_number, job.coding, full_chroma}, out.subspan(end), room.subspan(PackedBytes(packed)));
    TANDEM_CHECK(coded.ok());
    end += coded->bytes;
  }
  header.bytes = static_cast<std::uint32_t>(end);
  header.checksum = BytesChecksum(std::as_bytes(std::span(&header, 1)), map);
  std::memcpy(out.data(), &header, sizeof(header));
  return end;
}

Result<CheckedYuvGroups> CheckYuvGroups(std::span<const std::byte> bytes) {
  CheckedYuvGroups checked{};
  YuvGroupsHeader& header = checked.header;
  if (bytes.size() < sizeof(header)) {
    return Fail(ErrorKind::kInvalidArgument, "Groups of {} bytes have no room for their header of {}.", bytes.size(),
                sizeof(header));
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (auto fault = HeaderFault(header, bytes.size())) return *std::move(fault);
  checked.map = bytes.subspan(sizeof(header), GroupMapBytes(header.width, header.height));
  YuvGroupsHeader without = header;
  without.checksum = 0;
  const std::uint64_t sum = BytesChecksum(std::as_bytes(std::span(&without, 1)), checked.map);
  if (sum != header.checksum) {
    return Fail(ErrorKind::kInvalidArgument, "The checksum of groups is {:#x}, not {:#x}.", sum, header.checksum);
  }
  if (auto fault = MapFault(header, checked.map)) return *std::move(fault);
  const auto rest = bytes.subspan(PictureAt(header.width, header.height));
  if (header.groups == 0) {
    if (rest.empty()) return checked;
    return Fail(ErrorKind::kInvalidArgument, "{} bytes are of groups that are not there.", rest.size());
  }
  auto picture = CheckYuvTiles(rest);
  if (!picture.ok()) return std::move(picture).error();
  const Extent packed = PackedExtent(header.width, header.groups);
  if (picture->header.width != packed.width || picture->header.height != packed.height || picture->header.frame != header.frame) {
    return Fail(ErrorKind::kInvalidArgument, "{} groups stand in {} x {} pixels of frame {}; {} x {} of frame {} are due.",
                header.groups, picture->header.width, picture->header.height, picture->header.frame, packed.width, packed.height,
                header.frame);
  }
  checked.picture = *picture;
  return checked;
}

std::uint64_t YuvGroupsRoomBytes(const CheckedYuvGroups& groups) {
  if (groups.header.groups == 0) return 0;
  const YuvTilesHeader& header = groups.picture.header;
  return PackedBytes({header.width, header.height}) + YuvTilesRoomBytes(header);
}

color::Bgra8<std::byte> DecodeYuvGroups(const CheckedYuvGroups& groups, color::YuvCoding coding, std::span<std::byte> room) {
  const YuvTilesHeader& header = groups.picture.header;
  TANDEM_CHECK(groups.header.groups != 0 && room.size() >= YuvGroupsRoomBytes(groups));
  const color::Bgra8<std::byte> packed{room.data(), kPixelBytes * header.width, header.width, header.height};
  DecodeYuvTiles(groups.picture, packed, coding, color::ChromaFilter::kNearest,
                 room.subspan(PackedBytes({header.width, header.height})));
  return packed;
}

}  // namespace tandem::codec
