// The part of CommandExecutor that copies into NV12 and out of it.
#include <algorithm>

#include "color/nv12.h"
#include "drivers/soft/kmd/command_checks.h"

namespace tandem::soft {
namespace {

constexpr std::uint32_t kBetweenBytes = 4;  // of a pixel of kNv12Between

// Bytes from the first of luma to the last of chroma; 32-bit pitches and rows cannot overflow 64 bits.
std::uint64_t PlaneBytes(std::uint64_t pitch, std::uint32_t chroma_distance, std::uint32_t width, std::uint32_t height) {
  return (std::uint64_t{chroma_distance} + color::ChromaExtent(height) - 1) * pitch +
         std::uint64_t{2} * color::ChromaExtent(width);
}

bool IsStretched(const color::BlitRequest& request) {
  return request.source_width != request.destination_width || request.source_height != request.destination_height;
}

}  // namespace

ExecutionResult CommandExecutor::BlitNv12(const BlitCommand& blit, const color::BlitRequest& request) {
  if constexpr (!color::kHasYuv420) return kBad;
  return blit.destination_format == static_cast<std::uint32_t>(color::kNv12) ? EncodeNv12(blit, request)
                                                                             : DecodeNv12(blit, request);
}

ExecutionResult CommandExecutor::DecodeNv12(const BlitCommand& blit, color::BlitRequest request) {
  const bool turned = request.rotation == color::Rotation::k90 || request.rotation == color::Rotation::k270;
  const std::uint64_t columns = turned ? request.part.height() : request.part.width();
  const std::uint64_t rows = turned ? request.part.width() : request.part.height();
  const std::uint64_t row_bytes = columns * color::BytesPerPixel(request.destination_format);
  if (blit.source_pitch < 2 * color::ChromaExtent(blit.source_width) || blit.destination_pitch < row_bytes) return kBad;
  const std::uint64_t source_bytes = PlaneBytes(blit.source_pitch, blit.chroma_distance, blit.source_width, blit.source_height);
  const auto source = memory_.Resolve(blit.source_address, source_bytes);
  if (!source) return ReadFault(blit.source_address);
  const std::uint64_t destination_bytes = RectBytes(blit.destination_pitch, row_bytes, rows);
  const auto destination = memory_.Resolve(blit.destination_address, destination_bytes);
  if (!destination) return WriteFault(blit.destination_address);
  if (Overlap(source->data(), source_bytes, destination->data(), destination_bytes)) return kBad;
  if constexpr (color::kHasYuv420) {
    const auto planes = color::Nv12Planes<const std::byte>(source->data(), blit.source_pitch, blit.chroma_distance);
    const color::BlitRect& part = request.part;
    if (!IsStretched(request) && request.rotation == color::Rotation::kIdentity && ((part.left | part.top) & 1) == 0 &&
        request.transfer == color::Transfer::kPassThrough && color::SameBits(request.destination_format, color::kNv12Between)) {
      auto from = planes;
      from.y += part.top * from.y_pitch + part.left;
      from.u += part.top / 2 * from.chroma_pitch + part.left;
      color::DecodeYuv420({destination->data(), blit.destination_pitch, part.width(), part.height()}, from, {},
                          color::ChromaFilter::kNearest);
      NoteCrossing(blit.source_address, blit.destination_address, row_bytes * rows);
      return {};
    }
    const std::uint64_t between_pitch = std::uint64_t{blit.source_width} * kBetweenBytes;
    room_.resize(std::max<std::size_t>(room_.size(), between_pitch * blit.source_height));
    color::DecodeYuv420({room_.data(), between_pitch, blit.source_width, blit.source_height}, planes, {},
                        color::ChromaFilter::kNearest);
    request.source = room_.data();
    request.source_pitch = between_pitch;
    request.destination = destination->data();
    color::Blit(request);
  }
  NoteCrossing(blit.source_address, blit.destination_address, row_bytes * rows);
  return {};
}

ExecutionResult CommandExecutor::EncodeNv12(const BlitCommand& blit, color::BlitRequest request) {
  const color::BlitRect part = request.part;
  const std::uint64_t source_row = std::uint64_t{blit.source_width} * color::BytesPerPixel(request.source_format);
  if (blit.source_pitch < source_row || blit.destination_pitch < part.width()) return kBad;
  const std::uint64_t source_bytes = RectBytes(blit.source_pitch, source_row, blit.source_height);
  const auto source = memory_.Resolve(blit.source_address, source_bytes);
  if (!source) return ReadFault(blit.source_address);
  const std::uint64_t destination_bytes = PlaneBytes(blit.destination_pitch, blit.chroma_distance, part.width(), part.height());
  const auto destination = memory_.Resolve(blit.destination_address, destination_bytes);
  if (!destination) return WriteFault(blit.destination_address);
  if (Overlap(source->data(), source_bytes, destination->data(), destination_bytes)) return kBad;
  request.source = source->data();
  color::BlitToNv12(request, color::Nv12Planes<std::byte>(destination->data(), blit.destination_pitch, blit.chroma_distance),
                    room_);
  NoteCrossing(blit.source_address, blit.destination_address, color::Nv12Bytes(part.width(), part.height()));
  return {};
}

}  // namespace tandem::soft
