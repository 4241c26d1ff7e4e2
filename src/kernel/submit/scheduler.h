// The order of work on one adapter: contexts feed nodes, interrupts complete packets, fences and flips follow.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/ring.h"
#include "base/thread.h"
#include "kernel/adapter/adapter.h"
#include "kernel/adapter/timeout_watch.h"
#include "kernel/submit/context_queue.h"
#include "kernel/submit/limits.h"

namespace tandem::kernel {

// Nodes that the scheduler has room for; an adapter with more is not scheduled beyond.
inline constexpr std::uint32_t kMaxScheduledNodes = kMaxNodes;
inline constexpr std::uint32_t kMaxFlipSources = 16;

// One per adapter. A context's operations happen in order: packets go to its node when the node has room (synchronously, in the
// thread that queued them, unless another thread is submitting to the node), those of higher priority first, then those that wait
// for longer; signals follow when all earlier packets are complete and all earlier flips on the screen, waits hold back what is
// behind them, flips go to the flip queue when all earlier packets are complete. A packet that runs for too long is preempted and
// submitted again; an engine that does not let itself be preempted is reset, and the devices whose work was on it are lost.
// Allocates nothing per operation. Threads: any for the public part, at PASSIVE_LEVEL unless said. A worker thread submits what
// an interrupt made possible. The lock is held across no call that waits at the gate (levels 0 to 3): the DPC thread takes it.
class Scheduler final : public InterruptSink, public TimeoutWatch::Owner {
 public:
  class FlipHost {
   public:
    virtual ~FlipHost() = default;
    // Both under the scheduler's lock. QueueFlip: up to DISPATCH_LEVEL; gives `cookie` back to Scheduler::OnFlipRetired later, by
    // another thread. `driver_context` is the driver's handle of the context that presents.
    virtual NTSTATUS QueueFlip(const PendingFlip& flip, HANDLE driver_context, std::uint64_t cookie) = 0;
    // The driver's context goes: flips that were queued and are not programmed yet name none.
    virtual void ForgetContext(HANDLE driver_context) = 0;
  };

  // Makes allocations resident for what is submitted.
  class MemoryHost {
   public:
    virtual ~MemoryHost() = default;
    // STATUS_GRAPHICS_NO_VIDEO_MEMORY when all of them together can never be resident. PASSIVE_LEVEL.
    [[nodiscard]] virtual NTSTATUS CheckFits(std::span<Allocation* const> allocations) = 0;
    // The same as a question, which no log hears of.
    [[nodiscard]] virtual bool CanFit(std::span<Allocation* const> allocations) = 0;
    // A packet waits for memory: TakeMemoryWaiters finds it. Under the scheduler's lock, up to DISPATCH_LEVEL; must not block.
    virtual void OnMemoryWanted() = 0;
  };

  // The adapter outlives the scheduler.
  [[nodiscard]] static Result<std::unique_ptr<Scheduler>> Create(Adapter& adapter, const TdrSettings& tdr);
  // No context is left.
  ~Scheduler() override;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  [[nodiscard]] Adapter& adapter() const { return adapter_; }
  // Null until the presenter is there, and again before it goes.
  void SetFlipHost(FlipHost* host);
  // Null: what is not resident is never submitted.
  void SetMemoryHost(MemoryHost* host);

  // A device hears of resets from the first call to the second; its contexts are gone by then.
  void AddDevice(DeviceCondition& device);
  void RemoveDevice(DeviceCondition& device);
  // What its contexts have queued is dropped. IRQL up to DISPATCH.
  void LoseDevice(DeviceCondition& device, DeviceLoss why);
  // kLowestPriority to kHighestPriority; for what is not submitted yet. kInProcess orders those of one kScheduling.
  enum class PriorityKind : std::uint8_t { kScheduling, kInProcess };
  void SetPriority(ContextQueue& context, PriorityKind kind, std::int32_t priority);
  [[nodiscard]] std::int32_t PriorityOf(ContextQueue& context, PriorityKind kind);
  [[nodiscard]] std::vector<TimeoutReport> Timeouts();

