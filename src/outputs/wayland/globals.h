// The compositor's global objects that a window is shown with.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "outputs/wayland/events.h"

namespace tandem::outputs {

inline constexpr std::uint32_t kDrmFormatXrgb8888 = 0x34325258;  // "XR24"

// Destroyed after WaylandEvents::Stop. `events` outlives it.
class WaylandGlobals {
 public:
  // Waits for the compositor. kUnsupported when it has no wl_shm, kSurfaceLost when it does not answer.
  static Result<std::unique_ptr<WaylandGlobals>> Find(WaylandEvents& events);
  ~WaylandGlobals();
  WaylandGlobals(const WaylandGlobals&) = delete;
  WaylandGlobals& operator=(const WaylandGlobals&) = delete;

  [[nodiscard]] wl_shm* shm() const { return shm_; }
  // True if the compositor reads such pixels, an enumerator of wl_shm_format, out of shared memory.
  [[nodiscard]] bool TakesShm(std::uint32_t format) const;
  [[nodiscard]] zwp_linux_dmabuf_v1* dmabuf() const { return dmabuf_; }  // null when there is none with modifiers
  // True if the compositor reads linear dma-bufs of this DRM format.
  [[nodiscard]] bool TakesLinearDmaBufs(std::uint32_t fourcc) const;
  [[nodiscard]] wp_presentation* presentation() const { return presentation_; }  // null when there is none
  // The period of the first output's mode; 60 Hz if it reports none.
  [[nodiscard]] std::int64_t refresh_period_ns() const { return refresh_period_ns_; }

 private:
  explicit WaylandGlobals(WaylandEvents& events) : events_(events) {}
  void OnGlobal(wl_registry* registry, std::uint32_t name, const char* interface, std::uint32_t version);
  static const wl_registry_listener kRegistry;
  static const wl_shm_listener kShm;
  static const wl_output_listener kOutput;
  static const zwp_linux_dmabuf_v1_listener kDmaBuf;

  WaylandEvents& events_;
  wl_registry* registry_ = nullptr;
  wl_shm* shm_ = nullptr;
  zwp_linux_dmabuf_v1* dmabuf_ = nullptr;
  wp_presentation* presentation_ = nullptr;
  wl_output* output_ = nullptr;
  // Filled while Find waits, and not changed afterwards.
  std::vector<std::uint32_t> shm_formats_;
  std::vector<std::uint32_t> linear_formats_;
  std::int64_t refresh_period_ns_ = 16'666'667;
};

}  // namespace tandem::outputs
