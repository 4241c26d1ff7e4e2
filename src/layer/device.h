// One VkDevice: its driver functions, its queues, and its adapter in the graphics kernel, created with the first swap chain.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "base/thread.h"
#include "layer/dispatch.h"
#include "layer/instance.h"
#include "layer/private_data.h"
#include "layer/swapchain.h"
#include "system/system.h"

namespace tandem::layer {

struct QueueOfDevice {
  VkQueue handle = VK_NULL_HANDLE;
  std::uint32_t family = 0;
};

struct Device {
  // Remembers VK_ERROR_DEVICE_LOST, and returns the result.
  VkResult Noted(VkResult result) {
    if (result == VK_ERROR_DEVICE_LOST) lost->store(true, std::memory_order_release);
    return result;
  }

  // The kernel's adapter, created at the first call. Errors: kDeviceLost and those of System::BorrowDevice; the caller may
  // retry.
  Result<system::RenderSession*> Session();

  // Destroys the swap chains and the adapter. Afterwards no function of the driver is called.
  void Close();

  VkDevice handle = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  std::shared_ptr<Instance> instance;
  DeviceTable next;
  PFN_vkSetDeviceLoaderData set_loader_data = nullptr;
  std::vector<std::string_view> enabled;               // of OwnDeviceExtensions()
  const VkAllocationCallbacks* host_memory = nullptr;  // with which the device below was created
  bool active = false;                                 // false: the layer passes everything down
  std::vector<QueueOfDevice> queues;                   // the application's
  VkQueue copy_queue = VK_NULL_HANDLE;
  std::uint32_t copy_queue_family = 0;
  bool copy_queue_shared = false;
  VkQueue compute_queue = VK_NULL_HANDLE;  // an additional queue for shaders; null: none
  std::uint32_t compute_queue_family = 0;
  bool external_memory_host = false;
  bool host_image_copy = false;
  system::CrossingExtensions crossing;
  std::shared_ptr<system::QueueLocks> locks;
  const std::shared_ptr<std::atomic<bool>> lost = std::make_shared<std::atomic<bool>>(false);  // as a call answered
  HandleMap<VkSwapchainKHR, Swapchain> swapchains;
  PrivateData private_data;

 private:
  Mutex session_mutex_;
  std::unique_ptr<system::RenderSession> session_ TANDEM_GUARDED_BY(session_mutex_);
};

// Finds a device by the key of its handle or of one of the application's queues. Null if it was not created here.
[[nodiscard]] std::shared_ptr<Device> FindDevice(void* dispatch_key);

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical_device, const VkDeviceCreateInfo* create_info,
                                            const VkAllocationCallbacks* allocator, VkDevice* device);
VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice device, const VkAllocationCallbacks* allocator);

}  // namespace tandem::layer