  // What a test may ask of timeout detection (D3DKMTEscape). kEngine: of that node, or of the adapter where engines cannot be
  // reset alone. The reset comes soon, on the watch's thread, whether something runs or not; it counts as a timeout.
  enum class ForcedReset : std::uint8_t { kEngine, kAdapter };
  // False while detection is off.
  [[nodiscard]] bool ForceReset(ForcedReset what, std::uint32_t node_ordinal);
  // See Kernel::Preempt.
  [[nodiscard]] bool ForcePreemption(std::uint32_t node_ordinal);
  // See Kernel::QueryFence; the status is the driver's.
  [[nodiscard]] NTSTATUS QueryFence(std::uint32_t node_ordinal, FenceProgress& progress);
  void SetDetection(bool on);  // as the settings have it, or off
  void SetTimeoutLimit(std::uint32_t count, std::int64_t time_ns);

  void AddContext(ContextQueue& context);
  // Drops what the context has queued and not submitted, waits for the rest: an engine that hangs is reset in the end. False when
  // a call of the driver does not come back: it may use what the context has.
  [[nodiscard]] bool RemoveContext(ContextQueue& context);

  // Blocks while all DMA buffers of the context are in use. STATUS_DEVICE_REMOVED when the adapter goes or Lose() was called.
  // This and everything that queues answers DeviceCondition::status() of a lost device.
  [[nodiscard]] NTSTATUS AcquirePacket(ContextQueue& context, Packet*& packet);
  // Gives an acquired packet back unused.
  void ReleasePacket(Packet& packet);
  // STATUS_INSUFFICIENT_RESOURCES when kMaxQueuedOperations are waiting, STATUS_GRAPHICS_NO_VIDEO_MEMORY when what the packet
  // uses can never be resident together and its driver allows no split that helps, or an earlier packet of the context found no
  // memory; the packet then goes back to its pool. One that must be split takes further packets of the context, as
  // AcquirePacket, and gives `fill` up meanwhile, the lock under which the packet was filled.
  [[nodiscard]] NTSTATUS QueuePacket(Packet& packet, MutexLock& fill);
  [[nodiscard]] NTSTATUS QueueSignal(ContextQueue& context, std::shared_ptr<Fence> fence, std::uint64_t value);
  [[nodiscard]] NTSTATUS QueueWait(ContextQueue& context, std::shared_ptr<Fence> fence, std::uint64_t value);
  // A place for one more flip of the source. While kMaxPendingFlips are not on the screen, kWait waits until one is, and kRefuse
  // answers STATUS_DEVICE_NOT_READY.
  enum class FullQueue : std::uint8_t { kWait, kRefuse };
  [[nodiscard]] NTSTATUS ReserveFlip(ContextQueue& context, D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, FullQueue when_full);
  // Gives a place back that QueueFlip did not take.
  void ReleaseFlip(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source);
  // Takes a place, whatever it answers. The surface is pinned by the caller; the flip pins it once more, until another surface
  // has replaced it on the screen.
  [[nodiscard]] NTSTATUS QueueFlip(ContextQueue& context, const PendingFlip& flip);

  // Bit N of `sources`: VidPn source N. Between the two the caller builds commands for the modes of these sources, which stay
  // what they are: BeginBuild waits for the end of a change. STATUS_DEVICE_REMOVED.
  [[nodiscard]] NTSTATUS BeginBuild(std::uint32_t sources);
  void EndBuild(std::uint32_t sources);
  // The packet is being built so. Their modes stay until it has run, or is given up.
  void BuildFor(Packet& packet, std::uint32_t sources);
  // Between the two the mode of the source may change: nothing that was built for it is left. STATUS_DEVICE_NOT_READY when
  // something still is after kModeTimeoutNs, say behind a fence that nobody signals.
  [[nodiscard]] NTSTATUS BeginModeChange(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source);
  void EndModeChange(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source);
  // Between the two no DMA buffer is in flight, for DDIs of level 2: what is ready waits, paging too. STATUS_DEVICE_NOT_READY
  // when an engine still works after kIdleTimeoutNs; Resume is due then, too.
  [[nodiscard]] NTSTATUS Suspend();
  void Resume();
  // Until the mode that was issued last is on the screen: STATUS_DEVICE_NOT_READY after kReplaceTimeoutNs.
  [[nodiscard]] NTSTATUS AwaitMode(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source);
  // A mode change that shows the primary is about to be programmed. It is as a flip that all flips issued before it come before,
  // and is given back in the same way. STATUS_DEVICE_NOT_READY while one of the source is not on the screen.
  [[nodiscard]] NTSTATUS IssueMode(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, Allocation& primary, std::uint64_t& cookie);
  // The driver refused it.
  void CancelMode(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source);

