#include "drivers/vulkan/kmd/blit_shader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "color/channels.h"
#include "drivers/vulkan/kmd/blit.comp.spv.h"
#include "drivers/vulkan/kmd/copy_recorder.h"
#include "drivers/vulkan/kmd/host_buffer.h"

namespace tandem::vulkan {
namespace {

// blit.comp reads the same.
constexpr std::uint32_t kFill = 1;
constexpr std::uint32_t kSameBits = 2;
constexpr std::uint32_t kSourceIs8Bytes = 4;
constexpr std::uint32_t kDestinationIs8Bytes = 8;
constexpr std::uint32_t kSourceHasAlpha = 16;
constexpr std::uint32_t kSkipSource = 32;
constexpr std::uint32_t kOnlyOver = 64;
constexpr std::uint32_t kRotationShift = 8;
constexpr std::uint32_t kHeaderWords = 24;
constexpr std::uint32_t kNoTable = 0xFFFFFFFF;

constexpr std::uint32_t kBindings = 3;
constexpr std::uint32_t kGroupPixels = 64;
// Workgroups of one rectangle; larger ones loop.
constexpr std::uint32_t kMaxGroups = 4096;

std::uint32_t Packed(const std::array<std::uint8_t, 4>& shifts) {
  return shifts[0] | std::uint32_t{shifts[1]} << 8 | std::uint32_t{shifts[2]} << 16 | std::uint32_t{shifts[3]} << 24;
}

// Appends a table of 16-bit codes, two a word, and answers where it is.
std::uint32_t Append(std::vector<std::uint32_t>& words, const std::uint16_t* table, color::ChannelCode code) {
  if (table == nullptr) return kNoTable;
  const auto at = static_cast<std::uint32_t>(words.size());
  for (std::uint32_t i = 0; i < color::CodeCount(code); i += 2) words.push_back(table[i] | std::uint32_t{table[i + 1]} << 16);
  return at;
}

std::uint32_t FlagsOf(const BlitPlan& plan, bool same_bits) {
  const BlitCommand& command = plan.command;
  std::uint32_t flags = static_cast<std::uint32_t>(command.rotation) << kRotationShift;
  if (plan.fills()) flags |= kFill;
  if (same_bits) flags |= kSameBits;
  if (!plan.fills() && plan.source_pixel_bytes() == 8) flags |= kSourceIs8Bytes;
  if (plan.destination_pixel_bytes() == 8) flags |= kDestinationIs8Bytes;
  if (!plan.fills() && color::LayoutOf(plan.source.format).has_alpha) flags |= kSourceHasAlpha;
  if (command.key == color::ColorKey::kSkipSource) flags |= kSkipSource;
  if (command.key == color::ColorKey::kOnlyOver) flags |= kOnlyOver;
  return flags;
}

std::uint32_t Extent(LONG from, LONG to) { return static_cast<std::uint32_t>(to - from); }

std::vector<std::uint32_t> Parameters(const BlitPlan& plan) {
  const BlitCommand& command = plan.command;
  const color::PixelLayout& to = color::LayoutOf(plan.destination.format);
  const bool same_bits = plan.fills() || (color::SameBits(plan.source.format, plan.destination.format) &&
                                          command.transfer == color::Transfer::kPassThrough);
  std::vector<std::uint32_t> words(kHeaderWords);
  words[0] = FlagsOf(plan, same_bits);
  words[5] = plan.destination.pitch / 4;
  words[8] = static_cast<std::uint32_t>(command.pixel);
  words[9] = static_cast<std::uint32_t>(command.pixel >> 32);
  for (std::uint32_t i = 0; i < command.rect_count; ++i) {
    const color::BlitRect memory = plan.MemoryOf(command.rects[i]);
    const color::BlitRect part = plan.PartOf(command.rects[i]);
    const std::uint64_t first =
        std::uint64_t{memory.top} * plan.destination.pitch + std::uint64_t{memory.left} * plan.destination_pixel_bytes();
    words.insert(words.end(), {part.left, part.top, part.width(), part.height(), static_cast<std::uint32_t>(first / 4)});
  }
  if (plan.fills()) return words;
  const color::PixelLayout& from = color::LayoutOf(plan.source.format);
  const std::uint64_t mask = command.key == color::ColorKey::kOnlyOver ? to.color_mask : from.color_mask;
  words[1] = static_cast<std::uint32_t>((static_cast<std::uint64_t>(command.from.top) * plan.source.pitch +
                                         static_cast<std::uint64_t>(command.from.left) * plan.source_pixel_bytes()) /
                                        4);
  words[2] = plan.source.pitch / 4;
  words[3] = Extent(command.from.left, command.from.right);
  words[4] = Extent(command.from.top, command.from.bottom);
  words[6] = Extent(command.to.left, command.to.right);
  words[7] = Extent(command.to.top, command.to.bottom);
  words[10] = static_cast<std::uint32_t>(mask);
  words[11] = static_cast<std::uint32_t>(mask >> 32);
  words[12] = Packed(from.shift);
  words[13] = Packed(to.shift);
  words[14] = color::CodeCount(from.color) - 1;
  words[15] = color::CodeCount(from.alpha) - 1;
  words[16] = color::CodeOfOne(to.alpha);
  words[17] = words[18] = kNoTable;
  if (same_bits) return words;
  const std::uint32_t color_table = Append(words, color::ChannelTable(from.color, to.color, command.transfer), from.color);
  const std::uint32_t alpha_table =
      Append(words, color::ChannelTable(from.alpha, to.alpha, color::Transfer::kPassThrough), from.alpha);
  words[17] = color_table;
  words[18] = alpha_table;
  return words;
}

std::uint64_t BytesOf(const BlitSide& side) { return std::uint64_t{side.pitch} * side.height; }

}  // namespace

struct BlitShader::Job {
  explicit Job(const Gpu& gpu) : gpu_(gpu) {}
  ~Job() { gpu_.Destroy(pool); }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  const Gpu& gpu_;
  std::unique_ptr<HostBuffer> parameters;
  std::unique_ptr<HostBuffer> aside;  // a copy of the source where it is the destination, too
  VkDescriptorPool pool = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
};

Result<std::unique_ptr<BlitShader>> BlitShader::Create(const Gpu& gpu) {
  std::unique_ptr<BlitShader> self(new BlitShader(gpu));
  const Dispatch& vk = gpu.vk();
  std::array<VkDescriptorSetLayoutBinding, kBindings> bindings{};
  for (std::uint32_t i = 0; i < kBindings; ++i) {
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  }
  VkDescriptorSetLayoutCreateInfo set_info{};
  set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set_info.bindingCount = kBindings;
  set_info.pBindings = bindings.data();
  VkResult result = vk.CreateDescriptorSetLayout(gpu.device(), &set_info, nullptr, &self->set_layout_);
  if (result != VK_SUCCESS) {
    self->set_layout_ = VK_NULL_HANDLE;
    return Fail(ErrorKind::kUnsupported, "vkCreateDescriptorSetLayout answered {}.", ToString(result));
  }
  VkPipelineLayoutCreateInfo layout_info{};
  layout_info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout_info.setLayoutCount = 1;
  layout_info.pSetLayouts = &self->set_layout_;
  VkShaderModuleCreateInfo module_info{};
  module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module_info.codeSize = sizeof(blit_comp);
  module_info.pCode = blit_comp;
  VkShaderModule module = VK_NULL_HANDLE;
  result = vk.CreatePipelineLayout(gpu.device(), &layout_info, nullptr, &self->layout_);
  if (result != VK_SUCCESS) {
    self->layout_ = VK_NULL_HANDLE;
  } else {
    result = vk.CreateShaderModule(gpu.device(), &module_info, nullptr, &module);
  }
  if (result != VK_SUCCESS) return Fail(ErrorKind::kUnsupported, "vkCreateShaderModule answered {}.", ToString(result));
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.layout = self->layout_;
  result = vk.CreateComputePipelines(gpu.device(), VK_NULL_HANDLE, 1, &info, nullptr, &self->pipeline_);
  vk.DestroyShaderModule(gpu.device(), module, nullptr);
  if (result == VK_SUCCESS) return self;
  self->pipeline_ = VK_NULL_HANDLE;
  return Fail(ErrorKind::kUnsupported, "vkCreateComputePipelines answered {}.", ToString(result));
}

BlitShader::~BlitShader() {
  if (gpu_.abandoned()) return;
  const Dispatch& vk = gpu_.vk();
  if (pipeline_ != VK_NULL_HANDLE) vk.DestroyPipeline(gpu_.device(), pipeline_, nullptr);
  if (layout_ != VK_NULL_HANDLE) vk.DestroyPipelineLayout(gpu_.device(), layout_, nullptr);
  if (set_layout_ != VK_NULL_HANDLE) vk.DestroyDescriptorSetLayout(gpu_.device(), set_layout_, nullptr);
}

bool BlitShader::Takes(const BlitPlan& plan) const {
  const auto fits = [&](const BlitSide& side) {
    return side.rows.buffer != VK_NULL_HANDLE && side.rows.storage && BytesOf(side) <= gpu_.max_storage_bytes() &&
           side.pitch % 4 == 0;
  };
  return fits(plan.destination) && (plan.fills() || fits(plan.source));
}

Result<void> BlitShader::BindJob(Job& job, const BlitPlan& plan) const {
  const Dispatch& vk = gpu_.vk();
  const std::vector<std::uint32_t> words = Parameters(plan);
  Result<std::unique_ptr<HostBuffer>> parameters = HostBuffer::CreateBounce(gpu_, nullptr, words.size() * sizeof(words[0]));
  if (!parameters.ok()) return std::move(parameters).error();
  job.parameters = std::move(*parameters);
  std::memcpy(job.parameters->bounce(), words.data(), words.size() * sizeof(words[0]));
  if (plan.same_surface && !plan.fills()) {
    Result<std::unique_ptr<HostBuffer>> aside = HostBuffer::CreateBounce(gpu_, nullptr, BytesOf(plan.source));
    if (!aside.ok()) return std::move(aside).error();
    job.aside = std::move(*aside);
  }
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kBindings};
  VkDescriptorPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  pool.maxSets = 1;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  VkResult result = vk.CreateDescriptorPool(gpu_.device(), &pool, nullptr, &job.pool);
  if (result != VK_SUCCESS) {
    job.pool = VK_NULL_HANDLE;
    return Fail(ErrorKind::kOutOfMemory, "vkCreateDescriptorPool answered {}.", ToString(result));
  }
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = job.pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &set_layout_;
  result = vk.AllocateDescriptorSets(gpu_.device(), &allocate, &job.set);
  if (result != VK_SUCCESS) return Fail(ErrorKind::kOutOfMemory, "vkAllocateDescriptorSets answered {}.", ToString(result));
  const VkDescriptorBufferInfo destination{plan.destination.rows.buffer, plan.destination.rows.offset, BytesOf(plan.destination)};
  VkDescriptorBufferInfo source = destination;
  if (!plan.fills()) source = {plan.source.rows.buffer, plan.source.rows.offset, BytesOf(plan.source)};
  if (job.aside != nullptr) source = {job.aside->handle(), 0, VK_WHOLE_SIZE};
  const std::array<VkDescriptorBufferInfo, kBindings> buffers{source, destination, {job.parameters->handle(), 0, VK_WHOLE_SIZE}};
  std::array<VkWriteDescriptorSet, kBindings> writes{};
  for (std::uint32_t i = 0; i < kBindings; ++i) {
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = job.set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[i].pBufferInfo = &buffers[i];
  }
  vk.UpdateDescriptorSets(gpu_.device(), kBindings, writes.data(), 0, nullptr);
  return {};
}

