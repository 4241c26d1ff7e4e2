#include "layer/instance.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

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

void Register(VkInstance handle, const VkInstanceCreateInfo& create_info, const InstanceBelow& below) {
  Process::NameApplication(create_info.pApplicationInfo);
  auto instance = std::make_shared<Instance>();
  instance->handle = handle;
  instance->next = LoadInstanceTable(handle, below.get_instance_proc_addr);
  instance->device_below = below.device_below;
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
  if (instance->system != nullptr) Instances().Insert(DispatchKey(instance->render_device), instance);
  Instances().Insert(DispatchKey(handle), std::move(instance));
}

}  // namespace

std::shared_ptr<Instance> FindInstance(void* dispatch_key) { return Instances().Find(dispatch_key); }

VkResult CreateInstanceOver(const InstanceBelow& below, const VkInstanceCreateInfo& asked, const VkInstanceCreateInfo& passed,
                            const VkAllocationCallbacks* allocator, VkInstance* instance) {
  const PFN_vkGetInstanceProcAddr next = below.get_instance_proc_addr;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
  if (create == nullptr) return VK_ERROR_INITIALIZATION_FAILED;

  // The layer uses Vulkan 1.2's names for timeline semaphores, external memory and device UUIDs.
  auto application = Structure<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr);
  if (passed.pApplicationInfo != nullptr) application = *passed.pApplicationInfo;
  application.apiVersion = std::max(application.apiVersion, VK_API_VERSION_1_2);
  VkInstanceCreateInfo edited = passed;
  edited.pApplicationInfo = &application;
  const VkResult result = create(&edited, allocator, instance);
  if (result != VK_SUCCESS) return result;

  const VkResult registered = Guarded([&] {
    Register(*instance, asked, below);
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
    if (data->render_device != VK_NULL_HANDLE) Instances().Remove(DispatchKey(data->render_device));
    Instances().Remove(key);
  }
  data->next.DestroyInstance(instance, allocator);
}

}  // namespace tandem::layer
