#include "layer/private_data.h"

#include <cstring>

#include "layer/device.h"
#include "layer/guard.h"

namespace tandem::layer {
namespace {

// A surface is no child of a device, so no valid program names one here; the driver must not see one in any case.
bool IsOurs(const Device& device, VkObjectType type, std::uint64_t object) {
  if (type == VK_OBJECT_TYPE_SWAPCHAIN_KHR) return device.swapchains.Find(reinterpret_cast<VkSwapchainKHR>(object)) != nullptr;
  if (type == VK_OBJECT_TYPE_SURFACE_KHR) return FindSurface(*device.instance, reinterpret_cast<VkSurfaceKHR>(object)) != nullptr;
  return false;
}

template <class Function>
Function Either(Function core, Function extension) {
  return core != nullptr ? core : extension;
}

VKAPI_ATTR VkResult VKAPI_CALL SetPrivateData(VkDevice handle, VkObjectType type, uint64_t object, VkPrivateDataSlot slot,
                                              uint64_t value) {
  const auto device = FindDevice(DispatchKey(handle));
  if (!IsOurs(*device, type, object))
    return Either(device->next.SetPrivateData, device->next.SetPrivateDataEXT)(handle, type, object, slot, value);
  return Guarded([&] {
    device->private_data.Set(object, slot, value);
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL GetPrivateData(VkDevice handle, VkObjectType type, uint64_t object, VkPrivateDataSlot slot,
                                          uint64_t* value) {
  const auto device = FindDevice(DispatchKey(handle));
  if (IsOurs(*device, type, object)) {
    *value = device->private_data.Get(object, slot);
  } else {
    Either(device->next.GetPrivateData, device->next.GetPrivateDataEXT)(handle, type, object, slot, value);
  }
}

VKAPI_ATTR void VKAPI_CALL DestroyPrivateDataSlot(VkDevice handle, VkPrivateDataSlot slot,
                                                  const VkAllocationCallbacks* allocator) {
  const auto device = FindDevice(DispatchKey(handle));
  device->private_data.ForgetSlot(slot);
  Either(device->next.DestroyPrivateDataSlot, device->next.DestroyPrivateDataSlotEXT)(handle, slot, allocator);
}

}  // namespace

void PrivateData::Set(std::uint64_t object, VkPrivateDataSlot slot, std::uint64_t value) {
  const MutexLock lock(mutex_);
  values_[{object, slot}] = value;
}

std::uint64_t PrivateData::Get(std::uint64_t object, VkPrivateDataSlot slot) const {
  const MutexLock lock(mutex_);
  const auto found = values_.find({object, slot});
  return found == values_.end() ? 0 : found->second;
}

void PrivateData::ForgetObject(std::uint64_t object) {
  const MutexLock lock(mutex_);
  std::erase_if(values_, [object](const auto& item) { return item.first.first == object; });
}

void PrivateData::ForgetSlot(VkPrivateDataSlot slot) {
  const MutexLock lock(mutex_);
  std::erase_if(values_, [slot](const auto& item) { return item.first.second == slot; });
}

PFN_vkVoidFunction PrivateDataFunction(const char* name) {
#define TANDEM_NAMED(function)                                                                \
  if (std::strcmp(name, "vk" #function) == 0 || std::strcmp(name, "vk" #function "EXT") == 0) \
  return reinterpret_cast<PFN_vkVoidFunction>(&function)
  TANDEM_NAMED(SetPrivateData);
  TANDEM_NAMED(GetPrivateData);
  TANDEM_NAMED(DestroyPrivateDataSlot);
#undef TANDEM_NAMED
  return nullptr;
}

}  // namespace tandem::layer