  // For the memory host: the contexts whose next packet waits for memory. Each is the caller's until it is granted or returned;
  // it is not removed meanwhile.
  struct MemoryWaiter {
    ContextQueue* context = nullptr;
    const Packet* packet = nullptr;  // that waits
    std::int64_t wanted_ns = 0;      // since when
  };
  void TakeMemoryWaiters(std::vector<MemoryWaiter>& waiters);
  // kPinned: the caller pinned what the packet uses, and it goes on. kRefused: there is no memory, the packet is not executed.
  enum class MemoryGrant : std::uint8_t { kPinned, kRefused };
  void GrantMemory(ContextQueue& context, MemoryGrant grant);
  // Not now: TakeMemoryWaiters finds it again.
  void ReturnMemoryWaiter(ContextQueue& context);
  // How often something was unpinned that may have kept others out of memory, or one more wants some.
  [[nodiscard]] std::uint64_t releases() const { return releases_.load(std::memory_order_acquire); }
  void NoteRelease();
  // Until releases() is another number. False when `deadline_ns` passed first, or the adapter goes.
  [[nodiscard]] bool AwaitRelease(std::uint64_t seen, std::int64_t deadline_ns);

  // Submits a paging buffer to the paging node and waits for it; a reset in between submits it again. STATUS_DEVICE_REMOVED when
  // the adapter is stopped.
  [[nodiscard]] NTSTATUS RunPaging(Packet& packet);
  // Until the packets of the context that were queued so far are complete, `timeout_ns` at most: STATUS_TIMEOUT.
  [[nodiscard]] NTSTATUS WaitForPackets(ContextQueue& context, std::int64_t timeout_ns);
  // Nothing of the context is queued or runs.
  [[nodiscard]] bool IsIdle(ContextQueue& context);
  // Until no packet and no flip names the allocation. False after `timeout_ns`, or when the adapter is stopped.
  [[nodiscard]] bool WaitUnused(const Allocation& allocation, std::int64_t timeout_ns);
  // The same for as long as an engine works, and kFlipTimeoutNs beyond; after that the adapter is stopped.
  void AwaitUnused(const Allocation& allocation);
  // One use of the allocation, counted by the caller itself, is over.
  void EndUse(Allocation& allocation);
  // Bit N: VidPn source N shows the allocation, or is about to.
  [[nodiscard]] std::uint32_t SourcesOf(const Allocation& allocation);
  // Until everything that was submitted so far is complete or given up by a reset, or the adapter is stopped.
  void WaitSubmitted();
  // The source shows nothing any more: its flips count as retired, and the surface on the screen is unused.
  void DropFlips(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source);

  // Everybody who blocks here for a packet returns; from now on nobody blocks for one.
  void Lose();

  void OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) override;
  void OnDpc() override;
  void OnAdapterLost() override;
  std::int64_t CheckTimeouts() override;
  // The flip of that cookie, and all earlier ones of the source, are done. DPC thread.
  void OnFlipRetired(std::uint32_t vidpn_source, std::uint64_t cookie);
  // There may be something to do for the worker. Any thread, any IRQL up to DISPATCH, under any lock.
  void Wake();

 private:
  enum class Irql : std::uint8_t { kPassive, kDispatch };

