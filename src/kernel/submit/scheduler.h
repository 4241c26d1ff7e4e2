// The order of work on one adapter: contexts feed nodes, interrupts complete packets, fences and flips follow.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/thread.h"
#include "kernel/adapter/adapter.h"
#include "kernel/submit/allocation_uses.h"
#include "kernel/submit/context_flow.h"
#include "kernel/submit/context_queue.h"
#include "kernel/submit/dispatcher.h"
#include "kernel/submit/flip_ledger.h"
#include "kernel/submit/limits.h"
#include "kernel/submit/memory_waiters.h"
#include "kernel/submit/mode_gate.h"
#include "kernel/submit/timeout_recovery.h"
#include "kernel/submit/work_monitor.h"
#include "kernel/submit/worker.h"

namespace tandem::kernel {

// One per adapter. A context's operations happen in order. A packet goes to its node when the node has room, in the thread that
// queued it unless another thread is submitting there; higher priority goes first, then longer waits. A signal follows when all
// earlier packets are complete and all earlier flips on the screen. A flip goes to the flip queue when all earlier packets are
// complete. A packet that runs for too long is preempted and submitted again. An engine that does not let itself be preempted is
// reset, and the devices whose work was on it are lost.
// Allocates nothing per operation. Threads: any for the public part, at PASSIVE_LEVEL unless said. A worker thread submits what
// an interrupt made possible.
class Scheduler final : public InterruptSink,
                        private MemoryWaiters::Owner,
                        private ContextFlow::Owner,
                        private Dispatcher::Owner,
                        private Worker::Owner {
 public:
  // The adapter outlives the scheduler.
  [[nodiscard]] static Result<std::unique_ptr<Scheduler>> Create(Adapter& adapter, const TdrSettings& tdr);
  // No context is left.
  ~Scheduler() override;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  [[nodiscard]] Adapter& adapter() const { return adapter_; }
  [[nodiscard]] FlipLedger& flips() { return flips_; }
  [[nodiscard]] ModeGate& modes() { return modes_; }
  [[nodiscard]] MemoryWaiters& memory() { return memory_; }
  [[nodiscard]] Dispatcher& dispatcher() { return dispatcher_; }
  [[nodiscard]] TimeoutRecovery& recovery() { return dispatcher_.recovery(); }
  [[nodiscard]] AllocationUses& uses() { return uses_; }

  // A device hears of resets from the first call to the second; its contexts are gone by then.
  void AddDevice(DeviceCondition& device);
  void RemoveDevice(DeviceCondition& device);
  // Drops the work that its contexts have queued. IRQL up to DISPATCH.
  void LoseDevice(DeviceCondition& device, DeviceLoss why);
  // kLowestPriority to kHighestPriority; for what is not submitted yet. kInProcess orders those of one kScheduling.
  enum class PriorityKind : std::uint8_t { kScheduling, kInProcess };
  void SetPriority(ContextQueue& context, PriorityKind kind, std::int32_t priority);
  [[nodiscard]] std::int32_t PriorityOf(ContextQueue& context, PriorityKind kind);

  void AddContext(ContextQueue& context);
  // Drops what the context has queued and not submitted, waits for the rest: an engine that hangs is reset in the end. False when
  // a call of the driver does not come back: it may use what the context has.
  [[nodiscard]] bool RemoveContext(ContextQueue& context);

  // Blocks while all DMA buffers of the context are in use. STATUS_DEVICE_REMOVED when the adapter goes or MarkLost() was called,
  // STATUS_NO_MEMORY when the packet's guards cannot be made.
  // This and everything that queues answers DeviceCondition::status() of a lost device.
  // With kAnswer STATUS_DEVICE_NOT_READY instead of blocking.
  enum class WhenNone : std::uint8_t { kWait, kAnswer };
  [[nodiscard]] NTSTATUS AcquirePacket(ContextQueue& context, Packet*& packet, WhenNone when_none = WhenNone::kWait);
  // Gives an acquired packet back unused.
  void ReleasePacket(Packet& packet);
  // The packet goes back to its pool on failure. STATUS_INSUFFICIENT_RESOURCES when kMaxQueuedOperations are waiting.
  // STATUS_GRAPHICS_NO_VIDEO_MEMORY when its allocations can never be resident together and no split helps, or an earlier packet
  // of the context found no memory. A packet that must be split takes further packets of the context, as AcquirePacket. `fill`,
  // the lock under which it was filled, is given up meanwhile.
  [[nodiscard]] NTSTATUS QueuePacket(Packet& packet, MutexLock& fill);
  [[nodiscard]] NTSTATUS QueueSignal(ContextQueue& context, std::shared_ptr<Fence> fence, std::uint64_t value);
  [[nodiscard]] NTSTATUS QueueWait(ContextQueue& context, std::shared_ptr<Fence> fence, std::uint64_t value);
  // Takes a place of FlipLedger::Reserve, whatever it answers. The caller has pinned the surface; the flip pins it once more,
  // until another surface has replaced it on the screen.
  [[nodiscard]] NTSTATUS QueueFlip(ContextQueue& context, const PendingFlip& flip);

  // Waits until the packets that the context queued so far are complete, `timeout_ns` at most: STATUS_TIMEOUT.
  [[nodiscard]] NTSTATUS WaitForPackets(ContextQueue& context, std::int64_t timeout_ns);
  // Nothing of the context is queued or runs.
  [[nodiscard]] bool IsIdle(ContextQueue& context);
  // The source shows nothing any more: its flips count as retired, and the surface on the screen is unused.
  void DropFlips(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source);

  // Everybody who blocks here for a packet returns; from now on nobody blocks for one.
  void MarkLost();
  // The flip with that cookie, and all earlier ones of the source, are done. DPC thread.
  void OnFlipRetired(std::uint32_t vidpn_source, std::uint64_t cookie);
  // The worker looks for something to do. Any thread, any IRQL up to DISPATCH, under any lock.
  void Wake() override { worker_.Wake(); }

  void OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) override;
  void OnDpc() override { recovery().OnDpc(); }
  void OnAdapterLost() override;

