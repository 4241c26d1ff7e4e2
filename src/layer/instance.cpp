#include "layer/instance.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <utility>

#include "base/log.h"
#include "config/adapter_info.h"
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

// True for adapters whose driver the instance has.
std::function<bool(const config::AdapterInfo&)> UsableBy(const Instance& instance) {
  return
      [&instance](const config::AdapterInfo& adapter) { return FindRenderDevice(instance.handle, instance.next, adapter).ok(); };
}

// Finds the physical device that the settings chose. The error is the reason why the layer steps aside.
Result<void> Activate(Instance& instance) {
  auto system = Process::Get().AcquireSystem();
  if (!system.ok()) return system.error();
  const config::AdapterInfo& adapter = (*system)->FollowRenderAdapter(UsableBy(instance));
  auto device = FindRenderDevice(instance.handle, instance.next, adapter);
  if (!device.ok()) {
    Process::Get().ReleaseSystem();
    return device.error();
  }
  instance.system = *system;
  instance.render_devices.Add({*device, &adapter});
  status::NoteInstance();
  Log(LogLevel::kInfo, "Rendering on {}, showing by {}.", adapter.name, (*system)->display_adapter().name);
  return {};
}

// Settings that keep Tandem out of the process were reported earlier.
bool MayServe() { return !Process::Get().inert() && Process::Get().settings().ok(); }

std::shared_ptr<Instance> MakeInstance(VkInstance handle, const InstanceBelow& below) {
  auto instance = std::make_shared<Instance>();
  instance->handle = handle;
  instance->device_below = below.device_below;
  instance->next.GetInstanceProcAddr = below.get_instance_proc_addr;
  instance->next.DestroyInstance =
      reinterpret_cast<PFN_vkDestroyInstance>(below.get_instance_proc_addr(handle, "vkDestroyInstance"));
  return instance;
}

void Register(VkInstance handle, const VkInstanceCreateInfo& create_info, const InstanceBelow& below, bool has_callbacks) {
  std::shared_ptr<Instance> instance = MakeInstance(handle, below);
  instance->has_callbacks = has_callbacks;
  instance->next = LoadInstanceTable(handle, below.get_instance_proc_addr);
  instance->swapchain_colorspace = Enables(create_info, VK_EXT_SWAPCHAIN_COLOR_SPACE_EXTENSION_NAME);
  if (create_info.pApplicationInfo != nullptr && create_info.pApplicationInfo->apiVersion != 0) {
    instance->api_version = create_info.pApplicationInfo->apiVersion;
  }
  instance->workarounds = WorkaroundsFor(create_info.pApplicationInfo);
  auto active = Activate(*instance);
  if (!active.ok()) Process::Get().stats().StepAside(active.error().message, LogLevel::kError);
  if (instance->system != nullptr) Instances().Insert(DispatchKey(instance->render_devices.current().handle), instance);
  Instances().Insert(DispatchKey(handle), std::move(instance));
}

}  // namespace

std::shared_ptr<Instance> FindInstance(void* dispatch_key) { return Instances().Find(dispatch_key); }

VkPhysicalDevice FollowRenderDevice(const std::shared_ptr<Instance>& instance) {
  // A forked child starts no drivers.
  if (Process::Get().inert()) return instance->render_devices.current().handle;
  const MutexLock lock(instance->following);
  const RenderDevices::Item before = instance->render_devices.current();
  const config::AdapterInfo& adapter = instance->system->FollowRenderAdapter(UsableBy(*instance));
  if (&adapter == before.adapter) return before.handle;
  const auto device = FindRenderDevice(instance->handle, instance->next, adapter);
  if (!device.ok() || !instance->render_devices.Add({*device, &adapter})) return before.handle;
  Instances().Insert(DispatchKey(*device), instance);
  Process::Get().stats().SetAdapters(adapter, instance->system->display_adapter());
  return *device;
}

std::shared_ptr<Surface> FindSurface(const Instance& instance, VkSurfaceKHR surface) {
  std::shared_ptr<Surface> found = instance.surfaces.Find(surface);
  if (found == nullptr) {
    Instances().ForEach([&](const Instance& other) {
      if (found == nullptr) found = other.surfaces.Find(surface);
    });
  }
  return found;
}

VkResult CreateInstanceOver(const InstanceBelow& below, const VkInstanceCreateInfo& asked, const VkInstanceCreateInfo& passed,
                            const VkAllocationCallbacks* allocator, VkInstance* instance) {
  const PFN_vkGetInstanceProcAddr next = below.get_instance_proc_addr;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
  if (create == nullptr) return VK_ERROR_INITIALIZATION_FAILED;

  bool serves = false;
  const VkResult decided = Guarded([&] {
    Process::NameApplication(asked.pApplicationInfo);
    serves = MayServe();
    return VK_SUCCESS;
  });
  if (decided != VK_SUCCESS) return decided;

  // The layer uses Vulkan 1.2's names for timeline semaphores, external memory and device UUIDs.
  auto application = Structure<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr);
  if (passed.pApplicationInfo != nullptr) application = *passed.pApplicationInfo;
  application.apiVersion = std::max(application.apiVersion, VK_API_VERSION_1_2);
  VkInstanceCreateInfo edited = passed;
  if (serves) edited.pApplicationInfo = &application;
  const VkResult result = create(&edited, allocator, instance);
  if (result != VK_SUCCESS) return result;

  const VkResult registered = Guarded([&] {
    if (serves) {
      Register(*instance, asked, below, allocator != nullptr);
    } else {
      Instances().Insert(DispatchKey(*instance), MakeInstance(*instance, below));
    }
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
    data->render_devices.ForEach([](VkPhysicalDevice device) { Instances().Remove(DispatchKey(device)); });
    Instances().Remove(key);
  }
  data->next.DestroyInstance(instance, allocator);
}

}  // namespace tandem::layer
