#include "drivers/vulkan/icd/enumeration.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/core.h>

#include "drivers/vulkan/icd/identity.h"
#include "drivers/vulkan/icd/manifest.h"
#include "drivers/vulkan/icd/manifest_files.h"

namespace tandem::vulkan {
namespace {

class Extensions {
 public:
  Extensions(const Dispatch& vk, VkPhysicalDevice device) {
    std::uint32_t count = 0;
    if (vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr) != VK_SUCCESS) return;
    list_.resize(count);
    if (vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, list_.data()) < 0) count = 0;
    list_.resize(count);
  }
  [[nodiscard]] bool Has(const char* name) const {
    return std::any_of(list_.begin(), list_.end(), [&](const auto& e) { return std::strcmp(e.extensionName, name) == 0; });
  }

 private:
  std::vector<VkExtensionProperties> list_;
};

template <class T>
T Structure(VkStructureType type) {
  T structure{};
  structure.sType = type;
  return structure;
}

std::uint64_t DeviceLocalBytes(const Dispatch& vk, VkPhysicalDevice device) {
  VkPhysicalDeviceMemoryProperties memory{};
  vk.GetPhysicalDeviceMemoryProperties(device, &memory);
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < memory.memoryHeapCount && i < VK_MAX_MEMORY_HEAPS; ++i) {
    if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0) bytes += memory.memoryHeaps[i].size;
  }
  return bytes;
}

IcdDevice Describe(const IcdInstance& instance, VkPhysicalDevice device, const DeviceIdentity& identity) {
  const Dispatch& vk = instance.vk();
  const Extensions extensions(vk, device);
  auto driver = Structure<VkPhysicalDeviceDriverProperties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  auto host = Structure<VkPhysicalDeviceExternalMemoryHostPropertiesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT);
  auto pci = Structure<VkPhysicalDevicePCIBusInfoPropertiesEXT>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT);
  void* further = nullptr;
  void** tail = &further;
  const auto chain = [&tail](auto& structure) {
    *tail = &structure;
    tail = &structure.pNext;
  };
  IcdDevice out;
  const bool has_host = extensions.Has("VK_EXT_external_memory_host");
  const bool has_pci = vk.GetPhysicalDeviceProperties2 != nullptr && extensions.Has("VK_EXT_pci_bus_info");
  if (extensions.Has("VK_KHR_driver_properties")) chain(driver);
  if (has_host) chain(host);
  if (has_pci) chain(pci);
  const VkPhysicalDeviceProperties properties = vk.ReadProperties(device, further);

  out.name.assign(properties.deviceName, strnlen(properties.deviceName, VK_MAX_PHYSICAL_DEVICE_NAME_SIZE));
  out.driver_name.assign(driver.driverName, strnlen(driver.driverName, VK_MAX_DRIVER_NAME_SIZE));
  out.driver_info.assign(driver.driverInfo, strnlen(driver.driverInfo, VK_MAX_DRIVER_INFO_SIZE));
  out.type = properties.deviceType;
  out.vendor_id = properties.vendorID;
  out.device_id = properties.deviceID;
  out.api_version = properties.apiVersion;
  out.device_uuid = identity.device_uuid;
  out.driver_uuid = identity.driver_uuid;
  out.uuid_derived = identity.derived;
  out.external_memory_host = has_host && properties.apiVersion >= kWholeVersion;
  if (has_pci) {
    out.pci_address = fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.pciDomain, pci.pciBus, pci.pciDevice, pci.pciFunction);
  }
  out.device_local_bytes = DeviceLocalBytes(vk, device);
  std::string missing;
  out.linear_textures = LinearImageUses(vk, device, missing);
  out.import_alignment = out.external_memory_host ? host.minImportedHostPointerAlignment : 0;
  out.timeline_semaphore = HasTimelineSemaphores(vk, device);
  if (extensions.Has("VK_KHR_swapchain")) out.surfaces = instance.surfaces();
  return out;
}

