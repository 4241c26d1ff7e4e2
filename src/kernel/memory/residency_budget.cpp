#include "kernel/memory/residency_budget.h"

namespace tandem::kernel {
namespace {

// MakeResident may hold all but this part of a group: what nobody announced has to find room, too.
constexpr std::uint64_t kUnannouncedShare = 8;
// And this part of the budget may be reserved.
constexpr std::uint64_t kReservableShare = 2;

std::uint64_t BudgetOf(std::uint64_t size) { return size - size / kUnannouncedShare; }

}  // namespace

ResidencyBudget::Group& ResidencyBudget::GroupOfSegment(std::uint32_t id) { return groups_[aperture_[id - 1] ? 1 : 0]; }

void ResidencyBudget::AddSegment(const SegmentDescription& segment, std::uint64_t bytes) {
  aperture_[segment.id - 1] = segment.aperture;
  GroupOfSegment(segment.id).size += bytes;
}

void ResidencyBudget::OnPlaced(const Allocation& allocation) {
  GroupOfSegment(allocation.placement.segment).resident += allocation.range_bytes;
}

void ResidencyBudget::OnGone(const Allocation& allocation) {
  GroupOfSegment(allocation.placement.segment).resident -= allocation.range_bytes;
}

NTSTATUS ResidencyBudget::AddReferences(std::span<Allocation* const> allocations, ResidencyLimit limit,
                                        std::uint64_t& bytes_to_trim) {
  for (Allocation* allocation : allocations) {
    if (allocation->references++ == 0) GroupOf(*allocation).referenced += allocation->range_bytes;
  }
  bytes_to_trim = 0;
  for (const Group& group : groups_) {
    const std::uint64_t most = limit == ResidencyLimit::kBudget ? BudgetOf(group.size) : group.size;
    if (group.referenced > most) bytes_to_trim += group.referenced - most;
  }
  if (bytes_to_trim == 0) return STATUS_SUCCESS;
  DropReferences(allocations);
  return STATUS_NO_MEMORY;
}

void ResidencyBudget::DropReferences(std::span<Allocation* const> allocations) {
  for (Allocation* allocation : allocations) {
    if (--allocation->references == 0) GroupOf(*allocation).referenced -= allocation->range_bytes;
  }
}

void ResidencyBudget::DropAll(Allocation& allocation) {
  if (allocation.references != 0) GroupOf(allocation).referenced -= allocation.range_bytes;
  allocation.references = 0;
}

std::uint64_t ResidencyBudget::BytesOverBudget() const {
  std::uint64_t over = 0;
  for (const Group& group : groups_) {
    if (group.referenced > BudgetOf(group.size)) over += group.referenced - BudgetOf(group.size);
  }
  return over;
}

VideoMemory ResidencyBudget::Query(SegmentGroup group) const {
  const Group& counted = groups_[static_cast<std::size_t>(group)];
  VideoMemory memory;
  memory.budget = BudgetOf(counted.size);
  memory.usage = counted.resident;
  memory.reservation = counted.reserved;
  memory.available_for_reservation = memory.budget / kReservableShare;
  return memory;
}

NTSTATUS ResidencyBudget::Reserve(SegmentGroup group, std::uint64_t bytes) {
  Group& counted = groups_[static_cast<std::size_t>(group)];
  if (bytes > BudgetOf(counted.size) / kReservableShare) return STATUS_INVALID_PARAMETER;
  counted.reserved = bytes;
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
