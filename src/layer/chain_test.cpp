#include "layer/chain.h"

#include <gtest/gtest.h>

namespace tandem::layer {
namespace {

constexpr auto kUnknownType = static_cast<VkStructureType>(2'000'000'000);

struct ThreeFeatures {
  ThreeFeatures() {
    first.pNext = &second;
    second.pNext = &third;
  }
  VkPhysicalDevicePresentIdFeaturesKHR first =
      Structure<VkPhysicalDevicePresentIdFeaturesKHR>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR, nullptr);
  VkPhysicalDeviceVulkan12Features second =
      Structure<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, nullptr);
  VkPhysicalDeviceMaintenance4Features third =
      Structure<VkPhysicalDeviceMaintenance4Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES, nullptr);
};

TEST(FindInChain, TypeInTheMiddle_GivesIt) {
  const ThreeFeatures chain;
  EXPECT_EQ(FindInChain(&chain.first, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES), &chain.second);
}

TEST(FindInChain, TypeThatIsNotThere_GivesNull) {
  const ThreeFeatures chain;
  EXPECT_EQ(FindInChain(&chain.first, VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO), nullptr);
  EXPECT_EQ(FindInChain(nullptr, VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO), nullptr);
}

TEST(ChainCopy, Editing_LeavesTheOriginal) {
  const ThreeFeatures chain;
  ChainCopy copy(&chain.first);
  auto* const edited = copy.Editable<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  ASSERT_NE(edited, nullptr);
  edited->timelineSemaphore = VK_TRUE;
  EXPECT_EQ(chain.second.timelineSemaphore, static_cast<VkBool32>(VK_FALSE));
  EXPECT_EQ(FindInChain(copy.head(), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES), edited);
  EXPECT_NE(FindInChain(copy.head(), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES), nullptr);
}

TEST(ChainCopy, Remove_WorksAtEachPlace) {
  for (const VkStructureType gone :
       {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES}) {
    const ThreeFeatures chain;
    ChainCopy copy(&chain.first);
    copy.Remove(gone);
    EXPECT_EQ(FindInChain(copy.head(), gone), nullptr);
    int left = 0;
    for (auto* item = static_cast<const VkBaseInStructure*>(copy.head()); item != nullptr; item = item->pNext) ++left;
    EXPECT_EQ(left, 2);
  }
}

TEST(ChainCopy, UnknownStructure_IsCopiedWithWhatFollows) {
  ThreeFeatures chain;
  VkBaseInStructure unknown{kUnknownType, reinterpret_cast<const VkBaseInStructure*>(&chain.third)};
  chain.second.pNext = &unknown;
  ChainCopy copy(&chain.first);
  for (const VkStructureType type : {kUnknownType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES}) {
    const auto* const copied = copy.Editable<VkBaseInStructure>(type);
    ASSERT_NE(copied, nullptr);
    EXPECT_EQ(FindInChain(copy.head(), type), copied);
    EXPECT_NE(static_cast<const void*>(copied), FindInChain(&chain.first, type));
  }
}

TEST(ChainCopy, Prepend_PutsItInFront) {
  const ThreeFeatures chain;
  ChainCopy copy(&chain.first);
  auto added = Structure<VkPhysicalDeviceTimelineSemaphoreFeatures>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                                                                    nullptr);
  copy.Prepend(added);
  EXPECT_EQ(copy.head(), &added);
  EXPECT_NE(FindInChain(copy.head(), VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES), nullptr);
}

}  // namespace
}  // namespace tandem::layer
