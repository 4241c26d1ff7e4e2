#include "layer/present.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/limits.h"
#include "layer/chain.h"
#include "layer/newer_vulkan.h"
#include "layer/present_timings.h"
#include "layer/queue.h"
#include "layer/swapchain.h"
#include "swapchain/swap_chain.h"

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

// An id for each swap chain; null: none.
const std::uint64_t* PresentIds(const VkPresentInfoKHR& info) {
  if (const auto* ids = Find<VkPresentId2KHR>(info.pNext, VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR)) return ids->pPresentIds;
  const auto* const ids = Find<VkPresentIdKHR>(info.pNext, VK_STRUCTURE_TYPE_PRESENT_ID_KHR);
  return ids == nullptr ? nullptr : ids->pPresentIds;
}

// VkSwapchainPresentFenceInfoEXT: signals the fence after the semaphore waits, because the release precedes it on the same
// queue.
VkResult SignalFence(Device& device, VkQueue queue, VkFence fence) {
  const QueueGuard guard(device, queue);
  return device.next.QueueSubmit(queue, 0, nullptr, fence);
}

// An empty submission waits for the leading semaphores; the last `left` remain.
VkResult WaitForLeading(Device& device, VkQueue queue, Swapchain::Rendering& rendering, std::uint32_t left) {
  if (rendering.semaphore_count <= left) return VK_SUCCESS;
  const std::uint32_t leading = rendering.semaphore_count - left;
  const std::vector<VkPipelineStageFlags> stages(leading, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  auto submit = Structure<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr);
  submit.waitSemaphoreCount = leading;
  submit.pWaitSemaphores = rendering.semaphores;
  submit.pWaitDstStageMask = stages.data();
  rendering.semaphores += leading;
  rendering.semaphore_count = left;
  const QueueGuard guard(device, queue);
  return device.next.QueueSubmit(queue, 1, &submit, VK_NULL_HANDLE);
}

swapchain::ShowAt ToShowAt(const VkPresentTimingInfoEXT& info) {
  constexpr std::uint64_t kLatest = std::uint64_t{1} << 61;  // sums with other times fit
  return {static_cast<std::int64_t>(std::min(info.targetTime, kLatest)),
          (info.flags & VK_PRESENT_TIMING_INFO_PRESENT_AT_RELATIVE_TIME_BIT_EXT) != 0,
          (info.flags & VK_PRESENT_TIMING_INFO_PRESENT_AT_NEAREST_REFRESH_CYCLE_BIT_EXT) != 0};
}

// A frame without room for its times is not presented, but the queue waits for its rendering.
VkResult PresentOne(Device& device, Swapchain& chain, std::uint32_t index, std::uint64_t id, Swapchain::Rendering& rendering,
                    const VkPresentTimingInfoEXT* timing) {
  swapchain::ShowAt at;
  if (timing != nullptr && chain.timings() != nullptr) {
    const VkResult asked = chain.timings()->Ask(*timing, id);
    if (asked != VK_SUCCESS) {
      const VkResult waited = WaitForLeading(device, rendering.queue, rendering, 0);
      return waited != VK_SUCCESS ? waited : asked;
    }
    at = ToShowAt(*timing);
  }
  const VkResult result = chain.QueuePresent(index, id, rendering, at);
  rendering.semaphore_count = 0;
  return result;
}

}  // namespace

VkResult PresentAll(Device& device, VkQueue queue, const VkPresentInfoKHR& info) {
  const std::uint64_t* const ids = PresentIds(info);
  const auto* fences = Find<VkSwapchainPresentFenceInfoEXT>(info.pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT);
  const auto* timings = Find<VkPresentTimingsInfoEXT>(info.pNext, VK_STRUCTURE_TYPE_PRESENT_TIMINGS_INFO_EXT);
  Swapchain::Rendering rendering{queue, info.waitSemaphoreCount, info.pWaitSemaphores};
  VkResult worst = WaitForLeading(device, queue, rendering, kMaxWaitSemaphores);  // a release takes no more
  for (std::uint32_t i = 0; i < info.swapchainCount; ++i) {
    const auto chain = device.swapchains.Find(info.pSwapchains[i]);
    VkResult result = VK_ERROR_SURFACE_LOST_KHR;
    if (chain != nullptr) {
      const std::uint64_t id = ids == nullptr ? 0 : ids[i];
      const bool timed = timings != nullptr && timings->pTimingInfos != nullptr;
      result = PresentOne(device, *chain, info.pImageIndices[i], id, rendering, timed ? &timings->pTimingInfos[i] : nullptr);
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
