// Requests that tell a compositor when a commit may be shown: tearing-control and fifo.
#pragma once

#include "outputs/wayland/events.h"
#include "outputs/wayland/globals.h"

namespace tandem::outputs {

// A surface has one object of each protocol, which the output makes with the first commit that needs it. A program that makes
// one itself is refused by the compositor, as with a driver's. Created by one thread, destroyed after WaylandEvents::Stop.
class CommitHints {
 public:
  explicit CommitHints(WaylandEvents& events) : events_(events) {}
  ~CommitHints();
  CommitHints(const CommitHints&) = delete;
  CommitHints& operator=(const CommitHints&) = delete;

  // `globals` outlives it.
  void Start(const WaylandGlobals& globals) { globals_ = &globals; }
  // For the next commit, with the lock of the constructor's `events`. `at_once`: it may be shown within a refresh, torn.
  // `in_turn`: the compositor has asked for it, and shows it for a refresh at least.
  void Give(WaylandEvents& events, wl_surface* surface, bool at_once, bool in_turn) TANDEM_REQUIRES(events.mutex());

 private:
  WaylandEvents& events_;
  const WaylandGlobals* globals_ = nullptr;
  wp_tearing_control_v1* tearing_ = nullptr;
  bool tears_ = false;
#ifdef TANDEM_WAYLAND_FIFO
  wp_fifo_v1* fifo_ = nullptr;
#endif
};

}  // namespace tandem::outputs
