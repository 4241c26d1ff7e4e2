#include "outputs/wayland/page_buffer.h"

#include <limits>
#include <utility>

#include <poll.h>

#include "outputs/wayland/dma_bufs.h"

namespace tandem::outputs {
namespace {

constexpr std::uint64_t kProtocolLimit = std::numeric_limits<std::int32_t>::max();

}  // namespace

std::optional<std::uint32_t> ShmFormatOf(color::Format format, bool blends) {
  switch (format) {
    case color::Format::kB8G8R8X8Unorm: return WL_SHM_FORMAT_XRGB8888;
    case color::Format::kB8G8R8A8Unorm:
    case color::Format::kB8G8R8A8UnormSrgb: return blends ? WL_SHM_FORMAT_ARGB8888 : WL_SHM_FORMAT_XRGB8888;
    case color::Format::kR8G8B8A8Unorm:
    case color::Format::kR8G8B8A8UnormSrgb: return blends ? WL_SHM_FORMAT_ABGR8888 : WL_SHM_FORMAT_XBGR8888;
    default: return std::nullopt;
  }
}

// Codes of wl_shm are those of DRM but for two.
std::uint32_t FourccOf(std::uint32_t shm_format) {
  switch (shm_format) {
    case WL_SHM_FORMAT_XRGB8888: return kDrmFormatXrgb8888;
    case WL_SHM_FORMAT_ARGB8888: return kDrmFormatArgb8888;
    default: return shm_format;
  }
}

void PageBuffer::Listen(wl_buffer* buffer) {
  static constexpr wl_buffer_listener kListener{[](void* data, wl_buffer*) { static_cast<PageBuffer*>(data)->in_use_ = false; }};
  buffer_ = buffer;
  wl_buffer_add_listener(buffer, &kListener, this);
}

Result<std::unique_ptr<PageBuffer>> PageBuffer::CreateShm(WaylandEvents& events, const WaylandGlobals& globals,
                                                          const PageLayout& layout) {
  if (layout.fd_bytes > kProtocolLimit || layout.offset > kProtocolLimit || layout.pitch > kProtocolLimit) {
    return Fail(ErrorKind::kUnsupported, "A Wayland compositor reads {} bytes of shared memory at most; these are {}.",
                kProtocolLimit, layout.fd_bytes);
  }
  std::unique_ptr<PageBuffer> made(new PageBuffer(events, layout));
  const MutexLock lock(made->events_.mutex());
  if (auto usable = made->events_.Usable(); !usable.ok()) return std::move(usable).error();
  wl_shm_pool* pool = wl_shm_create_pool(globals.shm(), layout.fd, static_cast<std::int32_t>(layout.fd_bytes));
  wl_buffer* buffer = nullptr;
  if (pool != nullptr) {
    buffer = wl_shm_pool_create_buffer(pool, static_cast<std::int32_t>(layout.offset), static_cast<std::int32_t>(layout.width),
                                       static_cast<std::int32_t>(layout.height), static_cast<std::int32_t>(layout.pitch),
                                       layout.format);
    wl_shm_pool_destroy(pool);  // the buffer keeps its memory
  }
  if (buffer == nullptr) return Fail(ErrorKind::kOutOfMemory, "There is no memory for a Wayland buffer.");
  made->Listen(buffer);
  return made;
}

Result<std::unique_ptr<PageBuffer>> PageBuffer::CreateDmaBuf(WaylandEvents& events, const WaylandDmaBufs& dma_bufs,
                                                             const PageLayout& layout) {
  auto buffer = dma_bufs.Create({layout.fd,
                                 layout.is_dma_buf,
                                 layout.offset,
                                 layout.width,
                                 layout.height,
                                 layout.pitch,
                                 {FourccOf(layout.format), layout.modifier}});
  if (!buffer.ok()) return std::move(buffer).error();
  std::unique_ptr<PageBuffer> made(new PageBuffer(events, layout));
  const MutexLock lock(made->events_.mutex());
  made->Listen(buffer->buffer);
  made->dma_buf_ = std::move(buffer->dma_buf);
  return made;
}

bool PageBuffer::AwaitReads(int timeout_ms) const {
  if (!dma_buf_.valid()) return true;
  pollfd writable{dma_buf_.get(), POLLOUT, 0};  // a dma-buf is writable when all its fences have passed
  return poll(&writable, 1, timeout_ms) != 0;
}

PageBuffer::~PageBuffer() {
  if (buffer_ == nullptr) return;
  const MutexLock lock(events_.mutex());
  if (events_.connected()) wl_buffer_destroy(buffer_);
}

void PageBuffer::Attach(wl_surface* surface) {
  wl_surface_attach(surface, buffer_, 0, 0);
  in_use_ = true;
}

}  // namespace tandem::outputs