  // A packet that the driver has. Null: it was given up when its adapter was stopped.
  struct InFlight {
    Packet* packet = nullptr;
    UINT fence = 0;
  };
  struct Node {
    UINT last_submitted = 0;
    UINT last_completed = 0;
    UINT asked = 0;  // what QueryCurrentFence answered: interrupts up to it may still be on their way; 0: none is
    Ring<InFlight, kMaxInFlight> in_flight;
    // The last of them, while the driver is called with it and the lock is given up. It is complete when the call has returned,
    // at the earliest; nothing else is submitted, preempted or reset meanwhile.
    const Packet* submitting = nullptr;
    std::int64_t front_since_ns = 0;         // when the first of them became the first
    Ring<Packet*, kMaxPreempted> preempted;  // to be submitted again, in this order
    UINT preemptions = 0;                    // PreemptionFenceId of the last request
    bool preempting = false;                 // it is not answered; nothing is submitted meanwhile
    std::int64_t preempting_since_ns = 0;
    bool resetting = false;  // nothing is submitted, and what the engine reports is not believed
  };
  // What a node gets next: an element of `preempted`, or the front of a context.
  struct Candidate {
    std::int32_t order = 0;
    ContextQueue* context = nullptr;
    std::size_t preempted = kNotPreempted;
    [[nodiscard]] bool empty() const { return context == nullptr && preempted == kNotPreempted; }
  };
  static constexpr std::size_t kNotPreempted = ~std::size_t{0};
  enum class Submission : std::uint8_t { kFirst, kRepeated };
  // What a flip shows: one allocation, or the planes whose lowest it is.
  struct FlipSurfaces {
    Allocation* allocation = nullptr;
    PlaneSet* planes = nullptr;
    [[nodiscard]] std::span<Allocation* const> all() const {
      return planes != nullptr ? std::span(planes->allocations).first(planes->count)
                               : std::span(&allocation, allocation != nullptr ? 1 : 0);
    }
  };
  struct IssuedFlip {
    std::uint64_t cookie = 0;
    ContextQueue* context = nullptr;  // null: its context is gone, or it is a mode change
    FlipSurfaces surfaces;
  };
  struct Source {
    std::uint64_t last_cookie = 0;
    std::uint32_t queued = 0;                       // in operations and flips of contexts, not issued yet
    Ring<IssuedFlip, kMaxPendingFlips + 1> issued;  // one of them may be a mode change
    std::uint64_t mode_cookie = 0;                  // of that; 0: there is none
    std::uint32_t built = 0;                        // packets that have not run, and callers that are building
    bool mode_changes = false;                      // nobody builds meanwhile
    FlipSurfaces on_screen;                         // in use as long as they are scanned out
    std::atomic<std::uint64_t> retired{0};          // cookie; written by the DPC thread
    [[nodiscard]] std::size_t pending_flips() const { return queued + issued.size() - (mode_cookie != 0 ? 1 : 0); }
  };

  Scheduler(Adapter& adapter, const TdrSettings& tdr);

