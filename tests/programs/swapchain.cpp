#include "tests/programs/swapchain.h"

namespace tandem::test {
namespace {

struct NamedFormat {
  const char* name;
  VkFormat format;
};
constexpr NamedFormat kFormats[] = {
    {"bgra8", VK_FORMAT_B8G8R8A8_UNORM},
    {"bgra8-srgb", VK_FORMAT_B8G8R8A8_SRGB},
    {"rgba8", VK_FORMAT_R8G8B8A8_UNORM},
    {"rgba8-srgb", VK_FORMAT_R8G8B8A8_SRGB},
    {"a2b10g10r10", VK_FORMAT_A2B10G10R10_UNORM_PACK32},
    {"rgba16f", VK_FORMAT_R16G16B16A16_SFLOAT},
};

constexpr VkImageUsageFlags kImageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

VkSwapchainKHR CreateHandle(const VulkanProgram& program, VkSurfaceKHR surface, const SwapchainOptions& options,
                            VkSwapchainKHR old) {
  VkSwapchainPresentScalingCreateInfoEXT scaling{};
  scaling.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_EXT;
  scaling.scalingBehavior = VK_PRESENT_SCALING_STRETCH_BIT_EXT;
  VkSwapchainCreateInfoKHR info = CreateInfoOf(surface, options);
  if (options.stretch) info.pNext = &scaling;
  info.oldSwapchain = old;
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  Check(vkCreateSwapchainKHR(program.device, &info, nullptr, &swapchain), "vkCreateSwapchainKHR");
  return swapchain;
}

VkSemaphore CreateSemaphore(const VulkanProgram& program) {
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  Check(vkCreateSemaphore(program.device, &info, nullptr, &semaphore), "vkCreateSemaphore");
  return semaphore;
}

}  // namespace

VkFormat ParseFormat(const std::string& name) {
  for (const NamedFormat& known : kFormats) {
    if (name == known.name) return known.format;
  }
  GiveUp("Unknown format '" + name + "'.");
}

VkPresentModeKHR ParsePresentMode(const std::string& name) {
  if (name == "fifo") return VK_PRESENT_MODE_FIFO_KHR;
  if (name == "fifo-relaxed") return VK_PRESENT_MODE_FIFO_RELAXED_KHR;
  if (name == "mailbox") return VK_PRESENT_MODE_MAILBOX_KHR;
  if (name == "immediate") return VK_PRESENT_MODE_IMMEDIATE_KHR;
  if (name == "fifo-latest-ready") return static_cast<VkPresentModeKHR>(1000361000);  // newer than Debian's header
  GiveUp("Unknown present mode '" + name + "'.");
}

VkSwapchainCreateInfoKHR CreateInfoOf(VkSurfaceKHR surface, const SwapchainOptions& options) {
  VkSwapchainCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
  info.flags = options.flags;
  info.surface = surface;
  info.minImageCount = options.images;
  info.imageFormat = options.format;
  info.imageColorSpace = options.color_space;
  info.imageExtent = {options.width, options.height};
  info.imageArrayLayers = 1;
  info.imageUsage = kImageUsage;
  info.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
  info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  info.presentMode = options.present_mode;
  info.clipped = VK_TRUE;
  return info;
}

std::uint32_t BytesPerPixel(VkFormat format) { return format == VK_FORMAT_R16G16B16A16_SFLOAT ? 8 : 4; }

Swapchain::Swapchain(const VulkanProgram& program, VkSurfaceKHR surface, const SwapchainOptions& options, VkSwapchainKHR old)
    : program_(program), swapchain_(CreateHandle(program, surface, options, old)) {
  std::uint32_t count = 0;
  Check(vkGetSwapchainImagesKHR(program.device, swapchain_, &count, nullptr), "vkGetSwapchainImagesKHR");
  images_.resize(count);
  Check(vkGetSwapchainImagesKHR(program.device, swapchain_, &count, images_.data()), "vkGetSwapchainImagesKHR");
  for (std::uint32_t i = 0; i < count; ++i) rendered_.push_back(CreateSemaphore(program));
  if (options.alias) AliasImages(options);
  CreateSlots();
}

void Swapchain::AliasImages(const SwapchainOptions& options) {
  owns_images_ = true;
  for (std::uint32_t i = 0; i < images_.size(); ++i) {
    VkImageSwapchainCreateInfoKHR of{};
    of.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR;
    of.swapchain = swapchain_;
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.pNext = &of;
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = options.format;
    info.extent = {options.width, options.height, 1};
    info.mipLevels = 1;
    info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = kImageUsage;
    Check(vkCreateImage(program_.device, &info, nullptr, &images_[i]), "vkCreateImage");
    VkBindImageMemorySwapchainInfoKHR to{};
    to.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR;
    to.swapchain = swapchain_;
    to.imageIndex = i;
    VkBindImageMemoryInfo bind{};
    bind.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO;
    bind.pNext = &to;
    bind.image = images_[i];
    Check(vkBindImageMemory2(program_.device, 1, &bind), "vkBindImageMemory2");
  }
}

void Swapchain::CreateSlots() {
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = program_.queue_family;
  Check(vkCreateCommandPool(program_.device, &pool, nullptr, &pool_), "vkCreateCommandPool");
  for (Slot& slot : slots_) {
    slot.acquired = CreateSemaphore(program_);
    VkFenceCreateInfo fence{};
    fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    fence.flags = VK_FENCE_CREATE_SIGNALED_BIT;
    Check(vkCreateFence(program_.device, &fence, nullptr, &slot.done), "vkCreateFence");
    VkCommandBufferAllocateInfo commands{};
    commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    commands.commandPool = pool_;
    commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    commands.commandBufferCount = 1;
    Check(vkAllocateCommandBuffers(program_.device, &commands, &slot.commands), "vkAllocateCommandBuffers");
  }
}

Swapchain::~Swapchain() {
  {
    const auto lock = LockQueue(program_);
    vkDeviceWaitIdle(program_.device);
  }
  for (Slot& slot : slots_) {
    vkDestroySemaphore(program_.device, slot.acquired, nullptr);
    vkDestroyFence(program_.device, slot.done, nullptr);
  }
  vkDestroyCommandPool(program_.device, pool_, nullptr);
  if (owns_images_) {
    for (VkImage image : images_) vkDestroyImage(program_.device, image, nullptr);
  }
  vkDestroySwapchainKHR(program_.device, swapchain_, nullptr);
  for (VkSemaphore semaphore : rendered_) vkDestroySemaphore(program_.device, semaphore, nullptr);
}

void Swapchain::WaitForSlot(std::uint32_t frame) {
  Check(vkWaitForFences(program_.device, 1, &slots_[frame % kSlots].done, VK_TRUE, UINT64_MAX), "vkWaitForFences");
}

VkResult Swapchain::Frame(std::uint32_t frame, const Draw& draw, const void* present_chain) {
  Slot& slot = slots_[frame % kSlots];
  WaitForSlot(frame);
  std::uint32_t index = 0;
  const VkResult acquired = vkAcquireNextImageKHR(program_.device, swapchain_, UINT64_MAX, slot.acquired, VK_NULL_HANDLE, &index);
  if (acquired < 0) return acquired;

  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  Check(vkBeginCommandBuffer(slot.commands, &begin), "vkBeginCommandBuffer");
  draw(slot.commands, images_[index], frame);
  Check(vkEndCommandBuffer(slot.commands), "vkEndCommandBuffer");

  Check(vkResetFences(program_.device, 1, &slot.done), "vkResetFences");
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.waitSemaphoreCount = 1;
  submit.pWaitSemaphores = &slot.acquired;
  submit.pWaitDstStageMask = &stage;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &slot.commands;
  submit.signalSemaphoreCount = 1;
  submit.pSignalSemaphores = &rendered_[index];
  {
    const auto lock = LockQueue(program_);
    Check(vkQueueSubmit(program_.queue, 1, &submit, slot.done), "vkQueueSubmit");
  }

  VkPresentInfoKHR present{};
  present.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  present.pNext = present_chain;
  present.waitSemaphoreCount = 1;
  present.pWaitSemaphores = &rendered_[index];
  present.swapchainCount = 1;
  present.pSwapchains = &swapchain_;
  present.pImageIndices = &index;
  const auto lock = LockQueue(program_);
  const VkResult presented = vkQueuePresentKHR(program_.queue, &present);
  return presented != VK_SUCCESS ? presented : acquired;
}

void Transition(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to, VkAccessFlags source,
                VkAccessFlags target) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = source;
  barrier.dstAccessMask = target;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, 1,
                       &barrier);
}

void Fill(VkCommandBuffer commands, VkImage image, const VkClearColorValue& color) {
  Transition(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0, VK_ACCESS_TRANSFER_WRITE_BIT);
  const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdClearColorImage(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &range);
  Transition(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_ACCESS_TRANSFER_WRITE_BIT,
             0);
}

}  // namespace tandem::test
