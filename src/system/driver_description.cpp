#include "system/driver_description.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "system/driver_record_bytes.h"

namespace tandem::system {
namespace {

struct Functions {
  explicit Functions(PFN_vkGetInstanceProcAddr get, VkInstance instance) {
    const auto load = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(get(instance, name));
      complete = complete && function != nullptr;
    };
    load(groups, "vkEnumeratePhysicalDeviceGroups");
    load(extensions, "vkEnumerateDeviceExtensionProperties");
    load(properties, "vkGetPhysicalDeviceProperties2");
    load(features, "vkGetPhysicalDeviceFeatures2");
    load(memory, "vkGetPhysicalDeviceMemoryProperties2");
    load(families, "vkGetPhysicalDeviceQueueFamilyProperties2");
    load(format, "vkGetPhysicalDeviceFormatProperties2");
  }

  PFN_vkEnumeratePhysicalDeviceGroups groups = nullptr;
  PFN_vkEnumerateDeviceExtensionProperties extensions = nullptr;
  PFN_vkGetPhysicalDeviceProperties2 properties = nullptr;
  PFN_vkGetPhysicalDeviceFeatures2 features = nullptr;
  PFN_vkGetPhysicalDeviceMemoryProperties2 memory = nullptr;
  PFN_vkGetPhysicalDeviceQueueFamilyProperties2 families = nullptr;
  PFN_vkGetPhysicalDeviceFormatProperties2 format = nullptr;
  bool complete = true;
};

// All structures of a question in one chain, filled with one byte.
class FilledChain {
 public:
  FilledChain(Question question, std::span<const VkStructureType> types, std::byte fill) : question_(question), types_(types) {
    for (const VkStructureType type : types_) {
      structures_.emplace_back(kHeaderBytes + KeptBytes(question, static_cast<std::uint32_t>(type)).value_or(0), fill);
      auto* const item = Item(structures_.size() - 1);
      item->sType = type;
      item->pNext = nullptr;
      if (structures_.size() > 1) Item(structures_.size() - 2)->pNext = item;
    }
  }

  template <class T>
  [[nodiscard]] T* Head() {
    return reinterpret_cast<T*>(structures_.front().data());
  }

  // Keeps what stands in this chain, filled with zeros, and in `ones`, where the same was asked.
  void Keep(std::uint32_t index, const FilledChain& ones, KeptAnswers& answers) const {
    for (std::size_t i = 0; i < types_.size(); ++i) {
      KeptAnswer answer{Content(i), ones.Content(i)};
      if (answer.over_zeros == answer.over_ones) answer.over_ones.clear();
      answers.Keep({question_, index, static_cast<std::uint32_t>(types_[i])}, std::move(answer));
    }
  }

 private:
  VkBaseOutStructure* Item(std::size_t i) { return reinterpret_cast<VkBaseOutStructure*>(structures_[i].data()); }
  [[nodiscard]] std::vector<std::byte> Content(std::size_t i) const {
    return {structures_[i].begin() + kHeaderBytes, structures_[i].end()};
  }

  Question question_;
  std::span<const VkStructureType> types_;
  std::vector<std::vector<std::byte>> structures_;
};

// One device's answers.
class Description {
 public:
  Description(const Functions& vk, VkPhysicalDevice device);
  [[nodiscard]] KeptAnswers Take() { return std::move(answers_); }

 private:
  // Calls `ask` with a chain that it fills, twice.
  template <class T, class Ask>
  void KeepStructures(Question question, std::uint32_t index, Ask ask) {
    // A driver may complain to standard error about structures of extensions that it lacks.
    const auto types = KeptTypes(question, version_, extensions_);
    FilledChain zeros(question, types, std::byte{0});
    FilledChain ones(question, types, std::byte{0xFF});
    ask(zeros.Head<T>());
    ask(ones.Head<T>());
    zeros.Keep(index, ones, answers_);
  }
  void KeepFamilies();
  void KeepFormats();

