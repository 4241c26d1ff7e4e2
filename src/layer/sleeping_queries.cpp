// Commands that a sleeping driver's record answers. An open driver answers by itself.
#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "layer/extensions.h"
#include "layer/guard.h"
#include "layer/sleeping_commands.h"
#include "system/driver_record.h"

namespace tandem::layer {
// The layer's own answers bear the same names.
namespace asleep {
namespace {

using system::Question;

#define TANDEM_FORWARD(name) Forward<"vk" #name, PFN_vk##name>::Call

// The record of a device whose driver sleeps; null if it is open.
const system::KeptAnswers* Asleep(VkPhysicalDevice handle) {
  const SleepingDevice& device = SleepingDevice::Of(handle);
  return device.instance->open() == nullptr ? device.kept : nullptr;
}

// Answers with the content of a question's first structure. False if the driver must be asked.
template <class T>
bool Answers(VkPhysicalDevice handle, Question question, VkStructureType type, std::uint32_t index, T* content) {
  const auto* const kept = Asleep(handle);
  return kept != nullptr &&
         kept->Write({question, index, static_cast<std::uint32_t>(type)}, std::as_writable_bytes(std::span(content, 1)));
}

bool AnswersChain(VkPhysicalDevice handle, Question question, std::uint32_t index, void* chain) {
  const auto* const kept = Asleep(handle);
  return kept != nullptr && kept->WriteChain(question, index, chain);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  if (Answers(device, Question::kProperties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, 0, properties)) return;
  TANDEM_FORWARD(GetPhysicalDeviceProperties)(device, properties);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures(VkPhysicalDevice device, VkPhysicalDeviceFeatures* features) {
  if (Answers(device, Question::kFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, 0, features)) return;
  TANDEM_FORWARD(GetPhysicalDeviceFeatures)(device, features);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties* memory) {
  if (Answers(device, Question::kMemory, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, 0, memory)) return;
  TANDEM_FORWARD(GetPhysicalDeviceMemoryProperties)(device, memory);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFormatProperties(VkPhysicalDevice device, VkFormat format,
                                                             VkFormatProperties* properties) {
  const auto index = static_cast<std::uint32_t>(format);
  if (Answers(device, Question::kFormat, VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, index, properties)) return;
  TANDEM_FORWARD(GetPhysicalDeviceFormatProperties)(device, format, properties);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  if (AnswersChain(device, Question::kProperties, 0, properties)) return;
  TANDEM_FORWARD(GetPhysicalDeviceProperties2)(device, properties);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
  if (AnswersChain(device, Question::kFeatures, 0, features)) return;
  TANDEM_FORWARD(GetPhysicalDeviceFeatures2)(device, features);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice device,
                                                              VkPhysicalDeviceMemoryProperties2* memory) {
  if (AnswersChain(device, Question::kMemory, 0, memory)) return;
  TANDEM_FORWARD(GetPhysicalDeviceMemoryProperties2)(device, memory);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFormatProperties2(VkPhysicalDevice device, VkFormat format,
                                                              VkFormatProperties2* properties) {
  if (AnswersChain(device, Question::kFormat, static_cast<std::uint32_t>(format), properties)) return;
  TANDEM_FORWARD(GetPhysicalDeviceFormatProperties2)(device, format, properties);
}

// Families that fit the caller's array; all where it has none.
std::uint32_t GivenFamilies(const system::KeptAnswers& kept, std::uint32_t room, bool counts_only) {
  const std::uint32_t families = kept.QueueFamilies();
  return counts_only ? families : std::min(room, families);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device, uint32_t* count,
                                                                  VkQueueFamilyProperties* families) {
  const auto* const kept = Asleep(device);
  if (kept == nullptr) return TANDEM_FORWARD(GetPhysicalDeviceQueueFamilyProperties)(device, count, families);
  *count = GivenFamilies(*kept, *count, families == nullptr);
  for (std::uint32_t i = 0; families != nullptr && i < *count; ++i) {
    kept->Write({Question::kQueueFamily, i, static_cast<std::uint32_t>(VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2)},
                std::as_writable_bytes(std::span(families + i, 1)));
  }
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice device, uint32_t* count,
                                                                   VkQueueFamilyProperties2* families) {
  const auto* const kept = Asleep(device);
  bool answered = kept != nullptr;
  const std::uint32_t given = kept == nullptr ? 0 : GivenFamilies(*kept, *count, families == nullptr);
  for (std::uint32_t i = 0; answered && families != nullptr && i < given; ++i) {
    answered = kept->WriteChain(Question::kQueueFamily, i, families + i);
  }
  if (!answered) return TANDEM_FORWARD(GetPhysicalDeviceQueueFamilyProperties2)(device, count, families);
  *count = given;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char* layer, uint32_t* count,
                                                                  VkExtensionProperties* properties) {
  const auto* const kept = Asleep(device);
  if (kept == nullptr || layer != nullptr) {
    return TANDEM_FORWARD(EnumerateDeviceExtensionProperties)(device, layer, count, properties);
  }
  return Guarded([&]() -> VkResult {
    const auto extensions = kept->Extensions(Question::kExtensions);
    return Answer(std::span<const VkExtensionProperties>(extensions), count, properties);
  });
}

VKAPI_ATTR VkResult VKAPI_CALL EnumeratePhysicalDevices(VkInstance instance, uint32_t* count, VkPhysicalDevice* devices) {
  return Guarded([&]() -> VkResult {
    std::vector<VkPhysicalDevice> handles;
    for (SleepingDevice& device : SleepingInstance::Of(instance).devices()) handles.push_back(device.handle());
    return Answer(std::span<const VkPhysicalDevice>(handles), count, devices);
  });
}

// A record has no groups of several devices.
VKAPI_ATTR VkResult VKAPI_CALL EnumeratePhysicalDeviceGroups(VkInstance instance, uint32_t* count,
                                                             VkPhysicalDeviceGroupProperties* groups) {
  auto& devices = SleepingInstance::Of(instance).devices();
  const auto available = static_cast<std::uint32_t>(devices.size());
  const std::uint32_t given = groups == nullptr ? available : std::min(*count, available);
  for (std::uint32_t i = 0; groups != nullptr && i < given; ++i) {
    groups[i].physicalDeviceCount = 1;
    groups[i].physicalDevices[0] = devices[i].handle();
    groups[i].subsetAllocation = VK_FALSE;
  }
  *count = given;
  return given < available ? VK_INCOMPLETE : VK_SUCCESS;
}

#undef TANDEM_FORWARD

}  // namespace
}  // namespace asleep

PFN_vkVoidFunction SleepingQuery(const char* name) {
#define TANDEM_NAMED(function)                                                                \
  if (std::strcmp(name, "vk" #function) == 0 || std::strcmp(name, "vk" #function "KHR") == 0) \
  return reinterpret_cast<PFN_vkVoidFunction>(&asleep::function)
  TANDEM_NAMED(EnumerateDeviceExtensionProperties);
  TANDEM_NAMED(EnumeratePhysicalDeviceGroups);
  TANDEM_NAMED(EnumeratePhysicalDevices);
  TANDEM_NAMED(GetPhysicalDeviceFeatures);
  TANDEM_NAMED(GetPhysicalDeviceFeatures2);
  TANDEM_NAMED(GetPhysicalDeviceFormatProperties);
  TANDEM_NAMED(GetPhysicalDeviceFormatProperties2);
  TANDEM_NAMED(GetPhysicalDeviceMemoryProperties);
  TANDEM_NAMED(GetPhysicalDeviceMemoryProperties2);
  TANDEM_NAMED(GetPhysicalDeviceProperties);
  TANDEM_NAMED(GetPhysicalDeviceProperties2);
  TANDEM_NAMED(GetPhysicalDeviceQueueFamilyProperties);
  TANDEM_NAMED(GetPhysicalDeviceQueueFamilyProperties2);
#undef TANDEM_NAMED
  return nullptr;
}

}  // namespace tandem::layer
