#include "outputs/wayland/shm_buffer.h"

#include <limits>

namespace tandem::outputs {
namespace {

constexpr std::uint64_t kProtocolLimit = std::numeric_limits<std::int32_t>::max();

}  // namespace

std::optional<std::uint32_t> ShmFormatOf(color::Format format) {
  switch (format) {
    case color::Format::kB8G8R8A8Unorm:
    case color::Format::kB8G8R8A8UnormSrgb:
    case color::Format::kB8G8R8X8Unorm: return WL_SHM_FORMAT_XRGB8888;
    case color::Format::kR8G8B8A8Unorm:
    case color::Format::kR8G8B8A8UnormSrgb: return WL_SHM_FORMAT_XBGR8888;
    default: return std::nullopt;
  }
}

Result<std::unique_ptr<ShmBuffer>> ShmBuffer::Create(WaylandEvents& events, wl_shm* shm, const ShmLayout& layout) {
  if (layout.fd_bytes > kProtocolLimit || layout.offset > kProtocolLimit || layout.pitch > kProtocolLimit) {
    return Fail(ErrorKind::kUnsupported, "A Wayland compositor reads {} bytes of shared memory at most; these are {}.",
                kProtocolLimit, layout.fd_bytes);
  }
  static constexpr wl_buffer_listener kListener{[](void* data, wl_buffer*) { static_cast<ShmBuffer*>(data)->in_use_ = false; }};
  std::unique_ptr<ShmBuffer> made(new ShmBuffer(events, layout));
  const MutexLock lock(events.mutex());
  wl_shm_pool* pool = wl_shm_create_pool(shm, layout.fd, static_cast<std::int32_t>(layout.fd_bytes));
  if (pool != nullptr) {
    made->buffer_ = wl_shm_pool_create_buffer(pool, static_cast<std::int32_t>(layout.offset),
                                              static_cast<std::int32_t>(layout.width), static_cast<std::int32_t>(layout.height),
                                              static_cast<std::int32_t>(layout.pitch), layout.format);
    wl_shm_pool_destroy(pool);  // the buffer keeps its memory
  }
  if (made->buffer_ == nullptr) return Fail(ErrorKind::kOutOfMemory, "There is no memory for a Wayland buffer.");
  wl_buffer_add_listener(made->buffer_, &kListener, made.get());
  return made;
}

ShmBuffer::~ShmBuffer() {
  if (buffer_ == nullptr || !events_.connected()) return;
  const MutexLock lock(events_.mutex());
  wl_buffer_destroy(buffer_);
}

void ShmBuffer::Attach(wl_surface* surface) {
  wl_surface_attach(surface, buffer_, 0, 0);
  in_use_ = true;
}

}  // namespace tandem::outputs
