#include "kernel/submit/memory_waiters.h"

#include <algorithm>

namespace tandem::kernel {

bool MemoryWaiters::CanFit(const Packet& packet) {
  const auto resident = [](const Allocation* allocation) { return allocation->residency.resident(); };
  if (std::all_of(packet.used.begin(), packet.used.end(), resident)) return true;
  Host* const host = host_.load(std::memory_order_acquire);
  return host != nullptr && host->CanFit(packet.used);
}

NTSTATUS MemoryWaiters::Split(const Packet& packet, std::vector<Piece>& pieces) {
  Host* const host = host_.load(std::memory_order_acquire);
  if (host == nullptr) return STATUS_GRAPHICS_NO_VIDEO_MEMORY;
  const SplitAt where = monitor_.adapter().trial().splits_buffers ? SplitAt::kEveryCommand : SplitAt::kFullMemory;
  pieces = SplitPacket(packet, where, [host](std::span<Allocation* const> used) { return host->CanFit(used); });
  return pieces.empty() ? host->CheckFits(packet.used) : STATUS_SUCCESS;
}

bool MemoryWaiters::HasMemory(ContextQueue& context, Packet& packet) {
  if (context.memory != ContextQueue::Memory::kReady) return false;
  // Only the memory host moves what is resident.
  const bool moves = monitor_.adapter().trial().moves_allocations;
  if (packet.pinned || packet.null_rendering || (!moves && packet.TryPin())) return true;
  context.memory = ContextQueue::Memory::kWanted;
  context.memory_wanted_ns = monitor_.adapter().clock().NowNs();
  if (Host* const host = host_.load(std::memory_order_acquire)) host->OnMemoryWanted();
  // The host may be waiting for a release, for another's sake.
  CountRelease();
  monitor_.Notify();
  return false;
}

void MemoryWaiters::Take(std::vector<Waiter>& waiters) {
  const WorkLock lock(monitor_);
  for (ContextQueue* context : owner_.Contexts()) {
    if (context->memory != ContextQueue::Memory::kWanted) continue;
    context->memory = ContextQueue::Memory::kPaging;
    waiters.push_back({context, context->operations.front().packet, context->memory_wanted_ns});
  }
}

void MemoryWaiters::Answer(ContextQueue& context, Grant grant) {
  const WorkLock lock(monitor_);
  Packet& packet = *context.operations.front().packet;
  context.memory = ContextQueue::Memory::kReady;
  if (grant == Grant::kPinned) {
    packet.SetPinned();
  } else {
    packet.null_rendering = context.out_of_memory = true;
  }
  owner_.OnAnswered(context);
  monitor_.Notify();
}

void MemoryWaiters::Return(ContextQueue& context) {
  const WorkLock lock(monitor_);
  context.memory = ContextQueue::Memory::kWanted;
  owner_.OnReturned();
  monitor_.Notify();
}

void MemoryWaiters::NoteRelease() {
  CountRelease();
  const WorkLock lock(monitor_);
  monitor_.Notify();
}

bool MemoryWaiters::AwaitRelease(std::uint64_t seen, std::int64_t deadline_ns) {
  const WorkLock lock(monitor_);
  while (releases() == seen) {
    if (monitor_.gone() || !monitor_.Sleep(deadline_ns)) return false;
  }
  return true;
}

}  // namespace tandem::kernel