// The devices of one manifest's driver, or the reason why there are none.
Result<std::vector<IcdDevice>> DevicesOf(const std::string& manifest_path, const std::string& library_path) {
  Result<IcdLibrary> library = IcdLibrary::Open(library_path);
  if (!library.ok()) return std::move(library).error();
  Result<std::unique_ptr<IcdInstance>> instance = IcdInstance::Create(*library);
  if (!instance.ok()) return std::move(instance).error().Context("Opening " + library_path);
  std::vector<IcdDevice> devices;
  const std::vector<VkPhysicalDevice> found = (*instance)->PhysicalDevices();
  const std::vector<DeviceIdentity> identities = IdentitiesOf((*instance)->vk(), found);
  for (std::size_t i = 0; i < found.size(); ++i) {
    IcdDevice described = Describe(**instance, found[i], identities[i]);
    described.icd_library = library_path;
    described.manifest_path = manifest_path;
    devices.push_back(std::move(described));
  }
  if (devices.empty()) return Fail(ErrorKind::kNotFound, "Vulkan driver {} found no device.", library_path);
  return devices;
}

}  // namespace

bool HasTimelineSemaphores(const Dispatch& vk, VkPhysicalDevice device) {
  const std::uint32_t version = vk.ReadProperties(device).apiVersion;
  if (version < kWholeVersion || vk.GetPhysicalDeviceFeatures2 == nullptr) return false;
  if (version < VK_API_VERSION_1_2 && !Extensions(vk, device).Has("VK_KHR_timeline_semaphore")) return false;
  auto timeline =
      Structure<VkPhysicalDeviceTimelineSemaphoreFeatures>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
  auto features = Structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  features.pNext = &timeline;
  vk.GetPhysicalDeviceFeatures2(device, &features);
  return timeline.timelineSemaphore == VK_TRUE;
}

bool LinearImageUses(const Dispatch& vk, VkPhysicalDevice device, std::string& missing) {
  constexpr VkFormatFeatureFlags kDrawn = VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
  constexpr VkFormatFeatureFlags kStored = kDrawn | VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT;
  struct Row {
    VkFormat format;
    VkFormatFeatureFlags uses;
  };
  constexpr Row kRows[] = {
      {VK_FORMAT_R16G16B16A16_SFLOAT, kStored}, {VK_FORMAT_A2B10G10R10_UNORM_PACK32, kStored},
      {VK_FORMAT_R8G8B8A8_UNORM, kStored},      {VK_FORMAT_B8G8R8A8_UNORM, kStored},
      {VK_FORMAT_R8G8B8A8_SRGB, kDrawn},        {VK_FORMAT_B8G8R8A8_SRGB, kDrawn},
  };
  for (const Row& row : kRows) {
    VkFormatProperties properties{};
    vk.GetPhysicalDeviceFormatProperties(device, row.format, &properties);
    if ((properties.linearTilingFeatures & row.uses) == row.uses) continue;
    missing = fmt::format("Linear images of VkFormat {} have features 0x{:x} of the wanted 0x{:x}.", static_cast<int>(row.format),
                          properties.linearTilingFeatures & row.uses, row.uses);
    return false;
  }
  return true;
}

Enumeration EnumerateDevices() {
  Enumeration out;
  std::vector<std::string> manifests = FindManifests();
  if (manifests.size() > kMaxManifests) {
    out.problems.push_back(fmt::format("{} driver manifests were found; the limit is {}.", manifests.size(), kMaxManifests));
    manifests.resize(kMaxManifests);
  }
  std::vector<std::string> opened;
  for (const std::string& path : manifests) {
    Result<Manifest> manifest = ReadManifest(path);
    if (!manifest.ok()) {
      out.problems.push_back(manifest.error().message);
      continue;
    }
    const bool ours = std::string_view(manifest->library).ends_with(kOwnDriverLibrary);
    if (ours || std::find(opened.begin(), opened.end(), manifest->library) != opened.end()) continue;
    opened.push_back(manifest->library);
    Result<std::vector<IcdDevice>> devices = DevicesOf(path, manifest->library);
    if (!devices.ok()) {
      out.problems.push_back(devices.error().message);
      continue;
    }
    for (IcdDevice& device : *devices) out.devices.push_back(std::move(device));
  }
  return out;
}

}  // namespace tandem::vulkan
