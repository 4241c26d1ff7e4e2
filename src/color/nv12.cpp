#include "color/nv12.h"

#include <algorithm>

namespace tandem::color {
namespace {

constexpr std::uint32_t kBetweenBytes = 4;  // bytes of a kNv12Between pixel
// Extent of a block that is converted before it is encoded, or decoded before it is converted or rotated. Both are even. A
// rotated block's rows fill two cache lines each.
constexpr std::uint32_t kBlockRows = 32;
constexpr std::uint32_t kBlockColumns = 512;

bool IsStretched(const BlitRequest& request) {
  return request.source_width != request.destination_width || request.source_height != request.destination_height;
}

// True if only 4:2:0 coding separates both sides.
bool IsDirect(const BlitRequest& request, Format other) {
  return !IsStretched(request) && request.rotation == Rotation::kIdentity && request.transfer == Transfer::kPassThrough &&
         SameBits(other, kNv12Between);
}

std::byte* RoomOf(std::vector<std::byte>& room, std::uint64_t bytes) {
  if (room.size() < bytes) room.resize(bytes);
  return room.data();
}

template <class Byte>
Yuv420<Byte> PlanesFrom(Yuv420<Byte> planes, std::uint32_t left, std::uint32_t top) {
  const std::uint32_t across = planes.layout == YuvLayout::kNv12 ? left : left / 2;
  planes.y += top * planes.y_pitch + left;
  planes.u += top / 2 * planes.chroma_pitch + across;
  if (planes.v != nullptr) planes.v += top / 2 * planes.chroma_pitch + across;
  return planes;
}

Rotation Inverse(Rotation rotation) {
  if (rotation == Rotation::k90) return Rotation::k270;
  return rotation == Rotation::k270 ? Rotation::k90 : rotation;
}

BlitRect Moved(const BlitRect& rect, std::uint32_t right, std::uint32_t down) {
  return {rect.left + right, rect.top + down, rect.right + right, rect.bottom + down};
}

// Decodes the block at the even coordinates `left`, `top`, which stand at or before the part's own.
void DecodeBlock(const BlitRequest& request, const Yuv420<const std::byte>& from, std::uint32_t left, std::uint32_t top,
                 std::byte* room) {
  const BlitRect& part = request.part;
  const BlitRect block{std::max(left, part.left), std::max(top, part.top), std::min(left + kBlockColumns, part.right),
                       std::min(top + kBlockRows, part.bottom)};
  DecodeYuv420({room, kBlockColumns * kBetweenBytes, block.right - left, block.bottom - top}, PlanesFrom(from, left, top), {},
               ChromaFilter::kNearest);
  BlitRequest moved = request;
  moved.source = room + ((block.top - top) * kBlockColumns + (block.left - left)) * kBetweenBytes;
  moved.source_pitch = kBlockColumns * kBetweenBytes;
  moved.source_format = kNv12Between;
  moved.source_width = moved.destination_width = block.width();
  moved.source_height = moved.destination_height = block.height();
  moved.part = {0, 0, block.width(), block.height()};
  const BlitRect in_part{block.left - part.left, block.top - part.top, block.right - part.left, block.bottom - part.top};
  const BlitRect at = RotatedRect(in_part, part.width(), part.height(), request.rotation);
  moved.destination += at.top * request.destination_pitch + std::uint64_t{at.left} * BytesPerPixel(request.destination_format);
  BlitPart(moved, std::uint64_t{part.width()} * part.height() * BytesPerPixel(request.destination_format));
}

}  // namespace

void BlitToNv12(const BlitRequest& request, const Yuv420<std::byte>& to, std::vector<std::byte>& room) {
  const BlitRect& part = request.part;
  if (IsDirect(request, request.source_format)) {
    const std::byte* const first = request.source + part.top * request.source_pitch + std::uint64_t{part.left} * kBetweenBytes;
    return EncodeYuv420(to, {first, request.source_pitch, part.width(), part.height()}, {});
  }
  const BlitRect stored = RotatedRect({0, 0, part.width(), part.height()}, part.width(), part.height(), request.rotation);
  BlitRequest strip = request;
  strip.destination_format = kNv12Between;
  strip.destination_pitch = std::uint64_t{stored.width()} * kBetweenBytes;
  strip.destination = RoomOf(room, strip.destination_pitch * kBlockRows);
  for (std::uint32_t y = 0; y < stored.height(); y += kBlockRows) {
    const std::uint32_t count = std::min(kBlockRows, stored.height() - y);
    const BlitRect rows{0, y, stored.width(), y + count};
    strip.part = Moved(RotatedRect(rows, stored.width(), stored.height(), Inverse(request.rotation)), part.left, part.top);
    Blit(strip);
    EncodeYuv420(PlanesFrom(to, 0, y), {strip.destination, strip.destination_pitch, stored.width(), count}, {});
  }
}

void BlitFromNv12(const BlitRequest& request, const Yuv420<const std::byte>& from, std::vector<std::byte>& room) {
  const BlitRect& part = request.part;
  if (IsDirect(request, request.destination_format) && ((part.left | part.top) & 1) == 0) {
    return DecodeYuv420({request.destination, request.destination_pitch, part.width(), part.height()},
                        PlanesFrom(from, part.left, part.top), {}, ChromaFilter::kNearest);
  }
  if (IsStretched(request) || request.key != ColorKey::kNone) {
    BlitRequest whole = request;
    whole.source_format = kNv12Between;
    whole.source_pitch = std::uint64_t{request.source_width} * kBetweenBytes;
    std::byte* const pixels = RoomOf(room, whole.source_pitch * request.source_height);
    whole.source = pixels;
    DecodeYuv420({pixels, whole.source_pitch, request.source_width, request.source_height}, from, {}, ChromaFilter::kNearest);
    return Blit(whole);
  }
  std::byte* const block = RoomOf(room, std::uint64_t{kBlockColumns} * kBlockRows * kBetweenBytes);
  for (std::uint32_t top = part.top / 2 * 2; top < part.bottom; top += kBlockRows) {
    for (std::uint32_t left = part.left / 2 * 2; left < part.right; left += kBlockColumns) {
      DecodeBlock(request, from, left, top, block);
    }
  }
}

}  // namespace tandem::color
