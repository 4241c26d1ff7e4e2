#include "drivers/vulkan/link/tile_encode_shader.h"

#include <array>
#include <utility>

#include "codec/tiles/tile_format.h"
#include "drivers/vulkan/gpu/copy_recorder.h"
#include "drivers/vulkan/link/tile_encode.comp.spv.h"
#include "drivers/vulkan/link/tile_place.comp.spv.h"
#include "drivers/vulkan/link/tile_rows.comp.spv.h"

namespace tandem::vulkan {
namespace {

// tile_encode.glsl has an equal block.
struct Constants {
  std::uint32_t width, height, first_row, row_count, channels;
  std::uint32_t frame, frame_pitch, reference, reference_pitch;
  std::uint32_t flags, slice;
};
static_assert(sizeof(Constants) == 44);

constexpr std::uint32_t kHasReference = 1;
constexpr std::uint32_t kRedFirst = 2;

constexpr std::uint32_t kRecordBytes = 66 * 4;
constexpr std::uint32_t kGroupTiles = 64;

std::uint64_t WholeWords(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

std::uint64_t SliceBytes(const TileEncodeJob& job) {
  return WholeWords(codec::TileSliceCapacity(job.content, job.width, job.row_count));
}

Constants ConstantsOf(const TileEncodeJob& job) {
  const auto words = [](std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes / 4); };
  const bool refers = job.reference.buffer.buffer != VK_NULL_HANDLE;
  return {job.width,
          job.height,
          job.first_row,
          job.row_count,
          codec::ChannelsOf(job.content),
          words(job.frame.first),
          words(job.frame.pitch),
          words(job.reference.first),
          words(job.reference.pitch),
          (refers ? kHasReference : 0) | (job.red_first ? kRedFirst : 0),
          words(job.slice_first)};
}

}  // namespace

std::uint64_t TileRecordBytes(std::uint32_t width, std::uint32_t row_count) {
  return std::uint64_t{kRecordBytes} * codec::TilesAcross(width) * row_count;
}

TileEncodeShader::TileEncodeShader(const Gpu& gpu, Steps steps) : gpu_(gpu), steps_(std::move(steps)) {}

Result<std::unique_ptr<TileEncodeShader>> TileEncodeShader::Create(const Gpu& gpu) {
  auto encode = ComputePipeline::Create(gpu, tile_encode_comp, 3, sizeof(Constants));
  if (!encode.ok()) return std::move(encode).error();
  auto rows = ComputePipeline::Create(gpu, tile_rows_comp, 2, sizeof(Constants));
  if (!rows.ok()) return std::move(rows).error();
  auto place = ComputePipeline::Create(gpu, tile_place_comp, 2, sizeof(Constants));
  if (!place.ok()) return std::move(place).error();
  return std::unique_ptr<TileEncodeShader>(new TileEncodeShader(gpu, {std::move(*encode), std::move(*rows), std::move(*place)}));
}

bool TileEncodeShader::Takes(const TileEncodeJob& job) const {
  if (job.width == 0 || job.height == 0 || job.row_count == 0) return false;
  if (job.first_row + std::uint64_t{job.row_count} > codec::TileRows(job.height)) return false;
  const auto fits = [&](const VkDescriptorBufferInfo& buffer, std::uint64_t first, std::uint64_t bytes) {
    return buffer.buffer != VK_NULL_HANDLE && buffer.range <= gpu_.max_storage_bytes() && first % 4 == 0 &&
           first <= buffer.range && bytes <= buffer.range - first;
  };
  const std::uint64_t row_bytes = WholeWords(std::uint64_t{job.width} * codec::BytesPerSample(job.content));
  const auto samples_fit = [&](const ShaderSamples& samples) {
    return samples.pitch % 4 == 0 && row_bytes <= samples.pitch &&
           fits(samples.buffer, samples.first, samples.pitch * (job.height - 1) + row_bytes);
  };
  return samples_fit(job.frame) && (job.reference.buffer.buffer == VK_NULL_HANDLE || samples_fit(job.reference)) &&
         fits(job.records, 0, TileRecordBytes(job.width, job.row_count)) && fits(job.slice, job.slice_first, SliceBytes(job));
}

Result<std::shared_ptr<void>> TileEncodeShader::Record(VkCommandBuffer commands, const TileEncodeJob& job) const {
  const Dispatch& vk = gpu_.vk();
  constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  constexpr VkAccessFlags kShader = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  auto bindings = std::make_shared<std::array<std::shared_ptr<void>, 3>>();
  const Constants constants = ConstantsOf(job);
  const std::uint32_t groups = (codec::TilesAcross(job.width) + kGroupTiles - 1) / kGroupTiles;

  vk.CmdFillBuffer(commands, job.slice.buffer, job.slice.offset + job.slice_first, SliceBytes(job), 0);
  const bool refers = job.reference.buffer.buffer != VK_NULL_HANDLE;
  const std::array samples{job.frame.buffer, refers ? job.reference.buffer : job.frame.buffer, job.records};
  const std::array coded{job.records, job.slice};
  const auto bind = [&](const ComputePipeline& step, std::span<const VkDescriptorBufferInfo> buffers, std::size_t index) {
    Result<std::shared_ptr<void>> bound = step.Bind(commands, buffers, VK_NULL_HANDLE);
    if (bound.ok()) {
      (*bindings)[index] = *bound;
      step.Push(commands, &constants);
    }
    return bound;
  };
  if (auto bound = bind(*steps_.encode, samples, 0); !bound.ok()) return bound;
  vk.CmdDispatch(commands, groups, job.row_count, 1);
  RecordMemoryBarrier(vk, commands, kCompute | VK_PIPELINE_STAGE_TRANSFER_BIT,
                      VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, kCompute, kShader);
  if (auto bound = bind(*steps_.rows, coded, 1); !bound.ok()) return bound;
  vk.CmdDispatch(commands, job.row_count, 1, 1);
  RecordMemoryBarrier(vk, commands, kCompute, VK_ACCESS_SHADER_WRITE_BIT, kCompute, kShader);
  if (auto bound = bind(*steps_.place, coded, 2); !bound.ok()) return bound;
  vk.CmdDispatch(commands, groups, job.row_count, 1);
  return std::shared_ptr<void>(std::move(bindings));
}

}  // namespace tandem::vulkan
