#include "layer/instance.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include <vulkan/vk_layer.h>

#include "base/log.h"
#include "layer/chain.h"
#include "layer/guard.h"
#include "layer/physical_device.h"
#include "layer/process.h"
#include "status/run_note.h"

namespace tandem::layer {
namespace {

// Never destroyed: the program may call into Vulkan from its own destructors at exit.
HandleMap<void*, Instance>& Instances() {
  static auto* const instances = new HandleMap<void*, Instance>;
  return *instances;
}

VkLayerInstanceCreateInfo* FindLink(const VkInstanceCreateInfo& create_info) {
  for (const auto* item = static_cast<const VkBaseInStructure*>(create_info.pNext); item != nullptr; item = item->pNext) {
    if (item->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO) continue;
    auto* const link = reinterpret_cast<VkLayerInstanceCreateInfo*>(const_cast<VkBaseInStructure*>(item));
    if (link->function == VK_LAYER_LINK_INFO) return link;
  }
  return nullptr;
}

bool Enables(const VkInstanceCreateInfo& create_info, const char* extension) {
  return std::any_of(create_info.ppEnabledExtensionNames, create_info.ppEnabledExtensionNames + create_info.enabledExtensionCount,
                     [extension](const char* name) { return std::strcmp(name, extension) == 0; });
}

// Finds the physical device that the settings chose. The error is the reason why the layer steps aside.
Result<void> Activate(Instance& instance) {
  auto system = Process::Get().AcquireSystem();
  if (!system.ok()) return system.error();
  auto device = FindRenderDevice(instance.handle, instance.next, (*system)->render_adapter());
  if (!device.ok()) {
    Process::Get().ReleaseSystem();
    return device.error();
  }
  instance.system = *system;
  instance.render_device = *device;
  status::NoteInstance();
  Log(LogLevel::kInfo, "Rendering on {}, showing by {}.", (*system)->render_adapter().name, (*system)->display_adapter().name);
  return {};
}

void Register(VkInstance handle, const VkInstanceCreateInfo& create_info, PFN_vkGetInstanceProcAddr next) {
  auto instance = std::make_shared<Instance>();
  instance->handle = handle;
  instance->next = LoadInstanceTable(handle, next);
  instance->swapchain_colorspace = Enables(create_info, VK_EXT_SWAPCHAIN_COLOR_SPACE_EXTENSION_NAME);
  if (create_info.pApplicationInfo != nullptr && create_info.pApplicationInfo->apiVersion != 0) {
    instance->api_version = create_info.pApplicationInfo->apiVersion;
  }
  instance->workarounds = WorkaroundsFor(create_info.pApplicationInfo);
  // Settings that keep the layer out of the process were reported earlier.
  if (!Process::Get().inert() && Process::Get().settings().ok()) {
    auto active = Activate(*instance);
    if (!active.ok()) Process::Get().stats().StepAside(active.error().message, LogLevel::kError);
  }
  Instances().Insert(DispatchKey(handle), std::move(instance));
}

}  // namespace

std::shared_ptr<Instance> FindInstance(void* dispatch_key) { return Instances().Find(dispatch_key); }

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* create_info, const VkAllocationCallbacks* allocator,
                                              VkInstance* instance) {
  VkLayerInstanceCreateInfo* const link = FindLink(*create_info);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
  if (create == nullptr) return VK_ERROR_INITIALIZATION_FAILED;

  // The layer uses Vulkan 1.2's names for timeline semaphores, external memory and device UUIDs.
  auto application = Structure<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr);
  if (create_info->pApplicationInfo != nullptr) application = *create_info->pApplicationInfo;
  application.apiVersion = std::max(application.apiVersion, VK_API_VERSION_1_2);
  VkInstanceCreateInfo below = *create_info;
  below.pApplicationInfo = &application;
  const VkResult result = create(&below, allocator, instance);
  if (result != VK_SUCCESS) return result;

  const VkResult registered = Guarded([&] {
    Register(*instance, *create_info, next);
    return VK_SUCCESS;
  });
  if (registered != VK_SUCCESS) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyInstance>(next(*instance, "vkDestroyInstance"));
    destroy(*instance, allocator);
  }
  return registered;
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance instance, const VkAllocationCallbacks* allocator) {
  if (instance == VK_NULL_HANDLE) return;
  void* const key = DispatchKey(instance);
  const auto data = Instances().Find(key);
  if (data == nullptr) return;
  const CancellationOff off;
  // A forked child destroys nothing: the threads that would have to end do not exist there.
  if (!Process::Get().inert()) {
    data->surfaces.Clear();
    if (data->system != nullptr) Process::Get().ReleaseSystem();
    Instances().Remove(key);
  }
  data->next.DestroyInstance(instance, allocator);
}

}  // namespace tandem::layer
