#include "link/surface/link_surface.h"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "base/aligned.h"
#include "codec/bc1/bc1.h"
#include "codec/packed/packed_rgb.h"
#include "codec/packed/packed_yuv10.h"
#include "color/yuv.h"
#include "link/surface/link_rows.h"
#include "link/surface/link_tiles.h"

namespace tandem::link {
namespace {

constexpr std::uint32_t kPixelBytes = 4;
constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint32_t kPayloadAlignment = 64;
constexpr std::uint32_t kReferencePitchAlignment = 256;

// Payload bytes set aside for each unit of rows. A slice of several units needs at most their sum.
std::uint64_t UnitBytes(std::uint32_t width) {
  const std::uint64_t plain = std::uint64_t{width} * kPixelBytes * kLinkUnitRows;
  const std::uint64_t tiles = LinkTilesCapacity(color::Format::kR10G10B10A2Unorm, width, kLinkUnitRows);
  std::uint64_t yuv_tiles = 0;
  if constexpr (color::kHasYuv420) yuv_tiles = codec::YuvTilesCapacity(width, kLinkUnitRows, kLinkFullChroma);
  return AlignUp(std::max({plain, tiles, yuv_tiles}), kPayloadAlignment);
}

template <class Record>
Record Read(std::span<const std::byte> bytes, std::uint64_t offset) {
  Record record;
  std::memcpy(&record, bytes.data() + offset, sizeof(record));
  return record;
}

}  // namespace

std::string_view ToString(LinkEncoding encoding) {
  switch (encoding) {
    case LinkEncoding::kPlain: return "plain";
    case LinkEncoding::kLossless: return "lossless";
    case LinkEncoding::kYuv420: return "420";
    case LinkEncoding::kPacked: return "packed";
    case LinkEncoding::kYuv420Tiles: return "420-tiles";
    case LinkEncoding::kBc1: return "bc1";
  }
  return "unknown";
}

std::string LinkYuvText(const LinkYuv& yuv) {
  const auto& [matrix, range] = yuv.coding;
  return fmt::format("{},{},{}",
                     matrix == color::YuvMatrix::kBt709   ? "bt709"
                     : matrix == color::YuvMatrix::kBt601 ? "bt601"
                                                          : "bt2020",
                     range == color::YuvRange::kFull ? "full" : "limited",
                     yuv.filter == color::ChromaFilter::kNearest ? "nearest" : "bilinear");
}

std::optional<LinkYuv> ToLinkYuv(std::uint32_t word) {
  const std::uint32_t matrix = word & 0xFF;
  const std::uint32_t range = word >> 8 & 0xFF;
  const std::uint32_t filter = word >> 16;
  if (matrix > static_cast<std::uint32_t>(color::YuvMatrix::kBt2020) ||
      range > static_cast<std::uint32_t>(color::YuvRange::kLimited) ||
      filter > static_cast<std::uint32_t>(color::ChromaFilter::kBilinear)) {
    return std::nullopt;
  }
  return LinkYuv{{static_cast<color::YuvMatrix>(matrix), static_cast<color::YuvRange>(range)},
                 static_cast<color::ChromaFilter>(filter)};
}

std::uint32_t LinkReferencePitch(std::uint32_t width) { return AlignUp(width * kPixelBytes, kReferencePitchAlignment); }

std::uint64_t LinkPayloadOffset(std::uint32_t width, std::uint32_t first_row) {
  return kLinkHeaderBytes + first_row / kLinkUnitRows * UnitBytes(width);
}

std::uint64_t LinkSurfaceBytes(std::uint32_t width, std::uint32_t height) {
  const std::uint64_t payloads = LinkPayloadOffset(width, AlignUp(height, kLinkUnitRows));
  return AlignUp(payloads, kPageBytes) + AlignUp(std::uint64_t{LinkReferencePitch(width)} * height, kPageBytes);
}

std::uint32_t LinkSliceRows(std::uint32_t height, std::uint32_t slices) {
  const std::uint32_t count = std::clamp(slices, 1U, kMaxLinkSlices);
  return std::max(kLinkUnitRows, AlignUp((height + count - 1) / count, kLinkUnitRows));
}

std::uint32_t LinkSliceCount(std::uint32_t height, std::uint32_t slice_rows) { return (height + slice_rows - 1) / slice_rows; }

std::uint64_t LinkFrameBytes(LinkEncoding encoding, color::Format linked, std::uint32_t width, std::uint32_t height) {
  const std::uint64_t pixels = std::uint64_t{width} * height;
  switch (encoding) {
    case LinkEncoding::kPlain: return pixels * kPixelBytes;
    case LinkEncoding::kYuv420:
    case LinkEncoding::kYuv420Tiles:
      if (HasTenBits(linked)) return codec::PackedYuv10Bytes(width, height);
      return pixels + std::uint64_t{2} * color::ChromaExtent(width) * color::ChromaExtent(height);
    case LinkEncoding::kPacked: return codec::PackedRowBytes(PackingOf(linked), width) * height;
    case LinkEncoding::kBc1: return codec::Bc1Bytes(width, height);
    case LinkEncoding::kLossless: break;
  }
  return LinkTilesCapacity(linked, width, height);
}

std::uint64_t LeastLinkFrameBytes(color::Format linked, std::uint32_t width, std::uint32_t height, std::uint32_t slice_rows) {
  // The last slice may have fewer rows, so that its fixed bytes weigh more.
  const auto least = [&](std::uint32_t rows) {
    const std::uint64_t floor = LinkTilesFloor(linked, width, rows);
    return (floor * height + rows - 1) / rows;
  };
  const std::uint32_t rows = std::min(slice_rows, height);
  const std::uint32_t last = height % rows;
  return last == 0 ? least(rows) : std::max(least(rows), least(last));
}

bool CanCrossLink(color::Format picture) { return color::BytesPerPixel(picture) != 0; }

color::Format LinkedFormat(color::Format picture, LinkColors colors) {
  if (picture != color::Format::kR16G16B16A16Float) return picture;
  return colors.ten_bits ? color::Format::kR10G10B10A2Unorm : color::Format::kB8G8R8A8Unorm;
}

bool ComesOutOfLink(color::Format linked) { return CanCrossLink(linked) && linked != color::Format::kR16G16B16A16Float; }

std::uint32_t LinkBits(LinkEncoding encoding, color::Format linked) {
  return HasTenBits(linked) && (IsExact(encoding) || encoding == LinkEncoding::kYuv420) ? 10 : 8;
}

bool HasEightBits(color::Format picture) { return ComesOutOfLink(picture) && !HasTenBits(picture); }

void InitializeLinkSurface(std::span<std::byte> bytes, std::uint32_t slice_rows, LinkColors colors, std::uint64_t frame_bytes) {
  std::memset(bytes.data(), 0, kLinkHeaderBytes);
  LinkSurfaceHeader header{};
  header.magic = kLinkSurfaceMagic;
  header.slice_rows = slice_rows;
  header.frame_bytes = frame_bytes;
  header.dithers = colors.dithers ? 1 : 0;
  header.ten_bits = colors.ten_bits ? 1 : 0;
  header.yuv = LinkYuvWord(colors.yuv);
  std::memcpy(bytes.data(), &header, sizeof(header));
}

void RequestLinkFrame(std::span<std::byte> bytes, std::uint64_t frame, LinkEncoding encoding, std::uint32_t probe) {
  LinkSurfaceHeader header = ReadLinkHeader(bytes);
  header.frame = frame;
  header.encoding = static_cast<std::uint32_t>(encoding);
  header.probe = probe;
  std::memcpy(bytes.data(), &header, sizeof(header));
}

LinkSurfaceHeader ReadLinkHeader(std::span<const std::byte> bytes) { return Read<LinkSurfaceHeader>(bytes, 0); }
LinkProbed ReadLinkProbed(std::span<const std::byte> bytes) { return Read<LinkProbed>(bytes, kLinkProbedOffset); }
LinkSlice ReadLinkSlice(std::span<const std::byte> bytes, std::uint32_t slice) {
  return Read<LinkSlice>(bytes, kLinkSlicesOffset + slice * sizeof(LinkSlice));
}
LinkHeld ReadLinkHeld(std::span<const std::byte> bytes, std::uint32_t slice) {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(bytes.data() + kLinkHeldOffset) + 2 * std::size_t{slice};
  const std::uint64_t frame = __atomic_load_n(words, __ATOMIC_ACQUIRE);
  return {frame, __atomic_load_n(words + 1, __ATOMIC_RELAXED)};
}

}  // namespace tandem::link