  // scheduler.cpp
  [[nodiscard]] bool FitsMemory(const Packet& packet);
  [[nodiscard]] NTSTATUS QueueWhole(Packet& packet);
  [[nodiscard]] NTSTATUS QueueInPieces(Packet& packet);
  [[nodiscard]] NTSTATUS Push(ContextQueue& context, Operation operation);
  void GiveUp(const ContextQueue* context, const Packet* packet) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] bool Working() TANDEM_REQUIRES(mutex_);

  // scheduler_flow.cpp
  void Advance(ContextQueue& context) TANDEM_REQUIRES(mutex_);
  void AdvanceAll(Irql irql) TANDEM_REQUIRES(mutex_);
  // False: the front operation has to stay.
  bool Issue(ContextQueue& context, Operation& operation) TANDEM_REQUIRES(mutex_);
  bool ReachWait(ContextQueue& context, Operation& operation) TANDEM_REQUIRES(mutex_);
  void CompleteSignals(ContextQueue& context) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] static bool IsInFlight(Node& node, UINT fence);
  void OnCompleted(UINT node_ordinal, UINT fence) TANDEM_REQUIRES(mutex_);
  void OnPreempted(UINT node_ordinal, UINT preemption_fence, UINT last_completed_fence) TANDEM_REQUIRES(mutex_);
  void OnPageFault(UINT node_ordinal, UINT fence, DXGK_PAGE_FAULT_FLAGS flags) TANDEM_REQUIRES(mutex_);
  // Everything in flight up to `fence` is over.
  void Complete(Node& node, UINT fence) TANDEM_REQUIRES(mutex_);
  void RetireCompleted(Node& node) TANDEM_REQUIRES(mutex_);
  void Retire(Packet& packet) TANDEM_REQUIRES(mutex_);
  void Recycle(Packet& packet) TANDEM_REQUIRES(mutex_);
  void DropQueued(ContextQueue& context) TANDEM_REQUIRES(mutex_);
  void Unuse(Allocation* allocation) TANDEM_REQUIRES(mutex_);
  // The packet's allocations are resident and pinned; else the memory host is asked.
  [[nodiscard]] bool HasMemory(ContextQueue& context, Packet& packet) TANDEM_REQUIRES(mutex_);
  // Sleeps until something completed, `deadline_ns` at most and never long: the caller looks again. False when the deadline has
  // passed.
  bool Sleep(MutexLock& lock, std::int64_t deadline_ns) TANDEM_REQUIRES(mutex_);
  void RunWorker();

  // scheduler_flips.cpp
  void IssueFlips(ContextQueue& context) TANDEM_REQUIRES(mutex_);
  void CollectRetiredFlips() TANDEM_REQUIRES(mutex_);
  void ForgetFlip(const PendingFlip& flip) TANDEM_REQUIRES(mutex_);
  // False, and nothing is pinned, when one of them is not resident.
  [[nodiscard]] bool BeginFlip(const FlipSurfaces& surfaces) TANDEM_REQUIRES(mutex_);
  // The surfaces of a flip: their uses and pins.
  void EndFlip(const FlipSurfaces& surfaces) TANDEM_REQUIRES(mutex_);

  // scheduler_modes.cpp
  void AddBuilt(std::uint32_t sources) TANDEM_REQUIRES(mutex_);
  void DropBuilt(std::uint32_t sources) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] bool ModeChanges(std::uint32_t sources) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] bool EngineWorks() TANDEM_REQUIRES(mutex_);

  // scheduler_dispatch.cpp
  // Hands packets to the driver while the node has room. Gives the lock up in between.
  void Dispatch(std::uint32_t node_ordinal, Irql irql) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] bool HasRoom(Node& node) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] Candidate NextFor(std::uint32_t node_ordinal) TANDEM_REQUIRES(mutex_);
  // Gives the lock up while the driver is called.
  void Submit(Packet& packet, std::uint32_t node_ordinal, Submission submission) TANDEM_REQUIRES(mutex_);
  void CallToSubmit(const Packet& packet, std::uint32_t node_ordinal, Submission submission);
  [[nodiscard]] bool NeedsPatch(const Packet& packet) const;
  [[nodiscard]] NTSTATUS Patch(const Packet& packet);
  [[nodiscard]] NTSTATUS SubmitCommand(const Packet& packet, std::uint32_t node_ordinal, Submission submission);
  // Gives the lock up while the driver is called.
  void Preempt(std::uint32_t node_ordinal) TANDEM_REQUIRES(mutex_);
  // What is in flight goes back, to be submitted again before everything else of its contexts.
  void TakeBack(Node& node) TANDEM_REQUIRES(mutex_);
  // The packet will not be submitted (again). The driver hears of it by TellCancelled.
  void Cancel(Packet& packet) TANDEM_REQUIRES(mutex_);
  // DxgkDdiCancelCommand. PASSIVE_LEVEL; gives the lock up while the driver is called.
  void TellCancelled() TANDEM_REQUIRES(mutex_);

  // scheduler_watch.cpp
  // When the watch has to look at the node.
  [[nodiscard]] std::int64_t DeadlineOf(std::uint32_t node_ordinal) TANDEM_REQUIRES(mutex_);
  void CheckNode(std::uint32_t node_ordinal);
  // DxgkDdiQueryCurrentFence: an interrupt may have been lost. False when the adapter was stopped over the answer.
  [[nodiscard]] bool AskForFence(std::uint32_t node_ordinal);
  void Recover(std::uint32_t node_ordinal);
  // Resets what `report` names, and keeps the report.
  enum class Reset : std::uint8_t { kAdapter, kEngineIfItCan };
  void Give(TimeoutReport report, Reset reset);
  void RunForcedReset();
  [[nodiscard]] bool MayRecover();
  void Keep(TimeoutReport report);

  // scheduler_reset.cpp
  void Lose(DeviceCondition& device, DeviceLoss why) TANDEM_REQUIRES(mutex_);
  void DropLostWork() TANDEM_REQUIRES(mutex_);
  // False: it takes a reset of the adapter.
  [[nodiscard]] bool ResetEngines(std::uint32_t node_ordinal, TimeoutReport& report);
  [[nodiscard]] bool ResetEngine(std::uint32_t node_ordinal, UINT& last_aborted);
  void ResetAdapter(std::uint32_t node_ordinal, TimeoutReport& report);
  // Whose work is at the front of the node; null when there is none, or it is paging.
  [[nodiscard]] static const DeviceCondition* FrontDevice(Node& node);
  // Until no thread is in a call that submits to one of the nodes (bit N: node N), which take nothing more.
  void AwaitSubmitters(MutexLock& lock, ULONGLONG nodes) TANDEM_REQUIRES(mutex_);
  void Abort(Node& node, UINT last_aborted, const DeviceCondition* guilty) TANDEM_REQUIRES(mutex_);
  void Collect(std::uint32_t code, const char* name, TimeoutReport& report);
  // Until everything that the driver noted so far was delivered.
  void FlushDpcs();

  Adapter& adapter_;
  const TdrSettings settings_;
  const std::uint32_t most_in_flight_;  // of each node
  Mutex mutex_;
  TdrSettings tdr_ TANDEM_GUARDED_BY(mutex_);  // the settings, as tests changed them
  struct Forced {
    ForcedReset what;
    std::uint32_t node;
  };
  std::optional<Forced> forced_ TANDEM_GUARDED_BY(mutex_);
  std::condition_variable changed_;  // a packet, an allocation or a node became free
  std::uint32_t sleepers_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::array<Node, kMaxScheduledNodes> nodes_ TANDEM_GUARDED_BY(mutex_);
  std::array<Source, kMaxFlipSources> sources_;  // `retired` by any thread, the rest under mutex_
  std::vector<ContextQueue*> contexts_ TANDEM_GUARDED_BY(mutex_);
  std::vector<DeviceCondition*> devices_ TANDEM_GUARDED_BY(mutex_);
  Packet* first_cancelled_ TANDEM_GUARDED_BY(mutex_) = nullptr;  // of those that TellCancelled has to name, by Packet::next
  Packet* last_cancelled_ TANDEM_GUARDED_BY(mutex_) = nullptr;
  std::uint32_t suspensions_ TANDEM_GUARDED_BY(mutex_) = 0;  // Suspend() without Resume(): nothing is submitted
  std::uint64_t ready_count_ TANDEM_GUARDED_BY(mutex_) = 0;
  bool work_lost_ TANDEM_GUARDED_BY(mutex_) = false;  // a device was lost, and its contexts have something queued
  std::uint64_t dpcs_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::atomic<bool> dpc_awaited_{false};
  std::vector<TimeoutReport> timeouts_ TANDEM_GUARDED_BY(mutex_);
  std::vector<std::int64_t> recovered_at_ns_;  // the watch's thread
  FlipHost* flip_host_ TANDEM_GUARDED_BY(mutex_) = nullptr;
  std::atomic<MemoryHost*> memory_host_{nullptr};
  std::atomic<std::uint64_t> releases_{0};
  std::atomic<bool> lost_{false};

  std::mutex worker_mutex_;
  std::condition_variable worker_wake_;
  bool worker_has_work_ = false;
  bool worker_stops_ = false;
  Thread worker_;
  std::unique_ptr<TimeoutWatch> watch_;
};

}  // namespace tandem::kernel
