// The commands of VK_EXT_present_timing on our swap chains, and of VK_KHR_calibrated_timestamps, which it needs.
#include "layer/timing_commands.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "layer/device.h"
#include "layer/extensions.h"
#include "layer/guard.h"
#include "layer/present_timings.h"
#include "layer/swapchain.h"

namespace tandem::layer {
namespace {

VKAPI_ATTR VkResult VKAPI_CALL SetSwapchainPresentTimingQueueSizeEXT(VkDevice handle, VkSwapchainKHR target, uint32_t size) {
  const auto device = FindDevice(DispatchKey(handle));
  const auto chain = device->swapchains.Find(target);
  if (chain == nullptr) return device->next.SetSwapchainPresentTimingQueueSizeEXT(handle, target, size);
  return Guarded([&] { return chain->timings() == nullptr ? VK_ERROR_UNKNOWN : chain->timings()->SetQueueSize(size); });
}

VKAPI_ATTR VkResult VKAPI_CALL GetSwapchainTimingPropertiesEXT(VkDevice handle, VkSwapchainKHR target,
                                                               VkSwapchainTimingPropertiesEXT* properties, uint64_t* counter) {
  const auto device = FindDevice(DispatchKey(handle));
  const auto chain = device->swapchains.Find(target);
  if (chain == nullptr) return device->next.GetSwapchainTimingPropertiesEXT(handle, target, properties, counter);
  properties->refreshDuration = properties->refreshInterval = static_cast<std::uint64_t>(chain->refresh_period_ns());
  if (counter != nullptr) *counter = kTimingCounter;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetSwapchainTimeDomainPropertiesEXT(VkDevice handle, VkSwapchainKHR target,
                                                                   VkSwapchainTimeDomainPropertiesEXT* properties,
                                                                   uint64_t* counter) {
  const auto device = FindDevice(DispatchKey(handle));
  if (device->swapchains.Find(target) == nullptr)
    return device->next.GetSwapchainTimeDomainPropertiesEXT(handle, target, properties, counter);
  const std::uint32_t room = properties->timeDomainCount;
  if (counter != nullptr) *counter = kTimingCounter;
  const VkResult result =
      Answer(std::span<const VkTimeDomainKHR>(kSwapchainDomains), &properties->timeDomainCount, properties->pTimeDomains);
  for (std::uint32_t i = 0; properties->pTimeDomainIds != nullptr && i < std::min(room, properties->timeDomainCount); ++i) {
    properties->pTimeDomainIds[i] = i + 1;
  }
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPastPresentationTimingEXT(VkDevice handle, const VkPastPresentationTimingInfoEXT* info,
                                                            VkPastPresentationTimingPropertiesEXT* past) {
  const auto device = FindDevice(DispatchKey(handle));
  const auto chain = device->swapchains.Find(info->swapchain);
  if (chain == nullptr) return device->next.GetPastPresentationTimingEXT(handle, info, past);
  return Guarded([&] { return chain->timings() == nullptr ? VK_ERROR_UNKNOWN : chain->TakeTimings(*past); });
}

bool IsOwnDomain(VkTimeDomainKHR domain) { return std::ranges::find(kSwapchainDomains, domain) != kSwapchainDomains.end(); }

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceCalibrateableTimeDomainsKHR(VkPhysicalDevice device, uint32_t* count,
                                                                            VkTimeDomainKHR* domains) {
  const auto instance = FindInstance(DispatchKey(device));
  const auto below = instance->next.GetPhysicalDeviceCalibrateableTimeDomainsKHR;
  if (!instance->render_devices.Has(device)) return below(device, count, domains);
  return Guarded([&]() -> VkResult {
    std::vector<VkTimeDomainKHR> known;
    // The loader ends the program if the driver lacks the command.
    const auto extensions = DriverDeviceExtensions(instance->next.EnumerateDeviceExtensionProperties, device);
    if (Contains(extensions, VK_KHR_CALIBRATED_TIMESTAMPS_EXTENSION_NAME)) {
      std::uint32_t available = 0;
      if (const VkResult result = below(device, &available, nullptr); result != VK_SUCCESS) return result;
      known.resize(available);
      if (const VkResult result = below(device, &available, known.data()); result < 0) return result;
      known.resize(available);
    }
    for (const VkTimeDomainKHR domain : kSwapchainDomains) {
      if (std::ranges::find(known, domain) == known.end()) known.push_back(domain);
    }
    return Answer(std::span<const VkTimeDomainKHR>(known), count, domains);
  });
}

// Our domains are all the same clock, which is read once, after the driver has read its own.
VKAPI_ATTR VkResult VKAPI_CALL GetCalibratedTimestampsKHR(VkDevice handle, uint32_t count,
                                                          const VkCalibratedTimestampInfoEXT* infos, uint64_t* timestamps,
                                                          uint64_t* deviation) {
  const auto device = FindDevice(DispatchKey(handle));
  return Guarded([&]() -> VkResult {
    std::vector<VkCalibratedTimestampInfoEXT> others;
    for (const VkCalibratedTimestampInfoEXT& info : std::span(infos, count)) {
      if (!IsOwnDomain(info.timeDomain)) others.push_back(info);
    }
    const Clock& clock = device->instance->system->clock();
    const std::int64_t begin_ns = clock.NowNs();
    std::vector<std::uint64_t> read(others.size());
    *deviation = 0;
    if (!others.empty()) {
      const VkResult result = device->next.GetCalibratedTimestampsKHR(handle, static_cast<std::uint32_t>(others.size()),
                                                                      others.data(), read.data(), deviation);
      if (result != VK_SUCCESS) return result;
    }
    const std::int64_t now_ns = clock.NowNs();
    *deviation += static_cast<std::uint64_t>(now_ns - begin_ns) + 1;
    for (std::uint32_t i = 0, next = 0; i < count; ++i) {
      timestamps[i] = IsOwnDomain(infos[i].timeDomain) ? static_cast<std::uint64_t>(now_ns) : read[next++];
    }
    return VK_SUCCESS;
  });
}

}  // namespace

PFN_vkVoidFunction TimingFunction(const char* name) {
#define TANDEM_NAMED(function) \
  if (std::strcmp(name, "vk" #function) == 0) return reinterpret_cast<PFN_vkVoidFunction>(&function)
  TANDEM_NAMED(SetSwapchainPresentTimingQueueSizeEXT);
  TANDEM_NAMED(GetSwapchainTimingPropertiesEXT);
  TANDEM_NAMED(GetSwapchainTimeDomainPropertiesEXT);
  TANDEM_NAMED(GetPastPresentationTimingEXT);
  TANDEM_NAMED(GetCalibratedTimestampsKHR);
  return nullptr;
}

PFN_vkVoidFunction TimeDomainQuery(const char* name) {
  TANDEM_NAMED(GetPhysicalDeviceCalibrateableTimeDomainsKHR);
  return nullptr;
}
#undef TANDEM_NAMED

}  // namespace tandem::layer
