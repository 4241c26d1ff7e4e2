#include "outputs/wayland/surface_buffers.h"

#include <algorithm>
#include <utility>

namespace tandem::outputs {

PageBuffer* SurfaceBuffers::Find(std::uint64_t memory_id, const PageLayout& layout) {
  for (Entry& entry : entries_) {
    if (!entry.buffer || entry.memory_id != memory_id || entry.buffer->layout() != layout) continue;
    entry.used = ++uses_;
    return entry.buffer.get();
  }
  return nullptr;
}

PageBuffer& SurfaceBuffers::Keep(std::uint64_t memory_id, std::unique_ptr<PageBuffer> buffer, const PageBuffer* shown) {
  // An empty entry has never been used.
  const auto age = [shown](const Entry& entry) { return entry.buffer && entry.buffer.get() == shown ? UINT64_MAX : entry.used; };
  Entry& oldest = *std::ranges::min_element(entries_, {}, age);
  oldest = {memory_id, ++uses_, std::move(buffer)};
  return *oldest.buffer;
}

bool SurfaceBuffers::KeptBesides(const PageBuffer* shown) const {
  return std::ranges::any_of(entries_, [&](const Entry& entry) {
    if (!entry.buffer || entry.buffer.get() == shown) return false;
    {
      const MutexLock lock(events_.mutex());
      if (entry.buffer->in_use()) return true;
    }
    return !entry.buffer->AwaitReads(0);
  });
}

bool SurfaceBuffers::Forget(std::uint64_t memory_id, const PageBuffer* shown) {
  bool was_shown = false;
  for (Entry& entry : entries_) {
    if (!entry.buffer || entry.memory_id != memory_id) continue;
    was_shown = was_shown || entry.buffer.get() == shown;
    entry = {};
  }
  return was_shown;
}

}  // namespace tandem::outputs
