// The packets that the driver has of one node, and the fences that say how far they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/ring.h"
#include "kernel/submit/context_queue.h"
#include "kernel/submit/limits.h"
#include "kernel/submit/packet.h"
#include "kernel/submit/work_monitor.h"

namespace tandem::kernel {

// Fence ids are 32 bits wide and wrap.
[[nodiscard]] inline bool IsLater(UINT fence, UINT other) { return static_cast<INT>(fence - other) > 0; }

// Packets go in flight in the order of their fences. They leave when the driver reports them complete, gives them back after a
// preemption, or a reset gives them up. Reports of the driver are checked. Allocates nothing. Threads: any, up to DISPATCH_LEVEL.
class NodeQueue {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // The packet is complete.
    virtual void OnRetired(Packet& packet) TANDEM_REQUIRES(work_lock) = 0;
    // A reset gave the packet up; work of `guilty` hung the engine, null for none.
    virtual void OnAborted(Packet& packet, const DeviceCondition* guilty) TANDEM_REQUIRES(work_lock) = 0;
    // The adapter was stopped, and its driver never completes the packet.
    virtual void OnGivenUp(Packet& packet) TANDEM_REQUIRES(work_lock) = 0;
    // Work of a lost device waits to be submitted again.
    virtual void OnLostWorkTakenBack() TANDEM_REQUIRES(work_lock) = 0;
  };
  // A packet that the driver has.
  struct InFlight {
    Packet* packet = nullptr;  // null: given up when the adapter was stopped
    UINT fence = 0;
  };

  // Both outlive the queue.
  NodeQueue(WorkMonitor& monitor, Owner& owner, std::uint32_t ordinal);
  NodeQueue(const NodeQueue&) = delete;
  NodeQueue& operator=(const NodeQueue&) = delete;

  // The driver takes one more packet now.
  [[nodiscard]] bool HasRoom() const TANDEM_REQUIRES(work_lock);
  [[nodiscard]] bool empty() const TANDEM_REQUIRES(work_lock) { return in_flight_.empty(); }
  // A packet is in flight, or waits to be submitted again.
  [[nodiscard]] bool has_work() const TANDEM_REQUIRES(work_lock) { return !in_flight_.empty() || !preempted_.empty(); }
  // The engine works, or the driver is called about it.
  [[nodiscard]] bool busy() const TANDEM_REQUIRES(work_lock);
  [[nodiscard]] UINT last_submitted() const TANDEM_REQUIRES(work_lock) { return last_submitted_; }
  [[nodiscard]] UINT last_completed() const TANDEM_REQUIRES(work_lock) { return last_completed_; }
  // Work that was submitted up to `fence` is neither complete nor given up. Preempted work comes again with a later fence.
  [[nodiscard]] bool IsPending(UINT fence) const TANDEM_REQUIRES(work_lock);
  // The oldest fence in flight; that of the last submission when nothing is.
  [[nodiscard]] UINT front_fence() TANDEM_REQUIRES(work_lock);
  // The packet that runs, and its device; null when there is none. Paging has no device.
  [[nodiscard]] const Packet* Front() TANDEM_REQUIRES(work_lock);
  [[nodiscard]] const DeviceCondition* FrontDevice() TANDEM_REQUIRES(work_lock);

  // The preempted packet that is to be submitted next: the oldest of the highest order, of one context the first. Null for none.
  [[nodiscard]] Packet* NextPreempted() TANDEM_REQUIRES(work_lock);
  void TakePreempted(const Packet& packet) TANDEM_REQUIRES(work_lock);
  // Takes a preempted packet of a lost device out; null when there is none.
  [[nodiscard]] Packet* TakeLost() TANDEM_REQUIRES(work_lock);

  // The driver is called between the two calls, without the lock. The packet gets its fence; it is complete after EndSubmit at
  // the earliest. Nothing else is submitted, preempted or reset meanwhile.
  void BeginSubmit(Packet& packet) TANDEM_REQUIRES(work_lock);
  void EndSubmit() TANDEM_REQUIRES(work_lock);
  // The packet between the two calls, or null.
  [[nodiscard]] const Packet* submitting() const TANDEM_REQUIRES(work_lock) { return submitting_; }

