// The pointer of a virtio GPU: an image of its own over the scan-out.
#pragma once

#include <cstdint>
#include <vector>

#include "bus/virtio/gpu_protocol.h"
#include "bus/virtio/gpu_resources.h"
#include "color/blit.h"

namespace tandem::bus {

inline constexpr std::uint32_t kPointerExtent = 64;  // pixels in both directions

// Threads: one at a time.
class GpuPointer {
 public:
  [[nodiscard]] static bool Fits(const GpuResource& resource) {
    return resource.width == kPointerExtent && resource.height == kPointerExtent;
  }
  // Takes the image out of a resource; null hides the pointer. kInvalidResource for another size.
  [[nodiscard]] virtio::GpuAnswer Update(const virtio::GpuCursor& command, const GpuResource* resource);
  void Move(const virtio::GpuCursor& command);
  void Hide() { image_.clear(); }

  // True if the pointer covers pixels of the part.
  [[nodiscard]] bool Covers(const color::BlitRect& part) const;
  // Blends the image over a picture of that part.
  void Blend(const color::BlitRect& part, color::Format format, std::byte* pixels, std::uint64_t pitch) const;

 private:
  std::vector<std::byte> image_;  // four bytes a pixel, the last one alpha; empty: hidden
  color::Format format_ = color::Format::kUnknown;
  std::int64_t left_ = 0;  // of the image, in pixels of the scan-out
  std::int64_t top_ = 0;
  std::uint32_t hot_x_ = 0;
  std::uint32_t hot_y_ = 0;
};

}  // namespace tandem::bus
