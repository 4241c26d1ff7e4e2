// One node: a thread that executes submitted DMA buffers in order and raises the interrupt after each.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/condition.h"
#include "base/request_bits.h"
#include "base/thread.h"
#include "drivers/common/node_link.h"
#include "drivers/processor/kmd/command_executor.h"
#include "drivers/processor/kmd/interrupts.h"

namespace tandem::processor {

// DMA buffers that may wait in one engine; the kernel keeps far fewer in flight.
inline constexpr std::uint32_t kMaxQueuedPackets = 256;

// The driver's record of a DMA buffer, in its private data.
struct BufferData {
  Progress progress;
  // The meter of a present's destination, which lives until the fence is complete. Null: nobody counts.
  PassMeter* passes = nullptr;
  std::uint32_t pixel_bytes = 1;  // there
};

struct Packet {
  const std::byte* commands = nullptr;
  std::uint32_t bytes = 0;
  std::uint32_t fence = 0;
  Privilege privilege = Privilege::kUser;
  Progress* progress = nullptr;  // in the DMA buffer's private data; null: it cannot be preempted while it runs
  PassMeter* passes = nullptr;   // BufferData's, as the next
  std::uint32_t pixel_bytes = 1;
};

// Submit and Preempt: one caller at a time (the GPU scheduler class), DISPATCH_LEVEL; they neither block nor allocate.
// Reset: PASSIVE_LEVEL. The destructor aborts what runs and drops what waits. Memory, owner, registers, clock and link
// outlive it, and the link is flushed or gone before that. With a link a buffer is complete when what it wrote has arrived; the
// engine goes on meanwhile.
class Engine {
 public:
  static Result<std::unique_ptr<Engine>> Create(std::uint32_t node, GpuMemory& memory, CommandExecutor::Owner& owner,
                                                InterruptRegisters& interrupts, Clock& clock, EmulatedLink* link = nullptr);
  ~Engine();
  // Aborts what runs and ends the thread; what is on the link still arrives.
  void Halt();

  // False when kMaxQueuedPackets wait already.
  [[nodiscard]] bool Submit(const Packet& packet);
  // Interrupts the running buffer at its next command, or in its delay, drops what waits and then reports DMA_PREEMPTED.
  void Preempt(std::uint32_t preemption_fence);
  // Aborts the running buffer and returns its fence (or the last completed one, when none runs); what waits is dropped, and is
  // the kernel's to submit again.
  std::uint32_t Reset();

  // The link has brought what the buffer with this fence wrote. Link thread.
  void Arrived(std::uint32_t fence);

  [[nodiscard]] std::uint32_t completed_fence() const { return completed_fence_.load(std::memory_order_acquire); }
  // False while a buffer runs or waits.
  [[nodiscard]] bool idle() const { return !has_packets() && link_.idle(); }

 private:
  enum Request : std::uint32_t { kWork = 1, kPreempt = 2, kReset = 4, kStop = 8 };

  Engine(std::uint32_t node, GpuMemory& memory, CommandExecutor::Owner& owner, InterruptRegisters& interrupts, Clock& clock,
         EmulatedLink* link)
      : node_(node), executor_(memory, owner, clock, link), interrupts_(interrupts), clock_(clock), link_(link, node) {}

  [[nodiscard]] bool has_packets() const {
    return head_.load(std::memory_order_acquire) != tail_.load(std::memory_order_acquire);
  }
  void Run();
  void RunPacket();
  void DropWaiting();

  const std::uint32_t node_;
  CommandExecutor executor_;
  InterruptRegisters& interrupts_;
  Clock& clock_;
  drivers::NodeLink link_;

  // A ring with one writer (Submit) and one reader (the thread); counts run on, indexes are counts modulo the size.
  std::array<Packet, kMaxQueuedPackets> ring_;
  std::atomic<std::uint32_t> head_{0};
  std::atomic<std::uint32_t> tail_{0};
  RequestBits requests_;
  std::atomic<Stop> stop_{Stop::kNone};
  bool aborted_ = false;  // the thread's: the first packet of the ring ran and was aborted
  std::atomic<std::uint32_t> completed_fence_{0};
  std::atomic<std::uint32_t> preemption_fence_{0};

  Mutex reset_mutex_;
  Condition reset_done_;
  bool resetting_ TANDEM_GUARDED_BY(reset_mutex_) = false;

  Thread thread_;
};

}  // namespace tandem::processor
