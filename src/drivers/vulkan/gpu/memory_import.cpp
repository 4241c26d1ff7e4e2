#include "drivers/vulkan/gpu/memory_import.h"

#include "base/dma_buf.h"

namespace tandem::vulkan {
namespace {

// A host allocation never asks for a dedicated one, and devices of Vulkan 1.0 lack the question.
template <class Info, class Question>
ImportNeeds Ask(const Info& info, Question question) {
  VkMemoryDedicatedRequirements dedicated{};
  dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS;
  VkMemoryRequirements2 requirements{};
  requirements.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
  requirements.pNext = &dedicated;
  question(info, requirements);
  return {requirements.memoryRequirements,
          dedicated.requiresDedicatedAllocation == VK_TRUE || dedicated.prefersDedicatedAllocation == VK_TRUE};
}

}  // namespace

Error RefusedCall(const char* call, VkResult result) {
  return Fail(ErrorKind::kUnsupported, "{} answered {}.", call, ToString(result));
}

std::uint32_t ImportTypes(const Gpu& gpu, const ImportSource& source, VkResult& failure) {
  failure = VK_SUCCESS;
  if (source.dma_buf >= 0) {
    VkMemoryFdPropertiesKHR properties{};
    properties.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR;
    failure = gpu.vk().GetMemoryFdPropertiesKHR(gpu.device(), source.handle_type(), source.dma_buf, &properties);
    return failure == VK_SUCCESS ? properties.memoryTypeBits : 0;
  }
  if (!gpu.can_import_host()) return 0;
  VkMemoryHostPointerPropertiesEXT properties{};
  properties.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  failure = gpu.vk().GetMemoryHostPointerPropertiesEXT(gpu.device(), source.handle_type(), source.pages, &properties);
  return failure == VK_SUCCESS ? properties.memoryTypeBits : 0;
}

VkResult ImportMemory(const Gpu& gpu, const ImportSource& source, std::uint32_t memory_type,
                      const VkMemoryDedicatedAllocateInfo* dedicated, VkDeviceMemory& out) {
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = source.size_bytes;
  info.memoryTypeIndex = memory_type;
  if (source.dma_buf < 0) {
    VkImportMemoryHostPointerInfoEXT import{};
    import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
    import.handleType = source.handle_type();
    import.pHostPointer = source.pages;
    info.pNext = &import;
    return gpu.vk().AllocateMemory(gpu.device(), &info, nullptr, &out);
  }
  // A successful import takes the descriptor.
  Result<UniqueFd> own = DuplicateFd(source.dma_buf);
  if (!own.ok()) return VK_ERROR_TOO_MANY_OBJECTS;
  VkImportMemoryFdInfoKHR import{};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR;
  import.pNext = dedicated;
  import.handleType = source.handle_type();
  import.fd = own->get();
  info.pNext = &import;
  const VkResult result = gpu.vk().AllocateMemory(gpu.device(), &info, nullptr, &out);
  if (result == VK_SUCCESS) static_cast<void>(own->Release());
  return result;
}

ImportNeeds NeedsOf(const Gpu& gpu, VkBuffer buffer, const ImportSource& source) {
  ImportNeeds needs;
  if (source.dma_buf < 0) {
    gpu.vk().GetBufferMemoryRequirements(gpu.device(), buffer, &needs.memory);
    return needs;
  }
  return DmaBufNeedsOf(gpu, buffer);
}

ImportNeeds DmaBufNeedsOf(const Gpu& gpu, VkBuffer buffer) {
  VkBufferMemoryRequirementsInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2;
  info.buffer = buffer;
  return Ask(
      info, [&](const auto& question, auto& answer) { gpu.vk().GetBufferMemoryRequirements2(gpu.device(), &question, &answer); });
}

ImportNeeds NeedsOf(const Gpu& gpu, VkImage image, const ImportSource& source) {
  ImportNeeds needs;
  if (source.dma_buf < 0) {
    gpu.vk().GetImageMemoryRequirements(gpu.device(), image, &needs.memory);
    return needs;
  }
  VkImageMemoryRequirementsInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2;
  info.image = image;
  return Ask(info,
             [&](const auto& question, auto& answer) { gpu.vk().GetImageMemoryRequirements2(gpu.device(), &question, &answer); });
}

}  // namespace tandem::vulkan
