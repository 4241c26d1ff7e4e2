#include "kernel/memory/paging_operations.h"

#include <algorithm>

#include <fmt/core.h>

namespace tandem::kernel {
namespace {

PHYSICAL_ADDRESS AddressOf(const Placement& placement) {
  PHYSICAL_ADDRESS address{};
  address.QuadPart = static_cast<LONGLONG>(placement.address);
  return address;
}
PHYSICAL_ADDRESS AddressOf(const Allocation& allocation) { return AddressOf(allocation.placement); }

DXGKARG_BUILDPAGINGBUFFER Operation(DXGK_BUILDPAGINGBUFFER_OPERATION type) {
  DXGKARG_BUILDPAGINGBUFFER operation{};
  operation.Operation = type;
  return operation;
}

constexpr auto kHasNoIdleFlag = [](DXGKARG_BUILDPAGINGBUFFER&) {};

}  // namespace

template <class SetIdle>
NTSTATUS PagingOperations::Run(DXGKARG_BUILDPAGINGBUFFER& operation, SetIdle set_idle) {
  NTSTATUS status = host_.RunPaging(operation);
  if (status != STATUS_GRAPHICS_ALLOCATION_BUSY) return status;
  host_.AwaitIdle();
  set_idle(operation);
  status = host_.RunPaging(operation);
  if (status != STATUS_GRAPHICS_ALLOCATION_BUSY) return status;
  adapter_.ReportViolation("BuildPagingBuffer.AllocationIsIdle",
                           fmt::format("DxgkDdiBuildPagingBuffer finds the allocation of operation {} busy, which is idle.",
                                       static_cast<int>(operation.Operation)));
  return STATUS_DEVICE_REMOVED;
}

NTSTATUS PagingOperations::MapAperture(const Allocation& allocation) {
  MDL mdl = allocation.backing->Mdl(allocation.range_bytes);
  auto operation = Operation(DXGK_OPERATION_MAP_APERTURE_SEGMENT);
  auto& map = operation.MapApertureSegment;
  map.hAllocation = allocation.driver_handle;
  map.SegmentId = allocation.placement.segment;
  map.OffsetInPages = allocation.placement.offset >> PAGE_SHIFT;
  map.NumberOfPages = allocation.range_bytes >> PAGE_SHIFT;
  map.pMdl = &mdl;
  map.Flags.CacheCoherent = 1;
  return Run(operation, kHasNoIdleFlag);
}

NTSTATUS PagingOperations::UnmapAperture(const Allocation& allocation) {
  auto operation = Operation(DXGK_OPERATION_UNMAP_APERTURE_SEGMENT);
  auto& unmap = operation.UnmapApertureSegment;
  unmap.hAllocation = allocation.driver_handle;
  unmap.SegmentId = allocation.placement.segment;
  unmap.OffsetInPages = allocation.placement.offset >> PAGE_SHIFT;
  unmap.NumberOfPages = allocation.range_bytes >> PAGE_SHIFT;
  return Run(operation, kHasNoIdleFlag);
}

NTSTATUS PagingOperations::Fill(const Allocation& allocation) {
  auto operation = Operation(DXGK_OPERATION_FILL);
  auto& fill = operation.Fill;
  fill.hAllocation = allocation.driver_handle;
  fill.FillSize = allocation.range_bytes;
  fill.Destination.SegmentId = allocation.placement.segment;
  fill.Destination.SegmentAddress = AddressOf(allocation);
  return Run(operation, kHasNoIdleFlag);
}

NTSTATUS PagingOperations::TransferIn(const Allocation& allocation) { return Transfer(allocation, Direction::kIn); }
NTSTATUS PagingOperations::TransferOut(const Allocation& allocation) { return Transfer(allocation, Direction::kOut); }

NTSTATUS PagingOperations::Transfer(const Allocation& allocation, Direction direction) {
  MDL mdl = allocation.backing->Mdl(allocation.range_bytes);
  for (std::uint64_t done = 0; done < allocation.range_bytes; done += kTransferPieceBytes) {
    auto operation = Operation(DXGK_OPERATION_TRANSFER);
    auto& transfer = operation.Transfer;
    transfer.hAllocation = allocation.driver_handle;
    transfer.TransferOffset = static_cast<UINT>(done);  // an MDL ends below 4 GiB
    transfer.TransferSize = std::min(kTransferPieceBytes, allocation.range_bytes - done);
    transfer.MdlOffset = static_cast<UINT>(done >> PAGE_SHIFT);
    auto& segment_side = direction == Direction::kIn ? transfer.Destination : transfer.Source;
    auto& system_side = direction == Direction::kIn ? transfer.Source : transfer.Destination;
    segment_side.SegmentId = allocation.placement.segment;
    segment_side.SegmentAddress = AddressOf(allocation);
    system_side.SegmentId = 0;
    system_side.pMdl = &mdl;
    transfer.Flags.TransferStart = done == 0 ? 1u : 0u;
    transfer.Flags.TransferEnd = done + transfer.TransferSize == allocation.range_bytes ? 1u : 0u;
    const NTSTATUS status = Run(operation, [](DXGKARG_BUILDPAGINGBUFFER& again) { again.Transfer.Flags.AllocationIsIdle = 1; });
    if (!NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS PagingOperations::MoveFrom(const Allocation& allocation, const Placement& old) {
  for (std::uint64_t done = 0; done < allocation.range_bytes; done += kTransferPieceBytes) {
    auto operation = Operation(DXGK_OPERATION_TRANSFER);
    auto& transfer = operation.Transfer;
    transfer.hAllocation = allocation.driver_handle;
    transfer.TransferOffset = static_cast<UINT>(done);
    transfer.TransferSize = std::min(kTransferPieceBytes, allocation.range_bytes - done);
    transfer.Source.SegmentId = transfer.Destination.SegmentId = old.segment;
    transfer.Source.SegmentAddress = AddressOf(old);
    transfer.Destination.SegmentAddress = AddressOf(allocation);
    transfer.Flags.TransferStart = done == 0 ? 1u : 0u;
    transfer.Flags.TransferEnd = done + transfer.TransferSize == allocation.range_bytes ? 1u : 0u;
    const NTSTATUS status = Run(operation, [](DXGKARG_BUILDPAGINGBUFFER& again) { again.Transfer.Flags.AllocationIsIdle = 1; });
    if (!NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS PagingOperations::Discard(const Allocation& allocation) {
  auto operation = Operation(DXGK_OPERATION_DISCARD_CONTENT);
  auto& discard = operation.DiscardContent;
  discard.hAllocation = allocation.driver_handle;
  discard.SegmentId = allocation.placement.segment;
  discard.SegmentAddress = AddressOf(allocation);
  return Run(operation, [](DXGKARG_BUILDPAGINGBUFFER& again) { again.DiscardContent.Flags.AllocationIsIdle = 1; });
}

}  // namespace tandem::kernel
