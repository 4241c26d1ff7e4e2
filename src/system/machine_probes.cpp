#include "system/machine_probes.h"

#include <cstdlib>
#include <string_view>

#include <dlfcn.h>
#include <fmt/format.h>
#include <vulkan/vulkan_core.h>

#include "drivers/vulkan/icd/dispatch.h"
#include "drivers/vulkan/icd/library.h"
#include "drivers/vulkan/icd/manifest.h"
#include "outputs/wayland/client.h"
#include "outputs/wayland/events.h"
#include "outputs/wayland/globals.h"
#include "outputs/x11/connection.h"

namespace tandem::system {
namespace {

ProbeAnswer NotLoaded() {
  const char* const why = dlerror();
  return {false, fmt::format("It cannot be loaded: {}.", why == nullptr ? "no reason is given" : why), {}};
}

template <class Function>
Function FunctionIn(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

// A device of Vulkan 1.0 or 1.1 has no words on its driver.
void AddDevice(const vulkan::Dispatch& vk, VkPhysicalDevice device, std::vector<std::string>& facts) {
  VkPhysicalDeviceDriverProperties driver{};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
  const VkPhysicalDeviceProperties first = vk.ReadProperties(device);
  if (first.apiVersion >= VK_API_VERSION_1_2) static_cast<void>(vk.ReadProperties(device, &driver));
  facts.insert(facts.end(), {first.deviceName, driver.driverName, driver.driverInfo});
}

ProbeAnswer DevicesOfDriver(const vulkan::IcdLibrary& library, ProbeAnswer answer) {
  const auto instance = vulkan::IcdInstance::Create(library);
  if (!instance.ok()) return {false, instance.error().message, answer.facts};
  for (VkPhysicalDevice device : (*instance)->PhysicalDevices()) AddDevice((*instance)->vk(), device, answer.facts);
  return answer;
}

}  // namespace

ProbeAnswer ProbeVulkanLoader() {
  return AskContained(kProbeLimitMs, []() -> ProbeAnswer {
    void* const library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return NotLoaded();
    const auto version = FunctionIn<PFN_vkEnumerateInstanceVersion>(library, "vkEnumerateInstanceVersion");
    if (version == nullptr) return {false, "It has no vkEnumerateInstanceVersion, so it is older than Vulkan 1.1.", {}};
    std::uint32_t number = 0;
    const VkResult result = version(&number);
    if (result != VK_SUCCESS) {
      return {false,
              fmt::format("vkEnumerateInstanceVersion answers {}, as with an implicit layer's manifest that is no JSON.",
                          vulkan::ToString(result)),
              {}};
    }
    return {true,
            "",
            {fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(number), VK_API_VERSION_MINOR(number), VK_API_VERSION_PATCH(number))}};
  });
}

ProbeAnswer ProbeLayerLibrary(const std::string& path) {
  return AskContained(kProbeLimitMs, [&path]() -> ProbeAnswer {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return NotLoaded();
    if (dlsym(library, "vkNegotiateLoaderLayerInterfaceVersion") == nullptr)
      return {false, "It has no vkNegotiateLoaderLayerInterfaceVersion, so it is no layer that Tandem's manifest fits.", {}};
    const auto version = FunctionIn<const char* (*)()>(library, "tandemVersion");
    return version == nullptr ? ProbeAnswer{true, "", {}} : ProbeAnswer{true, "", {version()}};
  });
}

std::vector<std::string> VulkanManifests() { return vulkan::FindManifests(); }

ProbeAnswer ProbeVulkanDriver(const std::string& manifest, bool devices) {
  return AskContained(kProbeLimitMs, [&]() -> ProbeAnswer {
    const auto read = vulkan::ReadManifest(manifest);
    if (!read.ok()) return {false, read.error().message, {}};
    const auto library = vulkan::IcdLibrary::Open(read->library);
    if (!library.ok()) return {false, library.error().message, {read->library}};
    ProbeAnswer loads{true, "", {read->library}};
    return devices ? DevicesOfDriver(*library, loads) : loads;
  });
}

ProbeAnswer ProbeX11() {
  return AskContained(kProbeLimitMs, []() -> ProbeAnswer {
    const auto connection = outputs::X11Connection::Open("");
    if (!connection.ok()) return {false, connection.error().message, {}};
    ProbeAnswer answer{true, "", {}};
    if ((*connection)->dri3() != nullptr) answer.facts.emplace_back("DRI3");
    if ((*connection)->present() != nullptr) answer.facts.emplace_back("Present");
    if ((*connection)->passes_segments()) answer.facts.emplace_back("MIT-SHM");
    return answer;
  });
}

ProbeAnswer ProbeWayland() {
  return AskContained(kProbeLimitMs, []() -> ProbeAnswer {
    if (const auto loaded = outputs::LoadWaylandClient(); !loaded.ok()) return {false, loaded.error().message, {}};
    void* const library = dlopen("libwayland-client.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return NotLoaded();
    const auto connect = FunctionIn<wl_display* (*)(const char*)>(library, "wl_display_connect");
    wl_display* const display = connect == nullptr ? nullptr : connect(nullptr);
    if (display == nullptr) return {false, "No compositor answers at its socket.", {}};
    const auto events = outputs::WaylandEvents::Start(display, [] {});
    if (!events.ok()) return {false, events.error().message, {}};
    const auto globals = outputs::WaylandGlobals::Find(**events);
    if (!globals.ok()) return {false, globals.error().message, {}};
    ProbeAnswer answer{true, "", {"wl_shm"}};
    if ((*globals)->dma_bufs() != nullptr) answer.facts.emplace_back("zwp_linux_dmabuf_v1");
    if ((*globals)->presentation() != nullptr) answer.facts.emplace_back("wp_presentation");
    if ((*globals)->tearing() != nullptr) answer.facts.emplace_back("wp_tearing_control_manager_v1");
#ifdef TANDEM_WAYLAND_FIFO
    if ((*globals)->fifo() != nullptr) answer.facts.emplace_back("wp_fifo_manager_v1");
#endif
    (*events)->Stop();
    return answer;
  });
}

bool UsesWaylandInterface(const std::string& name) {
#ifdef TANDEM_WAYLAND_FIFO
  return !name.empty();
#else
  return name != "wp_fifo_manager_v1";
#endif
}

ProbeAnswer ProbeLibrary(const std::string& name) {
  return AskContained(kProbeLimitMs, [&name]() -> ProbeAnswer {
    return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr ? NotLoaded() : ProbeAnswer{true, "", {}};
  });
}

}  // namespace tandem::system