  // Interrupts. OnPreempted takes what is in flight back, to be submitted again before everything else of its contexts.
  void OnCompleted(UINT fence) TANDEM_REQUIRES(work_lock);
  void OnPreempted(UINT preemption_fence, UINT last_completed_fence) TANDEM_REQUIRES(work_lock);
  // The packet in flight that a page fault is about. Nothing when the report is late, or wrong.
  [[nodiscard]] std::optional<InFlight> FindFaulted(UINT fence, DXGK_PAGE_FAULT_FLAGS flags) TANDEM_REQUIRES(work_lock);
  // DxgkDdiQueryCurrentFence named `fence`, whose interrupt may still come. True when that completed work.
  [[nodiscard]] bool OnAsked(UINT fence) TANDEM_REQUIRES(work_lock);
  // Everything in flight up to `fence` is over.
  void Complete(UINT fence) TANDEM_REQUIRES(work_lock);

  // PreemptionFenceId of a new request. Nothing is submitted until it is answered, or given up.
  [[nodiscard]] UINT BeginPreemption() TANDEM_REQUIRES(work_lock);
  void GiveUpPreemption() TANDEM_REQUIRES(work_lock) { preempting_ = false; }
  [[nodiscard]] bool preempting() const TANDEM_REQUIRES(work_lock) { return preempting_; }
  [[nodiscard]] UINT preemptions() const TANDEM_REQUIRES(work_lock) { return preemptions_; }
  // The engine stands since `since_ns`, as if it had not answered a preemption.
  void Halt(std::int64_t since_ns) TANDEM_REQUIRES(work_lock);

  // The time of the last preemption request, or at which the front packet became the first. Nothing when no engine is to be
  // watched: it is idle or being reset, or a submitter looks when its call has returned.
  [[nodiscard]] std::optional<std::int64_t> WatchedSince() const TANDEM_REQUIRES(work_lock);
  // A packet in flight of higher order waits behind the front one.
  [[nodiscard]] bool IsFrontOvertaken() TANDEM_REQUIRES(work_lock);

  // Nothing is submitted while the node is being reset, and reports of its engine are ignored.
  void SetResetting(bool resetting) TANDEM_REQUIRES(work_lock) { resetting_ = resetting; }
  // `last_aborted` lies within the fences that were submitted and are not complete.
  [[nodiscard]] bool MayAbort(UINT last_aborted) const TANDEM_REQUIRES(work_lock);
  [[nodiscard]] bool HasPagingUpTo(UINT last_aborted) TANDEM_REQUIRES(work_lock);
  // Work up to the fence is given up. Paging, and what is behind, is submitted again.
  void Abort(UINT last_aborted, const DeviceCondition* guilty) TANDEM_REQUIRES(work_lock);
  // The packets of `context`, or `packet` alone, leave the node of a stopped adapter.
  void GiveUp(const ContextQueue* context, const Packet* packet) TANDEM_REQUIRES(work_lock);

 private:
  [[nodiscard]] bool IsInFlight(UINT fence) TANDEM_REQUIRES(work_lock);
  void RetireCompleted() TANDEM_REQUIRES(work_lock);
  void TakeBack() TANDEM_REQUIRES(work_lock);

  WorkMonitor& monitor_;
  Adapter& adapter_;
  Owner& owner_;
  const std::uint32_t ordinal_;
  const std::uint32_t most_in_flight_;
  UINT last_submitted_ TANDEM_GUARDED_BY(work_lock) = 0;
  UINT last_completed_ TANDEM_GUARDED_BY(work_lock) = 0;
  UINT asked_ TANDEM_GUARDED_BY(work_lock) = 0;  // OnAsked's fence while interrupts up to it may come; 0: none
  Ring<InFlight, kMaxInFlight> in_flight_ TANDEM_GUARDED_BY(work_lock);
  const Packet* submitting_ TANDEM_GUARDED_BY(work_lock) = nullptr;
  std::int64_t front_since_ns_ TANDEM_GUARDED_BY(work_lock) = 0;
  Ring<Packet*, kMaxPreempted> preempted_ TANDEM_GUARDED_BY(work_lock);  // to be submitted again, in this order
  UINT preemptions_ TANDEM_GUARDED_BY(work_lock) = 0;                    // PreemptionFenceId of the last request
  bool preempting_ TANDEM_GUARDED_BY(work_lock) = false;
  std::int64_t preempting_since_ns_ TANDEM_GUARDED_BY(work_lock) = 0;
  bool resetting_ TANDEM_GUARDED_BY(work_lock) = false;
};

}  // namespace tandem::kernel
