#include "outputs/wayland/commit_hints.h"

namespace tandem::outputs {

CommitHints::~CommitHints() {
  const MutexLock lock(events_.mutex());
  if (!events_.connected()) return;
  if (tearing_ != nullptr) wp_tearing_control_v1_destroy(tearing_);
#ifdef TANDEM_WAYLAND_FIFO
  if (fifo_ != nullptr) wp_fifo_v1_destroy(fifo_);
#endif
}

void CommitHints::Give(WaylandEvents& /*events*/, wl_surface* surface, bool at_once, [[maybe_unused]] bool in_turn) {
  if (at_once != tears_ && globals_->tearing() != nullptr) {
    if (tearing_ == nullptr) tearing_ = wp_tearing_control_manager_v1_get_tearing_control(globals_->tearing(), surface);
    if (tearing_ != nullptr) {
      tears_ = at_once;
      wp_tearing_control_v1_set_presentation_hint(
          tearing_, at_once ? WP_TEARING_CONTROL_V1_PRESENTATION_HINT_ASYNC : WP_TEARING_CONTROL_V1_PRESENTATION_HINT_VSYNC);
    }
  }
#ifdef TANDEM_WAYLAND_FIFO
  // Frames that nobody asked for, of a hidden window, would pile up behind the barrier.
  if (at_once || !in_turn || globals_->fifo() == nullptr) return;
  if (fifo_ == nullptr) fifo_ = wp_fifo_manager_v1_get_fifo(globals_->fifo(), surface);
  if (fifo_ == nullptr) return;
  wp_fifo_v1_wait_barrier(fifo_);
  wp_fifo_v1_set_barrier(fifo_);
#endif
}

}  // namespace tandem::outputs
