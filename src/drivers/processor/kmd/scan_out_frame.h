// The frame that a source scans out: one surface, or planes on top of each other.
#pragma once

#include <array>
#include <cstdint>

#include "color/blit.h"
#include "drivers/processor/allocation_data.h"
#include "drivers/processor/kmd/gpu_memory.h"

namespace tandem::processor {

// Planes of one source at most.
inline constexpr std::uint32_t kMaxScanOutPlanes = 4;

struct ScanOutSurface {
  std::uint64_t address = kLocalBase;
  std::uint32_t width = 0;   // pixels; 0: nothing to show
  std::uint32_t height = 0;  // pixels
  std::uint32_t pitch = 0;   // bytes
  color::Format format = color::Format::kUnknown;
};

// Bytes of a picture without padding.
[[nodiscard]] inline std::uint64_t PictureBytes(color::Format format, std::uint32_t width, std::uint32_t height) {
  return drivers::IsNv12(format) ? color::Nv12Bytes(width, height) : std::uint64_t{width} * height * drivers::PixelBytes(format);
}
// From the surface's first byte to its last one. The surface is not empty.
[[nodiscard]] inline std::uint64_t SpanBytes(const ScanOutSurface& surface) {
  const std::uint32_t rows = drivers::IsNv12(surface.format) ? color::Nv12Rows(surface.height) : surface.height;
  return std::uint64_t{rows - 1} * surface.pitch + PictureBytes(surface.format, surface.width, surface.height) / rows;
}

enum class PlaneBlend : std::uint8_t {
  kOpaque,
  kPremultiplied,  // 8-bit channels: out = plane + round(below * (255 - alpha) / 255), at most 255
};

struct ScanOutPlane {
  ScanOutSurface surface;
  color::BlitRect source;                                 // in the surface
  color::BlitRect destination;                            // on the screen
  color::BlitRect clip;                                   // on the screen, inside `destination`: what is seen of it
  color::Rotation rotation = color::Rotation::kIdentity;  // or k180
  PlaneBlend blend = PlaneBlend::kOpaque;
  std::uint32_t layer = 0;       // 0 is on top
  std::uint64_t present_id = 0;  // of the flip to it
};

// Without planes the surface itself is shown. With planes it is the lowest one's, whose destination is the screen.
struct ScanOutFrame : ScanOutSurface {
  std::uint32_t plane_count = 0;
  std::array<ScanOutPlane, kMaxScanOutPlanes> planes;  // lowest first
};

}  // namespace tandem::processor
