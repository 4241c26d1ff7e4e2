#include "drivers/processor/kmd/nv12_blitter.h"

#include "color/nv12.h"

namespace tandem::processor {
namespace {

// Bytes from the first of luma to the last of chroma; 32-bit pitches and rows cannot overflow 64 bits.
std::uint64_t PlaneBytes(std::uint64_t pitch, std::uint32_t chroma_distance, std::uint32_t width, std::uint32_t height) {
  return (std::uint64_t{chroma_distance} + color::ChromaExtent(height) - 1) * pitch +
         std::uint64_t{2} * color::ChromaExtent(width);
}

// In memory: turned.
struct Extent {
  std::uint32_t width, height;
};

Extent MemoryOf(const color::BlitRequest& request) {
  const bool quarter = color::IsQuarterTurn(request.rotation);
  const color::BlitRect& part = request.part;
  return quarter ? Extent{part.height(), part.width()} : Extent{part.width(), part.height()};
}

}  // namespace

ExecutionResult Nv12Blitter::Run(const BlitCommand& blit, const color::BlitRequest& request) {
  if constexpr (!color::kHasYuv420) return kBad;
  return blit.destination_format == static_cast<std::uint32_t>(color::kNv12) ? Encode(blit, request) : Decode(blit, request);
}

ExecutionResult Nv12Blitter::Decode(const BlitCommand& blit, color::BlitRequest request) {
  const Extent memory = MemoryOf(request);
  const std::uint64_t row_bytes = std::uint64_t{memory.width} * color::BytesPerPixel(request.destination_format);
  if (blit.source_pitch < 2 * color::ChromaExtent(blit.source_width) || blit.destination_pitch < row_bytes) return kBad;
  const std::uint64_t source_bytes = PlaneBytes(blit.source_pitch, blit.chroma_distance, blit.source_width, blit.source_height);
  const auto source = memory_.Resolve(blit.source_address, source_bytes);
  if (!source) return ReadFault(blit.source_address);
  const std::uint64_t destination_bytes = RectBytes(blit.destination_pitch, row_bytes, memory.height);
  const auto destination = memory_.Resolve(blit.destination_address, destination_bytes);
  if (!destination) return WriteFault(blit.destination_address);
  if (Overlap(source->data(), source_bytes, destination->data(), destination_bytes)) return kBad;
  request.destination = destination->data();
  if constexpr (color::kHasYuv420) {
    color::BlitFromNv12(request, color::Nv12Planes<const std::byte>(source->data(), blit.source_pitch, blit.chroma_distance),
                        room_);
  }
  tally_.NoteBlit(blit, row_bytes * memory.height);
  return {};
}

ExecutionResult Nv12Blitter::Encode(const BlitCommand& blit, color::BlitRequest request) {
  const Extent memory = MemoryOf(request);
  const std::uint64_t source_row = std::uint64_t{blit.source_width} * color::BytesPerPixel(request.source_format);
  if (blit.source_pitch < source_row || blit.destination_pitch < memory.width) return kBad;
  const std::uint64_t source_bytes = RectBytes(blit.source_pitch, source_row, blit.source_height);
  const auto source = memory_.Resolve(blit.source_address, source_bytes);
  if (!source) return ReadFault(blit.source_address);
  const std::uint64_t destination_bytes = PlaneBytes(blit.destination_pitch, blit.chroma_distance, memory.width, memory.height);
  const auto destination = memory_.Resolve(blit.destination_address, destination_bytes);
  if (!destination) return WriteFault(blit.destination_address);
  if (Overlap(source->data(), source_bytes, destination->data(), destination_bytes)) return kBad;
  request.source = source->data();
  if constexpr (color::kHasYuv420) {
    color::BlitToNv12(request, color::Nv12Planes<std::byte>(destination->data(), blit.destination_pitch, blit.chroma_distance),
                      room_);
  }
  tally_.NoteBlit(blit, color::Nv12Bytes(memory.width, memory.height));
  return {};
}

}  // namespace tandem::processor
