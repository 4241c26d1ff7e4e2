#include "drivers/vulkan/wsi/wsi_presenter.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "drivers/vulkan/wsi/wsi_surface.h"

namespace tandem::vulkan {
namespace {

// The value of VkSurfaceCapabilitiesKHR::currentExtent if the client chooses the extent.
constexpr std::uint32_t kClientChooses = 0xFFFFFFFFU;

// Several callers ask during each frame; the window system is asked once for all of them.
constexpr std::int64_t kStatusLifetimeNs = 2'000'000;

std::uint64_t Pack(VkExtent2D extent) { return std::uint64_t{extent.width} << 32 | extent.height; }

VkExtent2D SwapchainExtent(const VkSurfaceCapabilitiesKHR& capabilities, VkExtent2D wanted) {
  if (capabilities.currentExtent.width != kClientChooses) return capabilities.currentExtent;
  return {std::clamp(wanted.width, capabilities.minImageExtent.width, capabilities.maxImageExtent.width),
          std::clamp(wanted.height, capabilities.minImageExtent.height, capabilities.maxImageExtent.height)};
}

VkCompositeAlphaFlagBitsKHR CompositeAlpha(VkCompositeAlphaFlagsKHR supported) {
  for (const auto alpha :
       {VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR, VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR, VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR}) {
    if ((supported & alpha) != 0) return alpha;
  }
  return VK_COMPOSITE_ALPHA_POST_MULTIPLIED_BIT_KHR;
}

}  // namespace

Result<std::unique_ptr<WsiPresenter>> WsiPresenter::Create(const WsiDevice& device, const WsiTarget& target) {
  auto surface = CreateWsiSurface(device.instance, device.get_instance_proc_addr, target);
  if (!surface.ok()) return std::move(surface).error();
  std::unique_ptr<WsiPresenter> presenter(new WsiPresenter(device));
  presenter->surface_ = *surface;
  if (auto read = presenter->ReadSurface(); !read.ok()) return read.error();
  return presenter;
}

WsiPresenter::~WsiPresenter() {
  DestroyImages();
  if (swapchain_ != VK_NULL_HANDLE) device_.vk.DestroySwapchainKHR(device_.device, swapchain_, nullptr);
  device_.vk.DestroySurfaceKHR(device_.instance, surface_, nullptr);
}

Error WsiPresenter::Failure(VkResult result, const char* call) {
  ErrorKind kind = ErrorKind::kInternal;
  switch (result) {
    case VK_ERROR_SURFACE_LOST_KHR:
    case VK_ERROR_NATIVE_WINDOW_IN_USE_KHR: kind = ErrorKind::kSurfaceLost; break;
    case VK_ERROR_OUT_OF_DATE_KHR: kind = ErrorKind::kOutOfDate; break;
    case VK_TIMEOUT:
    case VK_NOT_READY: kind = ErrorKind::kTimeout; break;
    default: kind = ToErrorKind(result, kind); break;
  }
  if (kind == ErrorKind::kSurfaceLost) lost_ = true;
  if (kind == ErrorKind::kOutOfDate) out_of_date_ = true;
  return Fail(kind, "{} answered {}.", call, ToString(result));
}

Result<VkSurfaceCapabilitiesKHR> WsiPresenter::Capabilities() {
  VkSurfaceCapabilitiesKHR capabilities{};
  const VkResult result = device_.vk.GetPhysicalDeviceSurfaceCapabilitiesKHR(device_.physical_device, surface_, &capabilities);
  if (result != VK_SUCCESS) return Failure(result, "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
  return capabilities;
}

Result<void> WsiPresenter::ReadSurface() {
  VkBool32 supported = VK_FALSE;
  device_.vk.GetPhysicalDeviceSurfaceSupportKHR(device_.physical_device, device_.queue_family, surface_, &supported);
  if (supported == VK_FALSE) {
    return Fail(ErrorKind::kUnsupported, "Queue family {} of the display adapter cannot present on this window.",
                device_.queue_family);
  }
  std::uint32_t count = 0;
  device_.vk.GetPhysicalDeviceSurfaceFormatsKHR(device_.physical_device, surface_, &count, nullptr);
  std::vector<VkSurfaceFormatKHR> formats(count);
  VkResult result = device_.vk.GetPhysicalDeviceSurfaceFormatsKHR(device_.physical_device, surface_, &count, formats.data());
  if (result < 0) return Failure(result, "vkGetPhysicalDeviceSurfaceFormatsKHR");
  for (const VkSurfaceFormatKHR& format : formats) formats_.push_back({format.format, format.colorSpace});
  device_.vk.GetPhysicalDeviceSurfacePresentModesKHR(device_.physical_device, surface_, &count, nullptr);
  modes_.resize(count);
  result = device_.vk.GetPhysicalDeviceSurfacePresentModesKHR(device_.physical_device, surface_, &count, modes_.data());
  if (result < 0) return Failure(result, "vkGetPhysicalDeviceSurfacePresentModesKHR");
  auto capabilities = Capabilities();
  if (!capabilities.ok()) return std::move(capabilities).error();
  return {};
}

VkPresentModeKHR WsiPresenter::ModeFor(WsiPacing pacing) const {
  if (pacing == WsiPacing::kImmediate) {
    // Modes that do not wait, the simplest first: only frames that must be shown arrive here.
    for (const VkPresentModeKHR mode : {VK_PRESENT_MODE_IMMEDIATE_KHR, VK_PRESENT_MODE_MAILBOX_KHR}) {
      if (std::find(modes_.begin(), modes_.end(), mode) != modes_.end()) return mode;
    }
  }
  return VK_PRESENT_MODE_FIFO_KHR;
}

Result<void> WsiPresenter::Configure(VkFormat format, VkExtent2D wanted, WsiPacing pacing) {
  auto capabilities = Capabilities();
  if (!capabilities.ok()) return std::move(capabilities).error();
  const VkExtent2D extent = SwapchainExtent(*capabilities, wanted);
  if (swapchain_ != VK_NULL_HANDLE && !out_of_date_ && format == format_ && pacing == pacing_ && Pack(extent) == Pack(extent_))
    return {};
  if (extent.width == 0 || extent.height == 0) {
    return Fail(ErrorKind::kOutOfDate, "The window has no area ({} x {}).", extent.width, extent.height);
  }
  return CreateSwapchain(format, extent, *capabilities, pacing);
}

Result<void> WsiPresenter::CreateSwapchain(VkFormat format, VkExtent2D extent, const VkSurfaceCapabilitiesKHR& capabilities,
                                           WsiPacing pacing) {
  const auto known = std::find_if(formats_.begin(), formats_.end(), [&](const WsiFormat& f) { return f.format == format; });
  if (known == formats_.end()) {
    return Fail(ErrorKind::kUnsupported, "The window takes {} formats, and VkFormat {} is none of them.", formats_.size(),
                static_cast<int>(format));
  }
  VkSwapchainCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
  info.surface = surface_;
  // One image more than the minimum lets two be written at once: the next frame's copy need not wait for the flip before it.
  info.minImageCount = std::max(3U, capabilities.minImageCount + 1);
  if (capabilities.maxImageCount != 0) info.minImageCount = std::min(info.minImageCount, capabilities.maxImageCount);
  info.imageFormat = format;
  info.imageColorSpace = known->color_space;
  info.imageExtent = extent;
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  if (device_.layered) info.imageUsage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;  // every surface supports it
  info.preTransform = capabilities.currentTransform;
  info.compositeAlpha = CompositeAlpha(capabilities.supportedCompositeAlpha);
  info.presentMode = ModeFor(pacing);
  info.clipped = VK_TRUE;
  info.oldSwapchain = swapchain_;
  DestroyImages();
  VkSwapchainKHR created = VK_NULL_HANDLE;
  VkResult result = device_.vk.CreateSwapchainKHR(device_.device, &info, nullptr, &created);
  if (swapchain_ != VK_NULL_HANDLE) device_.vk.DestroySwapchainKHR(device_.device, swapchain_, nullptr);
  swapchain_ = created;
  if (result != VK_SUCCESS) return Failure(result, "vkCreateSwapchainKHR");
  std::uint32_t count = 0;
  device_.vk.GetSwapchainImagesKHR(device_.device, swapchain_, &count, nullptr);
  images_.resize(count);
  result = device_.vk.GetSwapchainImagesKHR(device_.device, swapchain_, &count, images_.data());
  if (result < 0) return Failure(result, "vkGetSwapchainImagesKHR");
  VkSemaphoreCreateInfo semaphore{};
  semaphore.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  acquired_.assign(std::size_t{count} + 1, VK_NULL_HANDLE);
  presentable_.assign(count, VK_NULL_HANDLE);
  for (auto* list : {&acquired_, &presentable_}) {
    for (VkSemaphore& each : *list) {
      result = device_.vk.CreateSemaphore(device_.device, &semaphore, nullptr, &each);
      if (result != VK_SUCCESS) return Failure(result, "vkCreateSemaphore");
    }
  }
  format_ = format;
  extent_ = extent;
  pacing_ = pacing;
  out_of_date_ = false;
  ++generation_;
  return {};
}

void WsiPresenter::DestroyImages() {
  if (images_.empty() && acquired_.empty()) return;
  {
    // Only this queue runs copies into the images and presents of them.
    const std::lock_guard lock(device_.queue_lock);
    device_.vk.QueueWaitIdle(device_.queue);
  }
  for (auto* list : {&acquired_, &presentable_}) {
    for (const VkSemaphore each : *list) device_.vk.DestroySemaphore(device_.device, each, nullptr);
    list->clear();
  }
  images_.clear();
}

Result<WsiPresenter::Image> WsiPresenter::Acquire(std::int64_t timeout_ns) {
  if (swapchain_ == VK_NULL_HANDLE) return Fail(ErrorKind::kOutOfDate, "There is no swap chain yet.");
  Image image;
  image.acquired = acquired_.back();
  const VkResult result = device_.vk.AcquireNextImageKHR(device_.device, swapchain_, static_cast<std::uint64_t>(timeout_ns),
                                                         image.acquired, VK_NULL_HANDLE, &image.index);
  if (result == VK_SUBOPTIMAL_KHR) {
    out_of_date_ = true;  // this image can still be shown; the next Configure adapts the swap chain
  } else if (result != VK_SUCCESS) {
    return Failure(result, "vkAcquireNextImageKHR");
  }
  std::swap(acquired_.back(), acquired_[image.index]);
  image.image = images_[image.index];
  image.presentable = presentable_[image.index];
  return image;
}

Result<void> WsiPresenter::QueueImage(const Image& image) {
  VkPresentInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = &image.presentable;
  info.swapchainCount = 1;
  info.pSwapchains = &swapchain_;
  info.pImageIndices = &image.index;
  VkResult result = VK_SUCCESS;
  {
    const std::lock_guard lock(device_.queue_lock);
    result = device_.vk.QueuePresentKHR(device_.queue, &info);
  }
  if (result == VK_SUBOPTIMAL_KHR) {
    out_of_date_ = true;
    return {};
  }
  if (result != VK_SUCCESS) return Failure(result, "vkQueuePresentKHR");
  return {};
}

outputs::OutputStatus WsiPresenter::Status(StatusAge age) {
  const std::int64_t now_ns = MonotonicClock().NowNs();
  const std::lock_guard lock(status_mutex_);
  if (age == StatusAge::kRecent && now_ns < status_until_ns_ && !lost_) return status_;
  const auto capabilities = Capabilities();
  const bool open = !capabilities.ok() || capabilities->currentExtent.width == kClientChooses;
  status_.state = lost_ ? outputs::OutputState::kLost : outputs::OutputState::kOk;
  status_.width = open ? 0 : capabilities->currentExtent.width;
  status_.height = open ? 0 : capabilities->currentExtent.height;
  status_until_ns_ = now_ns + kStatusLifetimeNs;
  return status_;
}

}  // namespace tandem::vulkan
