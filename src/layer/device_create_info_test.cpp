#include "layer/device_create_info.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "layer/extensions.h"

namespace tandem::layer {
namespace {

constexpr VkQueueFamilyProperties kGraphics{
    VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 1, 64, {1, 1, 1}};
constexpr VkQueueFamilyProperties kTransfer{VK_QUEUE_TRANSFER_BIT, 2, 64, {1, 1, 1}};
constexpr VkQueueFamilyProperties kCoarseTransfer{VK_QUEUE_TRANSFER_BIT, 2, 64, {16, 16, 8}};
constexpr float kPriority = 0.5F;

VkExtensionProperties Named(const char* name) {
  VkExtensionProperties properties{};
  std::strncpy(properties.extensionName, name, VK_MAX_EXTENSION_NAME_SIZE - 1);
  properties.specVersion = 1;
  return properties;
}

// One queue of the graphics family; each test adds its own needs.
struct Application {
  Application() {
    queue = Structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr);
    queue.queueCount = 1;
    queue.pQueuePriorities = &kPriority;
    info = Structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, nullptr);
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
  }
  VkDeviceQueueCreateInfo queue{};
  VkDeviceCreateInfo info{};
};

bool Enables(const VkDeviceCreateInfo& info, std::string_view name) {
  return std::any_of(info.ppEnabledExtensionNames, info.ppEnabledExtensionNames + info.enabledExtensionCount,
                     [name](const char* item) { return name == item; });
}

TEST(DeviceCreateEdit, TransferFamilyUnused_GetsAQueueOfItsOwn) {
  const Application application;
  const std::array families{kGraphics, kTransfer};
  const DeviceCreateEdit edit(application.info, {{}, families});
  EXPECT_FALSE(edit.copy_queue().shared);
  EXPECT_EQ(edit.copy_queue().family, 1u);
  EXPECT_EQ(edit.copy_queue().index, 0u);
  EXPECT_EQ(edit.info().queueCreateInfoCount, 2u);
  EXPECT_EQ(application.info.queueCreateInfoCount, 1u);
}

TEST(DeviceCreateEdit, ATransferQueue_HasOneForShadersBesideIt) {
  const Application application;
  VkQueueFamilyProperties compute = kGraphics;
  compute.queueFlags = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
  const std::array three{kGraphics, kTransfer, compute};
  const DeviceCreateEdit beside(application.info, {{}, three});
  ASSERT_TRUE(beside.compute_queue().has_value());
  EXPECT_EQ(beside.compute_queue()->family, 2U);
  EXPECT_FALSE(beside.compute_queue()->shared);
  EXPECT_EQ(beside.info().queueCreateInfoCount, 3U);

  // Without a compute-only family, the layer adds a queue of the graphics family if that has one left.
  VkQueueFamilyProperties graphics = kGraphics;
  graphics.queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  for (const std::uint32_t queues : {1U, 2U}) {
    graphics.queueCount = queues;
    const std::array two{graphics, kTransfer};
    const DeviceCreateEdit edit(application.info, {{}, two});
    EXPECT_EQ(edit.compute_queue().has_value(), queues == 2);
    EXPECT_EQ(edit.info().pQueueCreateInfos[0].queueCount, queues);
    if (queues == 2) {
      EXPECT_EQ(edit.compute_queue()->index, 1U);
      EXPECT_EQ(edit.info().pQueueCreateInfos[0].pQueuePriorities[0], kPriority);
      EXPECT_NE(edit.info().pQueueCreateInfos[0].pQueuePriorities, edit.info().pQueueCreateInfos[1].pQueuePriorities);
    }
  }
}

TEST(DeviceCreateEdit, ApplicationUsesOneTransferQueue_TakesTheNext) {
  Application application;
  std::array<VkDeviceQueueCreateInfo, 2> queues{application.queue, application.queue};
  queues[1].queueFamilyIndex = 1;
  application.info.queueCreateInfoCount = 2;
  application.info.pQueueCreateInfos = queues.data();
  const std::array families{kGraphics, kTransfer};
  const DeviceCreateEdit edit(application.info, {{}, families});
  EXPECT_FALSE(edit.copy_queue().shared);
  EXPECT_EQ(edit.copy_queue().index, 1u);
  ASSERT_EQ(edit.info().queueCreateInfoCount, 2u);
  EXPECT_EQ(edit.info().pQueueCreateInfos[1].queueCount, 2u);
  EXPECT_EQ(edit.info().pQueueCreateInfos[1].pQueuePriorities[0], kPriority);
  EXPECT_EQ(queues[1].queueCount, 1u);
}

