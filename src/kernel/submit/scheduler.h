// The order of work on one adapter: contexts feed nodes, interrupts complete packets, fences and flips follow.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/thread.h"
#include "kernel/adapter/adapter.h"
#include "kernel/submit/context_queue.h"
#include "kernel/submit/limits.h"
#include "kernel/submit/ring.h"

namespace tandem::kernel {

// Nodes that the scheduler has room for; an adapter with more is not scheduled beyond.
inline constexpr std::uint32_t kMaxScheduledNodes = kMaxNodes;
inline constexpr std::uint32_t kMaxFlipSources = 16;

// One per adapter. A context's operations happen in order: packets go to its node as soon as the node has room (synchronously, in
// the thread that queued them), signals follow when all earlier packets are complete and all earlier flips on the screen, waits
// hold back what is behind them, flips go to the flip queue when all earlier packets are complete. Allocates nothing per
// operation. Threads: any for the public part, at PASSIVE_LEVEL unless said. A worker thread submits what an interrupt made
// possible.
class Scheduler final : public InterruptSink {
 public:
  class FlipHost {
   public:
    virtual ~FlipHost() = default;
    // Under the scheduler's lock, up to DISPATCH_LEVEL. Gives `cookie` back to Scheduler::OnFlipRetired later, by another thread.
    virtual NTSTATUS QueueFlip(const PendingFlip& flip, std::uint64_t cookie) = 0;
  };

  // Makes allocations resident for what is submitted.
  class MemoryHost {
   public:
    virtual ~MemoryHost() = default;
    // STATUS_GRAPHICS_NO_VIDEO_MEMORY when all of them together can never be resident. PASSIVE_LEVEL.
    [[nodiscard]] virtual NTSTATUS CheckFits(std::span<Allocation* const> allocations) = 0;
    // A packet waits for memory: TakeMemoryWaiters finds it. Under the scheduler's lock, up to DISPATCH_LEVEL; must not block.
    virtual void OnMemoryWanted() = 0;
  };

  // The adapter outlives the scheduler.
  [[nodiscard]] static Result<std::unique_ptr<Scheduler>> Create(Adapter& adapter);
  // No context is left.
  ~Scheduler() override;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Null until the presenter is there, and again before it goes.
  void SetFlipHost(FlipHost* host);
  // Null: what is not resident is never submitted.
  void SetMemoryHost(MemoryHost* host);

  void AddContext(ContextQueue& context);
  // Drops what the context has queued and not submitted, waits for the rest.
  void RemoveContext(ContextQueue& context);

  // Blocks while all DMA buffers of the context are in use. STATUS_DEVICE_REMOVED when the adapter goes or Lose() was called.
  [[nodiscard]] NTSTATUS AcquirePacket(ContextQueue& context, Packet*& packet);
  // Gives an acquired packet back unused.
  void ReleasePacket(Packet& packet);
  // STATUS_INSUFFICIENT_RESOURCES when kMaxQueuedOperations are waiting, STATUS_GRAPHICS_NO_VIDEO_MEMORY when what the packet
  // uses can never be resident together or an earlier packet of the context found no memory; the packet then goes back to its
  // pool.
  [[nodiscard]] NTSTATUS QueuePacket(Packet& packet);
  [[nodiscard]] NTSTATUS QueueSignal(ContextQueue& context, std::shared_ptr<Fence> fence, std::uint64_t value);
  [[nodiscard]] NTSTATUS QueueWait(ContextQueue& context, std::shared_ptr<Fence> fence, std::uint64_t value);
  // The surface is pinned by the caller; the flip pins it once more, until another surface has replaced it on the screen.
  // STATUS_DEVICE_NOT_READY when kMaxPendingFlips of the source are not on the screen yet.
  [[nodiscard]] NTSTATUS QueueFlip(ContextQueue& context, const PendingFlip& flip);

  // For the memory host: the contexts whose next packet waits for memory. Each is the caller's until it is granted or returned;
  // it is not removed meanwhile.
  void TakeMemoryWaiters(std::vector<ContextQueue*>& waiters);
  // kPinned: the caller pinned what the packet uses, and it goes on. kRefused: there is no memory, the packet is not executed.
  enum class MemoryGrant : std::uint8_t { kPinned, kRefused };
  void GrantMemory(ContextQueue& context, MemoryGrant grant);
  // Not now: TakeMemoryWaiters finds it again.
  void ReturnMemoryWaiter(ContextQueue& context);
  // How often something was unpinned that may have kept others out of memory.
  [[nodiscard]] std::uint64_t releases() const { return releases_.load(std::memory_order_acquire); }
  void NoteRelease();
  // Until releases() is another number. False when `deadline_ns` passed first, or the adapter goes.
  [[nodiscard]] bool AwaitRelease(std::uint64_t seen, std::int64_t deadline_ns);

