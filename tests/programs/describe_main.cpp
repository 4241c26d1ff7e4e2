// Prints the bytes of every answer that Vulkan gives about its devices before one is created. Bytes that the driver leaves alone
// keep the program's filling.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

#include "tests/programs/vulkan_program.h"

namespace {

using namespace tandem::test;

constexpr unsigned char kFilling = 0xA5;

void Print(const std::string& what, const void* bytes, std::size_t size) {
  std::string line = what + " ";
  for (const unsigned char byte : std::span(static_cast<const unsigned char*>(bytes), size)) {
    constexpr const char* kDigits = "0123456789abcdef";
    line += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  std::puts(line.c_str());
}

VkInstance CreateInstance(std::uint32_t version) {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = version;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  Check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
  return instance;
}

std::vector<VkPhysicalDevice> Devices(VkInstance instance) {
  std::uint32_t count = 0;
  Check(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> devices(count);
  Check(vkEnumeratePhysicalDevices(instance, &count, devices.data()), "vkEnumeratePhysicalDevices");
  return devices;
}

VkResult CreateAndDestroyDevice(VkPhysicalDevice physical, bool in_a_group) {
  const float priority = 1.0F;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceGroupDeviceCreateInfo group{};
  group.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO;
  group.physicalDeviceCount = 1;
  group.pPhysicalDevices = &physical;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = in_a_group ? &group : nullptr;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  VkDevice device = VK_NULL_HANDLE;
  const VkResult result = vkCreateDevice(physical, &info, nullptr, &device);
  if (result == VK_SUCCESS) vkDestroyDevice(device, nullptr);
  return result;
}

void AskImageFormat(VkPhysicalDevice device) {
  VkImageFormatProperties properties{};
  Check(vkGetPhysicalDeviceImageFormatProperties(device, VK_FORMAT_B8G8R8A8_UNORM, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                                                 VK_IMAGE_USAGE_SAMPLED_BIT, 0, &properties),
        "vkGetPhysicalDeviceImageFormatProperties");
}

template <class T>
T Filled() {
  T structure;
  std::memset(&structure, kFilling, sizeof structure);
  return structure;
}

// Structures of Vulkan 1.2 and of widespread extensions, each at the end of a chain of its own.
template <class Head, class T, class Ask>
void PrintChained(const char* name, VkStructureType head_type, VkStructureType type, Ask ask) {
  auto structure = Filled<T>();
  structure.sType = type;
  structure.pNext = nullptr;
  auto head = Filled<Head>();
  head.sType = head_type;
  head.pNext = &structure;
  ask(&head);
  constexpr std::size_t kHeader = 16;
  Print(name, reinterpret_cast<const char*>(&head) + kHeader, sizeof head - kHeader);
  Print(name, reinterpret_cast<const char*>(&structure) + kHeader, sizeof structure - kHeader);
}

void PrintProperties(VkPhysicalDevice device) {
  auto properties = Filled<VkPhysicalDeviceProperties>();
  vkGetPhysicalDeviceProperties(device, &properties);
  Print("properties", &properties, sizeof properties);
  const auto ask = [device](VkPhysicalDeviceProperties2* head) { vkGetPhysicalDeviceProperties2(device, head); };
#define TANDEM_PRINT(type, structure)                                                                              \
  PrintChained<VkPhysicalDeviceProperties2, structure>(#structure, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, \
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type##_PROPERTIES, ask)
  TANDEM_PRINT(ID, VkPhysicalDeviceIDProperties);
  TANDEM_PRINT(DRIVER, VkPhysicalDeviceDriverProperties);
  TANDEM_PRINT(SUBGROUP, VkPhysicalDeviceSubgroupProperties);
  TANDEM_PRINT(MAINTENANCE_3, VkPhysicalDeviceMaintenance3Properties);
  TANDEM_PRINT(DESCRIPTOR_INDEXING, VkPhysicalDeviceDescriptorIndexingProperties);
  TANDEM_PRINT(VULKAN_1_1, VkPhysicalDeviceVulkan11Properties);
  TANDEM_PRINT(VULKAN_1_2, VkPhysicalDeviceVulkan12Properties);
  TANDEM_PRINT(VULKAN_1_3, VkPhysicalDeviceVulkan13Properties);
#undef TANDEM_PRINT
  PrintChained<VkPhysicalDeviceProperties2, VkPhysicalDeviceExternalMemoryHostPropertiesEXT>(
      "host", VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT, ask);
}

void PrintFeatures(VkPhysicalDevice device) {
  auto features = Filled<VkPhysicalDeviceFeatures>();
  vkGetPhysicalDeviceFeatures(device, &features);
  Print("features", &features, sizeof features);
  const auto ask = [device](VkPhysicalDeviceFeatures2* head) { vkGetPhysicalDeviceFeatures2(device, head); };
#define TANDEM_PRINT(type, structure)                                                                          \
  PrintChained<VkPhysicalDeviceFeatures2, structure>(#structure, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, \
                                                     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type##_FEATURES, ask)
  TANDEM_PRINT(TIMELINE_SEMAPHORE, VkPhysicalDeviceTimelineSemaphoreFeatures);
  TANDEM_PRINT(16BIT_STORAGE, VkPhysicalDevice16BitStorageFeatures);
  TANDEM_PRINT(SYNCHRONIZATION_2, VkPhysicalDeviceSynchronization2Features);
  TANDEM_PRINT(VULKAN_1_1, VkPhysicalDeviceVulkan11Features);
  TANDEM_PRINT(VULKAN_1_2, VkPhysicalDeviceVulkan12Features);
  TANDEM_PRINT(VULKAN_1_3, VkPhysicalDeviceVulkan13Features);
#undef TANDEM_PRINT
}

void PrintMemoryAndFamilies(VkPhysicalDevice device) {
  auto memory = Filled<VkPhysicalDeviceMemoryProperties>();
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  Print("memory", &memory, sizeof memory);
  auto memory2 = Filled<VkPhysicalDeviceMemoryProperties2>();
  memory2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  memory2.pNext = nullptr;
  vkGetPhysicalDeviceMemoryProperties2(device, &memory2);
  Print("memory2", &memory2.memoryProperties, sizeof memory2.memoryProperties);
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count, Filled<VkQueueFamilyProperties>());
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  Print("families", families.data(), count * sizeof(VkQueueFamilyProperties));
  auto family = Filled<VkQueueFamilyProperties2>();
  family.sType = VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2;
  family.pNext = nullptr;
  std::uint32_t one = 1;
  vkGetPhysicalDeviceQueueFamilyProperties2(device, &one, &family);
  Print("family", &family.queueFamilyProperties, sizeof family.queueFamilyProperties);
}

void PrintFormats(VkPhysicalDevice device) {
  std::vector<VkFormat> formats{VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, VK_FORMAT_A4R4G4B4_UNORM_PACK16};
  for (int i = 0; i <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; ++i) formats.push_back(static_cast<VkFormat>(i));
  for (const VkFormat format : formats) {
    const std::string name = "format " + std::to_string(format);
    auto properties = Filled<VkFormatProperties>();
    vkGetPhysicalDeviceFormatProperties(device, format, &properties);
    Print(name, &properties, sizeof properties);
    PrintChained<VkFormatProperties2, VkFormatProperties3>(
        name.c_str(), VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3,
        [&](VkFormatProperties2* head) { vkGetPhysicalDeviceFormatProperties2(device, format, head); });
  }
}

void PrintExtensions(VkPhysicalDevice device) {
  std::uint32_t count = 0;
  Check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr), "vkEnumerateDeviceExtensionProperties");
  std::vector<VkExtensionProperties> extensions(count);
  Check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data()), "vkEnumerateDeviceExtensionProperties");
  for (const VkExtensionProperties& item : extensions) std::printf("extension %s %u\n", item.extensionName, item.specVersion);
}