TEST(DeviceCreateEdit, ApplicationUsesEveryTransferQueue_SharesItsGraphicsQueue) {
  Application application;
  const std::array<float, 2> priorities{1.0F, 1.0F};
  std::array<VkDeviceQueueCreateInfo, 2> queues{application.queue, application.queue};
  queues[1].queueFamilyIndex = 1;
  queues[1].queueCount = 2;
  queues[1].pQueuePriorities = priorities.data();
  application.info.queueCreateInfoCount = 2;
  application.info.pQueueCreateInfos = queues.data();
  const std::array families{kGraphics, kTransfer};
  const DeviceCreateEdit edit(application.info, {{}, families});
  EXPECT_TRUE(edit.copy_queue().shared);
  EXPECT_EQ(edit.copy_queue().family, 0u);
}

TEST(DeviceCreateEdit, TransferFamilyOfCoarseGranularity_IsNotUsed) {
  const Application application;
  const std::array families{kGraphics, kCoarseTransfer};
  EXPECT_TRUE(DeviceCreateEdit(application.info, {{}, families}).copy_queue().shared);
}

TEST(DeviceCreateEdit, ExtensionsOfOurs_AreLeftOutWhenTheDriverLacksThem) {
  Application application;
  const std::array<const char*, 2> names{VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_KHR_PRESENT_WAIT_EXTENSION_NAME};
  application.info.enabledExtensionCount = names.size();
  application.info.ppEnabledExtensionNames = names.data();
  const std::array families{kGraphics};
  const std::array known{Named(VK_KHR_SWAPCHAIN_EXTENSION_NAME), Named(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)};
  const DeviceCreateEdit edit(application.info, {known, families});
  EXPECT_TRUE(Enables(edit.info(), VK_KHR_SWAPCHAIN_EXTENSION_NAME));
  EXPECT_FALSE(Enables(edit.info(), VK_KHR_PRESENT_WAIT_EXTENSION_NAME));
  EXPECT_TRUE(Enables(edit.info(), VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME));
  EXPECT_TRUE(edit.external_memory_host());
}

TEST(DeviceCreateEdit, SoftwareDeviceWithHostImageCopy_HasItEnabledWithAllThatItNeeds) {
  constexpr const char* kNames[] = {"VK_KHR_copy_commands2", "VK_KHR_format_feature_flags2", "VK_EXT_host_image_copy"};
  const std::array known{Named(kNames[0]), Named(kNames[1]), Named(kNames[2])};
  const std::array families{kGraphics};
  const Application application;
  const DeviceCreateEdit edit(application.info, {known, families, true});
  EXPECT_TRUE(edit.host_image_copy());
  for (const char* name : kNames) EXPECT_TRUE(Enables(edit.info(), name)) << name;
  const HostImageCopyFeatures type;
  const auto* const added = Find<HostImageCopyFeatures>(edit.info().pNext, type.sType);
  ASSERT_NE(added, nullptr);
  EXPECT_EQ(added->hostImageCopy, VK_TRUE);

  EXPECT_FALSE(DeviceCreateEdit(application.info, {known, families, false}).host_image_copy());
  EXPECT_FALSE(DeviceCreateEdit(application.info, {std::span(known).subspan(1), families, true}).host_image_copy());

  Application asks;
  HostImageCopyFeatures asked;
  asked.hostImageCopy = VK_FALSE;
  asks.info.pNext = &asked;
  asks.info.enabledExtensionCount = 1;
  asks.info.ppEnabledExtensionNames = kNames + 2;
  const DeviceCreateEdit own(asks.info, {known, families, true});
  EXPECT_TRUE(own.host_image_copy());
  EXPECT_EQ(own.info().enabledExtensionCount, 3U);
  const auto* const edited = Find<HostImageCopyFeatures>(own.info().pNext, type.sType);
  ASSERT_NE(edited, nullptr);
  EXPECT_EQ(edited->hostImageCopy, VK_TRUE);
  EXPECT_EQ(Find<HostImageCopyFeatures>(edited->pNext, type.sType), nullptr);
  EXPECT_EQ(asked.hostImageCopy, VK_FALSE);

  // VkPhysicalDeviceVulkan14Features may not stand beside the feature's own structure.
  VkBaseOutStructure vulkan14{static_cast<VkStructureType>(55), nullptr};
  asks.info.pNext = &vulkan14;
  EXPECT_FALSE(DeviceCreateEdit(asks.info, {known, families, true}).host_image_copy());
}

