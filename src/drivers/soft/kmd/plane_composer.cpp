#include "drivers/soft/kmd/plane_composer.h"

#include <algorithm>
#include "color/format.h"

#include "color/blit.h"
#include "color/format.h"

namespace tandem::soft {
namespace {

constexpr std::uint32_t kAlphaByte = 3;  // of the 8-bit formats that blend

// Premultiplied pixels of four bytes over those below.
void BlendRow(const std::byte* over, std::byte* below, std::uint32_t pixels) {
  for (std::uint32_t x = 0; x < pixels; ++x, over += 4, below += 4) {
    const std::uint32_t rest = 255 - std::to_integer<std::uint32_t>(over[kAlphaByte]);
    for (std::uint32_t channel = 0; channel < 4; ++channel) {
      const std::uint32_t under = (std::to_integer<std::uint32_t>(below[channel]) * rest + 127) / 255;
      below[channel] =
          static_cast<std::byte>(std::min<std::uint32_t>(std::to_integer<std::uint32_t>(over[channel]) + under, 255));
    }
  }
}

}  // namespace

outputs::Surface PlaneComposer::Compose(const processor::ScanOutFrame& frame, processor::GpuMemory& memory) {
  const processor::ScanOutPlane& lowest = frame.planes[0];
  outputs::Surface canvas;
  canvas.width = lowest.destination.right;
  canvas.height = lowest.destination.bottom;
  canvas.format = processor::SeenFormat(lowest.surface.format);
  canvas.pitch = canvas.width * color::BytesPerPixel(canvas.format);
  canvas_.resize(std::size_t{canvas.pitch} * canvas.height);
  std::fill(canvas_.begin(), canvas_.end(), std::byte{0});  // what the lowest plane's clip leaves out is black
  written_bytes_ = canvas_.size();
  canvas.pixels = canvas_.data();
  for (std::uint32_t i = 0; i < frame.plane_count; ++i) {
    if (!Add(frame.planes[i], canvas, memory)) return {};
  }
  return canvas;
}

bool PlaneComposer::Add(const processor::ScanOutPlane& plane, const outputs::Surface& canvas, processor::GpuMemory& memory) {
  const processor::ScanOutSurface& surface = plane.surface;
  const std::uint32_t to_bytes = color::BytesPerPixel(canvas.format);
  const auto lease = memory.Resolve(surface.address, processor::SpanBytes(surface));
  if (!lease) return false;
  const color::BlitRect seen{plane.clip.left - plane.destination.left, plane.clip.top - plane.destination.top,
                             plane.clip.right - plane.destination.left, plane.clip.bottom - plane.destination.top};
  std::byte* const below = canvas_.data() + std::size_t{plane.clip.top} * canvas.pitch + std::size_t{plane.clip.left} * to_bytes;
  const bool blends = plane.blend == processor::PlaneBlend::kPremultiplied;
  const std::uint64_t row_bytes = std::uint64_t{seen.width()} * to_bytes;
  if (blends) scratch_.resize(row_bytes * seen.height());

  color::BlitRequest request;
  request.source_format = processor::SeenFormat(surface.format);
  const std::uint32_t from_bytes = color::BytesPerPixel(request.source_format);
  if (drivers::IsNv12(surface.format)) {
    request.source = nv12_.Read(lease->data(), surface.pitch, surface.height, plane.source);
    request.source_pitch = std::uint64_t{plane.source.width()} * from_bytes;
    written_bytes_ += request.source_pitch * plane.source.height();
  } else {
    request.source = lease->data() + std::size_t{plane.source.top} * surface.pitch + std::size_t{plane.source.left} * from_bytes;
    request.source_pitch = surface.pitch;
  }
  request.source_width = plane.source.width();
  request.source_height = plane.source.height();
  request.destination = blends ? scratch_.data() : below;
  request.destination_pitch = blends ? row_bytes : canvas.pitch;
  request.destination_format = canvas.format;
  request.destination_width = plane.destination.width();
  request.destination_height = plane.destination.height();
  // Half a turn is its own inverse.
  request.part = color::RotatedRect(seen, request.destination_width, request.destination_height, plane.rotation);
  request.rotation = plane.rotation;
  request.dither = dithers_;
  color::Blit(request);
  written_bytes_ += row_bytes * seen.height() * (blends ? 2 : 1);
  for (std::uint32_t y = 0; blends && y < seen.height(); ++y) {
    BlendRow(scratch_.data() + y * row_bytes, below + std::size_t{y} * canvas.pitch, seen.width());
  }
  return true;
}

}  // namespace tandem::soft
