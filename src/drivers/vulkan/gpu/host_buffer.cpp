#include "drivers/vulkan/gpu/host_buffer.h"

#include <utility>

#include "base/dma_buf.h"

namespace tandem::vulkan {
namespace {

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

// Creates a buffer with storage usage, or without if that fails.
VkResult CreateBuffer(const Gpu& gpu, VkBufferCreateInfo& info, VkBuffer& buffer, bool& storage) {
  gpu.Share(info);
  info.usage = kUsage | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  storage = gpu.vk().CreateBuffer(gpu.device(), &info, nullptr, &buffer) == VK_SUCCESS;
  if (storage) return VK_SUCCESS;
  info.usage = kUsage;
  const VkResult result = gpu.vk().CreateBuffer(gpu.device(), &info, nullptr, &buffer);
  if (result != VK_SUCCESS) buffer = VK_NULL_HANDLE;
  return result;
}

// Succeeds if the device offers buffers over pages of that kind.
VkResult AskForBuffers(const Gpu& gpu, const ImportSource& source, bool& dedicated_only) {
  if (gpu.vk().GetPhysicalDeviceExternalBufferProperties == nullptr) return VK_ERROR_FEATURE_NOT_PRESENT;
  VkPhysicalDeviceExternalBufferInfo query{};
  query.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO;
  query.usage = kUsage;
  query.handleType = source.handle_type();
  VkExternalBufferProperties answer{};
  answer.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES;
  gpu.vk().GetPhysicalDeviceExternalBufferProperties(gpu.physical(), &query, &answer);
  const VkExternalMemoryFeatureFlags features = answer.externalMemoryProperties.externalMemoryFeatures;
  dedicated_only = (features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT) != 0;
  return (features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) != 0 ? VK_SUCCESS : VK_ERROR_FEATURE_NOT_PRESENT;
}

}  // namespace

Result<std::unique_ptr<HostBuffer>> HostBuffer::Import(const Gpu& gpu, std::byte* pages, std::uint64_t size_bytes,
                                                       VkResult& failure) {
  failure = VK_SUCCESS;
  if (!gpu.can_import_host()) return Fail(ErrorKind::kUnsupported, "The device lacks VK_EXT_external_memory_host.");
  const std::uint64_t alignment = gpu.import_alignment();
  if (reinterpret_cast<std::uintptr_t>(pages) % alignment != 0 || size_bytes % alignment != 0) {
    return Fail(ErrorKind::kUnsupported, "Pages at offset {} of {} bytes are not aligned to the device's {} bytes.",
                reinterpret_cast<std::uintptr_t>(pages) % alignment, size_bytes, alignment);
  }
  std::unique_ptr<HostBuffer> self(new HostBuffer(gpu, pages, size_bytes));
  if (Result<void> bound = self->BindImport(false, failure); !bound.ok()) return std::move(bound).error();
  return self;
}

Result<std::unique_ptr<HostBuffer>> HostBuffer::ImportDmaBuf(const Gpu& gpu, UniqueFd dma_buf, std::byte* pages,
                                                             std::uint64_t size_bytes, VkResult& failure) {
  failure = VK_SUCCESS;
  if (!gpu.crossing().dma_buf) return Fail(ErrorKind::kUnsupported, "The device lacks VK_EXT_external_memory_dma_buf.");
  if (Result<void> checked = CheckDmaBufSize(dma_buf, size_bytes); !checked.ok()) return std::move(checked).error();
  std::unique_ptr<HostBuffer> self(new HostBuffer(gpu, pages, size_bytes));
  self->dma_buf_ = std::move(dma_buf);
  bool dedicated = false;
  failure = AskForBuffers(gpu, self->source(), dedicated);
  if (failure != VK_SUCCESS) return Fail(ErrorKind::kUnsupported, "The device offers no buffers over dma-bufs.");
  if (Result<void> bound = self->BindImport(dedicated, failure); !bound.ok()) return std::move(bound).error();
  self->outside_ = gpu.outside();
  return self;
}

Result<void> HostBuffer::BindImport(bool dedicated, VkResult& failure) {
  const ImportSource pages = source();
  const std::uint32_t types = ImportTypes(gpu_, pages, failure);
  if (types == 0)
    return RefusedCall(pages.dma_buf < 0 ? "vkGetMemoryHostPointerPropertiesEXT" : "vkGetMemoryFdPropertiesKHR", failure);
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = static_cast<VkExternalMemoryHandleTypeFlags>(pages.handle_type());
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = &external;
  info.size = size_bytes_;
  failure = CreateBuffer(gpu_, info, buffer_, storage_);
  if (failure != VK_SUCCESS) return RefusedCall("vkCreateBuffer", failure);
  const ImportNeeds needs = NeedsOf(gpu_, buffer_, pages);
  const auto type = gpu_.FindMemoryType(needs.memory.memoryTypeBits & types, 0,
                                        VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  if (!type || needs.memory.size > size_bytes_) {
    return Fail(ErrorKind::kUnsupported, "A buffer over {} bytes of pages would need memory types 0x{:x} of 0x{:x} and {} bytes.",
                size_bytes_, needs.memory.memoryTypeBits, types, needs.memory.size);
  }
  memory_type_ = *type;
  VkMemoryDedicatedAllocateInfo alone{};
  alone.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
  alone.buffer = buffer_;
  failure = ImportMemory(gpu_, pages, *type, dedicated || needs.dedicated ? &alone : nullptr, memory_);
  if (failure != VK_SUCCESS) {
    memory_ = VK_NULL_HANDLE;
    return RefusedCall("vkAllocateMemory", failure);
  }
  failure = gpu_.vk().BindBufferMemory(gpu_.device(), buffer_, memory_, 0);
  if (failure != VK_SUCCESS) return RefusedCall("vkBindBufferMemory", failure);
  return {};
}

Result<std::unique_ptr<HostBuffer>> HostBuffer::CreateBounce(const Gpu& gpu, std::byte* pages, std::uint64_t size_bytes) {
  std::unique_ptr<HostBuffer> self(new HostBuffer(gpu, pages, size_bytes));
  const Dispatch& vk = gpu.vk();
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size_bytes;
  VkResult result = CreateBuffer(gpu, info, self->buffer_, self->storage_);
  if (result == VK_SUCCESS) {
    VkMemoryRequirements requirements{};
    vk.GetBufferMemoryRequirements(gpu.device(), self->buffer_, &requirements);
    const auto type = gpu.FindMemoryType(requirements.memoryTypeBits,
                                         VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                         VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    VkMemoryAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocate.allocationSize = requirements.size;
    allocate.memoryTypeIndex = type.value_or(0);
    result = type ? vk.AllocateMemory(gpu.device(), &allocate, nullptr, &self->memory_) : VK_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  if (result == VK_SUCCESS) result = vk.BindBufferMemory(gpu.device(), self->buffer_, self->memory_, 0);
  void* mapped = nullptr;
  if (result == VK_SUCCESS) result = vk.MapMemory(gpu.device(), self->memory_, 0, VK_WHOLE_SIZE, 0, &mapped);
  if (result != VK_SUCCESS) {
    return Fail(ToErrorKind(result, ErrorKind::kOutOfMemory), "A host-visible buffer of {} bytes cannot be had: {}.", size_bytes,
                ToString(result));
  }
  self->bounce_ = static_cast<std::byte*>(mapped);
  return self;
}

HostBuffer::~HostBuffer() {
  gpu_.Destroy(buffer_);
  gpu_.Destroy(memory_);
}

}  // namespace tandem::vulkan
