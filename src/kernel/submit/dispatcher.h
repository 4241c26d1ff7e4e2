// From contexts to nodes: the packet that a node gets next, and its way through the driver.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/submit/context_flow.h"
#include "kernel/submit/memory_waiters.h"
#include "kernel/submit/node_queue.h"
#include "kernel/submit/submit_calls.h"
#include "kernel/submit/timeout_recovery.h"
#include "kernel/submit/work_monitor.h"

namespace tandem::kernel {

// One per adapter; owns its nodes and their timeout recovery. A packet is submitted in the thread that calls here, one thread a
// node at a time. Higher priority goes first, then longer waits; what was preempted goes before what is new. Allocates nothing
// per packet. Threads: any, at PASSIVE_LEVEL unless said.
class Dispatcher final : private NodeQueue::Owner, private TimeoutRecovery::Owner {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // The driver does not use the packet of a context any more. IRQL up to DISPATCH.
    virtual void Recycle(Packet& packet) TANDEM_REQUIRES(work_lock) = 0;
    virtual void MarkLost(DeviceCondition& device, DeviceLoss why) TANDEM_REQUIRES(work_lock) = 0;
    // The adapter was reset. Work of `guilty` hung it, null for none.
    virtual void MarkAllLost(const DeviceCondition* guilty) TANDEM_REQUIRES(work_lock) = 0;
    // Work of a lost device waits to be submitted again.
    virtual void OnLostWork() TANDEM_REQUIRES(work_lock) = 0;
    // Something is to be submitted at PASSIVE_LEVEL. Any thread, under any lock.
    virtual void Wake() = 0;
  };
  enum class Irql : std::uint8_t { kPassive, kDispatch };

  // All four outlive the dispatcher.
  Dispatcher(WorkMonitor& monitor, ContextFlow& contexts, MemoryWaiters& memory, Owner& owner, const TdrSettings& tdr);
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  [[nodiscard]] TimeoutRecovery& recovery() { return recovery_; }

  // Hands packets to the driver while the node has room. Gives the lock up while the driver is called. At kDispatch the owner is
  // woken instead.
  void Dispatch(std::uint32_t node_ordinal, Irql irql) TANDEM_REQUIRES(work_lock);
  void DispatchAll(Irql irql) TANDEM_REQUIRES(work_lock);
  // True when it was about a node. The node was checked when the driver noted the interrupt. IRQL up to DISPATCH.
  bool OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) TANDEM_REQUIRES(work_lock);

  // Some node has work in flight, or to be submitted again.
  [[nodiscard]] bool IsWorking() const TANDEM_REQUIRES(work_lock);
  // A thread is in the driver with a packet of the context.
  [[nodiscard]] bool IsSubmitting(const ContextQueue& context) const TANDEM_REQUIRES(work_lock);
  // The adapter was stopped, and completes nothing of the context any more.
  void GiveUp(const ContextQueue& context) TANDEM_REQUIRES(work_lock);
  // A packet of a lost device that was to be submitted again; null when there is none left.
  [[nodiscard]] Packet* TakeLost() TANDEM_REQUIRES(work_lock);

  // No DMA buffer is in flight between the two calls, for DDIs of level 2: what is ready waits, paging too.
  // STATUS_DEVICE_NOT_READY when an engine still works after kIdleTimeoutNs; Resume is due then, too.
  [[nodiscard]] NTSTATUS Suspend();
  void Resume();
  // Submits a paging buffer to the paging node and waits for it; a reset in between submits it again. STATUS_DEVICE_REMOVED when
  // the adapter is stopped.
  [[nodiscard]] NTSTATUS RunPaging(Packet& packet);
  // Waits until everything that was submitted so far is complete or given up by a reset, or the adapter is stopped.
  void WaitSubmitted();

 private:
  [[nodiscard]] bool HasRoom(const NodeQueue& node) const TANDEM_REQUIRES(work_lock) {
    return suspensions_ == 0 && node.HasRoom();
  }
  // Gives the lock up while the driver is called. The caller watches the node afterwards.
  void Submit(Packet& packet, std::uint32_t node_ordinal, Submission submission) TANDEM_REQUIRES(work_lock);
  void OnPageFault(UINT node_ordinal, UINT fence, DXGK_PAGE_FAULT_FLAGS flags) TANDEM_REQUIRES(work_lock);

  // NodeQueue::Owner
  void OnRetired(Packet& packet) override TANDEM_REQUIRES(work_lock);
  void OnAborted(Packet& packet, const DeviceCondition* guilty) override TANDEM_REQUIRES(work_lock);
  void OnGivenUp(Packet& packet) override TANDEM_REQUIRES(work_lock) { owner_.Recycle(packet); }
  void OnLostWorkTakenBack() override TANDEM_REQUIRES(work_lock) { owner_.OnLostWork(); }
  // TimeoutRecovery::Owner
  [[nodiscard]] NodeQueue& Node(std::uint32_t ordinal) override TANDEM_REQUIRES(work_lock) { return *nodes_[ordinal]; }
  [[nodiscard]] bool IsWanted(std::uint32_t node_ordinal, std::int32_t order) override TANDEM_REQUIRES(work_lock);
  void LoseAllDevices(const DeviceCondition* guilty) override TANDEM_REQUIRES(work_lock) { owner_.MarkAllLost(guilty); }
  void Wake() override { owner_.Wake(); }

  WorkMonitor& monitor_;
  Adapter& adapter_;
  ContextFlow& contexts_;
  MemoryWaiters& memory_;
  Dispatcher::Owner& owner_;
  std::vector<std::unique_ptr<NodeQueue>> nodes_;  // by ordinal; constant
  TimeoutRecovery recovery_;
  std::uint32_t suspensions_ TANDEM_GUARDED_BY(work_lock) = 0;  // Suspend() without Resume(): nothing is submitted
};

}  // namespace tandem::kernel
