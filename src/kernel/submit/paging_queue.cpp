#include "kernel/submit/paging_queue.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/status_name.h"
#include "kernel/memory/ddi_call.h"
#include "kernel/submit/submission_check.h"

namespace tandem::kernel {
namespace {

// Bytes of a trial's paging buffer that are not submitted: no command.
constexpr UINT kTrialOffset = 64;

}  // namespace

Result<std::unique_ptr<PagingQueue>> PagingQueue::Create(Adapter& adapter, Scheduler& scheduler) {
  const PacketSizes sizes{.dma_bytes = adapter.paging_buffer_size(),
                          .private_data_bytes = adapter.paging_buffer_private_data_size()};
  auto pool = PacketPool::Create(adapter, sizes, 1);
  if (!pool.ok()) return std::move(pool).error().Context("Paging");
  if (!(*pool)->packets().front().SetGuards())
    return Fail(ErrorKind::kOutOfMemory, "A guard page behind the paging buffer cannot be made.");
  return std::unique_ptr<PagingQueue>(new PagingQueue(adapter, scheduler, *std::move(pool)));
}

NTSTATUS PagingQueue::RunPaging(DXGKARG_BUILDPAGINGBUFFER& operation) {
  const MutexLock turn(turn_);
  Packet& packet = pool_->packets().front();
  operation.MultipassOffset = 0;
  for (;;) {
    packet.Reset();
    packet.kind = PacketKind::kPaging;
    std::fill(packet.private_data.begin(), packet.private_data.end(), std::byte{0});
    const UINT before = operation.MultipassOffset;
    const NTSTATUS built = Build(operation, packet);
    packet.CheckGuards(adapter_);
    const bool again = built == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    if (!NT_SUCCESS(built) && !again) return built;
    const bool wrote = packet.dma_used != packet.dma_begin;
    if (again && !wrote) {
      adapter_.ReportViolation("BuildPagingBuffer.MakesProgress", "The driver wrote nothing and wants another DMA buffer.");
      return STATUS_DEVICE_REMOVED;
    }
    if (again && operation.MultipassOffset == before) {
      adapter_.ReportViolation("BuildPagingBuffer.MultipassOffset",
                               fmt::format("The driver wants another DMA buffer and left MultipassOffset at {}.", before));
      return STATUS_DEVICE_REMOVED;
    }
    // A driver that wrote nothing did it with the CPU.
    if (wrote) {
      if (const NTSTATUS status = scheduler_.dispatcher().RunPaging(packet); !NT_SUCCESS(status)) return status;
    }
    if (!again) return STATUS_SUCCESS;
  }
}

NTSTATUS PagingQueue::Build(DXGKARG_BUILDPAGINGBUFFER& operation, Packet& packet) {
  packet.dma_begin = packet.dma_used = adapter_.trial().splits_buffers ? kTrialOffset : 0;
  std::fill_n(packet.dma.begin(), packet.dma_begin, std::byte{0xFF});
  // The driver's writes into its arguments are lost with them, but for its own answers.
  DXGKARG_BUILDPAGINGBUFFER call = operation;
  call.pDmaBuffer = packet.dma.data() + packet.dma_begin;
  call.DmaSize = static_cast<UINT>(packet.dma.size()) - packet.dma_begin;
  call.pDmaBufferPrivateData = packet.private_data.empty() ? nullptr : packet.private_data.data();
  call.DmaBufferPrivateDataSize = static_cast<UINT>(packet.private_data.size());
  const NTSTATUS status =
      CallDdi(adapter_, Ddi::kBuildPagingBuffer, adapter_.ddi().DxgkDdiBuildPagingBuffer, adapter_.miniport_context(), &call);
  if (status == STATUS_DEVICE_REMOVED && !adapter_.alive()) return status;
  if (!NT_SUCCESS(status) && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER && status != STATUS_GRAPHICS_ALLOCATION_BUSY) {
    adapter_.ReportViolation("BuildPagingBuffer.Status",
                             fmt::format("DxgkDdiBuildPagingBuffer answered {}.", StatusText(status)));
    return STATUS_DEVICE_REMOVED;
  }
  const auto used = UsedBytes(call.pDmaBuffer, packet.dma);
  if (!used || *used < packet.dma_begin) {
    adapter_.ReportViolation("BuildPagingBuffer.pDmaBuffer",
                             fmt::format("pDmaBuffer does not lie within the buffer of {} bytes.", packet.dma.size()));
    return STATUS_DEVICE_REMOVED;
  }
  const auto private_data_used =
      packet.private_data.empty() ? std::optional<UINT>(0) : UsedBytes(call.pDmaBufferPrivateData, packet.private_data);
  if (!private_data_used) {
    adapter_.ReportViolation("BuildPagingBuffer.pDmaBufferPrivateData",
                             fmt::format("pDmaBufferPrivateData does not lie within the {} bytes.", packet.private_data.size()));
    return STATUS_DEVICE_REMOVED;
  }
  packet.dma_used = *used;
  packet.private_data_used = *private_data_used;
  operation.MultipassOffset = call.MultipassOffset;
  return status;
}

}  // namespace tandem::kernel
