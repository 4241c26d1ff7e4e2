// The part of Residency that counts: references, budgets, reservations, offers.
#include "kernel/memory/residency.h"

namespace tandem::kernel {
namespace {

// MakeResident may hold all but this part of a group: what nobody announced has to find room, too.
constexpr std::uint64_t kUnannouncedShare = 8;
// And this part of the budget may be reserved.
constexpr std::uint64_t kReservableShare = 2;

std::uint64_t BudgetOf(std::uint64_t size) { return size - size / kUnannouncedShare; }

}  // namespace

Residency::Group& Residency::GroupOf(const Allocation& allocation) {
  return groups_[segments_[allocation.segments.front() - 1].description.aperture ? 1 : 0];
}

NTSTATUS Residency::AddReferences(std::span<Allocation* const> allocations, ResidencyLimit limit, std::uint64_t& bytes_to_trim) {
  const MutexLock lock(mutex_);
  for (Allocation* allocation : allocations) {
    if (allocation->references++ == 0) GroupOf(*allocation).referenced += allocation->range_bytes;
  }
  bytes_to_trim = 0;
  for (const Group& group : groups_) {
    const std::uint64_t most = limit == ResidencyLimit::kBudget ? BudgetOf(group.size) : group.size;
    if (group.referenced > most) bytes_to_trim += group.referenced - most;
  }
  if (bytes_to_trim == 0) return STATUS_SUCCESS;
  for (Allocation* allocation : allocations) {
    if (--allocation->references == 0) GroupOf(*allocation).referenced -= allocation->range_bytes;
  }
  return STATUS_NO_MEMORY;
}

void Residency::DropReferences(std::span<Allocation* const> allocations) {
  const MutexLock lock(mutex_);
  for (Allocation* allocation : allocations) {
    if (--allocation->references == 0) GroupOf(*allocation).referenced -= allocation->range_bytes;
  }
}

std::uint64_t Residency::BytesOverBudget() {
  const MutexLock lock(mutex_);
  std::uint64_t over = 0;
  for (const Group& group : groups_) {
    if (group.referenced > BudgetOf(group.size)) over += group.referenced - BudgetOf(group.size);
  }
  return over;
}

NTSTATUS Residency::BringIn(std::span<Allocation* const> referenced) {
  const MutexLock lock(mutex_);
  const std::uint64_t use = NextUse();
  for (Allocation* allocation : referenced) allocation->last_use.store(use, std::memory_order_relaxed);
  const NTSTATUS status = PinAll(referenced, Rank::kUnreferenced);
  if (NT_SUCCESS(status)) UnpinAll(referenced);
  return status;
}

void Residency::Offer(Allocation& allocation, OfferState priority) {
  const MutexLock lock(mutex_);
  if (allocation.offer != OfferState::kDiscarded) allocation.offer = priority;
}

bool Residency::Reclaim(Allocation& allocation) {
  const MutexLock lock(mutex_);
  const bool kept = allocation.offer != OfferState::kDiscarded;
  allocation.offer = OfferState::kNotOffered;
  return kept;
}

VideoMemory Residency::Query(SegmentGroup group) {
  const MutexLock lock(mutex_);
  const Group& counted = groups_[static_cast<std::size_t>(group)];
  VideoMemory memory;
  memory.budget = BudgetOf(counted.size);
  memory.usage = counted.resident;
  memory.reservation = counted.reserved;
  memory.available_for_reservation = memory.budget / kReservableShare;
  return memory;
}

NTSTATUS Residency::Reserve(SegmentGroup group, std::uint64_t bytes) {
  const MutexLock lock(mutex_);
  Group& counted = groups_[static_cast<std::size_t>(group)];
  if (bytes > BudgetOf(counted.size) / kReservableShare) return STATUS_INVALID_PARAMETER;
  counted.reserved = bytes;
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
