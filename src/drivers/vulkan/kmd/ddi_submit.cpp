// Patch, SubmitCommand and what the scheduler does about a node that hangs.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "base/log.h"
#include "drivers/common/dma_buffer.h"
#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"

namespace tandem::vulkan {

// Writes the addresses and, still at PASSIVE_LEVEL, records what a copy will need.
NTSTATUS VulkanPatch(HANDLE adapter, CONST DXGKARG_PATCH* args) {
  if (args->Flags.Paging || args->pDmaBuffer == nullptr) return STATUS_SUCCESS;
  drivers::WriteAddresses(*args);
  const bool whole = args->DmaBufferSubmissionEndOffset >= args->DmaBufferSubmissionStartOffset + kDmaTokenBytes;
  if (args->Flags.NullRendering || args->hContext == nullptr || args->pDmaBufferPrivateData == nullptr || !whole) {
    return STATUS_SUCCESS;
  }
  DmaToken token;
  std::memcpy(&token, static_cast<const std::byte*>(args->pDmaBuffer) + args->DmaBufferSubmissionStartOffset, sizeof(token));
  static_cast<Miniport*>(adapter)->commands().Prepare(static_cast<Context*>(args->hContext)->node,
                                                      *static_cast<const CommandHeader*>(args->pDmaBufferPrivateData), token);
  return STATUS_SUCCESS;
}

// DMA buffers lie in system memory (DmaBufferSegmentSet and PagingBufferSegmentId are 0), whose physical addresses are host
// addresses.
NTSTATUS VulkanSubmitCommand(HANDLE adapter, CONST DXGKARG_SUBMITCOMMAND* args) {
  Miniport& miniport = *static_cast<Miniport*>(adapter);
  const UINT bytes = args->DmaBufferSubmissionEndOffset - args->DmaBufferSubmissionStartOffset;
  const bool nothing = args->Flags.NullRendering || args->Flags.ContextSwitch || bytes < kDmaTokenBytes ||
                       args->DmaBufferPhysicalAddress.QuadPart == 0;
  const auto* buffer = nothing ? nullptr
                               : reinterpret_cast<const std::byte*>(args->DmaBufferPhysicalAddress.QuadPart) +
                                     args->DmaBufferSubmissionStartOffset;
  if (args->Flags.Paging) {
    const std::uint32_t node = args->NodeOrdinal < kNodeCount ? args->NodeOrdinal : kCopyNode;
    miniport.commands().SubmitPaging(node, args->SubmissionFenceId, buffer, nothing ? 0 : bytes);
    return STATUS_SUCCESS;
  }
  const auto* command = nothing ? nullptr : static_cast<const CommandHeader*>(args->pDmaBufferPrivateData);
  DmaToken token;
  if (command != nullptr) std::memcpy(&token, buffer, sizeof(token));
  const std::uint32_t node = args->hContext != nullptr ? static_cast<Context*>(args->hContext)->node : args->NodeOrdinal;
  miniport.commands().Submit(node < kNodeCount ? node : kCopyNode, args->SubmissionFenceId, command, token);
  return STATUS_SUCCESS;
}

NTSTATUS VulkanPreemptCommand(HANDLE adapter, CONST DXGKARG_PREEMPTCOMMAND* args) {
  if (args->NodeOrdinal < kNodeCount)
    static_cast<Miniport*>(adapter)->interrupts().Preempt(args->NodeOrdinal, args->PreemptionFenceId);
  return STATUS_SUCCESS;
}

NTSTATUS VulkanCancelCommand(HANDLE, CONST DXGKARG_CANCELCOMMAND*) { return STATUS_SUCCESS; }

NTSTATUS VulkanQueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* args) {
  if (args->NodeOrdinal >= kNodeCount) return STATUS_INVALID_PARAMETER;
  args->CurrentFence = static_cast<Miniport*>(adapter)->engine(args->NodeOrdinal).completed_fence();
  return STATUS_SUCCESS;
}

// Nodes of one VkQueue stand and fall together.
NTSTATUS VulkanQueryDependentEngineGroup(HANDLE adapter, DXGKARG_QUERYDEPENDENTENGINEGROUP* args) {
  if (args->NodeOrdinal >= kNodeCount || args->EngineOrdinal != 0) return STATUS_INVALID_PARAMETER;
  const Gpu& gpu = static_cast<Miniport*>(adapter)->gpu();
  args->DependentNodeOrdinalMask = 0;
  for (std::uint32_t node = 0; node < kNodeCount; ++node) {
    if (gpu.queue(node).handle == gpu.queue(args->NodeOrdinal).handle) args->DependentNodeOrdinalMask |= 1ULL << node;
  }
  return STATUS_SUCCESS;
}

NTSTATUS VulkanQueryEngineStatus(HANDLE adapter, DXGKARG_QUERYENGINESTATUS* args) {
  if (args->NodeOrdinal >= kNodeCount || args->EngineOrdinal != 0) return STATUS_INVALID_PARAMETER;
  Miniport& miniport = *static_cast<Miniport*>(adapter);
  args->EngineStatus.Value = 0;
  args->EngineStatus.Responsive = !miniport.lost() && miniport.engine(args->NodeOrdinal).MadeProgress() ? 1 : 0;
  return STATUS_SUCCESS;
}

// What waits for its turn goes; what a VkQueue has cannot be taken from it, and the adapter is reset as a whole.
NTSTATUS VulkanResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* args) {
  if (args->NodeOrdinal >= kNodeCount || args->EngineOrdinal != 0) return STATUS_INVALID_PARAMETER;
  Miniport& miniport = *static_cast<Miniport*>(adapter);
  const std::optional<UINT> aborted = miniport.engine(args->NodeOrdinal).Abort();
  if (!aborted || miniport.lost()) return STATUS_UNSUCCESSFUL;
  args->LastAbortedFenceId = *aborted;
  return STATUS_SUCCESS;
}

// A VkDevice cannot be reset: what hangs it is lost, whoever waits for it is let go, and the kernel stops the adapter.
NTSTATUS VulkanResetFromTimeout(HANDLE adapter) {
  Miniport& miniport = *static_cast<Miniport*>(adapter);
  Log(LogLevel::kError, "Work does not end. {}", miniport.DescribeState());
  miniport.gpu().NoteResult(VK_ERROR_DEVICE_LOST);
  return STATUS_UNSUCCESSFUL;
}

NTSTATUS VulkanRestartFromTimeout(HANDLE) { return STATUS_UNSUCCESSFUL; }

// A text, zero-terminated.
NTSTATUS VulkanCollectDbgInfo(HANDLE adapter, CONST DXGKARG_COLLECTDBGINFO* args) {
  Miniport& miniport = *static_cast<Miniport*>(adapter);
  if (args->pBuffer != nullptr && args->BufferSize != 0) {
    const std::string text = miniport.started() ? miniport.DescribeState() : std::string("not started");
    std::memset(args->pBuffer, 0, args->BufferSize);
    std::memcpy(args->pBuffer, text.data(), std::min<std::size_t>(text.size(), args->BufferSize - 1));
  }
  if (args->pExtension != nullptr) {
    *args->pExtension = {};
    args->pExtension->BucketingKey = miniport.started() && miniport.lost() ? 1 : 0;
  }
  return STATUS_SUCCESS;
}

}  // namespace tandem::vulkan
