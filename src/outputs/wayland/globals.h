// The compositor's global objects that a window is shown with.
#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <vector>

#include "base/result.h"
#include "outputs/wayland/dma_bufs.h"
#include "outputs/wayland/events.h"

namespace tandem::outputs {

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
  // Null where the compositor has none of the following.
  [[nodiscard]] const WaylandDmaBufs* dma_bufs() const { return dma_bufs_.get(); }  // with modifiers
  [[nodiscard]] wp_presentation* presentation() const { return presentation_; }
  [[nodiscard]] clockid_t presentation_clock() const { return presentation_clock_; }
  [[nodiscard]] wp_tearing_control_manager_v1* tearing() const { return tearing_; }
#ifdef TANDEM_WAYLAND_FIFO
  [[nodiscard]] wp_fifo_manager_v1* fifo() const { return fifo_; }
#endif

 private:
  explicit WaylandGlobals(WaylandEvents& events) : events_(events) {}
  void OnGlobal(wl_registry* registry, std::uint32_t name, const char* interface, std::uint32_t version);
  static const wl_registry_listener kRegistry;
  static const wl_shm_listener kShm;
  static const wp_presentation_listener kPresentation;

  WaylandEvents& events_;
  wl_registry* registry_ = nullptr;
  wl_shm* shm_ = nullptr;
  std::unique_ptr<WaylandDmaBufs> dma_bufs_;
  wp_presentation* presentation_ = nullptr;
  wp_tearing_control_manager_v1* tearing_ = nullptr;
#ifdef TANDEM_WAYLAND_FIFO
  wp_fifo_manager_v1* fifo_ = nullptr;
#endif
  // Filled while Find waits, and not changed afterwards.
  std::vector<std::uint32_t> shm_formats_;
  clockid_t presentation_clock_ = CLOCK_MONOTONIC;
};

}  // namespace tandem::outputs
