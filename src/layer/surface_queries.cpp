#include "layer/surface_queries.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "base/limits.h"
#include "config/settings.h"
#include "layer/chain.h"
#include "layer/extensions.h"
#include "layer/formats.h"
#include "layer/guard.h"
#include "layer/newer_vulkan.h"
#include "layer/present_scaling.h"
#include "layer/present_timings.h"
#include "layer/process.h"
#include "link/governor/encodings.h"
#include "swapchain/swap_chain.h"
#include "system/output_factory.h"
#include "system/system.h"

namespace tandem::layer {
namespace {

// Vulkan's value for "the swap chain decides".
constexpr uint32_t kOpen = 0xFFFFFFFF;

VkImageUsageFlags UsageOf(const Instance& instance, VkFormat format) {
  VkFormatProperties properties{};
  instance.next.GetPhysicalDeviceFormatProperties(instance.render_devices.current().handle, format, &properties);
  return ToImageUsage(properties.optimalTilingFeatures);
}

uint32_t MaxExtent(const Instance& instance) {
  VkPhysicalDeviceProperties properties{};
  instance.next.GetPhysicalDeviceProperties(instance.render_devices.current().handle, &properties);
  return std::min(properties.limits.maxImageDimension2D, kMaxSurfaceExtent);
}

void AnswerScaling(VkSurfacePresentScalingCapabilitiesEXT& scaling, const VkSurfaceCapabilitiesKHR& capabilities,
                   std::optional<std::uint32_t> fitted_extent) {
  scaling.supportedPresentScaling = fitted_extent ? kPresentScalings : 0;
  scaling.supportedPresentGravityX = fitted_extent ? kPresentGravities : 0;
  scaling.supportedPresentGravityY = scaling.supportedPresentGravityX;
  scaling.minScaledImageExtent = fitted_extent ? VkExtent2D{1, 1} : capabilities.minImageExtent;
  scaling.maxScaledImageExtent = fitted_extent ? VkExtent2D{*fitted_extent, *fitted_extent} : capabilities.maxImageExtent;
}

// Capabilities of surfaces whose window leaves them open.
void AnswerLimits(VkSurfaceCapabilitiesKHR& capabilities, const Instance& instance) {
  const uint32_t max_extent = MaxExtent(instance);
  capabilities.minImageExtent = {1, 1};
  capabilities.maxImageExtent = {max_extent, max_extent};
  capabilities.maxImageArrayLayers = 1;
  capabilities.supportedTransforms = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
  capabilities.supportedCompositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  capabilities.supportedUsageFlags = UsageOf(instance, VK_FORMAT_B8G8R8A8_UNORM);
}

// The formats among `shown` that the render adapter draws in and the application may see.
std::vector<VkSurfaceFormatKHR> Offered(std::span<const DXGI_FORMAT> shown, const Instance& instance) {
  constexpr VkImageUsageFlags kNeeded = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  std::vector<VkSurfaceFormatKHR> formats;
  for (const DXGI_FORMAT one : shown) {
    const VkFormat format = ToVkFormat(one);
    const VkColorSpaceKHR space = ColorSpaceOf(format);
    const bool allowed = space == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR || instance.swapchain_colorspace;
    if (format == VK_FORMAT_UNDEFINED || !allowed || (UsageOf(instance, format) & kNeeded) != kNeeded) continue;
    formats.push_back({format, space});
  }
  return formats;
}

// A null handle is VK_GOOGLE_surfaceless_query: the answer holds for each surface. The loader lists that extension if any driver
// of the machine has it, and a render driver without it would read the handle.
Result<std::vector<VkSurfaceFormatKHR>> FormatsFor(Surface* surface, const Instance& instance) {
  if (surface != nullptr) return FormatsOf(*surface, instance);
  return Offered(system::ShowableFormats(system::MoreBits::kNotOffered), instance);
}

// VkSurfaceCapabilities2KHR defines these values for a null handle.
VkSurfaceCapabilitiesKHR CapabilitiesOfNone(const Instance& instance) {
  VkSurfaceCapabilitiesKHR capabilities{};
  AnswerLimits(capabilities, instance);
  capabilities.minImageCount = kOpen;
  capabilities.maxImageCount = kOpen;
  capabilities.currentExtent = {kOpen, kOpen};
  capabilities.currentTransform = VK_SURFACE_TRANSFORM_INHERIT_BIT_KHR;
  return capabilities;
}

// VK_EXT_surface_maintenance1: each present mode is compatible only with itself. `fitted_extent` is the largest extent of frames
// that are scaled; nothing: the display adapter scales none.
void AnswerMaintenance(void* chain, const VkSurfaceCapabilitiesKHR& capabilities, VkPresentModeKHR mode,
                       std::optional<std::uint32_t> fitted_extent) {
  if (auto* scaling =
          FindOut<VkSurfacePresentScalingCapabilitiesEXT>(chain, VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_EXT)) {
    AnswerScaling(*scaling, capabilities, fitted_extent);
  }
  if (auto* modes =
          FindOut<VkSurfacePresentModeCompatibilityEXT>(chain, VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_EXT)) {
    Answer(std::span<const VkPresentModeKHR>(&mode, 1), &modes->presentModeCount, modes->pPresentModes);
  }
}

// VK_KHR_surface_protected_capabilities, VK_KHR_present_id2, VK_KHR_present_wait2 and VK_EXT_present_timing: every surface has
// the same answers.
void AnswerAlike(void* chain) {
  if (auto* guarded = FindOut<VkSurfaceProtectedCapabilitiesKHR>(chain, VK_STRUCTURE_TYPE_SURFACE_PROTECTED_CAPABILITIES_KHR)) {
    guarded->supportsProtected = VK_FALSE;
  }
  if (auto* ids = FindOut<VkSurfaceCapabilitiesPresentId2KHR>(chain, VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_ID_2_KHR))
    ids->presentId2Supported = VK_TRUE;
  if (auto* wait =
          FindOut<VkSurfaceCapabilitiesPresentWait2KHR>(chain, VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_WAIT_2_KHR))
    wait->presentWait2Supported = VK_TRUE;
  if (auto* timing =
          FindOut<VkPresentTimingSurfaceCapabilitiesEXT>(chain, VK_STRUCTURE_TYPE_PRESENT_TIMING_SURFACE_CAPABILITIES_EXT)) {
    timing->presentTimingSupported = VK_TRUE;
    timing->presentAtAbsoluteTimeSupported = VK_TRUE;
    timing->presentAtRelativeTimeSupported = VK_TRUE;
    timing->presentStageQueries = kTimedStages;
  }
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfaceSupportKHR(VkPhysicalDevice device, uint32_t family, VkSurfaceKHR handle,
                                                                  VkBool32* supported) {
  const auto instance = FindInstance(DispatchKey(device));
  const auto surface = FindSurface(*instance, handle);
  if (surface == nullptr) return instance->next.GetPhysicalDeviceSurfaceSupportKHR(device, family, handle, supported);
  return Guarded([&]() -> VkResult {
    uint32_t count = 0;
    instance->next.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    instance->next.GetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
    constexpr VkQueueFlags kAny = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
    *supported =
        instance->render_devices.Has(device) && family < count && (families[family].queueFlags & kAny) != 0 ? VK_TRUE : VK_FALSE;
    return VK_SUCCESS;
  });
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfaceCapabilitiesKHR(VkPhysicalDevice device, VkSurfaceKHR handle,
                                                                       VkSurfaceCapabilitiesKHR* capabilities) {
  const auto instance = FindInstance(DispatchKey(device));
  const auto surface = FindSurface(*instance, handle);
  if (surface == nullptr) return instance->next.GetPhysicalDeviceSurfaceCapabilitiesKHR(device, handle, capabilities);
  return Guarded([&]() -> VkResult {
    auto known = CapabilitiesOf(*surface, *instance);
    if (!known.ok()) return ToVkQueryResult(known.error());
    *capabilities = *known;
    return VK_SUCCESS;
  });
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfaceCapabilities2KHR(VkPhysicalDevice device,
                                                                        const VkPhysicalDeviceSurfaceInfo2KHR* info,
                                                                        VkSurfaceCapabilities2KHR* capabilities) {
  const auto instance = FindInstance(DispatchKey(device));
  const auto surface = FindSurface(*instance, info->surface);
  if (surface == nullptr && info->surface != VK_NULL_HANDLE)
    return instance->next.GetPhysicalDeviceSurfaceCapabilities2KHR(device, info, capabilities);
  return Guarded([&]() -> VkResult {
    if (surface == nullptr) {
      capabilities->surfaceCapabilities = CapabilitiesOfNone(*instance);
      AnswerAlike(capabilities->pNext);
      return VK_SUCCESS;
    }
    auto known = CapabilitiesOf(*surface, *instance);
    if (!known.ok()) return ToVkQueryResult(known.error());
    capabilities->surfaceCapabilities = *known;
    const auto* mode = Find<VkSurfacePresentModeEXT>(info->pNext, VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_EXT);
    auto window = surface->Look();
    if (!window.ok()) return ToVkQueryResult(window.error());
    const auto fitted_extent = (*window)->fits_frames() ? std::optional(MaxExtent(*instance)) : std::nullopt;
    AnswerMaintenance(capabilities->pNext, *known, mode == nullptr ? VK_PRESENT_MODE_FIFO_KHR : mode->presentMode, fitted_extent);
    AnswerAlike(capabilities->pNext);
    return VK_SUCCESS;
  });
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfaceCapabilities2EXT(VkPhysicalDevice device, VkSurfaceKHR handle,
                                                                        VkSurfaceCapabilities2EXT* capabilities) {
  const auto instance = FindInstance(DispatchKey(device));
  const auto surface = FindSurface(*instance, handle);
  if (surface == nullptr) return instance->next.GetPhysicalDeviceSurfaceCapabilities2EXT(device, handle, capabilities);
  return Guarded([&]() -> VkResult {
    auto known = CapabilitiesOf(*surface, *instance);
    if (!known.ok()) return ToVkQueryResult(known.error());
    capabilities->minImageCount = known->minImageCount;
    capabilities->maxImageCount = known->maxImageCount;
    capabilities->currentExtent = known->currentExtent;
    capabilities->minImageExtent = known->minImageExtent;
    capabilities->maxImageExtent = known->maxImageExtent;
    capabilities->maxImageArrayLayers = known->maxImageArrayLayers;
    capabilities->supportedTransforms = known->supportedTransforms;
    capabilities->currentTransform = known->currentTransform;
    capabilities->supportedCompositeAlpha = known->supportedCompositeAlpha;
    capabilities->supportedUsageFlags = known->supportedUsageFlags;
    capabilities->supportedSurfaceCounters = 0;
    return VK_SUCCESS;
  });
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfaceFormatsKHR(VkPhysicalDevice device, VkSurfaceKHR handle, uint32_t* count,
                                                                  VkSurfaceFormatKHR* formats) {
  const auto instance = FindInstance(DispatchKey(device));
  const auto surface = FindSurface(*instance, handle);
  if (surface == nullptr && handle != VK_NULL_HANDLE)
    return instance->next.GetPhysicalDeviceSurfaceFormatsKHR(device, handle, count, formats);
  return Guarded([&]() -> VkResult {
    auto known = FormatsFor(surface.get(), *instance);
    if (!known.ok()) return ToVkQueryResult(known.error());
    return Answer(std::span<const VkSurfaceFormatKHR>(*known), count, formats);
  });
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfaceFormats2KHR(VkPhysicalDevice device,
                                                                   const VkPhysicalDeviceSurfaceInfo2KHR* info, uint32_t* count,
                                                                   VkSurfaceFormat2KHR* formats) {
  const auto instance = FindInstance(DispatchKey(device));
  const auto surface = FindSurface(*instance, info->surface);
  if (surface == nullptr && info->surface != VK_NULL_HANDLE)
    return instance->next.GetPhysicalDeviceSurfaceFormats2KHR(device, info, count, formats);
  return Guarded([&]() -> VkResult {
    auto known = FormatsFor(surface.get(), *instance);
    if (!known.ok()) return ToVkQueryResult(known.error());
    const auto available = static_cast<uint32_t>(known->size());
    const uint32_t given = formats == nullptr ? available : std::min(*count, available);
    for (uint32_t i = 0; formats != nullptr && i < given; ++i) formats[i].surfaceFormat = (*known)[i];
    *count = given;
    return given < available ? VK_INCOMPLETE : VK_SUCCESS;
  });
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceSurfacePresentModesKHR(VkPhysicalDevice device, VkSurfaceKHR handle,
                                                                       uint32_t* count, VkPresentModeKHR* modes) {
  const auto instance = FindInstance(DispatchKey(device));
  const auto surface = FindSurface(*instance, handle);
  if (surface == nullptr && handle != VK_NULL_HANDLE)
    return instance->next.GetPhysicalDeviceSurfacePresentModesKHR(device, handle, count, modes);
  return Guarded([&]() -> VkResult {
    constexpr VkPresentModeKHR kOfEverySurface = VK_PRESENT_MODE_FIFO_KHR;
    if (surface == nullptr) return Answer(std::span(&kOfEverySurface, 1), count, modes);
    auto window = surface->Look();
    if (!window.ok()) return ToVkQueryResult(window.error());
    std::vector<VkPresentModeKHR> known;
    for (const swapchain::PresentMode mode : (*window)->present_modes()) known.push_back(ToVkPresentMode(mode));
    return Answer(std::span<const VkPresentModeKHR>(known), count, modes);
  });
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDevicePresentRectanglesKHR(VkPhysicalDevice device, VkSurfaceKHR handle,
                                                                     uint32_t* count, VkRect2D* rectangles) {
  const auto instance = FindInstance(DispatchKey(device));
  const auto surface = FindSurface(*instance, handle);
  if (surface == nullptr) return instance->next.GetPhysicalDevicePresentRectanglesKHR(device, handle, count, rectangles);
  return Guarded([&]() -> VkResult {
    auto known = CapabilitiesOf(*surface, *instance);
    if (!known.ok()) return ToVkQueryResult(known.error());
    const VkRect2D whole{{0, 0}, known->currentExtent};
    return Answer(std::span<const VkRect2D>(&whole, 1), count, rectangles);
  });
}

// False if frames must be encoded: encodings drop alpha.
bool KeepsAlpha(const config::Settings& settings) {
  return settings.path != swapchain::PathRequest::kCompressed || settings.encodings.Built().Allows(link::LinkEncoding::kPlain);
}

}  // namespace

Result<VkSurfaceCapabilitiesKHR> CapabilitiesOf(Surface& surface, const Instance& instance) {
  const auto asked = surface.AskStatus();
  if (!asked.ok()) return asked.error();
  const system::WindowStatus status = *asked;
  if (status.state == system::WindowState::kLost) return Fail(ErrorKind::kSurfaceLost, "The window is gone.");
  VkSurfaceCapabilitiesKHR capabilities{};
  AnswerLimits(capabilities, instance);
  capabilities.minImageCount = 2;
  capabilities.maxImageCount = kMaxAppImages;
  const bool fixed = status.width != 0 && status.height != 0;
  capabilities.currentExtent = fixed ? VkExtent2D{status.width, status.height} : VkExtent2D{kOpen, kOpen};
  if (fixed) capabilities.minImageExtent = capabilities.maxImageExtent = capabilities.currentExtent;
  capabilities.currentTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
  // The visual of an X11 window defines the meaning of alpha; pixels keep their alpha values.
  if (surface.is_x11()) capabilities.supportedCompositeAlpha |= VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
  const auto window = surface.Look();
  if (!window.ok()) return window.error();
  if ((*window)->blends_frames() && KeepsAlpha(*Process::Get().settings())) {
    capabilities.supportedCompositeAlpha |= VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR;
  }
  return capabilities;
}

Result<std::vector<VkSurfaceFormatKHR>> FormatsOf(Surface& surface, const Instance& instance) {
  auto window = surface.Look();
  if (!window.ok()) return window.error();
  return Offered((*window)->formats(), instance);
}

PFN_vkVoidFunction SurfaceQueryFunction(const char* name) {
#define TANDEM_NAMED(function) \
  if (std::strcmp(name, "vk" #function) == 0) return reinterpret_cast<PFN_vkVoidFunction>(&function)
  TANDEM_NAMED(GetPhysicalDeviceSurfaceSupportKHR);
  TANDEM_NAMED(GetPhysicalDeviceSurfaceCapabilitiesKHR);
  TANDEM_NAMED(GetPhysicalDeviceSurfaceCapabilities2KHR);
  TANDEM_NAMED(GetPhysicalDeviceSurfaceCapabilities2EXT);
  TANDEM_NAMED(GetPhysicalDeviceSurfaceFormatsKHR);
  TANDEM_NAMED(GetPhysicalDeviceSurfaceFormats2KHR);
  TANDEM_NAMED(GetPhysicalDeviceSurfacePresentModesKHR);
  TANDEM_NAMED(GetPhysicalDevicePresentRectanglesKHR);
#undef TANDEM_NAMED
  return nullptr;
}

}  // namespace tandem::layer
