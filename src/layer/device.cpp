#include "layer/device.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "base/log.h"
#include "layer/device_create_info.h"
#include "layer/extensions.h"
#include "layer/guard.h"
#include "layer/host_memory.h"
#include "layer/process.h"

namespace tandem::layer {
namespace {

// Never destroyed: the program may call into Vulkan from its own destructors at exit.
HandleMap<void*, Device>& Devices() {
  static auto* const devices = new HandleMap<void*, Device>;
  return *devices;
}

std::vector<std::string_view> ReadEnabled(const VkDeviceCreateInfo& create_info) {
  std::vector<std::string_view> enabled;
  for (const VkExtensionProperties& own : OwnDeviceExtensions()) {
    const std::span names(create_info.ppEnabledExtensionNames, create_info.enabledExtensionCount);
    if (std::ranges::any_of(names, [&own](std::string_view name) { return name == own.extensionName; })) {
      enabled.emplace_back(own.extensionName);
    }
  }
  return enabled;
}

VkQueue GetQueue(const Device& device, std::uint32_t family, std::uint32_t index, VkDeviceQueueCreateFlags flags) {
  VkQueue queue = VK_NULL_HANDLE;
  if (flags == 0) {
    device.next.GetDeviceQueue(device.handle, family, index, &queue);
  } else if (device.next.GetDeviceQueue2 != nullptr) {
    const VkDeviceQueueInfo2 info{VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2, nullptr, flags, family, index};
    device.next.GetDeviceQueue2(device.handle, &info, &queue);
  }
  // A layer that gets a dispatchable object directly from the driver must set the loader's dispatch pointer itself.
  if (queue != VK_NULL_HANDLE && device.set_loader_data != nullptr) device.set_loader_data(device.handle, queue);
  return queue;
}

void CollectQueues(Device& device, const VkDeviceCreateInfo& application, const CopyQueueChoice& copy,
                   const std::optional<CopyQueueChoice>& compute) {
  device.locks = std::make_shared<system::QueueLocks>();
  for (std::uint32_t i = 0; i < application.queueCreateInfoCount; ++i) {
    const VkDeviceQueueCreateInfo& info = application.pQueueCreateInfos[i];
    for (std::uint32_t index = 0; index < info.queueCount; ++index) {
      const VkQueue queue = GetQueue(device, info.queueFamilyIndex, index, info.flags);
      if (queue == VK_NULL_HANDLE) continue;
      device.queues.push_back({queue, info.queueFamilyIndex});
      device.locks->Add(queue);
    }
  }
  device.copy_queue = GetQueue(device, copy.family, copy.index, 0);
  device.copy_queue_family = copy.family;
  device.copy_queue_shared = copy.shared;
  if (!copy.shared) device.locks->Add(device.copy_queue);
  if (!compute) return;
  device.compute_queue = GetQueue(device, compute->family, compute->index, 0);
  device.compute_queue_family = compute->family;
  device.locks->Add(device.compute_queue);
}

std::vector<VkQueueFamilyProperties> Families(const Instance& instance, VkPhysicalDevice physical_device) {
  std::uint32_t count = 0;
  instance.next.GetPhysicalDeviceQueueFamilyProperties(physical_device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  instance.next.GetPhysicalDeviceQueueFamilyProperties(physical_device, &count, families.data());
  return families;
}

// The driver allocates command buffers below the loader's trampoline, so the layer must set their dispatch pointer.
VKAPI_ATTR VkResult VKAPI_CALL AllocateCommandBuffersBelow(VkDevice handle, const VkCommandBufferAllocateInfo* info,
                                                           VkCommandBuffer* buffers) {
  const auto device = FindDevice(DispatchKey(handle));
  const VkResult result = device->next.AllocateCommandBuffers(handle, info, buffers);
  for (std::uint32_t i = 0; result == VK_SUCCESS && device->set_loader_data != nullptr && i < info->commandBufferCount; ++i) {
    device->set_loader_data(handle, buffers[i]);
  }
  return result;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddrBelow(VkDevice handle, const char* name) {
  if (std::strcmp(name, "vkAllocateCommandBuffers") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(&AllocateCommandBuffersBelow);
  return FindDevice(DispatchKey(handle))->next.GetDeviceProcAddr(handle, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddrBelow(VkInstance handle, const char* name) {
  return FindByName(FindInstance(DispatchKey(handle))->next, name);
}

std::shared_ptr<Device> MakeDevice(VkDevice handle, VkPhysicalDevice physical_device, std::shared_ptr<Instance> instance,
                                   const DeviceBelow& below) {
  auto device = std::make_shared<Device>();
  device->handle = handle;
  device->physical_device = physical_device;
  device->instance = std::move(instance);
  if (device->instance->system == nullptr) {
    device->next.GetDeviceProcAddr = below.get_device_proc_addr;
  } else {
    device->next = LoadDeviceTable(handle, below.get_device_proc_addr);
  }
  device->set_loader_data = below.set_loader_data;
  return device;
}

std::vector<void*> KeysOf(const Device& device) {
  std::vector<void*> keys{DispatchKey(device.handle)};
  for (const QueueOfDevice& queue : device.queues) keys.push_back(DispatchKey(queue.handle));
  return keys;
}

void Register(std::shared_ptr<Device> device) {
  for (void* const key : KeysOf(*device)) Devices().Insert(key, device);
}

}  // namespace

void Device::Close() {
  swapchains.Clear();
  const MutexLock lock(session_mutex_);
  session_.reset();
}

Result<system::RenderSession*> Device::Session() {
  const MutexLock lock(session_mutex_);
  if (session_) return session_.get();
  system::BorrowedDevice borrowed;
  borrowed.instance = instance->handle;
  borrowed.physical_device = physical_device;
  borrowed.device = handle;
  borrowed.get_instance_proc_addr = &GetInstanceProcAddrBelow;
  borrowed.get_device_proc_addr = &GetDeviceProcAddrBelow;
  borrowed.copy_queue = copy_queue;
  borrowed.copy_queue_family = copy_queue_family;
  borrowed.compute_queue = compute_queue;
  borrowed.compute_queue_family = compute_queue_family;
  borrowed.external_memory_host = external_memory_host;
  borrowed.host_image_copy = host_image_copy;
  borrowed.crossing = crossing;
  for (const QueueOfDevice& queue : queues) {
    auto& known = borrowed.application_queue_families;
    if (std::find(known.begin(), known.end(), queue.family) == known.end()) known.push_back(queue.family);
  }
  borrowed.locks = locks;
  borrowed.lost = lost;
  auto session = instance->system->BorrowDevice(std::move(borrowed), *instance->render_devices.Find(physical_device).adapter);
  if (!session.ok()) return std::move(session).error();
  session_ = *std::move(session);
  return session_.get();
}

std::shared_ptr<Device> FindDevice(void* dispatch_key) { return Devices().Find(dispatch_key); }

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical_device, const VkDeviceCreateInfo* create_info,
                                            const VkAllocationCallbacks* allocator, VkDevice* device) {
  auto instance = FindInstance(DispatchKey(physical_device));
  if (instance == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const DeviceBelow below = instance->device_below(*instance, *create_info);
  if (below.get_instance_proc_addr == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const auto create = reinterpret_cast<PFN_vkCreateDevice>(below.get_instance_proc_addr(instance->handle, "vkCreateDevice"));
  if (create == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  return Guarded([&]() -> VkResult {
    if (instance->system == nullptr || !instance->render_devices.Has(physical_device)) {
      const VkResult result = create(physical_device, create_info, allocator, device);
      if (result == VK_SUCCESS) Register(MakeDevice(*device, physical_device, instance, below));
      return result;
    }
    if (FollowRenderDevice(instance) != physical_device) return VK_ERROR_DEVICE_LOST;
    const auto extensions = DriverDeviceExtensions(instance->next.EnumerateDeviceExtensionProperties, physical_device);
    const auto families = Families(*instance, physical_device);
    VkPhysicalDeviceProperties properties{};
    instance->next.GetPhysicalDeviceProperties(physical_device, &properties);
    const bool is_processor = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const DeviceCreateEdit edit(*create_info, {extensions, families, is_processor});
    const bool has_callbacks = allocator != nullptr || instance->has_callbacks;
    const VkAllocationCallbacks* const memory = has_callbacks ? &OwnHostMemory() : nullptr;
    const VkResult result = create(physical_device, &edit.info(), memory, device);
    if (result != VK_SUCCESS) return result;
    auto made = MakeDevice(*device, physical_device, instance, below);
    made->active = true;
    made->host_memory = memory;
    made->enabled = ReadEnabled(*create_info);
    made->external_memory_host = edit.external_memory_host();
    made->host_image_copy = edit.host_image_copy();
    made->crossing = edit.crossing();
    CollectQueues(*made, *create_info, edit.copy_queue(), edit.compute_queue());
    Log(LogLevel::kInfo, "Copies go to {} queue of family {}.", made->copy_queue_shared ? "the application's" : "a",
        made->copy_queue_family);
    Register(std::move(made));
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
  if (device == VK_NULL_HANDLE) return;
  const auto data = Devices().Find(DispatchKey(device));
  if (data == nullptr) return;
  const CancellationOff off;
  if (!Process::Get().inert()) {
    data->Close();
    for (void* const key : KeysOf(*data)) Devices().Remove(key);
  }
  data->next.DestroyDevice(device, data->active ? data->host_memory : allocator);
}

}  // namespace tandem::layer
