// Packets whose allocations are not resident when their turn comes, and the thread that brings them in.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/submit/context_queue.h"
#include "kernel/submit/split.h"
#include "kernel/submit/work_monitor.h"

namespace tandem::kernel {

// One per adapter, between the scheduler, whose packets need memory, and the host, which makes them resident. Owns
// ContextQueue::memory. Threads: any, at PASSIVE_LEVEL unless said.
class MemoryWaiters {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // All contexts of the adapter.
    [[nodiscard]] virtual std::span<ContextQueue* const> Contexts() TANDEM_REQUIRES(work_lock) = 0;
    // The host has answered. The front packet of the context may go on. PASSIVE_LEVEL.
    virtual void OnAnswered(ContextQueue& context) TANDEM_REQUIRES(work_lock) = 0;
    // The host gives the context back without an answer. PASSIVE_LEVEL.
    virtual void OnReturned() TANDEM_REQUIRES(work_lock) = 0;
  };
  class Host {
   public:
    virtual ~Host() = default;
    // STATUS_GRAPHICS_NO_VIDEO_MEMORY, with a log line, when all of them together can never be resident. PASSIVE_LEVEL.
    [[nodiscard]] virtual NTSTATUS CheckFits(std::span<Allocation* const> allocations) = 0;
    // CheckFits without a log line.
    [[nodiscard]] virtual bool CanFit(std::span<Allocation* const> allocations) = 0;
    // A packet waits for memory: Take() finds it. Under `work_lock`, up to DISPATCH_LEVEL; must not block.
    virtual void OnMemoryWanted() = 0;
  };
  struct Waiter {
    ContextQueue* context = nullptr;
    const Packet* packet = nullptr;
    std::int64_t wanted_ns = 0;  // the time at which the packet's turn came
  };
  // kPinned: the host pinned what the packet uses. kRefused: there is no memory; the packet is not executed.
  enum class Grant : std::uint8_t { kPinned, kRefused };

  // Both outlive the object.
  MemoryWaiters(WorkMonitor& monitor, Owner& owner) : monitor_(monitor), owner_(owner) {}
  MemoryWaiters(const MemoryWaiters&) = delete;
  MemoryWaiters& operator=(const MemoryWaiters&) = delete;

  // Null: a packet that is not resident is never submitted.
  void SetHost(Host* host) { host_.store(host, std::memory_order_release); }

  // All that the packet uses can be resident together.
  [[nodiscard]] bool CanFit(const Packet& packet);
  // Cuts a packet into pieces that can be resident one after the other; see SplitPacket. STATUS_GRAPHICS_NO_VIDEO_MEMORY when no
  // cut helps. PASSIVE_LEVEL.
  [[nodiscard]] NTSTATUS Split(const Packet& packet, std::vector<Piece>& pieces);
  // True once the packet's allocations are resident and pinned; else the host is asked. IRQL up to DISPATCH.
  [[nodiscard]] bool HasMemory(ContextQueue& context, Packet& packet) TANDEM_REQUIRES(work_lock);

  // For the host: the contexts whose next packet waits. Each is the caller's until it is answered or returned, and is not removed
  // meanwhile.
  void Take(std::vector<Waiter>& waiters);
  void Answer(ContextQueue& context, Grant grant);
  // Take() finds the context again.
  void Return(ContextQueue& context);

  // The number of times that something was unpinned that may have kept others out of memory, or one more wanted some.
  [[nodiscard]] std::uint64_t releases() const { return releases_.load(std::memory_order_acquire); }
  // Counts without a wake-up, for callers that notify the monitor themselves. Any IRQL.
  void CountRelease() { releases_.fetch_add(1, std::memory_order_release); }
  void NoteRelease();
  // Waits until releases() is not `seen`. False when `deadline_ns` passed first, or the adapter goes.
  [[nodiscard]] bool AwaitRelease(std::uint64_t seen, std::int64_t deadline_ns);

 private:
  WorkMonitor& monitor_;
  Owner& owner_;
  std::atomic<Host*> host_{nullptr};
  std::atomic<std::uint64_t> releases_{0};
};

}  // namespace tandem::kernel
