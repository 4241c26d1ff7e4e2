// The wl_buffers of surfaces that were shown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "outputs/wayland/events.h"
#include "outputs/wayland/page_buffer.h"

namespace tandem::outputs {

// Several surfaces may lie in one memory, beside each other. Threads: one. Destroyed before `events`.
class SurfaceBuffers {
 public:
  explicit SurfaceBuffers(WaylandEvents& events) : events_(events) {}

  // The buffer of a surface in this memory; null if there is none.
  [[nodiscard]] PageBuffer* Find(std::uint64_t memory_id, const PageLayout& layout);
  // Keeps `buffer` in place of the one that was longest not shown and that is not `shown`, if there are too many.
  PageBuffer& Keep(std::uint64_t memory_id, std::unique_ptr<PageBuffer> buffer, const PageBuffer* shown);
  // True if the compositor keeps a buffer besides `shown`.
  [[nodiscard]] bool KeptBesides(const PageBuffer* shown) const;
  // Destroys those in this memory. True if `shown` was one of them.
  bool Forget(std::uint64_t memory_id, const PageBuffer* shown);

 private:
  struct Entry {
    std::uint64_t memory_id = 0;
    std::uint64_t used = 0;  // serial of its last use
    std::unique_ptr<PageBuffer> buffer;
  };
  // More than a swap chain has surfaces, and than one of another size that comes after it.
  static constexpr std::size_t kMost = 24;

  WaylandEvents& events_;
  std::array<Entry, kMost> entries_;
  std::uint64_t uses_ = 0;
};

}  // namespace tandem::outputs
