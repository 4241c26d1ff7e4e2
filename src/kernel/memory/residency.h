// The places of one adapter's allocations in its segments: who is resident, who comes in, who goes.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread.h"
#include "kernel/adapter/adapter.h"
#include "kernel/memory/allocation.h"
#include "kernel/memory/paging_operations.h"
#include "kernel/memory/range_allocator.h"
#include "kernel/memory/residency_budget.h"

namespace tandem::kernel {

// Allocations in memory segments move: under pressure the least recently used ones that nobody pins go to system pages and come
// back to wherever there is room. A memory segment whose free bytes suffice but lie apart is compacted before anybody has to go.
// Those in an aperture are unmapped. A submission needs all that it names pinned. Threads: any, PASSIVE_LEVEL; whoever moves
// something blocks until the GPU has done it, and one thread moves at a time.
class Residency {
 public:
  // Both outlive the object.
  Residency(Adapter& adapter, PagingHost& host);
  Residency(const Residency&) = delete;
  Residency& operator=(const Residency&) = delete;

  // The allocation has its constant members, and system pages if it supports an aperture segment. It becomes resident at once
  // where there is room without moving another. STATUS_GRAPHICS_NO_VIDEO_MEMORY when it is larger than every segment that it
  // supports, or the driver's.
  [[nodiscard]] NTSTATUS Enter(Allocation& allocation);
  // It gives its place back. Nobody uses it any more.
  void Leave(Allocation& allocation);

  // Makes all of them resident and pins each, or pins none. STATUS_GRAPHICS_ALLOCATION_BUSY: what is in the way is pinned itself,
  // so that it is worth another try when something was unpinned. STATUS_NO_MEMORY without system pages for what has to go.
  // STATUS_DEVICE_REMOVED.
  [[nodiscard]] NTSTATUS Pin(std::span<Allocation* const> wanted);
  // Moves each of them that is resident and that nobody pins to another place of its segment, if there is one.
  [[nodiscard]] NTSTATUS Relocate(std::span<Allocation* const> allocations);
  // True if all of them can be resident together when nothing else is.
  [[nodiscard]] bool CanFit(std::span<Allocation* const> wanted);

  // See ResidencyBudget.
  [[nodiscard]] NTSTATUS AddReferences(std::span<Allocation* const> allocations, ResidencyLimit limit,
                                       std::uint64_t& bytes_to_trim) {
    const MutexLock lock(mutex_);
    return budget_.AddReferences(allocations, limit, bytes_to_trim);
  }
  void DropReferences(std::span<Allocation* const> allocations) {
    const MutexLock lock(mutex_);
    budget_.DropReferences(allocations);
  }
  [[nodiscard]] std::uint64_t BytesOverBudget() {
    const MutexLock lock(mutex_);
    return budget_.BytesOverBudget();
  }
  [[nodiscard]] VideoMemory Query(SegmentGroup group) {
    const MutexLock lock(mutex_);
    return budget_.Query(group);
  }
  struct SegmentUse {
    std::uint64_t bytes = 0;
    std::uint32_t allocations = 0;
  };
  // Allocations that are resident in the segment, by its position in Adapter::segments().
  [[nodiscard]] SegmentUse UseOf(std::size_t segment);
  [[nodiscard]] NTSTATUS Reserve(SegmentGroup group, std::uint64_t bytes) {
    const MutexLock lock(mutex_);
    return budget_.Reserve(group, bytes);
  }
  // Moves in what is referenced, without driving out what others referenced. As Pin, and pins nothing.
  [[nodiscard]] NTSTATUS BringIn(std::span<Allocation* const> referenced);

  void Offer(Allocation& allocation, OfferState priority);
  // False when its bytes are gone.
  [[nodiscard]] bool Reclaim(Allocation& allocation);

 private:
  // The order of victims: the first goes first.
  enum class Rank : std::uint8_t { kOfferedLow, kOfferedNormal, kOfferedHigh, kUnreferenced, kReferenced };
  struct Segment {
    SegmentDescription description;
    RangeAllocator ranges;
    std::vector<Allocation*> residents;
  };

  [[nodiscard]] static Rank RankOf(const Allocation& allocation);
  [[nodiscard]] NTSTATUS PinAll(std::span<Allocation* const> wanted, Rank highest_victim) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] NTSTATUS PageIn(Allocation& allocation, Rank highest_victim) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] NTSTATUS MakeRoom(Allocation& allocation, Segment& segment, Rank highest_victim) TANDEM_REQUIRES(mutex_);
  // Moves what nobody pins into gaps below it until the allocation has a place: there is room, and not in one piece.
  // STATUS_GRAPHICS_ALLOCATION_BUSY when the gaps cannot be joined so.
  [[nodiscard]] NTSTATUS Compact(Allocation& allocation, Segment& segment) TANDEM_REQUIRES(mutex_);
  // The caller has evicted it, and allocated the place.
  [[nodiscard]] NTSTATUS MoveTo(Allocation& resident, Segment& segment, std::uint64_t offset) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] NTSTATUS MoveDown(Allocation& resident, Segment& segment, bool& moved) TANDEM_REQUIRES(mutex_);
  void SetCpuAddress(Allocation& allocation) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] bool TakePlace(Allocation& allocation, Segment& segment) TANDEM_REQUIRES(mutex_);
  void GivePlace(Allocation& allocation) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] NTSTATUS Populate(Allocation& allocation) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] NTSTATUS Evict(Allocation& victim) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] NTSTATUS Save(Allocation& victim) TANDEM_REQUIRES(mutex_);
  [[nodiscard]] Allocation* LeastWanted(const Segment& segment, Rank highest_victim) TANDEM_REQUIRES(mutex_);

  PagingOperations operations_;
  // Held while something moves, its waits for the GPU included: their limit is the timeout detection's, which resets the adapter
  // and stops it in the end. Nothing that completes work ever takes it.
  Mutex mutex_;
  std::vector<Segment> segments_ TANDEM_GUARDED_BY(mutex_);
  ResidencyBudget budget_ TANDEM_GUARDED_BY(mutex_);
};

// The next value of Allocation::last_use; rises with every call.
[[nodiscard]] std::uint64_t NextUse();

// Pins all, or none when one of them is not resident. Never blocks.
[[nodiscard]] bool TryPinAll(std::span<Allocation* const> allocations);
void UnpinAll(std::span<Allocation* const> allocations);

}  // namespace tandem::kernel
