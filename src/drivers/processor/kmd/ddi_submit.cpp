// Patching, submission, preemption, resets.
#include <algorithm>
#include <cstring>
#include <string>

#include <fmt/core.h>

#include "drivers/common/dma_buffer.h"
#include "drivers/processor/kmd/ddi.h"
#include "drivers/processor/kmd/device.h"

namespace tandem::processor {

// The engine faults on an address that stays 0.
NTSTATUS ProcessorPatch(HANDLE /*adapter*/, CONST DXGKARG_PATCH* patch) {
  drivers::WriteAddresses(*patch);
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorSubmitCommand(HANDLE adapter, CONST DXGKARG_SUBMITCOMMAND* submit) {
  auto& device = *static_cast<Device*>(adapter);
  const bool paging = submit->Flags.Paging != 0;
  // The kernel names the node of paging work, too; drivers of older contracts were asked by context.
  Engine* engine = device.engine(submit->NodeOrdinal);
  if (engine == nullptr || submit->DmaBufferSubmissionEndOffset < submit->DmaBufferSubmissionStartOffset ||
      submit->DmaBufferSegmentId != 0) {
    return STATUS_INVALID_PARAMETER;
  }
  Packet packet;
  packet.fence = submit->SubmissionFenceId;
  packet.privilege = paging ? Privilege::kPaging : Privilege::kUser;
  packet.commands =
      reinterpret_cast<const std::byte*>(submit->DmaBufferPhysicalAddress.QuadPart) + submit->DmaBufferSubmissionStartOffset;
  packet.bytes = submit->DmaBufferSubmissionEndOffset - submit->DmaBufferSubmissionStartOffset;
  if (submit->Flags.NullRendering != 0) packet.bytes = 0;
  if (submit->pDmaBufferPrivateData != nullptr && submit->DmaBufferPrivateDataSize >= sizeof(BufferData)) {
    auto& data = *static_cast<BufferData*>(submit->pDmaBufferPrivateData);
    packet.progress = &data.progress;
    if (submit->Flags.Resubmission == 0) data.progress = {};
    if (!paging) {
      packet.passes = data.passes;
      packet.pixel_bytes = data.pixel_bytes;
    }
  }
  return engine->Submit(packet) ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

NTSTATUS ProcessorPreemptCommand(HANDLE adapter, CONST DXGKARG_PREEMPTCOMMAND* preempt) {
  Engine* engine = static_cast<Device*>(adapter)->engine(preempt->NodeOrdinal);
  if (engine == nullptr) return STATUS_INVALID_PARAMETER;
  engine->Preempt(preempt->PreemptionFenceId);
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorCancelCommand(HANDLE /*adapter*/, CONST DXGKARG_CANCELCOMMAND* /*cancel*/) { return STATUS_SUCCESS; }

NTSTATUS ProcessorQueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* query) {
  Engine* engine = static_cast<Device*>(adapter)->engine(query->NodeOrdinal);
  if (engine == nullptr) return STATUS_INVALID_PARAMETER;
  query->CurrentFence = engine->completed_fence();
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorResetFromTimeout(HANDLE adapter) {
  for (std::uint32_t node = 0; node < kNodeCount; ++node) {
    if (Engine* engine = static_cast<Device*>(adapter)->engine(node)) engine->Reset();
  }
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorRestartFromTimeout(HANDLE /*adapter*/) { return STATUS_SUCCESS; }

NTSTATUS ProcessorQueryDependentEngineGroup(HANDLE /*adapter*/, DXGKARG_QUERYDEPENDENTENGINEGROUP* query) {
  if (query->NodeOrdinal >= kNodeCount) return STATUS_INVALID_PARAMETER;
  query->DependentNodeOrdinalMask = 1ULL << query->NodeOrdinal;
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorQueryEngineStatus(HANDLE adapter, DXGKARG_QUERYENGINESTATUS* query) {
  Engine* engine = static_cast<Device*>(adapter)->engine(query->NodeOrdinal);
  if (engine == nullptr) return STATUS_INVALID_PARAMETER;
  query->EngineStatus.Value = 0;
  query->EngineStatus.Responsive = engine->idle() ? 1 : 0;
  return STATUS_SUCCESS;
}

NTSTATUS ProcessorResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) {
  Engine* engine = static_cast<Device*>(adapter)->engine(reset->NodeOrdinal);
  if (engine == nullptr) return STATUS_INVALID_PARAMETER;
  reset->LastAbortedFenceId = engine->Reset();
  return STATUS_SUCCESS;
}

// A line for each node, as text.
NTSTATUS ProcessorCollectDbgInfo(HANDLE adapter, CONST DXGKARG_COLLECTDBGINFO* collect) {
  if (collect->pBuffer == nullptr) return STATUS_INVALID_PARAMETER;
  std::string text = fmt::format("processor, reason 0x{:X}\n", collect->Reason);
  for (std::uint32_t node = 0; node < kNodeCount; ++node) {
    const Engine* engine = static_cast<Device*>(adapter)->engine(node);
    if (engine == nullptr) continue;
    text += fmt::format("node {}: completed fence {}, {}\n", node, engine->completed_fence(), engine->idle() ? "idle" : "busy");
  }
  std::memset(collect->pBuffer, 0, collect->BufferSize);
  std::memcpy(collect->pBuffer, text.data(), std::min<std::size_t>(text.size(), collect->BufferSize));
  return STATUS_SUCCESS;
}

}  // namespace tandem::processor
