#include "drivers/vulkan/gpu/one_shot.h"

namespace tandem::vulkan {

Result<std::unique_ptr<OneShot>> OneShot::Create(Gpu& gpu, std::uint32_t node) {
  std::unique_ptr<OneShot> self(new OneShot(gpu, node));
  VkCommandPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  info.queueFamilyIndex = gpu.queue(node).family;
  VkResult result = gpu.vk().CreateCommandPool(gpu.device(), &info, nullptr, &self->pool_);
  if (result != VK_SUCCESS) {
    self->pool_ = VK_NULL_HANDLE;
  } else {
    result = gpu.CreateTimeline(self->timeline_);
    if (result != VK_SUCCESS) self->timeline_ = VK_NULL_HANDLE;
  }
  if (result != VK_SUCCESS)
    return Fail(ToErrorKind(result, ErrorKind::kOutOfMemory), "A command pool cannot be made: {}.", ToString(result));
  return self;
}

OneShot::~OneShot() {
  gpu_.Destroy(pool_);
  gpu_.Destroy(timeline_);
}

VkResult OneShot::Run(const std::function<void(VkCommandBuffer)>& record, std::uint64_t timeout_ns) {
  const Dispatch& vk = gpu_.vk();
  VkCommandBuffer commands = VK_NULL_HANDLE;
  if (const VkResult result = gpu_.AllocateCommandBuffer(pool_, commands); result != VK_SUCCESS) return result;
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  VkResult result = vk.BeginCommandBuffer(commands, &begin);
  if (result == VK_SUCCESS) {
    record(commands);
    result = vk.EndCommandBuffer(commands);
  }
  if (result == VK_SUCCESS) {
    const std::uint64_t value = value_ + 1;
    VkTimelineSemaphoreSubmitInfo timeline{};
    timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    timeline.signalSemaphoreValueCount = 1;
    timeline.pSignalSemaphoreValues = &value;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = &timeline;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &timeline_;
    result = gpu_.Submit(gpu_.queue(node_).handle, info, VK_NULL_HANDLE);
    if (result == VK_SUCCESS) {
      value_ = value;
      result = gpu_.Wait(timeline_, value, timeout_ns);
      if (result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST) {
        gpu_.Abandon();
        return result;
      }
    }
  }
  vk.FreeCommandBuffers(gpu_.device(), pool_, 1, &commands);
  return result;
}

}  // namespace tandem::vulkan
