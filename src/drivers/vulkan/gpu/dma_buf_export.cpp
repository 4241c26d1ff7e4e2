#include "drivers/vulkan/gpu/dma_buf_export.h"

#include "drivers/vulkan/gpu/memory_import.h"

namespace tandem::vulkan {
namespace {

constexpr VkExternalMemoryHandleTypeFlagBits kDmaBuf = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
constexpr VkBufferUsageFlags kExportUsage =
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;

// Frees the objects that stood for the memory while it was made.
struct Objects {
  const Gpu& gpu;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  ~Objects() {
    gpu.Destroy(buffer);
    gpu.Destroy(memory);
  }
};

bool OffersExport(const Gpu& gpu) {
  VkPhysicalDeviceExternalBufferInfo query{};
  query.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO;
  query.usage = kExportUsage;
  query.handleType = kDmaBuf;
  VkExternalBufferProperties answer{};
  answer.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES;
  gpu.vk().GetPhysicalDeviceExternalBufferProperties(gpu.physical(), &query, &answer);
  return (answer.externalMemoryProperties.externalMemoryFeatures & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) != 0;
}

}  // namespace

Result<UniqueFd> ExportDmaBuf(const Gpu& gpu, std::uint64_t size_bytes, VkResult& failure) {
  failure = VK_SUCCESS;
  if (!gpu.crossing().dma_buf) return Fail(ErrorKind::kUnsupported, "The device lacks VK_EXT_external_memory_dma_buf.");
  if (!OffersExport(gpu)) return Fail(ErrorKind::kUnsupported, "The device exports no buffers as dma-bufs.");
  Objects made{gpu};
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = kDmaBuf;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = &external;
  info.size = size_bytes;
  info.usage = kExportUsage;
  gpu.Share(info);
  failure = gpu.vk().CreateBuffer(gpu.device(), &info, nullptr, &made.buffer);
  if (failure != VK_SUCCESS) {
    made.buffer = VK_NULL_HANDLE;
    return RefusedCall("vkCreateBuffer", failure);
  }
  const ImportNeeds needs = DmaBufNeedsOf(gpu, made.buffer);
  constexpr VkMemoryPropertyFlags kMapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const auto type = gpu.FindMemoryType(needs.memory.memoryTypeBits, kMapped, VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  if (!type)
    return Fail(ErrorKind::kUnsupported, "No memory type of 0x{:x} is the processor's, too.", needs.memory.memoryTypeBits);
  VkMemoryDedicatedAllocateInfo alone{};
  alone.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
  alone.buffer = made.buffer;
  VkExportMemoryAllocateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exported.handleTypes = kDmaBuf;
  if (needs.dedicated) exported.pNext = &alone;
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.pNext = &exported;
  allocate.allocationSize = needs.memory.size;
  allocate.memoryTypeIndex = *type;
  failure = gpu.vk().AllocateMemory(gpu.device(), &allocate, nullptr, &made.memory);
  if (failure != VK_SUCCESS) {
    made.memory = VK_NULL_HANDLE;
    return RefusedCall("vkAllocateMemory", failure);
  }
  VkMemoryGetFdInfoKHR get{};
  get.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR;
  get.memory = made.memory;
  get.handleType = kDmaBuf;
  int fd = -1;
  failure = gpu.vk().GetMemoryFdKHR(gpu.device(), &get, &fd);
  if (failure != VK_SUCCESS) return RefusedCall("vkGetMemoryFdKHR", failure);
  UniqueFd dma_buf(fd);
  if (Result<void> checked = CheckDmaBufSize(dma_buf, size_bytes); !checked.ok()) return std::move(checked).error();
  return dma_buf;
}

void DmaBufExporter::Attach(const Gpu& gpu) {
  const std::lock_guard<std::mutex> lock(mutex_);
  gpu_ = &gpu;
}

void DmaBufExporter::Detach() {
  const std::lock_guard<std::mutex> lock(mutex_);
  gpu_ = nullptr;
}

Result<UniqueFd> DmaBufExporter::Make(std::uint64_t size_bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (gpu_ == nullptr || gpu_->lost()) return Fail(ErrorKind::kDeviceLost, "The device that exports dma-bufs is gone.");
  VkResult failure = VK_SUCCESS;
  return ExportDmaBuf(*gpu_, size_bytes, failure);
}

}  // namespace tandem::vulkan
