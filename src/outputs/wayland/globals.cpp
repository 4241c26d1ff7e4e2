#include "outputs/wayland/globals.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tandem::outputs {
namespace {

constexpr std::size_t kMostFormats = 1024;  // a compositor has a few dozen
constexpr std::uint32_t kModifiersSince = ZWP_LINUX_DMABUF_V1_MODIFIER_SINCE_VERSION;
// Version 6 has buffers for several devices, which the output does not make.
constexpr std::uint32_t kLatestDmaBufs = 5;

}  // namespace

// Formats that are added later change nothing of a window that is shown.
const wl_registry_listener WaylandGlobals::kRegistry{
    [](void* data, wl_registry* registry, std::uint32_t name, const char* interface, std::uint32_t version) {
      static_cast<WaylandGlobals*>(data)->OnGlobal(registry, name, interface, version);
    },
    [](void*, wl_registry*, std::uint32_t) {},
};

const wl_shm_listener WaylandGlobals::kShm{
    [](void* data, wl_shm*, std::uint32_t format) {
      auto& formats = static_cast<WaylandGlobals*>(data)->shm_formats_;
      if (formats.size() < kMostFormats) formats.push_back(format);
    },
};

const wp_presentation_listener WaylandGlobals::kPresentation{
    [](void* data, wp_presentation*, std::uint32_t clock) {
      static_cast<WaylandGlobals*>(data)->presentation_clock_ = static_cast<clockid_t>(clock);
    },
};

void WaylandGlobals::OnGlobal(wl_registry* registry, std::uint32_t name, const char* interface, std::uint32_t version) {
  const std::string_view kind = interface;
  const auto bind = [&](const wl_interface& type, std::uint32_t wanted = 1) {
    return wl_registry_bind(registry, name, &type, wanted);
  };
  if (kind == wl_shm_interface.name && shm_ == nullptr) {
    shm_ = static_cast<wl_shm*>(bind(wl_shm_interface));
    if (shm_ != nullptr) wl_shm_add_listener(shm_, &kShm, this);
  } else if (kind == zwp_linux_dmabuf_v1_interface.name && version >= kModifiersSince && !dma_bufs_) {
    const auto known = static_cast<std::uint32_t>(zwp_linux_dmabuf_v1_interface.version);
    void* proxy = bind(zwp_linux_dmabuf_v1_interface, std::min({version, known, kLatestDmaBufs}));
    if (proxy != nullptr) dma_bufs_ = std::make_unique<WaylandDmaBufs>(events_, static_cast<zwp_linux_dmabuf_v1*>(proxy));
  } else if (kind == wp_presentation_interface.name && presentation_ == nullptr) {
    presentation_ = static_cast<wp_presentation*>(bind(wp_presentation_interface));
    if (presentation_ != nullptr) wp_presentation_add_listener(presentation_, &kPresentation, this);
  } else if (kind == wp_tearing_control_manager_v1_interface.name && tearing_ == nullptr) {
    tearing_ = static_cast<wp_tearing_control_manager_v1*>(bind(wp_tearing_control_manager_v1_interface));
#ifdef TANDEM_WAYLAND_FIFO
  } else if (kind == wp_fifo_manager_v1_interface.name && fifo_ == nullptr) {
    fifo_ = static_cast<wp_fifo_manager_v1*>(bind(wp_fifo_manager_v1_interface));
#endif
  }
}

Result<std::unique_ptr<WaylandGlobals>> WaylandGlobals::Find(WaylandEvents& events) {
  std::unique_ptr<WaylandGlobals> globals(new WaylandGlobals(events));
  wl_display* display = events.StandIn(events.display());
  if (display == nullptr) return Fail(ErrorKind::kOutOfMemory, "There is no memory for a Wayland request.");
  {
    const MutexLock lock(events.mutex());
    globals->registry_ = wl_display_get_registry(display);
    if (globals->registry_ != nullptr) wl_registry_add_listener(globals->registry_, &kRegistry, globals.get());
  }
  WaylandEvents::ReleaseStandIn(display);
  // The first answer names the objects, the second one tells what those that were bound are capable of.
  for (int answer = 0; answer < 2; ++answer) {
    if (auto answered = events.RoundTrip(); !answered.ok()) return std::move(answered).error();
  }
  if (globals->shm_ == nullptr) return Fail(ErrorKind::kUnsupported, "The Wayland compositor has no wl_shm.");
  return globals;
}

WaylandGlobals::~WaylandGlobals() {
  const MutexLock lock(events_.mutex());
  if (!events_.connected()) return;
#ifdef TANDEM_WAYLAND_FIFO
  if (fifo_ != nullptr) wp_fifo_manager_v1_destroy(fifo_);
#endif
  if (tearing_ != nullptr) wp_tearing_control_manager_v1_destroy(tearing_);
  if (presentation_ != nullptr) wp_presentation_destroy(presentation_);
  if (shm_ != nullptr) wl_shm_destroy(shm_);
  if (registry_ != nullptr) wl_registry_destroy(registry_);
}

bool WaylandGlobals::TakesShm(std::uint32_t format) const {
  return format == WL_SHM_FORMAT_ARGB8888 || format == WL_SHM_FORMAT_XRGB8888 ||
         std::ranges::find(shm_formats_, format) != shm_formats_.end();
}

}  // namespace tandem::outputs
