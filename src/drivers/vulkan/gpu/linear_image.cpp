#include "drivers/vulkan/gpu/linear_image.h"

#include "color/format.h"
#include "drivers/vulkan/format.h"

namespace tandem::vulkan {
namespace {

constexpr std::uint64_t kLinearModifier = 0;  // DRM_FORMAT_MOD_LINEAR

bool IsDmaBuf(VkExternalMemoryHandleTypeFlagBits type) { return type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT; }

}  // namespace

ImageDescription::ImageDescription(const Gpu& gpu, const AllocationData& data, VkImageTiling tiling) {
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = ToVkFormat(data.format);
  info.extent = {data.width, data.height, 1};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = tiling;
  info.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  if (gpu.sharing_families().empty()) return;
  info.sharingMode = VK_SHARING_MODE_CONCURRENT;
  info.queueFamilyIndexCount = static_cast<std::uint32_t>(gpu.sharing_families().size());
  info.pQueueFamilyIndices = gpu.sharing_families().data();
}

void ImageDescription::MakeImportable(VkExternalMemoryHandleTypeFlagBits type, std::uint32_t pitch) {
  external_.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO;
  external_.handleTypes = static_cast<VkExternalMemoryHandleTypeFlags>(type);
  external_.pNext = info.pNext;
  info.pNext = &external_;
  if (!IsDmaBuf(type)) return;
  plane_.rowPitch = pitch;
  modifier_.sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT;
  modifier_.drmFormatModifier = kLinearModifier;
  modifier_.drmFormatModifierPlaneCount = 1;
  modifier_.pPlaneLayouts = &plane_;
  modifier_.pNext = info.pNext;
  info.pNext = &modifier_;
  info.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
}

const VkImageFormatListCreateInfo* ViewFormatsOf(const VkImageCreateInfo& wanted) {
  for (auto next = static_cast<const VkBaseInStructure*>(wanted.pNext); next != nullptr; next = next->pNext) {
    if (next->sType == VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO)
      return reinterpret_cast<const VkImageFormatListCreateInfo*>(next);
  }
  return nullptr;
}

Result<void> OffersLinear(const Gpu& gpu, const AllocationData& data, const VkImageCreateInfo& wanted,
                          VkExternalMemoryHandleTypeFlagBits type) {
  const char* const pages = IsDmaBuf(type) ? "dma-bufs" : "imported pages";
  const VkImageFormatListCreateInfo* const views = ViewFormatsOf(wanted);
  const bool has_views = views != nullptr && views->viewFormatCount != 0;
  if (IsDmaBuf(type) && !gpu.crossing().modifiers)
    return Fail(ErrorKind::kUnsupported, "The device lacks VK_EXT_image_drm_format_modifier.");
  if (IsDmaBuf(type) && (wanted.flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT) != 0 && !has_views)
    return Fail(ErrorKind::kUnsupported, "Images over dma-bufs cannot have views of formats that the program does not name.");
  ImageDescription like(gpu, data, VK_IMAGE_TILING_LINEAR);  // for the sharing mode
  VkPhysicalDeviceExternalImageFormatInfo external_query{};
  external_query.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO;
  external_query.handleType = type;
  VkPhysicalDeviceImageDrmFormatModifierInfoEXT modifier{};
  modifier.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT;
  modifier.drmFormatModifier = kLinearModifier;
  modifier.sharingMode = like.info.sharingMode;
  modifier.queueFamilyIndexCount = like.info.queueFamilyIndexCount;
  modifier.pQueueFamilyIndices = like.info.pQueueFamilyIndices;
  if (IsDmaBuf(type)) external_query.pNext = &modifier;
  VkImageFormatListCreateInfo list{};
  list.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO;
  if (has_views) {
    list.viewFormatCount = views->viewFormatCount;
    list.pViewFormats = views->pViewFormats;
  }
  if (IsDmaBuf(type) && has_views) modifier.pNext = &list;
  VkPhysicalDeviceImageFormatInfo2 query{};
  query.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2;
  query.pNext = &external_query;
  query.format = like.info.format;
  query.type = VK_IMAGE_TYPE_2D;
  query.tiling = IsDmaBuf(type) ? VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT : VK_IMAGE_TILING_LINEAR;
  query.usage = wanted.usage;
  query.flags = wanted.flags;
  VkExternalImageFormatProperties external_answer{};
  external_answer.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES;
  VkImageFormatProperties2 answer{};
  answer.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2;
  answer.pNext = &external_answer;
  const VkResult result = gpu.vk().ReadImageFormat(gpu.physical(), query, answer);
  if (result != VK_SUCCESS) {
    return Fail(ErrorKind::kUnsupported, "Linear images of format {} and usage 0x{:x} over {} are not offered: {}.",
                color::ToString(data.format), wanted.usage, pages, ToString(result));
  }
  const VkExternalMemoryFeatureFlags features = external_answer.externalMemoryProperties.externalMemoryFeatures;
  const VkExtent3D& limit = answer.imageFormatProperties.maxExtent;
  if ((features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) == 0 || limit.width < data.width || limit.height < data.height) {
    return Fail(ErrorKind::kUnsupported, "Linear images over {} have features 0x{:x}, up to {} x {}.", pages, features,
                limit.width, limit.height);
  }
  return {};
}

Result<void> CheckLayout(const Gpu& gpu, VkImage image, std::uint32_t pitch, VkExternalMemoryHandleTypeFlagBits type) {
  const Dispatch& vk = gpu.vk();
  if (IsDmaBuf(type)) {
    VkImageDrmFormatModifierPropertiesEXT given{};
    given.sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_PROPERTIES_EXT;
    const VkResult result = vk.GetImageDrmFormatModifierPropertiesEXT(gpu.device(), image, &given);
    if (result != VK_SUCCESS || given.drmFormatModifier != kLinearModifier) {
      return Fail(ErrorKind::kUnsupported, "An image that shall have modifier LINEAR has 0x{:x} ({}).", given.drmFormatModifier,
                  ToString(result));
    }
  }
  const VkImageSubresource subresource{
      static_cast<VkImageAspectFlags>(IsDmaBuf(type) ? VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT : VK_IMAGE_ASPECT_COLOR_BIT), 0, 0};
  VkSubresourceLayout layout{};
  vk.GetImageSubresourceLayout(gpu.device(), image, &subresource, &layout);
  if (layout.rowPitch == pitch && layout.offset == 0) return {};
  return Fail(ErrorKind::kUnsupported, "The device lays rows {} bytes apart from offset {}; the surface has pitch {}.",
              layout.rowPitch, layout.offset, pitch);
}

}  // namespace tandem::vulkan
