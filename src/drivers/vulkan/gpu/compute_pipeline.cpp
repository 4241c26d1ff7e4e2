#include "drivers/vulkan/gpu/compute_pipeline.h"

#include <array>
#include <vector>

#include "base/check.h"

namespace tandem::vulkan {
namespace {

// A descriptor pool with one set.
struct Binding {
  explicit Binding(const Gpu& of) : gpu(of) {}
  ~Binding() { gpu.Destroy(pool); }
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

  const Gpu& gpu;
  VkDescriptorPool pool = VK_NULL_HANDLE;
};

}  // namespace

VkResult ComputePipeline::CreateLayouts() {
  const Dispatch& vk = gpu_.vk();
  std::vector<VkDescriptorSetLayoutBinding> bindings(buffers_ + images_);
  for (std::uint32_t i = 0; i < bindings.size(); ++i) {
    const VkDescriptorType type = i < buffers_ ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    bindings[i] = {i, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  }
  VkDescriptorSetLayoutCreateInfo set_info{};
  set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set_info.bindingCount = buffers_ + images_;
  set_info.pBindings = bindings.data();
  VkResult result = vk.CreateDescriptorSetLayout(gpu_.device(), &set_info, nullptr, &set_layout_);
  if (result != VK_SUCCESS) {
    set_layout_ = VK_NULL_HANDLE;
    return result;
  }
  const VkPushConstantRange constants{VK_SHADER_STAGE_COMPUTE_BIT, 0, constant_bytes_};
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = 1;
  info.pSetLayouts = &set_layout_;
  info.pushConstantRangeCount = constant_bytes_ != 0 ? 1 : 0;
  info.pPushConstantRanges = &constants;
  result = vk.CreatePipelineLayout(gpu_.device(), &info, nullptr, &layout_);
  if (result != VK_SUCCESS) layout_ = VK_NULL_HANDLE;
  return result;
}

Result<std::unique_ptr<ComputePipeline>> ComputePipeline::Create(const Gpu& gpu, std::span<const std::uint32_t> code,
                                                                 std::uint32_t buffers, std::uint32_t constant_bytes) {
  std::unique_ptr<ComputePipeline> self(new ComputePipeline(gpu, buffers, 0, constant_bytes));
  if (Result<void> built = self->Build(code); !built.ok()) return std::move(built).error();
  return self;
}

Result<std::unique_ptr<ComputePipeline>> ComputePipeline::CreateForImage(const Gpu& gpu, std::span<const std::uint32_t> code,
                                                                         std::uint32_t buffers) {
  std::unique_ptr<ComputePipeline> self(new ComputePipeline(gpu, buffers, 1, 0));
  if (Result<void> built = self->Build(code); !built.ok()) return std::move(built).error();
  return self;
}

Result<void> ComputePipeline::Build(std::span<const std::uint32_t> code) {
  const Dispatch& vk = gpu_.vk();
  VkResult result = CreateLayouts();
  if (result != VK_SUCCESS) return Fail(ErrorKind::kUnsupported, "A shader's layout cannot be made: {}.", ToString(result));
  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = code.size_bytes();
  module_info.pCode = code.data();
  VkShaderModule module = VK_NULL_HANDLE;
  result = vk.CreateShaderModule(gpu_.device(), &module_info, nullptr, &module);
  if (result != VK_SUCCESS) return Fail(ErrorKind::kUnsupported, "vkCreateShaderModule answered {}.", ToString(result));
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.layout = layout_;
  result = vk.CreateComputePipelines(gpu_.device(), VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_);
  vk.DestroyShaderModule(gpu_.device(), module, nullptr);
  if (result == VK_SUCCESS) return {};
  pipeline_ = VK_NULL_HANDLE;
  return Fail(ErrorKind::kUnsupported, "vkCreateComputePipelines answered {}.", ToString(result));
}

ComputePipeline::~ComputePipeline() {
  if (gpu_.abandoned()) return;
  const Dispatch& vk = gpu_.vk();
  if (pipeline_ != VK_NULL_HANDLE) vk.DestroyPipeline(gpu_.device(), pipeline_, nullptr);
  if (layout_ != VK_NULL_HANDLE) vk.DestroyPipelineLayout(gpu_.device(), layout_, nullptr);
  if (set_layout_ != VK_NULL_HANDLE) vk.DestroyDescriptorSetLayout(gpu_.device(), set_layout_, nullptr);
}

Result<std::shared_ptr<void>> ComputePipeline::Bind(VkCommandBuffer commands, std::span<const VkDescriptorBufferInfo> buffers,
                                                    VkImageView image) const {
  TANDEM_CHECK(buffers.size() == buffers_ && (image != VK_NULL_HANDLE) == (images_ != 0));
  const Dispatch& vk = gpu_.vk();
  auto binding = std::make_shared<Binding>(gpu_);
  const std::array<VkDescriptorPoolSize, 2> sizes{
      {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers_}, {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, images_}}};
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = 1;
  pool.poolSizeCount = 1 + images_;
  pool.pPoolSizes = sizes.data();
  VkResult result = vk.CreateDescriptorPool(gpu_.device(), &pool, nullptr, &binding->pool);
  if (result != VK_SUCCESS) {
    binding->pool = VK_NULL_HANDLE;
    return Fail(ToErrorKind(result, ErrorKind::kOutOfMemory), "vkCreateDescriptorPool answered {}.", ToString(result));
  }
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = binding->pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &set_layout_;
  VkDescriptorSet set = VK_NULL_HANDLE;
  result = vk.AllocateDescriptorSets(gpu_.device(), &allocate, &set);
  if (result != VK_SUCCESS)
    return Fail(ToErrorKind(result, ErrorKind::kOutOfMemory), "vkAllocateDescriptorSets answered {}.", ToString(result));
  const VkDescriptorImageInfo read{VK_NULL_HANDLE, image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  std::vector<VkWriteDescriptorSet> writes(buffers_ + images_);
  for (std::uint32_t i = 0; i < writes.size(); ++i) {
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = i < buffers_ ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    if (i < buffers_) writes[i].pBufferInfo = &buffers[i];
    if (i >= buffers_) writes[i].pImageInfo = &read;
  }
  vk.UpdateDescriptorSets(gpu_.device(), buffers_ + images_, writes.data(), 0, nullptr);
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, 0, nullptr);
  return std::shared_ptr<void>(std::move(binding));
}

void ComputePipeline::Push(VkCommandBuffer commands, const void* constants) const {
  gpu_.vk().CmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, constant_bytes_, constants);
}

}  // namespace tandem::vulkan
