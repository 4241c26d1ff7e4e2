#include "drivers/processor/kmd/engine.h"

#include <span>
#include <string>
#include <utility>

namespace tandem::processor {

Result<std::unique_ptr<Engine>> Engine::Create(std::uint32_t node, GpuMemory& memory, CommandExecutor::Owner& owner,
                                               InterruptRegisters& interrupts, Clock& clock, EmulatedLink* link) {
  std::unique_ptr<Engine> engine(new Engine(node, memory, owner, interrupts, clock, link));
  auto thread = Thread::Start("engine-node-" + std::to_string(node), [raw = engine.get()] { raw->Run(); });
  if (!thread.ok()) return std::move(thread).error().Context("Starting an engine of the processor");
  engine->thread_ = *std::move(thread);
  return engine;
}

Engine::~Engine() { Halt(); }

void Engine::Halt() {
  stop_.store(Stop::kAbort, std::memory_order_release);
  requests_.Post(kStop);
  thread_.Join();
}

bool Engine::Submit(const Packet& packet) {
  const std::uint32_t head = head_.load(std::memory_order_relaxed);
  if (head - tail_.load(std::memory_order_acquire) == kMaxQueuedPackets) return false;
  ring_[head % kMaxQueuedPackets] = packet;
  head_.store(head + 1, std::memory_order_release);
  requests_.Post(kWork);
  return true;
}

void Engine::Preempt(std::uint32_t preemption_fence) {
  preemption_fence_.store(preemption_fence, std::memory_order_release);
  Stop none = Stop::kNone;
  stop_.compare_exchange_strong(none, Stop::kPreempt, std::memory_order_acq_rel);
  requests_.Post(kPreempt);
}

std::uint32_t Engine::Reset() {
  MutexLock lock(reset_mutex_);
  resetting_ = true;
  stop_.store(Stop::kAbort, std::memory_order_release);
  requests_.Post(kReset);
  while (resetting_) reset_done_.Wait(lock.native());
  return completed_fence();
}

void Engine::Run() {
  for (;;) {
    std::uint32_t requests = requests_.Take();
    if ((requests & kStop) != 0) return;
    if ((requests & (kReset | kPreempt)) != 0) link_.Flush();
    if ((requests & kReset) != 0) {
      DropWaiting();
      // A preemption from before the reset is not answered: the kernel gave it up.
      requests_.Drop(kPreempt);
      requests &= ~std::uint32_t{kPreempt};
      const MutexLock lock(reset_mutex_);
      stop_.store(Stop::kNone, std::memory_order_release);
      resetting_ = false;
      reset_done_.NotifyAll();
    }
    if ((requests & kPreempt) != 0) {
      // What waits is the kernel's to submit again; its fences do not count as completed.
      tail_.store(head_.load(std::memory_order_acquire), std::memory_order_release);
      Stop preempt = Stop::kPreempt;
      stop_.compare_exchange_strong(preempt, Stop::kNone, std::memory_order_acq_rel);
      interrupts_.Preempted(node_, preemption_fence_.load(std::memory_order_acquire), completed_fence());
    }
    if (!has_packets()) continue;
    RunPacket();
    if (has_packets()) requests_.Post(kWork);
  }
}

void Engine::RunPacket() {
  const std::uint32_t tail = tail_.load(std::memory_order_relaxed);
  const Packet packet = ring_[tail % kMaxQueuedPackets];
  // The private data changes only when the buffer is preempted: it belongs to the kernel as soon as the fence is complete.
  Progress progress = packet.progress != nullptr ? *packet.progress : Progress{};
  ExecutionResult result;
  const std::int64_t begin_ns = packet.passes != nullptr ? clock_.NowNs() : 0;
  do {
    result = executor_.Execute({packet.commands, packet.bytes}, packet.privilege, stop_, progress);
  } while (result.outcome == Execution::kPreempted && packet.progress == nullptr);
  const PassCount passes = executor_.TakePasses(packet.pixel_bytes);
  if (packet.passes != nullptr) {
    packet.passes->Count(passes);
    packet.passes->NoteWork(begin_ns, clock_.NowNs());
  }
  // The reset or preemption that stops it takes it out of the ring.
  if (result.outcome == Execution::kPreempted) *packet.progress = progress;
  aborted_ = result.outcome == Execution::kAborted;
  if (aborted_ || result.outcome == Execution::kPreempted) return;
  const std::uint64_t crossed = executor_.TakeCrossedBytes();
  if (result.outcome == Execution::kDone && link_.Holds(crossed)) {
    tail_.store(tail + 1, std::memory_order_release);
    link_.Send(packet.fence, crossed, packet.passes);
    return;
  }
  link_.Flush();  // a fault is not told before what was complete earlier
  completed_fence_.store(packet.fence, std::memory_order_release);
  tail_.store(tail + 1, std::memory_order_release);
  if (result.outcome == Execution::kDone) {
    interrupts_.Completed(node_, packet.fence);
  } else {
    interrupts_.Faulted(node_, packet.fence, result.fault_address, result.fault_on_write,
                        result.outcome == Execution::kBadCommand);
  }
}

void Engine::Arrived(std::uint32_t fence) {
  completed_fence_.store(fence, std::memory_order_release);
  link_.Arrived();
  interrupts_.Completed(node_, fence);
}

void Engine::DropWaiting() {
  const std::uint32_t tail = tail_.load(std::memory_order_relaxed);
  if (std::exchange(aborted_, false)) completed_fence_.store(ring_[tail % kMaxQueuedPackets].fence, std::memory_order_release);
  tail_.store(head_.load(std::memory_order_acquire), std::memory_order_release);
}

}  // namespace tandem::processor
