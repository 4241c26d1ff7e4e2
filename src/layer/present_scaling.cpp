#include "layer/present_scaling.h"

#include "layer/chain.h"

namespace tandem::layer {
namespace {

system::Scaling ToScaling(VkPresentScalingFlagsEXT scaling) {
  switch (scaling) {
    case VK_PRESENT_SCALING_ONE_TO_ONE_BIT_EXT: return system::Scaling::kOneToOne;
    case VK_PRESENT_SCALING_ASPECT_RATIO_STRETCH_BIT_EXT: return system::Scaling::kAspect;
    case VK_PRESENT_SCALING_STRETCH_BIT_EXT: return system::Scaling::kStretch;
    default: return system::Scaling::kNone;
  }
}

system::Gravity ToGravity(VkPresentGravityFlagsEXT gravity) {
  switch (gravity) {
    case VK_PRESENT_GRAVITY_MAX_BIT_EXT: return system::Gravity::kMax;
    case VK_PRESENT_GRAVITY_CENTERED_BIT_EXT: return system::Gravity::kCentered;
    default: return system::Gravity::kMin;
  }
}

}  // namespace

system::Fit ToFit(const VkSwapchainCreateInfoKHR& info) {
  const auto* asked =
      Find<VkSwapchainPresentScalingCreateInfoEXT>(info.pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_EXT);
  if (asked == nullptr) return {};
  return {ToScaling(asked->scalingBehavior), ToGravity(asked->presentGravityX), ToGravity(asked->presentGravityY)};
}

}  // namespace tandem::layer
