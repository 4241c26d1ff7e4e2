#include "drivers/vulkan/umd/application_images.h"

#include <algorithm>
#include <array>

#include "base/limits.h"
#include "drivers/vulkan/umd/umd_device.h"

namespace tandem::vulkan {
namespace {

Result<void> ToResult(VkResult result, const char* what) {
  if (result == VK_SUCCESS) return {};
  return Fail(ToErrorKind(result, ErrorKind::kOutOfMemory), "{} answered {}.", what, ToString(result));
}

}  // namespace

void SetApplicationImageInfo(D3D10DDI_HDEVICE handle, const VkImageCreateInfo& info) {
  auto& device = *static_cast<UmdDevice*>(handle.pDrvPrivate);
  const std::lock_guard<std::mutex> lock(device.mutex);
  device.has_image_info = true;
  device.image_usage = info.usage;
  device.image_flags = info.flags;
  device.view_format_count = 0;
  for (auto next = static_cast<const VkBaseInStructure*>(info.pNext); next != nullptr; next = next->pNext) {
    if (next->sType != VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO) continue;
    const auto& list = *reinterpret_cast<const VkImageFormatListCreateInfo*>(next);
    device.view_format_count = std::min(list.viewFormatCount, kMaxViewFormats);
    std::copy_n(list.pViewFormats, device.view_format_count, device.view_formats.begin());
  }
}

VkImage ApplicationImage(D3D10DDI_HRESOURCE handle) {
  auto* resource = static_cast<UmdResource*>(handle.pDrvPrivate);
  if (resource == nullptr || resource->object() == nullptr) return VK_NULL_HANDLE;
  if (resource->data.kind == AllocationKind::kLinear && resource->device->adapter->data.vidpn_sources == 0) {
    static_cast<void>(MakePresentable(*resource));
  }
  return resource->object()->image();
}

std::string ApplicationImageRefusal(D3D10DDI_HRESOURCE handle) {
  const auto* resource = static_cast<const UmdResource*>(handle.pDrvPrivate);
  return resource == nullptr || resource->object() == nullptr ? std::string() : resource->object()->presentable_refusal();
}

VkResult CreateAliasImage(D3D10DDI_HRESOURCE resource, const VkAllocationCallbacks* allocator, VkImage& alias) {
  return static_cast<const UmdResource*>(resource.pDrvPrivate)->object()->CreateAlias(allocator, alias);
}

VkResult BindAliasImage(D3D10DDI_HRESOURCE resource, VkImage alias) {
  return static_cast<const UmdResource*>(resource.pDrvPrivate)->object()->BindAlias(alias);
}

Result<void> ReleaseImage(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE resource_handle, VkQueue queue,
                          std::span<const VkSemaphore> semaphores, std::span<const std::uint64_t> values) {
  auto& device = *static_cast<UmdDevice*>(handle.pDrvPrivate);
  auto& resource = *static_cast<UmdResource*>(resource_handle.pDrvPrivate);
  Allocation* allocation = resource.object();
  if (allocation == nullptr || semaphores.size() != values.size() || semaphores.size() > kMaxWaitSemaphores) {
    return Fail(ErrorKind::kInvalidArgument, "{} semaphores with {} values were handed over; the limit is {}.", semaphores.size(),
                values.size(), kMaxWaitSemaphores);
  }
  std::array<VkPipelineStageFlags, kMaxWaitSemaphores> stages;
  stages.fill(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  VkResult result = VK_SUCCESS;
  allocation->ReleaseAt([&](std::uint64_t value) {
    const VkSemaphore rendered = allocation->rendered();
    VkTimelineSemaphoreSubmitInfo timeline{};
    timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    timeline.waitSemaphoreValueCount = static_cast<std::uint32_t>(values.size());
    timeline.pWaitSemaphoreValues = values.data();
    timeline.signalSemaphoreValueCount = 1;
    timeline.pSignalSemaphoreValues = &value;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = &timeline;
    info.waitSemaphoreCount = static_cast<std::uint32_t>(semaphores.size());
    info.pWaitSemaphores = semaphores.data();
    info.pWaitDstStageMask = stages.data();
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &rendered;
    result = allocation->gpu().Submit(queue, info, VK_NULL_HANDLE);
    return result == VK_SUCCESS;
  });
  if (result != VK_SUCCESS) return ToResult(result, "vkQueueSubmit of a release");
  if (allocation->data().kind == AllocationKind::kLinear) {
    const std::lock_guard<std::mutex> lock(device.mutex);
    if (std::find(device.unflushed.begin(), device.unflushed.end(), &resource) == device.unflushed.end()) {
      device.unflushed.push_back(&resource);
    }
  }
  return {};
}

bool CanAcquireImage(D3D10DDI_HRESOURCE resource) {
  const Allocation* allocation = static_cast<const UmdResource*>(resource.pDrvPrivate)->object();
  return allocation == nullptr || allocation->owner().IsSubmitted(*allocation);
}

Result<void> AcquireImage(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE resource_handle, VkSemaphore semaphore, VkFence fence) {
  Allocation* allocation = static_cast<UmdResource*>(resource_handle.pDrvPrivate)->object();
  if (allocation == nullptr) return Fail(ErrorKind::kInvalidArgument, "The resource has no image to acquire.");
  return ToResult(allocation->owner().AcquireImage(*allocation, semaphore, fence), "vkQueueSubmit of an acquire");
}

}  // namespace tandem::vulkan
