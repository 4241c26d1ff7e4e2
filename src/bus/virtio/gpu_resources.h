// Resources of a virtio GPU: pixels of the device, or a texture of the 3D renderer, and the driver's memory that they are
// transferred from and to.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/memory_map.h"
#include "bus/guest_memory.h"
#include "bus/virtio/gpu_formats.h"
#include "bus/virtio/gpu_protocol.h"
#include "bus/virtio/gpu_protocol_3d.h"
#include "color/format.h"

namespace tandem::bus {

// A resource of the renderer: a texture or a buffer.
struct GpuTexture {
  virtio::GpuTarget target = virtio::GpuTarget::kBuffer;
  std::uint32_t depth = 0;
  std::uint32_t array_size = 0;
  std::uint32_t last_level = 0;
  TexelBlock block;
  bool holds_results = false;      // of queries, which the device writes to the backing
  std::uint64_t bytes = 0;         // estimated, and the picture's
  std::vector<std::byte> picture;  // level 0 as it was read last; empty: it was not
};

struct GpuResource {
  std::uint32_t width = 0;  // pixels; bytes of a buffer
  std::uint32_t height = 0;
  color::Format format = color::Format::kUnknown;  // of pixels that a screen can show, four bytes each
  MemoryMap pixels;
  std::vector<GuestRange> backing;
  std::unique_ptr<GpuTexture> texture = nullptr;  // null: the device has the pixels

  [[nodiscard]] std::uint64_t pitch() const { return std::uint64_t{width} * 4; }
  // Rows of `pitch` bytes. Null: a texture that was not read yet.
  [[nodiscard]] const std::byte* data() const { return texture == nullptr ? pixels.data() : texture->picture.data(); }
  // True if an output can show it: it has two dimensions and a screen's format.
  [[nodiscard]] bool IsPicture() const;
  // True if the rectangle is not empty and lies inside.
  [[nodiscard]] bool Has(const virtio::GpuRect& rect) const;
};

// Threads: one at a time.
class GpuResources {
 public:
  static constexpr std::size_t kMaxResources = 1024;
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;  // of all resources
  static constexpr std::uint32_t kMaxBackingEntries = 1u << 18;       // of one resource: the pages of kMaxBytes

  static constexpr std::uint32_t kMaxLastLevel = 14, kMaxSamples = 16;  // of a texture

  [[nodiscard]] virtio::GpuAnswer Create(const virtio::GpuCreate2d& command);
  // Notes a resource that the renderer is to make. Extents within kMaxSurfaceExtent, and formats that BlockOf() knows.
  [[nodiscard]] virtio::GpuAnswer Create3d(const virtio::GpuCreate3d& command);
  // Makes room for a texture's picture, which is black at first.
  [[nodiscard]] virtio::GpuAnswer ReservePicture(GpuResource& resource);
  [[nodiscard]] virtio::GpuAnswer Unref(std::uint32_t id);
  [[nodiscard]] virtio::GpuAnswer Attach(std::uint32_t id, std::span<const GuestRange> backing);
  [[nodiscard]] virtio::GpuAnswer Detach(std::uint32_t id);
  // Copies a rectangle out of the backing of a resource that is no texture. Rows of the backing have the resource's pitch.
  [[nodiscard]] virtio::GpuAnswer Transfer(const virtio::GpuTransfer& command);

  // Null: there is none.
  [[nodiscard]] GpuResource* Find(std::uint32_t id);
  [[nodiscard]] std::unordered_map<std::uint32_t, GpuResource>& all() { return resources_; }
  void Clear();
  // Bytes that Transfer() copied so far.
  [[nodiscard]] std::uint64_t transferred_bytes() const { return transferred_bytes_; }

 private:
  std::unordered_map<std::uint32_t, GpuResource> resources_;
  std::uint64_t bytes_ = 0;
  std::uint64_t transferred_bytes_ = 0;
  std::vector<GuestCopy> copies_;  // of the last transfer
};

}  // namespace tandem::bus