 private:
  using Irql = Dispatcher::Irql;

  Scheduler(Adapter& adapter, const TdrSettings& tdr);

  // AcquirePacket without the packet's guards.
  [[nodiscard]] NTSTATUS TakeFree(ContextQueue& context, Packet*& packet, WhenNone when_none);
  [[nodiscard]] NTSTATUS QueueWhole(Packet& packet);
  [[nodiscard]] NTSTATUS QueueInPieces(Packet& packet);
  [[nodiscard]] NTSTATUS Push(ContextQueue& context, Operation operation);
  void AdvanceAll(Irql irql) TANDEM_REQUIRES(work_lock);
  // DxgkDdiCancelCommand for cancelled packets. PASSIVE_LEVEL; gives the lock up while the driver is called.
  void TellCancelled() TANDEM_REQUIRES(work_lock);
  void DropLostWork() TANDEM_REQUIRES(work_lock);

  // MemoryWaiters::Owner
  [[nodiscard]] std::span<ContextQueue* const> Contexts() override TANDEM_REQUIRES(work_lock) { return contexts_.all(); }
  void OnAnswered(ContextQueue& context) override TANDEM_REQUIRES(work_lock);
  void OnReturned() override TANDEM_REQUIRES(work_lock);
  // ContextFlow::Owner
  void OnCancelled(Packet& packet) override TANDEM_REQUIRES(work_lock);
  // Dispatcher::Owner
  void Recycle(Packet& packet) override TANDEM_REQUIRES(work_lock);
  void MarkLost(DeviceCondition& device, DeviceLoss why) override TANDEM_REQUIRES(work_lock);
  void MarkAllLost(const DeviceCondition* guilty) override TANDEM_REQUIRES(work_lock);
  void OnLostWork() override TANDEM_REQUIRES(work_lock);
  // Worker::Owner
  void Work() override;

  Adapter& adapter_;
  WorkMonitor monitor_;
  MemoryWaiters memory_;
  FlipLedger flips_;
  ModeGate modes_;
  ContextFlow contexts_;
  Dispatcher dispatcher_;
  AllocationUses uses_;
  Worker worker_;
  std::vector<DeviceCondition*> devices_ TANDEM_GUARDED_BY(work_lock);
  Packet* first_cancelled_ TANDEM_GUARDED_BY(work_lock) = nullptr;  // TellCancelled has to name them, by Packet::next
  Packet* last_cancelled_ TANDEM_GUARDED_BY(work_lock) = nullptr;
  bool work_lost_ TANDEM_GUARDED_BY(work_lock) = false;  // a device was lost, and its contexts have something queued
};

}  // namespace tandem::kernel
