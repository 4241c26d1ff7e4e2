// Opens a device of our own directly from its driver.
#include <algorithm>
#include <cstring>

#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/icd/enumeration.h"
#include "drivers/vulkan/icd/identity.h"

namespace tandem::vulkan {
namespace {

struct Families {
  std::uint32_t render = 0;
  std::uint32_t copy = 0;
  std::uint32_t copy_index = 0;  // index within its family
};

// Null: the driver has no such device.
VkPhysicalDevice Find(const IcdInstance& instance, const OwnDevice& wanted) {
  const std::vector<VkPhysicalDevice> devices = instance.PhysicalDevices();
  const std::vector<DeviceIdentity> identities = IdentitiesOf(instance.vk(), devices);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (identities[i].device_uuid == wanted.device_uuid && identities[i].driver_uuid == wanted.driver_uuid) return devices[i];
  }
  return VK_NULL_HANDLE;
}

// Chooses a graphics family. Copies use a transfer-only family, else a second queue of the graphics family, else the same
// queue.
Result<Families> ChooseFamilies(const Dispatch& vk, VkPhysicalDevice device) {
  std::uint32_t count = 0;
  vk.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vk.GetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  families.resize(count);
  const auto find = [&](VkQueueFlags with, VkQueueFlags without) {
    return std::find_if(families.begin(), families.end(), [&](const VkQueueFamilyProperties& family) {
      return family.queueCount > 0 && (family.queueFlags & with) == with && (family.queueFlags & without) == 0;
    });
  };
  const auto render = find(VK_QUEUE_GRAPHICS_BIT, 0);
  if (render == families.end()) return Fail(ErrorKind::kUnsupported, "The Vulkan device has no graphics queue.");
  Families out;
  out.render = static_cast<std::uint32_t>(render - families.begin());
  const auto transfer = find(VK_QUEUE_TRANSFER_BIT, VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT);
  const bool whole_images = transfer != families.end() && transfer->minImageTransferGranularity.width == 1 &&
                            transfer->minImageTransferGranularity.height == 1;
  if (whole_images) {
    out.copy = static_cast<std::uint32_t>(transfer - families.begin());
  } else {
    out.copy = out.render;
    out.copy_index = render->queueCount > 1 ? 1 : 0;
  }
  return out;
}

std::vector<const char*> DeviceExtensions(const Dispatch& vk, VkPhysicalDevice device) {
  std::uint32_t count = 0;
  if (vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr) != VK_SUCCESS) return {};
  std::vector<VkExtensionProperties> offered(count);
  if (vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, offered.data()) < 0) return {};
  offered.resize(count);
  const bool whole = vk.ReadProperties(device).apiVersion >= kWholeVersion;
  std::vector<const char*> enabled;
  std::vector<const char*> wanted{"VK_KHR_swapchain", "VK_KHR_timeline_semaphore", "VK_EXT_external_memory_host"};
  wanted.insert(wanted.end(), kCrossingExtensionNames.begin(), kCrossingExtensionNames.end());
  for (const char* name : wanted) {
    if (!whole && !enabled.empty()) break;
    if (std::any_of(offered.begin(), offered.end(), [&](const auto& e) { return std::strcmp(e.extensionName, name) == 0; })) {
      enabled.push_back(name);
    }
  }
  return enabled;
}

bool Contains(const std::vector<const char*>& names, const char* name) {
  return std::any_of(names.begin(), names.end(), [&](const char* n) { return std::strcmp(n, name) == 0; });
}

}  // namespace

Result<std::unique_ptr<Gpu>> Gpu::Open(const OwnDevice& description) {
  Result<IcdLibrary> library = IcdLibrary::Open(description.icd_library);
  if (!library.ok()) return std::move(library).error();
  Result<std::unique_ptr<IcdInstance>> instance = IcdInstance::Create(*library, description.layers);
  if (!instance.ok()) return std::move(instance).error();
  std::unique_ptr<Gpu> self(new Gpu());
  self->physical_ = Find(**instance, description);
  if (self->physical_ == VK_NULL_HANDLE) {
    return Fail(ErrorKind::kNotFound, "{} has no device of the wanted UUIDs.", description.icd_library);
  }
  self->own_instance_ = std::move(*instance);
  if (Result<void> created = self->CreateDevice(*self->own_instance_, description.imports_pages); !created.ok())
    return created.error();
  return self;
}

Result<void> Gpu::CreateDevice(const IcdInstance& instance, bool imports_pages) {
  instance_ = instance.handle();
  get_instance_proc_addr_ = instance.get_instance_proc_addr();
  vk_ = instance.vk();
  surfaces_ = instance.surfaces();
  Result<Families> families = ChooseFamilies(vk_, physical_);
  if (!families.ok()) return std::move(families).error();
  const std::vector<const char*> extensions = DeviceExtensions(vk_, physical_);
  const bool has_timelines = HasTimelineSemaphores(vk_, physical_);
  if (!has_timelines) families->copy = families->render;  // fences keep one queue's order
  if (!has_timelines) families->copy_index = 0;

  const float priorities[] = {1.0F, 1.0F};
  VkDeviceQueueCreateInfo queues[2]{};
  std::uint32_t queue_infos = 1;
  queues[0].sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queues[0].queueFamilyIndex = families->render;
  queues[0].queueCount = families->copy_index + 1;
  queues[0].pQueuePriorities = priorities;
  if (families->copy != families->render) {
    queues[1] = queues[0];
    queues[1].queueFamilyIndex = families->copy;
    queues[1].queueCount = 1;
    queue_infos = 2;
  }
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{};
  timeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
  timeline.timelineSemaphore = VK_TRUE;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  if (has_timelines) info.pNext = &timeline;
  info.queueCreateInfoCount = queue_infos;
  info.pQueueCreateInfos = queues;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  if (const VkResult result = instance.CreateDevice(physical_, info, device_); result != VK_SUCCESS) {
    device_ = VK_NULL_HANDLE;
    return Fail(ToErrorKind(result, ErrorKind::kUnsupported), "vkCreateDevice answered {}.", ToString(result));
  }
  const PFN_vkGetDeviceProcAddr lookup = instance.get_device_proc_addr();
  if (lookup == nullptr) return Fail(ErrorKind::kUnsupported, "The Vulkan driver has no function vkGetDeviceProcAddr.");
  if (Result<void> loaded = vk_.LoadDevice(device_, lookup); !loaded.ok()) return loaded;
  locks_ = std::make_shared<QueueLocks>();
  queues_[kRenderNode].family = families->render;
  queues_[kCopyNode].family = families->copy;
  vk_.GetDeviceQueue(device_, families->render, 0, &queues_[kRenderNode].handle);
  vk_.GetDeviceQueue(device_, families->copy, families->copy_index, &queues_[kCopyNode].handle);
  for (const Queue& queue : queues_) locks_->Add(queue.handle);
  if (families->copy != families->render) sharing_families_ = {families->render, families->copy};
  if (!has_timelines) {
    auto fences = FenceTimelines::Create(vk_, device_, families->render);
    if (!fences.ok()) return std::move(fences).error();
    fences_ = *std::move(fences);
  }
  can_present_ = Contains(extensions, "VK_KHR_swapchain") && vk_.QueuePresentKHR != nullptr;
  const bool by_address = imports_pages && Contains(extensions, "VK_EXT_external_memory_host");
  if (Result<void> read = ReadProperties(by_address); !read.ok()) return read;
  if (imports_pages) ReadCrossing(CrossingOf(extensions));
  return {};
}

}  // namespace tandem::vulkan
