// One node's share of the adapter's emulated link: a packet is complete when the bytes that it wrote have arrived.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/emulated_link.h"

namespace tandem::drivers {

// Threads: Holds and Send the node's own; Arrived the link's; the others any.
class NodeLink {
 public:
  // `link` is null for an adapter without one, and outlives this until Flush() or its own end.
  NodeLink(EmulatedLink* link, std::uint32_t node) : link_(link), node_(node) {}

  [[nodiscard]] const EmulatedLink* link() const { return link_; }
  [[nodiscard]] bool idle() const { return count_.load(std::memory_order_acquire) == 0; }
  // Counts a packet that put `bytes` on the link, or comes behind one that did. False: the packet is complete now.
  [[nodiscard]] bool Holds(std::uint64_t bytes) {
    if (link_ == nullptr || (bytes == 0 && idle())) return false;
    count_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  // Sends the packet that Holds() counted. `meter` lives until the packet has arrived; null: nobody counts.
  void Send(std::uint32_t fence, std::uint64_t bytes, PassMeter* meter) {
    link_->Send(std::uint64_t{node_} << 32 | fence, bytes, meter);
  }
  void Arrived() { count_.fetch_sub(1, std::memory_order_release); }
  // Delivers everything at once.
  void Flush() {
    if (!idle()) link_->Flush();
  }

 private:
  EmulatedLink* const link_;
  const std::uint32_t node_;
  std::atomic<std::uint32_t> count_{0};
};

// Calls `engines[node]->Arrived(fence)` for each packet that arrives. Null for 0 bytes a second. kInvalidArgument, kLimit. The
// engines outlive the link.
template <class Engine, std::size_t kNodes>
[[nodiscard]] Result<std::unique_ptr<EmulatedLink>> StartLink(std::uint64_t bytes_per_second,
                                                              std::array<std::unique_ptr<Engine>, kNodes>& engines) {
  if (bytes_per_second == 0) return std::unique_ptr<EmulatedLink>();
  return EmulatedLink::Start(bytes_per_second, MonotonicClock(), [&engines](std::uint64_t ticket) {
    engines[ticket >> 32]->Arrived(static_cast<std::uint32_t>(ticket));
  });
}

}  // namespace tandem::drivers
