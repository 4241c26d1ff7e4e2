#include "drivers/vulkan/blit/blit_shader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "color/channels.h"
#include "color/dither.h"
#include "drivers/vulkan/blit/blit.comp.spv.h"
#include "drivers/vulkan/blit/blit_image.comp.spv.h"
#include "drivers/vulkan/gpu/copy_recorder.h"
#include "drivers/vulkan/gpu/host_buffer.h"

namespace tandem::vulkan {
namespace {

// blit.glsl has equal constants.
constexpr std::uint32_t kFill = 1;
constexpr std::uint32_t kSameBits = 2;
constexpr std::uint32_t kSourceIs8Bytes = 4;
constexpr std::uint32_t kDestinationIs8Bytes = 8;
constexpr std::uint32_t kSourceHasAlpha = 16;
constexpr std::uint32_t kSkipSource = 32;
constexpr std::uint32_t kOnlyOver = 64;
constexpr std::uint32_t kDither = 128;
constexpr std::uint32_t kRotationShift = 8;
constexpr std::uint32_t kHeaderWords = 24;
constexpr std::uint32_t kNoTable = 0xFFFFFFFF;

constexpr std::uint32_t kBindings = 3;
constexpr std::uint32_t kGroupPixels = 64;
// Maximum workgroups of one rectangle; larger rectangles loop.
constexpr std::uint32_t kMaxGroups = 4096;

std::uint32_t Packed(const std::array<std::uint8_t, 4>& shifts) {
  return shifts[0] | std::uint32_t{shifts[1]} << 8 | std::uint32_t{shifts[2]} << 16 | std::uint32_t{shifts[3]} << 24;
}

// Appends a table of 16-bit codes, two per word, and returns its position.
std::uint32_t Append(std::vector<std::uint32_t>& words, const std::uint16_t* table, color::ChannelCode code) {
  if (table == nullptr) return kNoTable;
  const auto at = static_cast<std::uint32_t>(words.size());
  for (std::uint32_t i = 0; i < color::CodeCount(code); i += 2) words.push_back(table[i] | std::uint32_t{table[i + 1]} << 16);
  return at;
}

bool DithersTo(const BlitPlan& plan) {
  return !plan.fills() && plan.command.dither && color::Dithers(plan.source.format, plan.destination.format);
}

bool MovesBits(const BlitPlan& plan) {
  return plan.fills() ||
         (color::SameBits(plan.source.format, plan.destination.format) && plan.command.transfer == color::Transfer::kPassThrough);
}

std::uint32_t FlagsOf(const BlitPlan& plan, bool same_bits) {
  const BlitCommand& command = plan.command;
  std::uint32_t flags = static_cast<std::uint32_t>(command.rotation) << kRotationShift;
  if (plan.fills()) flags |= kFill;
  if (same_bits) flags |= kSameBits;
  if (!plan.fills() && plan.source_pixel_bytes() == 8) flags |= kSourceIs8Bytes;
  if (plan.destination_pixel_bytes() == 8) flags |= kDestinationIs8Bytes;
  if (!plan.fills() && color::LayoutOf(plan.source.format).has_alpha) flags |= kSourceHasAlpha;
  if (DithersTo(plan)) flags |= kDither;
  if (command.key == color::ColorKey::kSkipSource) flags |= kSkipSource;
  if (command.key == color::ColorKey::kOnlyOver) flags |= kOnlyOver;
  return flags;
}

std::uint32_t Extent(LONG from, LONG to) { return static_cast<std::uint32_t>(to - from); }

std::vector<std::uint32_t> Parameters(const BlitPlan& plan) {
  const BlitCommand& command = plan.command;
  const color::PixelLayout& to = color::LayoutOf(plan.destination.format);
  const bool same_bits = MovesBits(plan);
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
  words[19] = static_cast<std::uint32_t>(command.from.left);
  words[20] = static_cast<std::uint32_t>(command.from.top);
  if (same_bits) return words;
  const std::uint16_t* const colors = DithersTo(plan) ? color::DitherTable(from.color, command.transfer)
                                                      : color::ChannelTable(from.color, to.color, command.transfer);
  const std::uint32_t color_table = Append(words, colors, from.color);
  const std::uint32_t alpha_table =
      Append(words, color::ChannelTable(from.alpha, to.alpha, color::Transfer::kPassThrough), from.alpha);
  words[17] = color_table;
  words[18] = alpha_table;
  return words;
}

std::uint64_t BytesOf(const BlitSide& side) { return std::uint64_t{side.pitch} * side.height; }

}  // namespace

struct BlitShader::Job {
  std::unique_ptr<HostBuffer> parameters;
  std::unique_ptr<HostBuffer> aside;  // a copy of the source if it is also the destination
  std::shared_ptr<void> binding;
};

Result<std::unique_ptr<BlitShader>> BlitShader::Create(const Gpu& gpu) {
  auto pipeline = ComputePipeline::Create(gpu, blit_comp, kBindings, 0);
  if (!pipeline.ok()) return std::move(pipeline).error();
  auto for_images = ComputePipeline::CreateForImage(gpu, blit_image_comp, kBindings - 1);
  if (!for_images.ok()) return std::move(for_images).error();
  return std::unique_ptr<BlitShader>(new BlitShader(gpu, std::move(*pipeline), std::move(*for_images)));
}

bool BlitShader::ReadsImage(const BlitPlan& plan) {
  return !plan.fills() && plan.command.source->sampled() != VK_NULL_HANDLE && !plan.same_surface && !MovesBits(plan) &&
         plan.command.key == color::ColorKey::kNone;
}

bool BlitShader::Takes(const BlitPlan& plan) const {
  const auto fits = [&](const BlitSide& side) {
    return side.rows.buffer != VK_NULL_HANDLE && side.rows.storage && BytesOf(side) <= gpu_.max_storage_bytes() &&
           side.pitch % 4 == 0;
  };
  return fits(plan.destination) && (plan.fills() || (plan.source.rows.valid() ? fits(plan.source) : ReadsImage(plan)));
}

Result<void> BlitShader::BindJob(VkCommandBuffer commands, Job& job, const BlitPlan& plan) const {
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
  const VkDescriptorBufferInfo destination{plan.destination.rows.buffer, plan.destination.rows.offset, BytesOf(plan.destination)};
  const VkDescriptorBufferInfo parameter_info{job.parameters->handle(), 0, VK_WHOLE_SIZE};
  if (!plan.fills() && !plan.source.rows.valid()) {
    const std::array<VkDescriptorBufferInfo, kBindings - 1> buffers{destination, parameter_info};
    Result<std::shared_ptr<void>> binding = for_images_->Bind(commands, buffers, plan.command.source->sampled());
    if (!binding.ok()) return binding.error();
    job.binding = std::move(*binding);
    return {};
  }
  VkDescriptorBufferInfo source = destination;
  if (!plan.fills()) source = {plan.source.rows.buffer, plan.source.rows.offset, BytesOf(plan.source)};
  if (job.aside != nullptr) source = {job.aside->handle(), 0, VK_WHOLE_SIZE};
  const std::array<VkDescriptorBufferInfo, kBindings> buffers{destination, parameter_info, source};
  Result<std::shared_ptr<void>> binding = pipeline_->Bind(commands, buffers, VK_NULL_HANDLE);
  if (!binding.ok()) return binding.error();
  job.binding = std::move(*binding);
  return {};
}

Result<std::shared_ptr<void>> BlitShader::Record(VkCommandBuffer commands, const BlitPlan& plan) const {
  auto job = std::make_shared<Job>();
  if (Result<void> bound = BindJob(commands, *job, plan); !bound.ok()) return bound.error();
  const Dispatch& vk = gpu_.vk();
  constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  constexpr VkPipelineStageFlags kTransfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
  constexpr VkAccessFlags kShader = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
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
  // Rectangles run in order, because each may write pixels that the next reads.
  for (std::uint32_t i = 0; i < plan.command.rect_count; ++i) {
    const BlitPlan::Span span = plan.SourceRowsOf(plan.command.rects[i]);
    const std::uint64_t first = (static_cast<std::uint64_t>(plan.command.from.top) + span.first) * plan.source.pitch;
    const VkBufferCopy region{plan.source.rows.offset + first, first, std::uint64_t{span.end - span.first} * plan.source.pitch};
    RecordMemoryBarrier(vk, commands, kCompute | kTransfer, VK_ACCESS_MEMORY_WRITE_BIT, kTransfer,
                        VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    vk.CmdCopyBuffer(commands, plan.source.rows.buffer, job->aside->handle(), 1, &region);
    RecordMemoryBarrier(vk, commands, kCompute | kTransfer, VK_ACCESS_MEMORY_WRITE_BIT, kCompute, kShader);
    // Workgroup rows count from 0; the base selects the rectangle.
    vk.CmdDispatchBase(commands, 0, i, 0, groups(plan.command.rects[i]), 1, 1);
  }
  return std::shared_ptr<void>(std::move(job));
}

}  // namespace tandem::vulkan
