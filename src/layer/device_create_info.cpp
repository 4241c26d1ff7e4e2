#include "layer/device_create_info.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "layer/extensions.h"
#include "layer/own_features.h"

namespace tandem::layer {
namespace {

constexpr float kCopyQueuePriority = 1.0F;
constexpr VkQueueFlags kDrawing = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;

// A family for copies only, of rectangles of any size.
bool IsTransferOnly(const VkQueueFamilyProperties& family) {
  const VkExtent3D& granularity = family.minImageTransferGranularity;
  return (family.queueFlags & VK_QUEUE_TRANSFER_BIT) != 0 && (family.queueFlags & kDrawing) == 0 && granularity.width == 1 &&
         granularity.height == 1;
}

// An extension, behind those that it depends on.
constexpr const char* kHostImageCopy[] = {"VK_KHR_copy_commands2", "VK_KHR_format_feature_flags2", "VK_EXT_host_image_copy"};
// VkPhysicalDeviceVulkan14Features: it has the feature of host copies, and may not stand beside their own structure.
constexpr auto kVulkan14 = static_cast<VkStructureType>(55);

}  // namespace

DeviceCreateEdit::DeviceCreateEdit(const VkDeviceCreateInfo& application, const DeviceFacts& facts)
    : chain_(application.pNext), info_(application) {
  EditExtensions(application, facts);
  EditFeatures();
  EditQueues(application, facts);
  info_.pNext = chain_.head();
  info_.enabledExtensionCount = static_cast<std::uint32_t>(extensions_.size());
  info_.ppEnabledExtensionNames = extensions_.data();
  info_.queueCreateInfoCount = static_cast<std::uint32_t>(queues_.size());
  info_.pQueueCreateInfos = queues_.data();
}

bool DeviceCreateEdit::Enables(std::string_view name) const {
  return std::ranges::any_of(extensions_, [name](const char* item) { return name == item; });
}

void DeviceCreateEdit::EditExtensions(const VkDeviceCreateInfo& application, const DeviceFacts& facts) {
  for (std::uint32_t i = 0; i < application.enabledExtensionCount; ++i) {
    const char* const name = application.ppEnabledExtensionNames[i];
    if (!IsOwnDeviceExtension(name) || Contains(facts.extensions, name)) extensions_.push_back(name);
  }
  for (const char* name : {VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME}) {
    if (Contains(facts.extensions, name) && !Enables(name)) extensions_.push_back(name);
  }
  external_memory_host_ = Enables(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  for (const char* name : system::kCrossingExtensionNames) {
    if (Contains(facts.extensions, name) && !Enables(name)) extensions_.push_back(name);
  }
  crossing_ = system::CrossingOf(extensions_);
  host_image_copy_ = facts.is_processor && FindInChain(application.pNext, kVulkan14) == nullptr &&
                     std::ranges::all_of(kHostImageCopy, [&](const char* name) { return Contains(facts.extensions, name); });
  if (!host_image_copy_) return;
  for (const char* name : kHostImageCopy) {
    if (!Enables(name)) extensions_.push_back(name);
  }
}

void DeviceCreateEdit::EditFeatures() {
  for (const OwnFeature& feature : OwnFeatures()) {
    const bool passed =
        std::ranges::any_of(feature.extensions, [this](const char* name) { return name != nullptr && Enables(name); });
    if (!passed) chain_.Remove(feature.type);
  }
  EnableTimelines();
  if (host_image_copy_) EnableHostImageCopy();
}

void DeviceCreateEdit::EnableHostImageCopy() {
  if (auto* const asked = chain_.Editable<HostImageCopyFeatures>(host_image_copies_.sType)) {
    asked->hostImageCopy = VK_TRUE;
  } else {
    chain_.Prepend(host_image_copies_);
  }
}

void DeviceCreateEdit::EnableTimelines() {
  constexpr VkStructureType kVulkan12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  constexpr VkStructureType kTimeline = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
  if (auto* vulkan12 = chain_.Editable<VkPhysicalDeviceVulkan12Features>(kVulkan12)) {
    vulkan12->timelineSemaphore = VK_TRUE;
    return;
  }
  if (auto* timeline = chain_.Editable<VkPhysicalDeviceTimelineSemaphoreFeatures>(kTimeline)) {
    timeline->timelineSemaphore = VK_TRUE;
    return;
  }
  timeline_.timelineSemaphore = VK_TRUE;
  chain_.Prepend(timeline_);
}

void DeviceCreateEdit::EditQueues(const VkDeviceCreateInfo& application, const DeviceFacts& facts) {
  queues_.assign(application.pQueueCreateInfos, application.pQueueCreateInfos + application.queueCreateInfoCount);
  const auto asked = [this](std::uint32_t family) {
    std::uint32_t count = 0;
    for (const VkDeviceQueueCreateInfo& queue : queues_) count += queue.queueFamilyIndex == family ? queue.queueCount : 0;
    return count;
  };
  const auto free_family = [&](auto&& suits) -> std::optional<std::uint32_t> {
    for (std::uint32_t family = 0; family < facts.families.size(); ++family) {
      if (suits(facts.families[family]) && asked(family) < facts.families[family].queueCount) return family;
    }
    return std::nullopt;
  };
  if (const auto transfer = free_family(IsTransferOnly)) {
    copy_queue_ = AddQueue(*transfer);
    // Prefers a compute-only family, which runs beside the program's drawing; otherwise takes any family with compute.
    auto compute =
        free_family([](const VkQueueFamilyProperties& family) { return (family.queueFlags & kDrawing) == VK_QUEUE_COMPUTE_BIT; });
    if (!compute) {
      compute =
          free_family([](const VkQueueFamilyProperties& family) { return (family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0; });
    }
    if (compute) compute_queue_ = AddQueue(*compute);
    return;
  }
  // Otherwise takes the application's first graphics or compute queue, because every such queue can copy.
  for (const VkDeviceQueueCreateInfo& queue : queues_) {
    const bool draws =
        queue.queueFamilyIndex < facts.families.size() && (facts.families[queue.queueFamilyIndex].queueFlags & kDrawing) != 0;
    if (queue.flags != 0 || !draws) continue;
    copy_queue_ = {queue.queueFamilyIndex, 0, true};
    return;
  }
  if (!queues_.empty()) copy_queue_ = {queues_.front().queueFamilyIndex, 0, true};
}

CopyQueueChoice DeviceCreateEdit::AddQueue(std::uint32_t family) {
  const auto entry = std::find_if(queues_.begin(), queues_.end(), [family](const VkDeviceQueueCreateInfo& queue) {
    return queue.queueFamilyIndex == family && queue.flags == 0;
  });
  std::vector<float>& priorities = priorities_[added_++];
  if (entry != queues_.end()) {
    priorities.assign(entry->pQueuePriorities, entry->pQueuePriorities + entry->queueCount);
    priorities.push_back(kCopyQueuePriority);
    const CopyQueueChoice choice{family, entry->queueCount, false};
    entry->queueCount += 1;
    entry->pQueuePriorities = priorities.data();
    return choice;
  }
  priorities.push_back(kCopyQueuePriority);
  queues_.push_back({VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, family, 1, priorities.data()});
  return {family, 0, false};
}

}  // namespace tandem::layer