  // Submits a paging buffer to the paging node and waits for it.
  [[nodiscard]] NTSTATUS RunPaging(Packet& packet);
  // Until the packets of the context that were submitted so far are complete, `timeout_ns` at most: STATUS_TIMEOUT.
  [[nodiscard]] NTSTATUS WaitForPackets(ContextQueue& context, std::int64_t timeout_ns);
  // Until no packet and no flip names the allocation. False after `timeout_ns`, or when the adapter is stopped.
  [[nodiscard]] bool WaitUnused(const Allocation& allocation, std::int64_t timeout_ns);
  // The same for as long as an engine may take; after that the adapter is stopped.
  void AwaitUnused(const Allocation& allocation);
  // One use of the allocation, counted by the caller itself, is over.
  void EndUse(Allocation& allocation);
  // Bit N: VidPn source N shows the allocation, or is about to.
  [[nodiscard]] std::uint32_t SourcesOf(const Allocation& allocation);
  // Until everything that was submitted so far is complete, kEngineTimeoutNs at most.
  void WaitSubmitted();
  // The source shows nothing any more: its flips count as retired, and the surface on the screen is unused.
  void DropFlips(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source);

  // Everybody who blocks here for a packet returns; from now on nobody blocks for one.
  void Lose();

  void OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) override;
  void OnAdapterLost() override;
  // The flip of that cookie, and all earlier ones of the source, are done. DPC thread.
  void OnFlipRetired(std::uint32_t vidpn_source, std::uint64_t cookie);
  // There may be something to do for the worker. Any thread, any IRQL up to DISPATCH, under any lock.
  void Wake();

 private:
  enum class Irql : std::uint8_t { kPassive, kDispatch };

  struct Node {
    UINT last_submitted = 0;
    UINT last_completed = 0;
    Ring<Packet*, kMaxInFlight> in_flight;
  };
  struct IssuedFlip {
    std::uint64_t cookie = 0;
    ContextQueue* context = nullptr;  // null: its context is gone
    Allocation* allocation = nullptr;
  };
  struct Source {
    std::uint64_t last_cookie = 0;
    std::uint32_t queued = 0;  // in operations and flips of contexts, not issued yet
    Ring<IssuedFlip, kMaxPendingFlips> issued;
    Allocation* on_screen = nullptr;        // in use as long as it is scanned out
    std::atomic<std::uint64_t> retired{0};  // cookie; written by the DPC thread
  };

  explicit Scheduler(Adapter& adapter) : adapter_(adapter) {}

  [[nodiscard]] NTSTATUS CheckMemory(const Packet& packet);
  [[nodiscard]] NTSTATUS Push(ContextQueue& context, Operation operation);
  void Advance(ContextQueue& context, Irql irql) TANDEM_REQUIRES(mutex_);
  // False: the front operation has to stay.
  bool Issue(ContextQueue& context, Operation& operation, Irql irql) TANDEM_REQUIRES(mutex_);
  bool ReachWait(ContextQueue& context, Operation& operation) TANDEM_REQUIRES(mutex_);
  void IssueFlips(ContextQueue& context) TANDEM_REQUIRES(mutex_);
  void CompleteSignals(ContextQueue& context) TANDEM_REQUIRES(mutex_);
  void Submit(Packet& packet, std::uint32_t node_ordinal) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] NTSTATUS Patch(const Packet& packet);
  [[nodiscard]] NTSTATUS SubmitCommand(const Packet& packet, std::uint32_t node_ordinal);
  void Complete(UINT node_ordinal, UINT fence) TANDEM_REQUIRES(mutex_);
  void Recycle(Packet& packet) TANDEM_REQUIRES(mutex_);
  void CollectRetiredFlips() TANDEM_REQUIRES(mutex_);
  void DropQueued(ContextQueue& context) TANDEM_REQUIRES(mutex_);
  void ForgetFlip(const PendingFlip& flip) TANDEM_REQUIRES(mutex_);
  void Unuse(Allocation* allocation) TANDEM_REQUIRES(mutex_);
  // The surface of a flip: its use and its pin.
  void EndFlip(Allocation* allocation) TANDEM_REQUIRES(mutex_);
  // The packet's allocations are resident and pinned; else the memory host is asked.
  [[nodiscard]] bool HasMemory(ContextQueue& context, Packet& packet) TANDEM_REQUIRES(mutex_);
  // Sleeps until something completed, `deadline_ns` at most and never long: the caller looks again. False when the deadline has
  // passed.
  bool Sleep(MutexLock& lock, std::int64_t deadline_ns) TANDEM_REQUIRES(mutex_);
  void RunWorker();

  Adapter& adapter_;
  Mutex mutex_;
  std::condition_variable changed_;  // a packet, an allocation or a node became free
  std::uint32_t sleepers_ TANDEM_GUARDED_BY(mutex_) = 0;
  std::array<Node, kMaxScheduledNodes> nodes_ TANDEM_GUARDED_BY(mutex_);
  std::array<Source, kMaxFlipSources> sources_;  // `retired` by any thread, the rest under mutex_
  std::vector<ContextQueue*> contexts_ TANDEM_GUARDED_BY(mutex_);
  FlipHost* flip_host_ TANDEM_GUARDED_BY(mutex_) = nullptr;
  std::atomic<MemoryHost*> memory_host_{nullptr};
  std::atomic<std::uint64_t> releases_{0};
  std::atomic<bool> lost_{false};

  std::mutex worker_mutex_;
  std::condition_variable worker_wake_;
  bool worker_has_work_ = false;
  bool worker_stops_ = false;
  Thread worker_;
};

}  // namespace tandem::kernel
