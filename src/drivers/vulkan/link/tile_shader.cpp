#include "drivers/vulkan/link/tile_shader.h"

#include <array>
#include <utility>

#include "drivers/vulkan/link/tile_decode.comp.spv.h"

namespace tandem::vulkan {
namespace {

// tile_decode.comp has an equal block.
struct Constants {
  std::uint32_t width, height, first_row, row_count, channels;
  std::uint32_t slice, slice_bytes;
  std::uint32_t frame, frame_pitch, red_first;
};
static_assert(sizeof(Constants) == 40);

constexpr std::uint32_t kBuffers = 2;
constexpr std::uint32_t kGroupTiles = 64;

}  // namespace

TileShader::TileShader(const Gpu& gpu, std::unique_ptr<ComputePipeline> decode) : gpu_(gpu), decode_(std::move(decode)) {}

Result<std::unique_ptr<TileShader>> TileShader::Create(const Gpu& gpu) {
  auto decode = ComputePipeline::Create(gpu, tile_decode_comp, kBuffers, sizeof(Constants));
  if (!decode.ok()) return std::move(decode).error();
  return std::unique_ptr<TileShader>(new TileShader(gpu, std::move(*decode)));
}

bool TileShader::Takes(const TileShaderJob& job) const {
  const auto fits = [&](const VkDescriptorBufferInfo& buffer, std::uint64_t first, std::uint64_t bytes) {
    return buffer.buffer != VK_NULL_HANDLE && buffer.range <= gpu_.max_storage_bytes() && first % 4 == 0 &&
           first <= buffer.range && bytes <= buffer.range - first;
  };
  const auto whole_words = [](std::uint64_t bytes) { return (bytes + 3) / 4 * 4; };
  const std::uint64_t sample_bytes = codec::BytesPerSample(static_cast<codec::TileContent>(job.header.content));
  const std::uint64_t row_bytes = whole_words(job.header.width * sample_bytes);
  return job.frame_pitch % 4 == 0 && row_bytes <= job.frame_pitch &&
         fits(job.slice, job.slice_first, whole_words(job.header.bytes)) &&
         fits(job.frame, job.frame_first, job.frame_pitch * (job.header.height - 1U) + row_bytes);
}

Result<std::shared_ptr<void>> TileShader::RecordDecode(VkCommandBuffer commands, const TileShaderJob& job) const {
  const std::array buffers{job.slice, job.frame};
  Result<std::shared_ptr<void>> bound = decode_->Bind(commands, buffers, VK_NULL_HANDLE);
  if (!bound.ok()) return bound;
  const auto words = [](std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes / 4); };
  const codec::TileSliceHeader& header = job.header;
  const Constants constants{header.width,           header.height, header.first_row,       header.row_count,       header.content,
                            words(job.slice_first), header.bytes,  words(job.frame_first), words(job.frame_pitch), job.red_first};
  decode_->Push(commands, &constants);
  const std::uint32_t tiles = codec::TilesAcross(header.width);
  gpu_.vk().CmdDispatch(commands, (tiles + kGroupTiles - 1) / kGroupTiles, header.row_count, 1);
  return bound;
}

}  // namespace tandem::vulkan
