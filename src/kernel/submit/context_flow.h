// The contexts of one adapter, and the order in which their operations are reached.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/submit/context_queue.h"
#include "kernel/submit/flip_ledger.h"
#include "kernel/submit/work_monitor.h"

namespace tandem::kernel {

// Operations of a context are reached in order. A packet waits there for its node; a wait holds back what is behind it; signals
// and flips step aside until the packets before them are complete. Allocates nothing per operation. Threads: any, up to
// DISPATCH_LEVEL.
class ContextFlow {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // A packet was queued and will not be submitted.
    virtual void OnCancelled(Packet& packet) TANDEM_REQUIRES(work_lock) = 0;
  };

  // Both outlive the object.
  ContextFlow(FlipLedger& flips, Owner& owner) : flips_(flips), owner_(owner) {}
  ContextFlow(const ContextFlow&) = delete;
  ContextFlow& operator=(const ContextFlow&) = delete;

  void Add(ContextQueue& context) TANDEM_REQUIRES(work_lock) { contexts_.push_back(&context); }
  void Remove(const ContextQueue& context) TANDEM_REQUIRES(work_lock) { std::erase(contexts_, &context); }
  [[nodiscard]] std::span<ContextQueue* const> all() const TANDEM_REQUIRES(work_lock) { return contexts_; }

  // Reaches what can be reached.
  void Advance(ContextQueue& context) TANDEM_REQUIRES(work_lock);
  // Signals whose packets and flips are complete are sent.
  void CompleteSignals(ContextQueue& context) TANDEM_REQUIRES(work_lock);
  // The context whose front packet the node takes next: the one that waits longest among those of the highest order. Null when
  // none is ready.
  [[nodiscard]] ContextQueue* Next(std::uint32_t node_ordinal) TANDEM_REQUIRES(work_lock);
  // The front packet of the context leaves its queue, for its node.
  [[nodiscard]] Packet& TakeFront(ContextQueue& context) TANDEM_REQUIRES(work_lock);
  // Drops what is queued and not submitted.
  void Drop(ContextQueue& context) TANDEM_REQUIRES(work_lock);
  // The device is lost: whoever waits for what the context would have signalled waits no longer.
  void LoseFences(ContextQueue& context) TANDEM_REQUIRES(work_lock);

 private:
  // False: the front operation stays.
  [[nodiscard]] bool Reach(ContextQueue& context, Operation& operation) TANDEM_REQUIRES(work_lock);
  [[nodiscard]] bool ReachWait(ContextQueue& context, Operation& operation) TANDEM_REQUIRES(work_lock);

  FlipLedger& flips_;
  Owner& owner_;
  std::vector<ContextQueue*> contexts_ TANDEM_GUARDED_BY(work_lock);
  std::uint64_t ready_count_ TANDEM_GUARDED_BY(work_lock) = 0;
};

}  // namespace tandem::kernel