void PrintDevice(VkPhysicalDevice device) {
  PrintProperties(device);
  PrintFeatures(device);
  PrintMemoryAndFamilies(device);
  PrintFormats(device);
  PrintExtensions(device);
}

void PrintGroups(VkInstance instance, const std::vector<VkPhysicalDevice>& devices) {
  std::uint32_t count = 0;
  Check(vkEnumeratePhysicalDeviceGroups(instance, &count, nullptr), "vkEnumeratePhysicalDeviceGroups");
  std::vector<VkPhysicalDeviceGroupProperties> groups(count);
  for (VkPhysicalDeviceGroupProperties& group : groups) group.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES;
  Check(vkEnumeratePhysicalDeviceGroups(instance, &count, groups.data()), "vkEnumeratePhysicalDeviceGroups");
  for (const VkPhysicalDeviceGroupProperties& group : groups) {
    const auto found = std::ranges::find(devices, group.physicalDevices[0]);
    std::printf("group of %u with device %td of %zu\n", group.physicalDeviceCount, found - devices.begin(), devices.size());
  }
}

// All threads wait for one that opens the driver.
void CreateOnThreads(VkPhysicalDevice device, int count) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([device] { Check(CreateAndDestroyDevice(device, false), "vkCreateDevice"); });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main(int argc, char** argv) {
  std::string first;
  bool device = false;
  int threads = 0;
  CLI::App app{"Prints what Vulkan says of its devices."};
  app.add_option("--first", first, "Before the answers: device, group, image-format");
  app.add_flag("--device", device, "After the answers, create a device and print the result");
  app.add_option("--threads", threads, "After the answers, create a device on each of as many threads");
  CLI11_PARSE(app, argc, argv);
  const VkInstance instance = CreateInstance(VK_API_VERSION_1_2);
  const std::vector<VkPhysicalDevice> devices = Devices(instance);
  // Loaders of functions ask for all names that their headers know, whatever the loader of Vulkan knows.
  for (const char* name : {"vkCreateAndroidSurfaceKHR", "vkCmdOfTheFuture", "vkGetPhysicalDeviceOfTheFuture"}) {
    std::printf("%s %s\n", name, vkGetInstanceProcAddr(instance, name) == nullptr ? "unknown" : "known");
  }
  for (const VkPhysicalDevice found : devices) {
    if (first == "device" || first == "group") Check(CreateAndDestroyDevice(found, first == "group"), "vkCreateDevice");
    if (first == "image-format") AskImageFormat(found);
    PrintDevice(found);
    if (threads > 0) CreateOnThreads(found, threads);
  }
  PrintGroups(instance, devices);
  if (device) std::printf("device %d\n", CreateAndDestroyDevice(devices.at(0), false));
  vkDestroyInstance(instance, nullptr);
  return 0;
}
