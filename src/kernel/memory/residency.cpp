#include "kernel/memory/residency.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/log.h"

namespace tandem::kernel {

Residency::Residency(Adapter& adapter, PagingHost& host) : operations_(adapter, host) {
  const MutexLock lock(mutex_);
  for (const SegmentDescription& description : adapter.segments()) {
    segments_.push_back(Segment{description, RangeAllocator(description.size & ~std::uint64_t{PAGE_SIZE - 1}), {}});
    budget_.AddSegment(description, segments_.back().ranges.free_bytes());
  }
}

NTSTATUS Residency::Enter(Allocation& allocation) {
  const MutexLock lock(mutex_);
  std::uint64_t largest = 0;
  for (const std::uint32_t id : allocation.segments) largest = std::max(largest, segments_[id - 1].description.size);
  if (allocation.range_bytes > largest) {
    Log(LogLevel::kWarn, "An allocation of {} bytes is larger than the {} bytes of the largest segment that it supports.",
        allocation.range_bytes, largest);
    return STATUS_GRAPHICS_NO_VIDEO_MEMORY;
  }
  allocation.last_use.store(NextUse(), std::memory_order_relaxed);
  for (const std::uint32_t id : allocation.segments) {
    if (TakePlace(allocation, segments_[id - 1])) return Populate(allocation);
  }
  return STATUS_SUCCESS;
}

void Residency::Leave(Allocation& allocation) {
  const MutexLock lock(mutex_);
  budget_.DropAll(allocation);
  if (allocation.placement.segment == 0) return;
  // The driver cannot keep pages: it may fail only because the adapter is gone.
  if (segments_[allocation.placement.segment - 1].description.aperture) static_cast<void>(operations_.UnmapAperture(allocation));
  GivePlace(allocation);
}

NTSTATUS Residency::Pin(std::span<Allocation* const> wanted) {
  const MutexLock lock(mutex_);
  return PinAll(wanted, Rank::kReferenced);
}

NTSTATUS Residency::BringIn(std::span<Allocation* const> referenced) {
  const MutexLock lock(mutex_);
  const std::uint64_t use = NextUse();
  for (Allocation* allocation : referenced) allocation->last_use.store(use, std::memory_order_relaxed);
  const NTSTATUS status = PinAll(referenced, Rank::kUnreferenced);
  if (NT_SUCCESS(status)) UnpinAll(referenced);
  return status;
}

Residency::SegmentUse Residency::UseOf(std::size_t segment) {
  const MutexLock lock(mutex_);
  SegmentUse use;
  for (const Allocation* resident : segments_[segment].residents) {
    use.bytes += resident->range_bytes;
    ++use.allocations;
  }
  return use;
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

NTSTATUS Residency::PinAll(std::span<Allocation* const> wanted, Rank highest_victim) {
  // Those that are here first, so that none goes for the sake of another.
  std::vector<Allocation*> pinned, missing;
  pinned.reserve(wanted.size());
  missing.reserve(wanted.size());
  for (Allocation* allocation : wanted) (allocation->residency.TryPin() ? pinned : missing).push_back(allocation);
  for (Allocation* allocation : missing) {
    // The list may name it twice.
    const NTSTATUS status = allocation->residency.resident() ? STATUS_SUCCESS : PageIn(*allocation, highest_victim);
    if (!NT_SUCCESS(status)) {
      UnpinAll(pinned);
      return status;
    }
    TANDEM_CHECK(allocation->residency.TryPin());
    pinned.push_back(allocation);
  }
  return STATUS_SUCCESS;
}

NTSTATUS Residency::PageIn(Allocation& allocation, Rank highest_victim) {
  for (const std::uint32_t id : allocation.segments) {
    if (TakePlace(allocation, segments_[id - 1])) return Populate(allocation);
  }
  for (const std::uint32_t id : allocation.segments) {
    const NTSTATUS status = MakeRoom(allocation, segments_[id - 1], highest_victim);
    if (NT_SUCCESS(status)) return Populate(allocation);
    if (status != STATUS_GRAPHICS_ALLOCATION_BUSY) return status;
  }
  return STATUS_GRAPHICS_ALLOCATION_BUSY;
}

NTSTATUS Residency::MakeRoom(Allocation& allocation, Segment& segment, Rank highest_victim) {
  std::uint64_t possible = segment.ranges.free_bytes();
  for (const Allocation* resident : segment.residents) {
    if (!resident->residency.pinned() && RankOf(*resident) <= highest_victim) possible += resident->range_bytes;
  }
  if (possible < allocation.range_bytes) return STATUS_GRAPHICS_ALLOCATION_BUSY;
  if (!segment.description.aperture && segment.ranges.free_bytes() >= allocation.range_bytes) {
    const NTSTATUS status = Compact(allocation, segment);
    if (status != STATUS_GRAPHICS_ALLOCATION_BUSY) return status;
  }
  while (Allocation* victim = LeastWanted(segment, highest_victim)) {
    if (!victim->residency.TryEvict()) continue;
    if (const NTSTATUS status = Evict(*victim); !NT_SUCCESS(status)) return status;
    if (TakePlace(allocation, segment)) return STATUS_SUCCESS;
  }
  return STATUS_GRAPHICS_ALLOCATION_BUSY;
}

Allocation* Residency::LeastWanted(const Segment& segment, Rank highest_victim) {
  Allocation* least = nullptr;
  const auto before = [](const Allocation& a, const Allocation& b) {
    if (RankOf(a) != RankOf(b)) return RankOf(a) < RankOf(b);
    return a.last_use.load(std::memory_order_relaxed) < b.last_use.load(std::memory_order_relaxed);
  };
  for (Allocation* resident : segment.residents) {
    if (resident->residency.pinned() || RankOf(*resident) > highest_victim) continue;
    if (least == nullptr || before(*resident, *least)) least = resident;
  }
  return least;
}

Residency::Rank Residency::RankOf(const Allocation& allocation) {
  switch (allocation.offer) {
    case OfferState::kLow:
    case OfferState::kDiscarded: return Rank::kOfferedLow;
    case OfferState::kNormal: return Rank::kOfferedNormal;
    case OfferState::kHigh: return Rank::kOfferedHigh;
    case OfferState::kNotOffered: break;
  }
  return allocation.references == 0 ? Rank::kUnreferenced : Rank::kReferenced;
}

bool Residency::TakePlace(Allocation& allocation, Segment& segment) {
  // Room in the list before the place is taken: a place that nobody knows of would be lost.
  if (segment.residents.size() == segment.residents.capacity()) segment.residents.reserve(2 * segment.residents.size() + 16);
  const auto offset = segment.ranges.Allocate(allocation.range_bytes, allocation.alignment);
  if (!offset) return false;
  allocation.placement = {segment.description.id, *offset, segment.description.base_address + *offset};
  segment.residents.push_back(&allocation);
  budget_.OnPlaced(allocation);
  return true;
}

void Residency::GivePlace(Allocation& allocation) {
  Segment& segment = segments_[allocation.placement.segment - 1];
  segment.ranges.Free(allocation.placement.offset, allocation.range_bytes);
  std::erase(segment.residents, &allocation);
  budget_.OnGone(allocation);
  allocation.placement = {};
  allocation.cpu_address = nullptr;
}

NTSTATUS Residency::Populate(Allocation& allocation) {
  const SegmentDescription& segment = segments_[allocation.placement.segment - 1].description;
  const NTSTATUS status = segment.aperture                                ? operations_.MapAperture(allocation)
                          : allocation.contents == Contents::kSystemPages ? operations_.TransferIn(allocation)
                                                                          : operations_.Fill(allocation);
  if (!NT_SUCCESS(status)) {
    GivePlace(allocation);
    return status;
  }
  if (segment.aperture) {
    allocation.contents = Contents::kSystemPages;
    if (allocation.cpu_visible) allocation.cpu_address = allocation.backing->user_address();
  } else {
    SetCpuAddress(allocation);
  }
  allocation.residency.Admit(allocation.placement.segment, allocation.placement.address);
  return STATUS_SUCCESS;
}

void Residency::SetCpuAddress(Allocation& allocation) {
  const SegmentDescription& segment = segments_[allocation.placement.segment - 1].description;
  if (!allocation.cpu_visible || !segment.cpu_visible || segment.cpu_address == 0) return;
  allocation.cpu_address = reinterpret_cast<std::byte*>(segment.cpu_address + allocation.placement.offset);
}

NTSTATUS Residency::Compact(Allocation& allocation, Segment& segment) {
  std::vector<Allocation*> from_below = segment.residents;
  std::sort(from_below.begin(), from_below.end(),
            [](const Allocation* a, const Allocation* b) { return a->placement.offset < b->placement.offset; });
  for (Allocation* resident : from_below) {
    bool moved = false;
    if (const NTSTATUS status = MoveDown(*resident, segment, moved); !NT_SUCCESS(status)) return status;
    if (moved && TakePlace(allocation, segment)) return STATUS_SUCCESS;
  }
  return STATUS_GRAPHICS_ALLOCATION_BUSY;
}

NTSTATUS Residency::MoveDown(Allocation& resident, Segment& segment, bool& moved) {
  const auto offset = segment.ranges.Allocate(resident.range_bytes, resident.alignment);
  if (!offset) return STATUS_SUCCESS;
  // From here on nobody pins it until it is admitted again.
  if (*offset > resident.placement.offset || !resident.residency.TryEvict()) {
    segment.ranges.Free(*offset, resident.range_bytes);
    return STATUS_SUCCESS;
  }
  const NTSTATUS status = MoveTo(resident, segment, *offset);
  moved = NT_SUCCESS(status);
  return status;
}

NTSTATUS Residency::MoveTo(Allocation& resident, Segment& segment, std::uint64_t offset) {
  const Placement old = resident.placement;
  const Placement next{old.segment, offset, segment.description.base_address + offset};
  NTSTATUS status = segment.description.aperture ? operations_.UnmapAperture(resident) : STATUS_SUCCESS;
  resident.placement = next;
  if (NT_SUCCESS(status))
    status = segment.description.aperture ? operations_.MapAperture(resident) : operations_.MoveFrom(resident, old);
  if (!NT_SUCCESS(status)) {  // the adapter is gone
    resident.placement = old;
    segment.ranges.Free(offset, resident.range_bytes);
  } else {
    segment.ranges.Free(old.offset, resident.range_bytes);
    SetCpuAddress(resident);
  }
  resident.residency.Admit(resident.placement.segment, resident.placement.address);
  return status;
}

NTSTATUS Residency::Relocate(std::span<Allocation* const> allocations) {
  const MutexLock lock(mutex_);
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    Allocation* const allocation = allocations[i];
    const auto before = allocations.first(i);
    if (allocation->placement.segment == 0 || std::find(before.begin(), before.end(), allocation) != before.end()) continue;
    Segment& segment = segments_[allocation->placement.segment - 1];
    const auto offset = segment.ranges.Allocate(allocation->range_bytes, allocation->alignment);
    if (!offset) continue;
    if (!allocation->residency.TryEvict()) {
      segment.ranges.Free(*offset, allocation->range_bytes);
      continue;
    }
    if (const NTSTATUS status = MoveTo(*allocation, segment, *offset); !NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS Residency::Evict(Allocation& victim) {
  const NTSTATUS status = Save(victim);
  if (status == STATUS_NO_MEMORY) {  // it stays where it is
    victim.residency.Admit(victim.placement.segment, victim.placement.address);
    return status;
  }
  GivePlace(victim);
  return status;
}

NTSTATUS Residency::Save(Allocation& victim) {
  if (segments_[victim.placement.segment - 1].description.aperture) return operations_.UnmapAperture(victim);
  if (victim.offer != OfferState::kNotOffered) {
    victim.offer = OfferState::kDiscarded;
    victim.contents = Contents::kNone;
    return operations_.Discard(victim);
  }
  if (victim.backing == nullptr) {
    auto pages = BackingStore::Create(BackingStoreKind::kAnonymous, victim.range_bytes);
    if (!pages.ok()) {
      Log(LogLevel::kWarn, "{}", pages.error().message);
      return STATUS_NO_MEMORY;
    }
    victim.backing = *std::move(pages);
  }
  victim.contents = Contents::kSystemPages;
  return operations_.TransferOut(victim);
}

bool Residency::CanFit(std::span<Allocation* const> wanted) {
  std::vector<Allocation*> each(wanted.begin(), wanted.end());
  std::sort(each.begin(), each.end());
  each.erase(std::unique(each.begin(), each.end()), each.end());
  // The allocation with the fewest possible places chooses first.
  std::stable_sort(each.begin(), each.end(),
                   [](const Allocation* a, const Allocation* b) { return a->segments.size() < b->segments.size(); });
  const MutexLock lock(mutex_);
  std::array<std::uint64_t, kMaxSegments> left{};
  for (const Segment& segment : segments_) left[segment.description.id - 1] = segment.description.size;
  return std::all_of(each.begin(), each.end(), [&left](const Allocation* allocation) {
    const auto place = std::find_if(allocation->segments.begin(), allocation->segments.end(),
                                    [&](std::uint32_t id) { return left[id - 1] >= allocation->range_bytes; });
    if (place == allocation->segments.end()) return false;
    left[*place - 1] -= allocation->range_bytes;
    return true;
  });
}

std::uint64_t NextUse() {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

bool TryPinAll(std::span<Allocation* const> allocations) {
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    if (allocations[i]->residency.TryPin()) continue;
    UnpinAll(allocations.first(i));
    return false;
  }
  return true;
}

void UnpinAll(std::span<Allocation* const> allocations) {
  for (Allocation* allocation : allocations) allocation->residency.Unpin();
}

}  // namespace tandem::kernel