TEST(DeviceCreateEdit, ExtensionThatWeNeedAndTheApplicationEnabled_StandsOnce) {
  Application application;
  const std::array<const char*, 1> names{VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
  application.info.enabledExtensionCount = 1;
  application.info.ppEnabledExtensionNames = names.data();
  const std::array families{kGraphics};
  const std::array known{Named(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)};
  EXPECT_EQ(DeviceCreateEdit(application.info, {known, families}).info().enabledExtensionCount, 1u);
}

TEST(DeviceCreateEdit, NoFeatureStructure_AddsTimelineSemaphores) {
  const Application application;
  const std::array families{kGraphics};
  const DeviceCreateEdit edit(application.info, {{}, families});
  const auto* timeline = Find<VkPhysicalDeviceTimelineSemaphoreFeatures>(
      edit.info().pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
  ASSERT_NE(timeline, nullptr);
  EXPECT_EQ(timeline->timelineSemaphore, static_cast<VkBool32>(VK_TRUE));
}

TEST(DeviceCreateEdit, Vulkan12Features_AreEditedInACopy) {
  const auto features =
      Structure<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, nullptr);
  Application application;
  application.info.pNext = &features;
  const std::array families{kGraphics};
  const DeviceCreateEdit edit(application.info, {{}, families});
  const auto* below =
      Find<VkPhysicalDeviceVulkan12Features>(edit.info().pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  ASSERT_NE(below, nullptr);
  EXPECT_EQ(below->timelineSemaphore, static_cast<VkBool32>(VK_TRUE));
  EXPECT_EQ(features.timelineSemaphore, static_cast<VkBool32>(VK_FALSE));
  EXPECT_EQ(FindInChain(edit.info().pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES), nullptr);
}

// An unknown structure at the end of read-only memory.
TEST(DeviceCreateEdit, FeaturesBehindAnUnknownStructure_AreEditedInACopy) {
  struct Unknown {
    VkBaseInStructure base;
    std::array<std::uint32_t, 12> content;
  };
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  auto* const unknown = reinterpret_cast<Unknown*>(static_cast<std::byte*>(pages) + page - sizeof(Unknown));
  auto* const features = new (pages) auto(
      Structure<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, nullptr));
  unknown->base = {static_cast<VkStructureType>(2'000'000'000), reinterpret_cast<const VkBaseInStructure*>(features)};
  unknown->content.back() = 42;
  ASSERT_EQ(mprotect(pages, page, PROT_READ), 0);
  ASSERT_EQ(mprotect(static_cast<std::byte*>(pages) + page, page, PROT_NONE), 0);
  Application application;
  application.info.pNext = unknown;
  const std::array families{kGraphics};
  const DeviceCreateEdit edit(application.info, {{}, families});
  const auto* first = static_cast<const Unknown*>(edit.info().pNext);
  EXPECT_EQ(first->base.sType, unknown->base.sType);
  EXPECT_EQ(first->content, unknown->content);
  const auto* below = reinterpret_cast<const VkPhysicalDeviceVulkan12Features*>(first->base.pNext);
  EXPECT_EQ(below->sType, features->sType);
  EXPECT_EQ(below->timelineSemaphore, static_cast<VkBool32>(VK_TRUE));
  EXPECT_EQ(features->timelineSemaphore, static_cast<VkBool32>(VK_FALSE));
  munmap(pages, 2 * page);
}

TEST(DeviceCreateEdit, PresentIdFeature_GoesWhenTheDriverLacksIt) {
  auto feature =
      Structure<VkPhysicalDevicePresentIdFeaturesKHR>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR, nullptr);
  Application application;
  application.info.pNext = &feature;
  const char* const name = VK_KHR_PRESENT_ID_EXTENSION_NAME;
  application.info.enabledExtensionCount = 1;
  application.info.ppEnabledExtensionNames = &name;
  const std::array families{kGraphics};
  const DeviceCreateEdit without(application.info, {{}, families});
  EXPECT_EQ(FindInChain(without.info().pNext, feature.sType), nullptr);
  const std::array known{Named(VK_KHR_PRESENT_ID_EXTENSION_NAME)};
  const DeviceCreateEdit with(application.info, {known, families});
  EXPECT_NE(FindInChain(with.info().pNext, feature.sType), nullptr);
}

// One structure for two names; a driver may know the other one alone.
TEST(DeviceCreateEdit, SwapchainMaintenanceFeature_GoesUnlessItsExtensionIsPassedOn) {
  auto feature = Structure<VkPhysicalDeviceSwapchainMaintenance1FeaturesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT, nullptr);
  Application application;
  application.info.pNext = &feature;
  application.info.enabledExtensionCount = 1;
  const std::array families{kGraphics};
  const std::array known{Named("VK_KHR_swapchain_maintenance1")};
  for (const char* name : {"VK_KHR_swapchain_maintenance1", "VK_EXT_swapchain_maintenance1"}) {
    application.info.ppEnabledExtensionNames = &name;
    const DeviceCreateEdit edit(application.info, {known, families});
    EXPECT_EQ(FindInChain(edit.info().pNext, feature.sType) != nullptr, Contains(known, name)) << name;
  }
}

}  // namespace
}  // namespace tandem::layer
