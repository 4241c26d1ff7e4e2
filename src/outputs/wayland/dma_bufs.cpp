#include "outputs/wayland/dma_bufs.h"

#include "base/dma_buf.h"
#include "base/memory_map.h"

namespace tandem::outputs {
namespace {

constexpr std::int64_t kAnswerNs = 10'000'000'000;
constexpr std::uint32_t kProbeExtent = 32;
constexpr std::uint32_t kProbePitch = 256;

struct Answer {
  bool arrived = false;
  wl_buffer* buffer = nullptr;
};

const zwp_linux_buffer_params_v1_listener kListener{
    [](void* data, zwp_linux_buffer_params_v1*, wl_buffer* buffer) {
      *static_cast<Answer*>(data) = {true, buffer};
    },
    [](void* data, zwp_linux_buffer_params_v1*) {
      *static_cast<Answer*>(data) = {true, nullptr};
    },
};

}  // namespace

Result<wl_buffer*> CreateDmaBuffer(WaylandEvents& events, const WaylandGlobals& globals, const DmaBufLayout& layout) {
  if (!globals.TakesLinearDmaBufs(layout.fourcc)) {
    return Fail(ErrorKind::kUnsupported, "The Wayland compositor takes no linear dma-bufs of format 0x{:08x}.", layout.fourcc);
  }
  auto bytes = RoundUpToPages(std::size_t{layout.pitch} * layout.height);
  if (!bytes.ok()) return std::move(bytes).error();
  auto dma_buf = CreateDmaBuf(layout.fd, layout.offset, *bytes);
  if (!dma_buf.ok()) return Error{ErrorKind::kUnsupported, dma_buf.error().message};
  Answer answer;
  MutexLock lock(events.mutex());
  zwp_linux_buffer_params_v1* params = zwp_linux_dmabuf_v1_create_params(globals.dmabuf());
  if (params == nullptr) return Fail(ErrorKind::kOutOfMemory, "There is no memory for a Wayland request.");
  zwp_linux_buffer_params_v1_add_listener(params, &kListener, &answer);
  zwp_linux_buffer_params_v1_add(params, dma_buf->get(), 0, 0, layout.pitch, 0, 0 /* the linear modifier */);
  // The form without an answer would end the program's connection where the compositor refuses.
  zwp_linux_buffer_params_v1_create(params, static_cast<std::int32_t>(layout.width), static_cast<std::int32_t>(layout.height),
                                    layout.fourcc, 0);
  lock.Unlock();
  auto sent = events.Flush();
  lock.Lock();
  if (sent.ok()) events.WaitFor(lock, kAnswerNs, [&answer] { return answer.arrived; });
  if (events.connected()) zwp_linux_buffer_params_v1_destroy(params);
  if (!sent.ok()) return std::move(sent).error();
  if (answer.buffer != nullptr) return answer.buffer;
  if (!answer.arrived) return Fail(ErrorKind::kSurfaceLost, "The Wayland compositor has not answered for ten seconds.");
  return Fail(ErrorKind::kUnsupported, "The Wayland compositor refuses a dma-buf of {} x {} pixels.", layout.width,
              layout.height);
}

std::string WhyNoDmaBufs(WaylandEvents& events, const WaylandGlobals& globals) {
  auto pages = CreateSharedPages("tandem-wayland-probe", std::size_t{kProbePitch} * kProbeExtent);
  if (!pages.ok()) return pages.error().message;
  auto buffer = CreateDmaBuffer(events, globals, {pages->get(), 0, kProbeExtent, kProbeExtent, kProbePitch, kDrmFormatXrgb8888});
  if (!buffer.ok()) return buffer.error().message;
  const MutexLock lock(events.mutex());
  if (events.connected()) wl_buffer_destroy(*buffer);
  return {};
}

}  // namespace tandem::outputs
