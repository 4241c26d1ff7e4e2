// Two Vulkan layers. VK_LAYER_TEST_double presents each frame a second time, from a copy in another image of the swap chain, as
// frame generation does. VK_LAYER_TEST_count writes the presents of each device into the file TANDEM_TEST_PRESENTS names.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

namespace {

enum class Kind { kDouble, kCount };

// The functions of the next element that the layers call.
struct Next {
  PFN_vkGetInstanceProcAddr get_instance = nullptr;
  PFN_vkGetDeviceProcAddr get_device = nullptr;
  PFN_vkDestroyDevice destroy_device = nullptr;
  PFN_vkCreateSwapchainKHR create_swapchain = nullptr;
  PFN_vkGetSwapchainImagesKHR images = nullptr;
  PFN_vkAcquireNextImageKHR acquire = nullptr;
  PFN_vkQueuePresentKHR present = nullptr;
  PFN_vkQueueSubmit submit = nullptr;
  PFN_vkQueueWaitIdle wait_idle = nullptr;
  PFN_vkCreateFence create_fence = nullptr;
  PFN_vkDestroyFence destroy_fence = nullptr;
  PFN_vkWaitForFences wait_fences = nullptr;
  PFN_vkResetFences reset_fences = nullptr;
  PFN_vkCreateCommandPool create_pool = nullptr;
  PFN_vkDestroyCommandPool destroy_pool = nullptr;
  PFN_vkAllocateCommandBuffers allocate = nullptr;
  PFN_vkBeginCommandBuffer begin = nullptr;
  PFN_vkEndCommandBuffer end = nullptr;
  PFN_vkCmdPipelineBarrier barrier = nullptr;
  PFN_vkCmdCopyImage copy_image = nullptr;
};

template <class Link>
Link* FindLink(const void* chain, VkStructureType type) {
  for (const auto* item = static_cast<const VkBaseInStructure*>(chain); item != nullptr; item = item->pNext) {
    auto* const link = reinterpret_cast<Link*>(const_cast<VkBaseInStructure*>(item));
    if (item->sType == type && link->function == VK_LAYER_LINK_INFO) return link;
  }
  return nullptr;
}

// One layer, for programs with one instance and one device.
template <Kind kKind>
struct Layer {
  static inline Next next;
  static inline VkDevice device = VK_NULL_HANDLE;
  static inline VkExtent2D extent{};
  static inline std::vector<VkImage> swapchain_images;
  static inline VkCommandPool pool = VK_NULL_HANDLE;
  static inline VkCommandBuffer commands = VK_NULL_HANDLE;
  static inline VkFence fence = VK_NULL_HANDLE;
  static inline unsigned long presents = 0;

  static VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                                       VkInstance* instance) {
    auto* const link = FindLink<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    next.get_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create = reinterpret_cast<PFN_vkCreateInstance>(next.get_instance(nullptr, "vkCreateInstance"));
    return create(info, allocator, instance);
  }

