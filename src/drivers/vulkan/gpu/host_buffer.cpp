#include "drivers/vulkan/gpu/host_buffer.h"

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

Error Refused(const char* call, VkResult result) {
  return Fail(ErrorKind::kUnsupported, "{} answered {}", call, ToString(result));
}

}  // namespace

std::uint32_t HostPointerTypes(const Gpu& gpu, const std::byte* pages, VkResult& failure) {
  failure = VK_SUCCESS;
  if (!gpu.can_import_host()) return 0;
  VkMemoryHostPointerPropertiesEXT properties{};
  properties.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  failure = gpu.vk().GetMemoryHostPointerPropertiesEXT(gpu.device(), VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
                                                       pages, &properties);
  return failure == VK_SUCCESS ? properties.memoryTypeBits : 0;
}

VkResult ImportPages(const Gpu& gpu, std::byte* pages, std::uint64_t size_bytes, std::uint32_t memory_type, VkDeviceMemory& out) {
  VkImportMemoryHostPointerInfoEXT import{};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  import.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  import.pHostPointer = pages;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &import;
  info.allocationSize = size_bytes;
  info.memoryTypeIndex = memory_type;
  return gpu.vk().AllocateMemory(gpu.device(), &info, nullptr, &out);
}

Result<std::unique_ptr<HostBuffer>> HostBuffer::Import(const Gpu& gpu, std::byte* pages, std::uint64_t size_bytes,
                                                       VkResult& failure) {
  failure = VK_SUCCESS;
  if (!gpu.can_import_host()) return Fail(ErrorKind::kUnsupported, "The device lacks VK_EXT_external_memory_host.");
  const std::uint64_t alignment = gpu.import_alignment();
  if (reinterpret_cast<std::uintptr_t>(pages) % alignment != 0 || size_bytes % alignment != 0) {
    return Fail(ErrorKind::kUnsupported, "Pages at offset {} of {} bytes are not aligned to the device's {} bytes.",
                reinterpret_cast<std::uintptr_t>(pages) % alignment, size_bytes, alignment);
  }
  const std::uint32_t pointer_types = HostPointerTypes(gpu, pages, failure);
  if (pointer_types == 0) return Refused("vkGetMemoryHostPointerPropertiesEXT", failure);

  std::unique_ptr<HostBuffer> self(new HostBuffer(gpu, pages, size_bytes));
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = &external;
  info.size = size_bytes;
  failure = CreateBuffer(gpu, info, self->buffer_, self->storage_);
  if (failure != VK_SUCCESS) return Refused("vkCreateBuffer", failure);
  VkMemoryRequirements requirements{};
  gpu.vk().GetBufferMemoryRequirements(gpu.device(), self->buffer_, &requirements);
  const auto type = gpu.FindMemoryType(requirements.memoryTypeBits & pointer_types, 0,
                                       VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
  if (!type || requirements.size > size_bytes) {
    return Fail(ErrorKind::kUnsupported, "A buffer over {} bytes of pages would need memory types 0x{:x} of 0x{:x} and {} bytes.",
                size_bytes, requirements.memoryTypeBits, pointer_types, requirements.size);
  }
  self->memory_type_ = *type;
  failure = ImportPages(gpu, pages, size_bytes, *type, self->memory_);
  if (failure != VK_SUCCESS) {
    self->memory_ = VK_NULL_HANDLE;
    return Refused("vkAllocateMemory", failure);
  }
  failure = gpu.vk().BindBufferMemory(gpu.device(), self->buffer_, self->memory_, 0);
  if (failure != VK_SUCCESS) return Refused("vkBindBufferMemory", failure);
  return self;
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
