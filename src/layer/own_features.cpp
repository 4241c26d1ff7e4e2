#include "layer/own_features.h"

#include <algorithm>
#include <cstddef>

#include "layer/chain.h"
#include "layer/newer_vulkan.h"

namespace tandem::layer {
namespace {

constexpr OwnFeature kFeatures[] = {
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR, 1, {VK_KHR_PRESENT_ID_EXTENSION_NAME}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR, 1, {VK_KHR_PRESENT_WAIT_EXTENSION_NAME}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT,
     1,
     {VK_EXT_SWAPCHAIN_MAINTENANCE_1_EXTENSION_NAME, VK_KHR_SWAPCHAIN_MAINTENANCE_1_EXTENSION_NAME}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_2_FEATURES_KHR, 1, {VK_KHR_PRESENT_ID_2_EXTENSION_NAME}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_2_FEATURES_KHR, 1, {VK_KHR_PRESENT_WAIT_2_EXTENSION_NAME}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_TIMING_FEATURES_EXT, 3, {VK_EXT_PRESENT_TIMING_EXTENSION_NAME}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_MODE_FIFO_LATEST_READY_FEATURES_KHR,
     1,
     {VK_KHR_PRESENT_MODE_FIFO_LATEST_READY_EXTENSION_NAME, VK_EXT_PRESENT_MODE_FIFO_LATEST_READY_EXTENSION_NAME}},
};

}  // namespace

std::span<const OwnFeature> OwnFeatures() { return kFeatures; }

void AnswerOwnFeatures(void* chain) {
  for (const OwnFeature& feature : kFeatures) {
    auto* const found = FindOut<std::byte>(chain, feature.type);
    if (found == nullptr) continue;
    std::fill_n(reinterpret_cast<VkBool32*>(found + sizeof(VkBaseOutStructure)), feature.count, VK_TRUE);
  }
}

}  // namespace tandem::layer
