// Operations of DxgkDdiBuildPagingBuffer, one function each.
#pragma once

#include "kernel/adapter/adapter.h"
#include "kernel/memory/allocation.h"
#include "kernel/memory/paging_host.h"

namespace tandem::kernel {

// Bytes of one TRANSFER: the kernel moves larger allocations in pieces, so that other paging is not kept waiting in the engine.
inline constexpr std::uint64_t kTransferPieceBytes = 32ULL << 20;

// Each blocks until the GPU has done it; the allocation is placed, and nothing pins it. PASSIVE_LEVEL, one thread at a time.
// STATUS_DEVICE_REMOVED when the adapter goes, or the driver broke a rule.
class PagingOperations {
 public:
  // Both outlive the object.
  PagingOperations(Adapter& adapter, PagingHost& host) : adapter_(adapter), host_(host) {}

  // Its system pages become its place in the aperture.
  [[nodiscard]] NTSTATUS MapAperture(const Allocation& allocation);
  [[nodiscard]] NTSTATUS UnmapAperture(const Allocation& allocation);
  // Zeroes its place in a memory segment.
  [[nodiscard]] NTSTATUS Fill(const Allocation& allocation);
  // Moves its bytes between its place in a memory segment and its system pages.
  [[nodiscard]] NTSTATUS TransferIn(const Allocation& allocation);
  [[nodiscard]] NTSTATUS TransferOut(const Allocation& allocation);
  // Moves its bytes from another place in the same memory segment; the two do not overlap.
  [[nodiscard]] NTSTATUS MoveFrom(const Allocation& allocation, const Placement& old);
  // Its place in a memory segment goes, and its bytes with it.
  [[nodiscard]] NTSTATUS Discard(const Allocation& allocation);

 private:
  enum class Direction : std::uint8_t { kIn, kOut };
  [[nodiscard]] NTSTATUS Transfer(const Allocation& allocation, Direction direction);
  // A driver that finds the allocation busy is asked again when the adapter is idle.
  template <class SetIdle>
  [[nodiscard]] NTSTATUS Run(DXGKARG_BUILDPAGINGBUFFER& operation, SetIdle set_idle);

  Adapter& adapter_;
  PagingHost& host_;
};

}  // namespace tandem::kernel
