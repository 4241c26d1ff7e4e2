#include "layer/queue.h"

#include <cstdint>
#include <cstring>

#include "layer/chain.h"

namespace tandem::layer {
namespace {

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits, VkFence fence) {
  const auto device = FindDevice(DispatchKey(queue));
  const QueueGuard guard(*device, queue);
  return device->Noted(device->next.QueueSubmit(queue, count, submits, fence));
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2* submits, VkFence fence) {
  const auto device = FindDevice(DispatchKey(queue));
  const QueueGuard guard(*device, queue);
  return device->Noted(device->next.QueueSubmit2(queue, count, submits, fence));
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit2KHR(VkQueue queue, uint32_t count, const VkSubmitInfo2* submits, VkFence fence) {
  const auto device = FindDevice(DispatchKey(queue));
  const QueueGuard guard(*device, queue);
  return device->Noted(device->next.QueueSubmit2KHR(queue, count, submits, fence));
}

VKAPI_ATTR VkResult VKAPI_CALL QueueBindSparse(VkQueue queue, uint32_t count, const VkBindSparseInfo* binds, VkFence fence) {
  const auto device = FindDevice(DispatchKey(queue));
  const QueueGuard guard(*device, queue);
  return device->Noted(device->next.QueueBindSparse(queue, count, binds, fence));
}

// Waits for all submitted work without blocking the copies' submissions to the queue meanwhile.
VkResult WaitForSharedQueue(Device& device, VkQueue queue) {
  const auto info = Structure<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr);
  VkFence fence = VK_NULL_HANDLE;
  VkResult result = device.next.CreateFence(device.handle, &info, nullptr, &fence);
  if (result != VK_SUCCESS) return result;
  {
    const QueueGuard guard(device, queue);
    result = device.next.QueueSubmit(queue, 0, nullptr, fence);
  }
  if (result == VK_SUCCESS) result = device.next.WaitForFences(device.handle, 1, &fence, VK_TRUE, UINT64_MAX);
  device.next.DestroyFence(device.handle, fence, nullptr);
  return result;
}

VkResult WaitForQueue(Device& device, VkQueue queue) {
  if (device.copy_queue_shared && queue == device.copy_queue) return WaitForSharedQueue(device, queue);
  return device.next.QueueWaitIdle(queue);
}

VKAPI_ATTR VkResult VKAPI_CALL QueueWaitIdle(VkQueue queue) {
  const auto device = FindDevice(DispatchKey(queue));
  return device->Noted(WaitForQueue(*device, queue));
}

// Vulkan defines this call as a wait for each queue of the device.
VKAPI_ATTR VkResult VKAPI_CALL DeviceWaitIdle(VkDevice handle) {
  const auto device = FindDevice(DispatchKey(handle));
  if (!device->copy_queue_shared) return device->Noted(device->next.DeviceWaitIdle(handle));
  for (const QueueOfDevice& queue : device->queues) {
    const VkResult result = device->Noted(WaitForQueue(*device, queue.handle));
    if (result != VK_SUCCESS) return result;
  }
  return VK_SUCCESS;
}

}  // namespace

PFN_vkVoidFunction QueueFunction(const char* name) {
#define TANDEM_NAMED(function) \
  if (std::strcmp(name, "vk" #function) == 0) return reinterpret_cast<PFN_vkVoidFunction>(&function)
  TANDEM_NAMED(QueueSubmit);
  TANDEM_NAMED(QueueSubmit2);
  TANDEM_NAMED(QueueSubmit2KHR);
  TANDEM_NAMED(QueueBindSparse);
  TANDEM_NAMED(QueueWaitIdle);
  TANDEM_NAMED(DeviceWaitIdle);
#undef TANDEM_NAMED
  return nullptr;
}

}  // namespace tandem::layer
