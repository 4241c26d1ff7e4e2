// The part of Scheduler that waits for memory: packets whose allocations are not resident when their turn comes.
#include <algorithm>

#include "kernel/submit/scheduler.h"
#include "kernel/submit/split.h"

namespace tandem::kernel {

void Scheduler::SetMemoryHost(MemoryHost* host) { memory_host_.store(host, std::memory_order_release); }

bool Scheduler::FitsMemory(const Packet& packet) {
  const auto resident = [](const Allocation* allocation) { return allocation->residency.resident(); };
  if (std::all_of(packet.used.begin(), packet.used.end(), resident)) return true;
  MemoryHost* const host = memory_host_.load(std::memory_order_acquire);
  return host != nullptr && host->CanFit(packet.used);
}

// The pieces wait for memory one after the other, so that each may drive out what those before it needed.
NTSTATUS Scheduler::QueueInPieces(Packet& packet) {
  MemoryHost* const host = memory_host_.load(std::memory_order_acquire);
  std::vector<Piece> pieces;
  const SplitAt where = adapter_.trial().splits_buffers ? SplitAt::kEveryCommand : SplitAt::kFullMemory;
  if (host != nullptr)
    pieces = SplitPacket(packet, where, [host](std::span<Allocation* const> used) { return host->CanFit(used); });
  NTSTATUS status = STATUS_SUCCESS;
  if (pieces.empty()) status = host != nullptr ? host->CheckFits(packet.used) : STATUS_GRAPHICS_NO_VIDEO_MEMORY;
  for (const Piece& piece : pieces) {
    Packet* part = nullptr;
    status = AcquirePacket(*packet.context, part);
    if (!NT_SUCCESS(status)) break;
    BuildFor(*part, packet.built_for);
    FillPiece(*part, packet, piece);
    status = QueueWhole(*part);
    if (!NT_SUCCESS(status)) break;
  }
  ReleasePacket(packet);
  return status;
}

bool Scheduler::HasMemory(ContextQueue& context, Packet& packet) {
  if (context.memory != ContextQueue::Memory::kReady) return false;
  // Only the memory host moves what is resident.
  const bool moves = adapter_.trial().moves_allocations;
  if (packet.pinned || packet.null_rendering || (!moves && packet.TryPin())) return true;
  context.memory = ContextQueue::Memory::kWanted;
  context.memory_wanted_ns = adapter_.clock().NowNs();
  if (MemoryHost* const host = memory_host_.load(std::memory_order_acquire)) host->OnMemoryWanted();
  // The host may be waiting for a release, for another's sake.
  releases_.fetch_add(1, std::memory_order_release);
  if (sleepers_ != 0) changed_.notify_all();
  return false;
}

void Scheduler::TakeMemoryWaiters(std::vector<MemoryWaiter>& waiters) {
  const MutexLock lock(mutex_);
  for (ContextQueue* context : contexts_) {
    if (context->memory != ContextQueue::Memory::kWanted) continue;
    context->memory = ContextQueue::Memory::kPaging;
    waiters.push_back({context, context->operations.front().packet, context->memory_wanted_ns});
  }
}

void Scheduler::GrantMemory(ContextQueue& context, MemoryGrant grant) {
  const MutexLock lock(mutex_);
  Packet& packet = *context.operations.front().packet;
  context.memory = ContextQueue::Memory::kReady;
  if (grant == MemoryGrant::kPinned) {
    packet.SetPinned();
  } else {
    packet.null_rendering = context.out_of_memory = true;
  }
  Dispatch(context.node, Irql::kPassive);
  if (work_lost_) Wake();
  if (sleepers_ != 0) changed_.notify_all();
}

void Scheduler::ReturnMemoryWaiter(ContextQueue& context) {
  const MutexLock lock(mutex_);
  context.memory = ContextQueue::Memory::kWanted;
  if (work_lost_) Wake();
  if (sleepers_ != 0) changed_.notify_all();
}

void Scheduler::NoteRelease() {
  releases_.fetch_add(1, std::memory_order_release);
  const MutexLock lock(mutex_);
  if (sleepers_ != 0) changed_.notify_all();
}

bool Scheduler::AwaitRelease(std::uint64_t seen, std::int64_t deadline_ns) {
  MutexLock lock(mutex_);
  while (releases() == seen) {
    if (!adapter_.alive() || lost_.load(std::memory_order_relaxed) || !Sleep(lock, deadline_ns)) return false;
  }
  return true;
}

}  // namespace tandem::kernel
