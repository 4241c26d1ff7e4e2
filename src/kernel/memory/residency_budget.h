// Budgets of video memory: references of MakeResident, reservations, and the bytes that are resident.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "kernel/adapter/adapter.h"
#include "kernel/memory/allocation.h"

namespace tandem::kernel {

// The memory segments together, or the aperture segments.
enum class SegmentGroup : std::uint8_t { kLocal, kNonLocal };

struct VideoMemory {
  std::uint64_t budget = 0;       // bytes that MakeResident may hold
  std::uint64_t usage = 0;        // bytes that are resident
  std::uint64_t reservation = 0;  // bytes that user mode reserved
  std::uint64_t available_for_reservation = 0;
};

// The extent to which a request for residency may fill a group.
enum class ResidencyLimit : std::uint8_t { kBudget, kSegment };

// Owns Allocation::references. Not thread-safe: Residency keeps it under its lock.
class ResidencyBudget {
 public:
  // `bytes` of segment `id` can be used. Segments come in the order of their ids, from 1.
  void AddSegment(const SegmentDescription& segment, std::uint64_t bytes);

  void OnPlaced(const Allocation& allocation);
  // The allocation still has the place that it gives back.
  void OnGone(const Allocation& allocation);

  // One more reference of MakeResident for each, or for none: STATUS_NO_MEMORY with the bytes that are missing.
  [[nodiscard]] NTSTATUS AddReferences(std::span<Allocation* const> allocations, ResidencyLimit limit,
                                       std::uint64_t& bytes_to_trim);
  void DropReferences(std::span<Allocation* const> allocations);
  // The allocation is destroyed.
  void DropAll(Allocation& allocation);
  // Bytes that are referenced beyond the budgets.
  [[nodiscard]] std::uint64_t BytesOverBudget() const;

  [[nodiscard]] VideoMemory Query(SegmentGroup group) const;
  // STATUS_INVALID_PARAMETER for more than may be reserved.
  [[nodiscard]] NTSTATUS Reserve(SegmentGroup group, std::uint64_t bytes);

 private:
  struct Group {
    std::uint64_t size = 0;  // bytes, of its segments
    std::uint64_t resident = 0;
    std::uint64_t referenced = 0;
    std::uint64_t reserved = 0;
  };
  [[nodiscard]] Group& GroupOfSegment(std::uint32_t id);
  // An allocation counts for the group of the segment that it prefers.
  [[nodiscard]] Group& GroupOf(const Allocation& allocation) { return GroupOfSegment(allocation.segments.front()); }

  std::array<bool, kMaxSegments> aperture_{};  // by id - 1
  std::array<Group, 2> groups_;                // by SegmentGroup
};

}  // namespace tandem::kernel
