// Patch, SubmitCommand and what the scheduler does about a node that hangs.
#include "drivers/vulkan/kmd/commands.h"
#include "drivers/vulkan/kmd/ddi.h"
#include "drivers/vulkan/kmd/miniport.h"

namespace tandem::vulkan {

// References were written by Present already; here, still at PASSIVE_LEVEL, the commands behind them are recorded.
NTSTATUS VulkanPatch(HANDLE adapter, CONST DXGKARG_PATCH* args) {
  if (args->Flags.Paging || args->Flags.NullRendering || args->hContext == nullptr || args->pDmaBufferPrivateData == nullptr) {
    return STATUS_SUCCESS;
  }
  static_cast<Miniport*>(adapter)->Prepare(static_cast<Context*>(args->hContext)->node,
                                           *static_cast<const CommandHeader*>(args->pDmaBufferPrivateData));
  return STATUS_SUCCESS;
}

NTSTATUS VulkanSubmitCommand(HANDLE adapter, CONST DXGKARG_SUBMITCOMMAND* args) {
  const bool nothing = args->Flags.Paging || args->Flags.NullRendering || args->Flags.ContextSwitch ||
                       args->DmaBufferSubmissionStartOffset == args->DmaBufferSubmissionEndOffset;
  const auto* command = nothing ? nullptr : static_cast<const CommandHeader*>(args->pDmaBufferPrivateData);
  const std::uint32_t node =
      args->hContext != nullptr && !args->Flags.Paging ? static_cast<Context*>(args->hContext)->node : args->NodeOrdinal;
  static_cast<Miniport*>(adapter)->SubmitCommand(node < kNodeCount ? node : kCopyNode, args->SubmissionFenceId, command);
  return STATUS_SUCCESS;
}

NTSTATUS VulkanPreemptCommand(HANDLE adapter, CONST DXGKARG_PREEMPTCOMMAND* args) {
  if (args->NodeOrdinal < kNodeCount) static_cast<Miniport*>(adapter)->Preempt(args->NodeOrdinal, args->PreemptionFenceId);
  return STATUS_SUCCESS;
}

NTSTATUS VulkanCancelCommand(HANDLE, CONST DXGKARG_CANCELCOMMAND*) { return STATUS_SUCCESS; }

NTSTATUS VulkanQueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* args) {
  if (args->NodeOrdinal >= kNodeCount) return STATUS_INVALID_PARAMETER;
  args->CurrentFence = static_cast<Miniport*>(adapter)->engine(args->NodeOrdinal).completed_fence();
  return STATUS_SUCCESS;
}

// A VkDevice cannot be reset: what hangs it is lost, and whoever waits for it is let go.
NTSTATUS VulkanResetFromTimeout(HANDLE adapter) {
  static_cast<Miniport*>(adapter)->gpu().NoteResult(VK_ERROR_DEVICE_LOST);
  return STATUS_SUCCESS;
}

NTSTATUS VulkanRestartFromTimeout(HANDLE) { return STATUS_SUCCESS; }

NTSTATUS VulkanCollectDbgInfo(HANDLE, CONST DXGKARG_COLLECTDBGINFO*) { return STATUS_SUCCESS; }

}  // namespace tandem::vulkan