  static VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                                     const VkAllocationCallbacks* allocator, VkDevice* out) {
    auto* const link = FindLink<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    next.get_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create = reinterpret_cast<PFN_vkCreateDevice>(get(nullptr, "vkCreateDevice"));
    const VkResult result = create(physical, info, allocator, out);
    if (result != VK_SUCCESS) return result;
    device = *out;
    const auto find = [](auto& function, const char* name) {
      std::memset(&function, 0, sizeof function);
      const PFN_vkVoidFunction found = next.get_device(device, name);
      std::memcpy(&function, &found, sizeof function);
    };
    find(next.destroy_device, "vkDestroyDevice");
    find(next.create_swapchain, "vkCreateSwapchainKHR");
    find(next.images, "vkGetSwapchainImagesKHR");
    find(next.acquire, "vkAcquireNextImageKHR");
    find(next.present, "vkQueuePresentKHR");
    find(next.submit, "vkQueueSubmit");
    find(next.wait_idle, "vkQueueWaitIdle");
    find(next.create_fence, "vkCreateFence");
    find(next.destroy_fence, "vkDestroyFence");
    find(next.wait_fences, "vkWaitForFences");
    find(next.reset_fences, "vkResetFences");
    find(next.create_pool, "vkCreateCommandPool");
    find(next.destroy_pool, "vkDestroyCommandPool");
    find(next.allocate, "vkAllocateCommandBuffers");
    find(next.begin, "vkBeginCommandBuffer");
    find(next.end, "vkEndCommandBuffer");
    find(next.barrier, "vkCmdPipelineBarrier");
    find(next.copy_image, "vkCmdCopyImage");
    if (kKind == Kind::kDouble) MakeCommands(info->pQueueCreateInfos[0].queueFamilyIndex);
    return VK_SUCCESS;
  }

  static void MakeCommands(std::uint32_t family) {
    VkCommandPoolCreateInfo pool_info{};
    pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool_info.queueFamilyIndex = family;
    next.create_pool(device, &pool_info, nullptr, &pool);
    VkCommandBufferAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocate.commandPool = pool;
    allocate.commandBufferCount = 1;
    next.allocate(device, &allocate, &commands);
    VkFenceCreateInfo fence_info{};
    fence_info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    next.create_fence(device, &fence_info, nullptr, &fence);
  }

  static VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice dying, const VkAllocationCallbacks* allocator) {
    if (fence != VK_NULL_HANDLE) next.destroy_fence(dying, fence, nullptr);
    if (pool != VK_NULL_HANDLE) next.destroy_pool(dying, pool, nullptr);
    fence = VK_NULL_HANDLE;
    pool = VK_NULL_HANDLE;
    next.destroy_device(dying, allocator);
    const char* const file = std::getenv("TANDEM_TEST_PRESENTS");
    if (kKind != Kind::kCount || file == nullptr) return;
    if (std::FILE* const out = std::fopen(file, "we"); out != nullptr) {
      std::fprintf(out, "%lu\n", presents);
      std::fclose(out);
    }
  }

  static VKAPI_ATTR VkResult VKAPI_CALL CreateSwapchain(VkDevice of, const VkSwapchainCreateInfoKHR* info,
                                                        const VkAllocationCallbacks* allocator, VkSwapchainKHR* swapchain) {
    VkSwapchainCreateInfoKHR own = *info;
    if (kKind == Kind::kDouble) {
      ++own.minImageCount;
      own.imageUsage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    }
    const VkResult result = next.create_swapchain(of, &own, allocator, swapchain);
    if (result != VK_SUCCESS) return result;
    extent = own.imageExtent;
    std::uint32_t count = 0;
    next.images(of, *swapchain, &count, nullptr);
    swapchain_images.resize(count);
    return next.images(of, *swapchain, &count, swapchain_images.data());
  }

  // Copies the frame into an image that it acquires, once the waits of the present are over.
  static VkResult CopyFrame(VkQueue queue, const VkPresentInfoKHR& info, std::uint32_t& index) {
    const VkResult acquired = next.acquire(device, info.pSwapchains[0], UINT64_MAX, VK_NULL_HANDLE, fence, &index);
    if (acquired < 0) return acquired;
    next.wait_fences(device, 1, &fence, VK_TRUE, UINT64_MAX);
    next.reset_fences(device, 1, &fence);
    VkImageMemoryBarrier barriers[2]{};
    for (VkImageMemoryBarrier& each : barriers) {
      each.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
      each.srcAccessMask = each.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
      each.srcQueueFamilyIndex = each.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
      each.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    }
    barriers[0].image = swapchain_images[info.pImageIndices[0]];
    barriers[0].oldLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    barriers[0].newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    barriers[1].image = swapchain_images[index];
    barriers[1].newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    next.begin(commands, &begin);
    constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    next.barrier(commands, kAll, kAll, 0, 0, nullptr, 0, nullptr, 2, barriers);
    VkImageCopy region{};
    region.srcSubresource = region.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.extent = {extent.width, extent.height, 1};
    next.copy_image(commands, barriers[0].image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, barriers[1].image,
                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    for (VkImageMemoryBarrier& each : barriers) {
      each.oldLayout = each.newLayout;
      each.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    }
    next.barrier(commands, kAll, kAll, 0, 0, nullptr, 0, nullptr, 2, barriers);
    next.end(commands);
    const std::vector<VkPipelineStageFlags> stages(info.waitSemaphoreCount, kAll);
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.waitSemaphoreCount = info.waitSemaphoreCount;
    submit.pWaitSemaphores = info.pWaitSemaphores;
    submit.pWaitDstStageMask = stages.data();
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    next.submit(queue, 1, &submit, VK_NULL_HANDLE);
    return next.wait_idle(queue);
  }

  static VKAPI_ATTR VkResult VKAPI_CALL QueuePresent(VkQueue queue, const VkPresentInfoKHR* info) {
    ++presents;
    if (kKind == Kind::kCount) return next.present(queue, info);
    std::uint32_t copy = 0;
    const VkResult copied = CopyFrame(queue, *info, copy);
    if (copied < 0) return copied;
    VkPresentInfoKHR own = *info;
    own.waitSemaphoreCount = 0;
    const VkResult first = next.present(queue, &own);
    if (first < 0) return first;
    own.pImageIndices = &copy;
    return next.present(queue, &own);
  }

  static PFN_vkVoidFunction Own(const char* name) {
    struct Entry {
      const char* name;
      PFN_vkVoidFunction function;
    };
    const Entry entries[] = {
        {"vkGetInstanceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(&GetInstanceProcAddr)},
        {"vkGetDeviceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(&GetDeviceProcAddr)},
        {"vkCreateInstance", reinterpret_cast<PFN_vkVoidFunction>(&CreateInstance)},
        {"vkCreateDevice", reinterpret_cast<PFN_vkVoidFunction>(&CreateDevice)},
        {"vkDestroyDevice", reinterpret_cast<PFN_vkVoidFunction>(&DestroyDevice)},
        {"vkCreateSwapchainKHR", reinterpret_cast<PFN_vkVoidFunction>(&CreateSwapchain)},
        {"vkQueuePresentKHR", reinterpret_cast<PFN_vkVoidFunction>(&QueuePresent)},
    };
    for (const Entry& entry : entries) {
      if (std::strcmp(entry.name, name) == 0) return entry.function;
    }
    return nullptr;
  }

  static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name) {
    const PFN_vkVoidFunction own = Own(name);
    if (own != nullptr || instance == VK_NULL_HANDLE) return own;
    return next.get_instance(instance, name);
  }

  static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice of, const char* name) {
    const PFN_vkVoidFunction own = Own(name);
    return own != nullptr ? own : next.get_device(of, name);
  }
};

}  // namespace

#define TANDEM_TEST_EXPORT extern "C" __attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL

TANDEM_TEST_EXPORT double_GetInstanceProcAddr(VkInstance instance, const char* name) {
  return Layer<Kind::kDouble>::GetInstanceProcAddr(instance, name);
}
TANDEM_TEST_EXPORT double_GetDeviceProcAddr(VkDevice device, const char* name) {
  return Layer<Kind::kDouble>::GetDeviceProcAddr(device, name);
}
TANDEM_TEST_EXPORT count_GetInstanceProcAddr(VkInstance instance, const char* name) {
  return Layer<Kind::kCount>::GetInstanceProcAddr(instance, name);
}
TANDEM_TEST_EXPORT count_GetDeviceProcAddr(VkDevice device, const char* name) {
  return Layer<Kind::kCount>::GetDeviceProcAddr(device, name);
}
