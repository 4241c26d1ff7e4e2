#include "drivers/vulkan/gpu/local_memory.h"

namespace tandem::vulkan {

Result<std::unique_ptr<LocalMemory>> LocalMemory::Create(const Gpu& gpu, std::uint64_t base, std::uint64_t size_bytes) {
  std::unique_ptr<LocalMemory> self(new LocalMemory(gpu, base, size_bytes));
  const Dispatch& vk = gpu.vk();
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size_bytes;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  gpu.Share(info);
  VkResult result = vk.CreateBuffer(gpu.device(), &info, nullptr, &self->buffer_);
  bool visible = false;
  if (result == VK_SUCCESS) {
    VkMemoryRequirements requirements{};
    vk.GetBufferMemoryRequirements(gpu.device(), self->buffer_, &requirements);
    constexpr VkMemoryPropertyFlags kVisible =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    const auto local = gpu.FindMemoryType(requirements.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, kVisible);
    const auto type = local ? local : gpu.FindMemoryType(requirements.memoryTypeBits, 0, 0);
    VkMemoryAllocateInfo allocate{};
    allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocate.allocationSize = requirements.size;
    allocate.memoryTypeIndex = type.value_or(0);
    visible = type && gpu.FindMemoryType(1U << *type, kVisible, 0).has_value();
    result = type ? vk.AllocateMemory(gpu.device(), &allocate, nullptr, &self->memory_) : VK_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  if (result == VK_SUCCESS) result = vk.BindBufferMemory(gpu.device(), self->buffer_, self->memory_, 0);
  void* mapped = nullptr;
  if (result == VK_SUCCESS && visible) result = vk.MapMemory(gpu.device(), self->memory_, 0, VK_WHOLE_SIZE, 0, &mapped);
  if (result != VK_SUCCESS) {
    return Fail(ToErrorKind(result, ErrorKind::kOutOfMemory), "{} bytes of local memory cannot be had: {}.", size_bytes,
                ToString(result));
  }
  self->mapped_ = static_cast<std::byte*>(mapped);
  return self;
}

LocalMemory::~LocalMemory() {
  gpu_.Destroy(buffer_);
  gpu_.Destroy(memory_);
}

Rows LocalMemory::At(std::uint64_t address) const {
  const std::uint64_t offset = address - base_;
  return {buffer_, offset, mapped_ == nullptr ? nullptr : mapped_ + offset, nullptr, true, {}};
}

}  // namespace tandem::vulkan
