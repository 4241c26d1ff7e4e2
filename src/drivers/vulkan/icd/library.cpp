#include "drivers/vulkan/icd/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "drivers/vulkan/icd/layer_chain.h"

namespace tandem::vulkan {
namespace {

using NegotiateVersion = VkResult(VKAPI_PTR*)(std::uint32_t* version);

// Maximum physical devices of one driver; more are ignored.
constexpr std::uint32_t kMaxPhysicalDevices = 32;

std::vector<VkExtensionProperties> InstanceExtensions(PFN_vkGetInstanceProcAddr get) {
  const auto enumerate =
      reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(get(nullptr, "vkEnumerateInstanceExtensionProperties"));
  std::uint32_t count = 0;
  if (enumerate == nullptr || enumerate(nullptr, &count, nullptr) != VK_SUCCESS) return {};
  std::vector<VkExtensionProperties> extensions(count);
  if (enumerate(nullptr, &count, extensions.data()) < 0) return {};
  extensions.resize(count);
  return extensions;
}

}  // namespace

Result<IcdLibrary> IcdLibrary::Open(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* reason = dlerror();
    return Fail(ErrorKind::kIo, "Vulkan driver {} cannot be loaded: {}.", path, reason == nullptr ? "no reason given" : reason);
  }
  std::uint32_t version = 0;
  const auto negotiate = reinterpret_cast<NegotiateVersion>(dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion"));
  const auto get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vk_icdGetInstanceProcAddr"));
  if (negotiate != nullptr) {
    version = kMaxIcdInterface;
    if (negotiate(&version) != VK_SUCCESS) version = 0;
  }
  if (get == nullptr || version < kMinIcdInterface) {
    return Fail(ErrorKind::kUnsupported, "{} speaks loader interface {}; {} to {} are known.", path, version, kMinIcdInterface,
                kMaxIcdInterface);
  }
  const auto physical = reinterpret_cast<GetPhysicalDeviceProcAddr>(dlsym(library, "vk_icdGetPhysicalDeviceProcAddr"));
  return IcdLibrary(get, physical, version);
}

IcdInstance::IcdInstance() = default;

Result<std::unique_ptr<IcdInstance>> IcdInstance::Create(const IcdLibrary& library, std::span<const std::string> layers) {
  const PFN_vkGetInstanceProcAddr get = library.get_instance_proc_addr();
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(get(nullptr, "vkCreateInstance"));
  const auto enumerate_version = reinterpret_cast<PFN_vkEnumerateInstanceVersion>(get(nullptr, "vkEnumerateInstanceVersion"));
  std::uint32_t version = VK_API_VERSION_1_0;
  if (enumerate_version != nullptr) static_cast<void>(enumerate_version(&version));
  if (create == nullptr) return Fail(ErrorKind::kUnsupported, "The driver has no function vkCreateInstance.");
  std::unique_ptr<IcdInstance> self(new IcdInstance());
  self->get_instance_proc_addr_ = get;
  if (!layers.empty()) {
    const auto manifests = FindLayers(layers);
    if (!manifests.ok()) return manifests.error();
    auto chain = LayerChain::Open(library, *manifests);
    if (!chain.ok()) return std::move(chain).error();
    self->layers_ = *std::move(chain);
    self->get_instance_proc_addr_ = self->layers_->get_instance_proc_addr();
  }

  const std::vector<VkExtensionProperties> offered = InstanceExtensions(get);
  std::vector<const char*> enabled;
  const auto enable = [&](const char* name) {
    const bool found = std::any_of(offered.begin(), offered.end(),
                                   [&](const VkExtensionProperties& e) { return std::strcmp(e.extensionName, name) == 0; });
    if (found) enabled.push_back(name);
    return found;
  };
  if (enable("VK_KHR_surface")) {
    self->surfaces_ = {.xcb = enable("VK_KHR_xcb_surface"),
                       .wayland = enable("VK_KHR_wayland_surface"),
                       .headless = enable("VK_EXT_headless_surface")};
  }
  if (enable("VK_KHR_get_physical_device_properties2")) enable("VK_KHR_external_memory_capabilities");  // device UUIDs
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "tandem";
  application.apiVersion = std::min(version, VK_API_VERSION_1_3);
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  info.enabledExtensionCount = static_cast<std::uint32_t>(enabled.size());
  info.ppEnabledExtensionNames = enabled.data();
  const VkResult result =
      self->layers_ != nullptr ? self->layers_->CreateInstance(info, self->instance_) : create(&info, nullptr, &self->instance_);
  if (result != VK_SUCCESS) {
    self->instance_ = VK_NULL_HANDLE;
    return Fail(ErrorKind::kInternal, "vkCreateInstance answered {}.", ToString(result));
  }
  if (Result<void> loaded = self->vk_.LoadInstance(self->instance_, self->get_instance_proc_addr_); !loaded.ok())
    return loaded.error();
  return self;
}

IcdInstance::~IcdInstance() {
  if (instance_ == VK_NULL_HANDLE) return;
  const auto destroy = reinterpret_cast<PFN_vkDestroyInstance>(get_instance_proc_addr_(instance_, "vkDestroyInstance"));
  if (destroy != nullptr) destroy(instance_, nullptr);
}

VkResult IcdInstance::CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo& info, VkDevice& out) const {
  return layers_ != nullptr ? layers_->CreateDevice(instance_, physical, info, out)
                            : vk_.CreateDevice(physical, &info, nullptr, &out);
}

PFN_vkGetDeviceProcAddr IcdInstance::get_device_proc_addr() const {
  if (layers_ != nullptr) return layers_->get_device_proc_addr();
  return reinterpret_cast<PFN_vkGetDeviceProcAddr>(get_instance_proc_addr_(instance_, "vkGetDeviceProcAddr"));
}

std::vector<VkPhysicalDevice> IcdInstance::PhysicalDevices() const {
  std::uint32_t count = 0;
  if (vk_.EnumeratePhysicalDevices(instance_, &count, nullptr) != VK_SUCCESS) return {};
  count = std::min(count, kMaxPhysicalDevices);
  std::vector<VkPhysicalDevice> devices(count);
  if (count == 0 || vk_.EnumeratePhysicalDevices(instance_, &count, devices.data()) < 0) return {};
  devices.resize(count);
  return devices;
}

}  // namespace tandem::vulkan
