// 2D resources of a virtio GPU: pixels of the device, and the driver's memory that they are transferred from.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/memory_map.h"
#include "bus/guest_memory.h"
#include "bus/virtio/gpu_protocol.h"
#include "color/format.h"

namespace tandem::bus {

struct GpuResource {
  std::uint32_t width = 0;  // pixels
  std::uint32_t height = 0;
  color::Format format = color::Format::kUnknown;  // four bytes a pixel
  MemoryMap pixels;
  std::vector<GuestRange> backing;

  [[nodiscard]] std::uint64_t pitch() const { return std::uint64_t{width} * 4; }
  // True if the rectangle is not empty and lies inside.
  [[nodiscard]] bool Has(const virtio::GpuRect& rect) const;
};

// Threads: one at a time.
class GpuResources {
 public:
  static constexpr std::size_t kMaxResources = 1024;
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;  // of all resources
  static constexpr std::uint32_t kMaxBackingEntries = 1u << 18;       // of one resource: the pages of kMaxBytes

  [[nodiscard]] virtio::GpuAnswer Create(const virtio::GpuCreate2d& command);
  [[nodiscard]] virtio::GpuAnswer Unref(std::uint32_t id);
  [[nodiscard]] virtio::GpuAnswer Attach(std::uint32_t id, std::span<const GuestRange> backing);
  [[nodiscard]] virtio::GpuAnswer Detach(std::uint32_t id);
  // Copies a rectangle out of the backing, whose rows have the resource's pitch.
  [[nodiscard]] virtio::GpuAnswer Transfer(const virtio::GpuTransfer& command);

  // Null: there is none.
  [[nodiscard]] GpuResource* Find(std::uint32_t id);
  void Clear();
  // Bytes that Transfer copied so far.
  [[nodiscard]] std::uint64_t transferred_bytes() const { return transferred_bytes_; }

 private:
  std::unordered_map<std::uint32_t, GpuResource> resources_;
  std::uint64_t bytes_ = 0;
  std::uint64_t transferred_bytes_ = 0;
  std::vector<GuestCopy> copies_;  // of the last transfer
};

}  // namespace tandem::bus