Result<std::shared_ptr<void>> BlitShader::Record(VkCommandBuffer commands, const BlitPlan& plan) const {
  auto job = std::make_shared<Job>(gpu_);
  if (Result<void> bound = BindJob(*job, plan); !bound.ok()) return bound.error();
  const Dispatch& vk = gpu_.vk();
  constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
  constexpr VkAccessFlags kShader = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &job->set, 0, nullptr);
  const auto groups = [](const RECT& rect) {
    const std::uint64_t pixels = std::uint64_t{Extent(rect.left, rect.right)} * Extent(rect.top, rect.bottom);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(kMaxGroups, (pixels + kGroupPixels - 1) / kGroupPixels));
  };
  if (job->aside == nullptr) {
    std::uint32_t most = 1;
    for (std::uint32_t i = 0; i < plan.command.rect_count; ++i) most = std::max(most, groups(plan.command.rects[i]));
    vk.CmdDispatch(commands, most, plan.command.rect_count, 1);
    return std::shared_ptr<void>(std::move(job));
  }
  // One rectangle after the other: each may have written what the next one reads.
  for (std::uint32_t i = 0; i < plan.command.rect_count; ++i) {
    const BlitPlan::Span span = plan.SourceRowsOf(plan.command.rects[i]);
    const std::uint64_t first = (static_cast<std::uint64_t>(plan.command.from.top) + span.first) * plan.source.pitch;
    const VkBufferCopy region{plan.source.rows.offset + first, first, std::uint64_t{span.end - span.first} * plan.source.pitch};
    RecordMemoryBarrier(vk, commands, kCompute | kTransfer, VK_ACCESS_MEMORY_WRITE_BIT, kTransfer,
                        VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    vk.CmdCopyBuffer(commands, plan.source.rows.buffer, job->aside->handle(), 1, &region);
    RecordMemoryBarrier(vk, commands, kCompute | kTransfer, VK_ACCESS_MEMORY_WRITE_BIT, kCompute, kShader);
    // Workgroup rows count from 0; the base picks the rectangle.
    vk.CmdDispatchBase(commands, 0, i, 0, groups(plan.command.rects[i]), 1, 1);
  }
  return std::shared_ptr<void>(std::move(job));
}

}  // namespace tandem::vulkan
