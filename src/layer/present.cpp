#include "layer/present.h"

#include <cstdint>
#include <vector>

#include "base/limits.h"
#include "layer/chain.h"
#include "layer/queue.h"
#include "layer/swapchain.h"

namespace tandem::layer {
namespace {

// Vulkan's order of severity: device lost, surface lost, out of date, other errors, suboptimal, success.
int Weight(VkResult result) {
  switch (static_cast<int>(result)) {
    case VK_SUCCESS: return 0;
    case VK_SUBOPTIMAL_KHR: return 1;
    case VK_ERROR_OUT_OF_DATE_KHR: return 3;
    case VK_ERROR_SURFACE_LOST_KHR: return 4;
    case VK_ERROR_DEVICE_LOST: return 5;
    default: return 2;
  }
}

// VkSwapchainPresentFenceInfoEXT: signals the fence after the semaphore waits, because the release precedes it on the same
// queue.
VkResult SignalFence(Device& device, VkQueue queue, VkFence fence) {
  const QueueGuard guard(device, queue);
  return device.next.QueueSubmit(queue, 0, nullptr, fence);
}

// A release takes at most kMaxWaitSemaphores; an empty submission waits for the leading ones first.
VkResult WaitForLeading(Device& device, VkQueue queue, Swapchain::Rendering& rendering) {
  if (rendering.semaphore_count <= kMaxWaitSemaphores) return VK_SUCCESS;
  const std::uint32_t leading = rendering.semaphore_count - kMaxWaitSemaphores;
  const std::vector<VkPipelineStageFlags> stages(leading, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  auto submit = Structure<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr);
  submit.waitSemaphoreCount = leading;
  submit.pWaitSemaphores = rendering.semaphores;
  submit.pWaitDstStageMask = stages.data();
  rendering.semaphores += leading;
  rendering.semaphore_count = kMaxWaitSemaphores;
  const QueueGuard guard(device, queue);
  return device.next.QueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
}

}  // namespace

VkResult PresentAll(Device& device, VkQueue queue, const VkPresentInfoKHR& info) {
  const auto* ids = Find<VkPresentIdKHR>(info.pNext, VK_STRUCTURE_TYPE_PRESENT_ID_KHR);
  const auto* fences = Find<VkSwapchainPresentFenceInfoEXT>(info.pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT);
  Swapchain::Rendering rendering{queue, info.waitSemaphoreCount, info.pWaitSemaphores};
  VkResult worst = WaitForLeading(device, queue, rendering);
  for (std::uint32_t i = 0; i < info.swapchainCount; ++i) {
    const auto chain = device.swapchains.Find(info.pSwapchains[i]);
    VkResult result = VK_ERROR_SURFACE_LOST_KHR;
    if (chain != nullptr) {
      const std::uint64_t id = ids == nullptr || ids->pPresentIds == nullptr ? 0 : ids->pPresentIds[i];
      result = chain->QueuePresent(info.pImageIndices[i], id, rendering);
      rendering.semaphore_count = 0;
    }
    if (fences != nullptr && fences->pFences[i] != VK_NULL_HANDLE) {
      const VkResult signalled = SignalFence(device, queue, fences->pFences[i]);
      if (Weight(signalled) > Weight(result)) result = signalled;
    }
    if (info.pResults != nullptr) info.pResults[i] = result;
    if (Weight(result) > Weight(worst)) worst = result;
  }
  return worst;
}

}  // namespace tandem::layer