  const Functions& vk_;
  const VkPhysicalDevice device_;
  std::uint32_t version_ = VK_API_VERSION_1_1;
  std::vector<VkExtensionProperties> extensions_;
  KeptAnswers answers_;
};

void Description::KeepFamilies() {
  std::uint32_t count = 0;
  vk_.families(device_, &count, nullptr);
  for (std::uint32_t family = 0; family < count; ++family) {
    KeepStructures<VkQueueFamilyProperties2>(Question::kQueueFamily, family, [&](VkQueueFamilyProperties2* head) {
      std::vector<VkQueueFamilyProperties2> all(count);
      for (VkQueueFamilyProperties2& one : all) one.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2;
      all[family] = *head;
      std::uint32_t given = count;
      vk_.families(device_, &given, all.data());
      head->queueFamilyProperties = all[family].queueFamilyProperties;
    });
  }
}

// Formats of Vulkan 1.3 and of the extensions of its headers.
void Description::KeepFormats() {
  constexpr std::pair<std::uint32_t, std::uint32_t> kRanges[] = {
      {VK_FORMAT_UNDEFINED, VK_FORMAT_ASTC_12x12_SRGB_BLOCK},
      {VK_FORMAT_PVRTC1_2BPP_UNORM_BLOCK_IMG, VK_FORMAT_PVRTC2_4BPP_SRGB_BLOCK_IMG},
      {VK_FORMAT_ASTC_4x4_SFLOAT_BLOCK, VK_FORMAT_ASTC_12x12_SFLOAT_BLOCK},
      {VK_FORMAT_G8B8G8R8_422_UNORM, VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM},
      {VK_FORMAT_G8_B8R8_2PLANE_444_UNORM, VK_FORMAT_G16_B16R16_2PLANE_444_UNORM},
      {VK_FORMAT_A4R4G4B4_UNORM_PACK16, VK_FORMAT_A4B4G4R4_UNORM_PACK16},
      {VK_FORMAT_R16G16_S10_5_NV, VK_FORMAT_R16G16_S10_5_NV},
  };
  for (const auto& [first, last] : kRanges) {
    for (std::uint32_t format = first; format <= last; ++format) {
      KeepStructures<VkFormatProperties2>(Question::kFormat, format, [&](VkFormatProperties2* head) {
        vk_.format(device_, static_cast<VkFormat>(format), head);
      });
    }
  }
}

template <class T>
KeptAnswer ListOf(std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return {{bytes.begin(), bytes.end()}, {}};
}

// Vulkan's list of extensions; nothing when it cannot be had.
template <class Enumerate>
std::vector<VkExtensionProperties> ExtensionsBy(Enumerate enumerate) {
  std::uint32_t count = 0;
  if (enumerate(&count, nullptr) != VK_SUCCESS) return {};
  std::vector<VkExtensionProperties> list(count);
  if (enumerate(&count, list.data()) != VK_SUCCESS) return {};
  list.resize(count);
  return list;
}

Description::Description(const Functions& vk, VkPhysicalDevice device) : vk_(vk), device_(device) {
  extensions_ = ExtensionsBy(
      [&](std::uint32_t* count, VkExtensionProperties* list) { return vk.extensions(device, nullptr, count, list); });
  answers_.Keep({Question::kExtensions, 0, 0}, ListOf(std::span<const VkExtensionProperties>(extensions_)));
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  vk.properties(device, &properties);
  version_ = std::max(version_, properties.properties.apiVersion);
  KeepStructures<VkPhysicalDeviceProperties2>(Question::kProperties, 0,
                                              [&](VkPhysicalDeviceProperties2* head) { vk.properties(device, head); });
  KeepStructures<VkPhysicalDeviceFeatures2>(Question::kFeatures, 0,
                                            [&](VkPhysicalDeviceFeatures2* head) { vk.features(device, head); });
  KeepStructures<VkPhysicalDeviceMemoryProperties2>(Question::kMemory, 0,
                                                    [&](VkPhysicalDeviceMemoryProperties2* head) { vk.memory(device, head); });
  KeepFamilies();
  KeepFormats();
}

KeptAnswers DescribeInstance(PFN_vkGetInstanceProcAddr get, VkInstance instance) {
  KeptAnswers answers;
  const auto enumerate_version = reinterpret_cast<PFN_vkEnumerateInstanceVersion>(get(nullptr, "vkEnumerateInstanceVersion"));
  std::uint32_t version = VK_API_VERSION_1_0;
  if (enumerate_version != nullptr) static_cast<void>(enumerate_version(&version));
  answers.Keep({Question::kInstanceVersion, 0, 0}, ListOf(std::span<const std::uint32_t>(&version, 1)));
  const auto enumerate =
      reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(get(nullptr, "vkEnumerateInstanceExtensionProperties"));
  const auto extensions = ExtensionsBy([&](std::uint32_t* count, VkExtensionProperties* list) {
    return enumerate == nullptr ? VK_ERROR_INITIALIZATION_FAILED : enumerate(nullptr, count, list);
  });
  answers.Keep({Question::kInstanceExtensions, 0, 0}, ListOf(std::span<const VkExtensionProperties>(extensions)));
  std::vector<char> commands;
  for (const char* name : {
#define TANDEM_COMMAND(name, extension) "vk" #name,
#include "system/instance_commands.inc"
#undef TANDEM_COMMAND
       }) {
    if (get(instance, name) != nullptr) commands.insert(commands.end(), name, name + std::strlen(name) + 1);
  }
  answers.Keep({Question::kInstanceCommands, 0, 0}, ListOf(std::span<const char>(commands)));
  return answers;
}

bool EachDeviceIsAGroup(const Functions& vk, VkInstance instance) {
  std::uint32_t count = 0;
  if (vk.groups(instance, &count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkPhysicalDeviceGroupProperties> groups(count);
  for (VkPhysicalDeviceGroupProperties& group : groups) group.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES;
  if (vk.groups(instance, &count, groups.data()) != VK_SUCCESS) return false;
  for (const VkPhysicalDeviceGroupProperties& group : groups) {
    if (group.physicalDeviceCount != 1) return false;
  }
  return true;
}

}  // namespace

Result<DriverRecord> DescribeDriver(PFN_vkGetInstanceProcAddr get, VkInstance instance,
                                    std::span<const VkPhysicalDevice> devices) {
  const Functions vk(get, instance);
  if (!vk.complete) return Fail(ErrorKind::kUnsupported, "The Vulkan driver lacks functions of Vulkan 1.1.");
  if (devices.empty() || devices.size() > kMaxRecordedDevices) {
    return Fail(ErrorKind::kUnsupported, "The Vulkan driver has {} devices; a record holds 1 to {}.", devices.size(),
                kMaxRecordedDevices);
  }
  if (!EachDeviceIsAGroup(vk, instance)) {
    return Fail(ErrorKind::kUnsupported, "The Vulkan driver has a group of several devices.");
  }
  DriverRecord record{DescribeInstance(get, instance), {}};
  for (const VkPhysicalDevice device : devices) {
    record.devices.push_back(Description(vk, device).Take());
    const std::uint32_t families = record.devices.back().QueueFamilies();
    if (families == 0 || families > kMaxRecordedFamilies) {
      return Fail(ErrorKind::kUnsupported, "A device has {} queue families; a record holds 1 to {}.", families,
                  kMaxRecordedFamilies);
    }
  }
  return record;
}

}  // namespace tandem::system
