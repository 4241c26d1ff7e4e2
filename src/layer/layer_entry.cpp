// Exported symbols of the layer.
#include <span>
#include <vector>

#include <vulkan/vk_layer.h>

#include "layer/entry_points.h"
#include "layer/extensions.h"
#include "layer/guard.h"
#include "layer/process.h"
#include "system/system.h"

// `tandem doctor` compares it with its own version.
extern "C" VK_LAYER_EXPORT const char* tandemVersion() { return TANDEM_VERSION; }

// The manifest names this one; the loader calls it before an instance exists.
extern "C" VK_LAYER_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
tandemEnumerateInstanceExtensionProperties(const VkEnumerateInstanceExtensionPropertiesChain* chain, const char* layer,
                                           uint32_t* count, VkExtensionProperties* properties) {
  if (layer != nullptr) return chain->CallDown(layer, count, properties);
  return tandem::layer::Guarded([&]() -> VkResult {
    uint32_t below = 0;
    VkResult result = chain->CallDown(nullptr, &below, nullptr);
    if (result != VK_SUCCESS) return result;
    std::vector<VkExtensionProperties> listed(below);
    result = chain->CallDown(nullptr, &below, listed.data());
    if (result != VK_SUCCESS) return result;
    const auto found = std::span(listed).first(below);
    // No state is kept: a child forked before the first instance gets the same answers as its parent.
    const auto settings = tandem::layer::SettingsOfProcess({});
    const bool active =
        tandem::layer::HasOwnInstanceExtensions(found) && settings.ok() && tandem::system::System::Check(*settings).ok();
    const auto visible = tandem::layer::VisibleInstanceExtensions(found, active);
    return tandem::layer::Answer(std::span<const VkExtensionProperties>(visible), count, properties);
  });
}

extern "C" VK_LAYER_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* versions) {
  constexpr uint32_t kOldestWithNegotiation = 2;
  if (versions == nullptr || versions->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
      versions->loaderLayerInterfaceVersion < kOldestWithNegotiation) {
    return VK_ERROR_INITIALIZATION_FAILED;
  }
  versions->loaderLayerInterfaceVersion = kOldestWithNegotiation;
  versions->pfnGetInstanceProcAddr = &tandem::layer::GetInstanceProcAddr;
  versions->pfnGetDeviceProcAddr = &tandem::layer::GetDeviceProcAddr;
  versions->pfnGetPhysicalDeviceProcAddr = &tandem::layer::GetPhysicalDeviceProcAddr;
  return VK_SUCCESS;
}
