#include "color/nv12.h"

#include <algorithm>

namespace tandem::color {
namespace {

constexpr std::uint32_t kBetweenBytes = 4;  // of a pixel of kNv12Between
constexpr std::uint32_t kStripRows = 16;    // that are converted at once before they are encoded; even

}  // namespace

void BlitToNv12(const BlitRequest& request, const Yuv420<std::byte>& to, std::vector<std::byte>& room) {
  if constexpr (kHasYuv420) {
    const BlitRect& part = request.part;
    const bool stretches =
        request.source_width != request.destination_width || request.source_height != request.destination_height;
    if (!stretches && request.transfer == Transfer::kPassThrough && SameBits(request.source_format, kNv12Between)) {
      const std::byte* const first = request.source + part.top * request.source_pitch + std::uint64_t{part.left} * kBetweenBytes;
      return EncodeYuv420(to, {first, request.source_pitch, part.width(), part.height()}, {});
    }
    BlitRequest strip = request;
    strip.destination_format = kNv12Between;
    strip.destination_pitch = std::uint64_t{part.width()} * kBetweenBytes;
    room.resize(std::max<std::size_t>(room.size(), strip.destination_pitch * kStripRows));
    strip.destination = room.data();
    for (std::uint32_t y = 0; y < part.height(); y += kStripRows) {
      const std::uint32_t count = std::min(kStripRows, part.height() - y);
      strip.part = {part.left, part.top + y, part.right, part.top + y + count};
      Blit(strip);
      Yuv420<std::byte> planes = to;
      planes.y += y * planes.y_pitch;
      planes.u += y / 2 * planes.chroma_pitch;
      EncodeYuv420(planes, {room.data(), strip.destination_pitch, part.width(), count}, {});
    }
  }
}

}  // namespace tandem::color
