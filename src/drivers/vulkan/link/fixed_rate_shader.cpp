#include "drivers/vulkan/link/fixed_rate_shader.h"

#include <cstring>
#include <utility>

#include "codec/bc1/bc1.h"
#include "codec/packed/packed_rgb.h"
#include "drivers/vulkan/link/bc1_decode.comp.spv.h"
#include "drivers/vulkan/link/bc1_encode.comp.spv.h"
#include "drivers/vulkan/link/packed_decode.comp.spv.h"
#include "drivers/vulkan/link/packed_encode.comp.spv.h"

namespace tandem::vulkan {
namespace {

// fixed_rate.glsl has an equal block.
struct Constants {
  std::uint32_t width, height;
  std::uint32_t picture, picture_pitch;
  std::uint32_t row_bytes, red_first, bits, rotation;
};
static_assert(sizeof(Constants) == 32);

constexpr std::uint32_t kThreads = 64;
constexpr std::uint32_t kLevels = 256;

codec::PackedRgb PackingOf(FixedRate rate) {
  return rate == FixedRate::kPacked24 ? codec::PackedRgb::k24 : codec::PackedRgb::k30;
}

// Bytes of a row of pixels or blocks.
std::uint64_t RowBytes(const FixedRateJob& job) {
  switch (job.rate) {
    case FixedRate::kPlain: return 4ULL * job.width;
    case FixedRate::kBc1: return codec::Bc1RowBytes(job.width);
    default: return codec::PackedRowBytes(PackingOf(job.rate), job.width);
  }
}

std::uint64_t SliceBytes(const FixedRateJob& job) {
  if (job.rate == FixedRate::kBc1) return codec::Bc1Bytes(job.width, job.height);
  if (job.rate == FixedRate::kPlain) return RowBytes(job) * job.height;
  return RowBytes(job) * job.height / 4 * 4 + 8;
}

Constants ConstantsOf(const FixedRateJob& job) {
  const auto words = [](std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes / 4); };
  return {job.width,
          job.height,
          words(job.picture_first),
          words(job.picture_pitch),
          static_cast<std::uint32_t>(RowBytes(job)),
          job.red_first ? 1U : 0U,
          job.rate == FixedRate::kPlain      ? 32U
          : job.rate == FixedRate::kPacked24 ? 24U
                                             : 30U,
          static_cast<std::uint32_t>(job.rotation)};
}

std::uint32_t GroupsOf(std::uint64_t threads) { return static_cast<std::uint32_t>((threads + kThreads - 1) / kThreads); }

// The two codes of a one-colour block for this level of a channel, the nearer one first, one byte each.
std::uint32_t CodesOf(std::uint32_t pixel, std::uint32_t shift, std::uint32_t bits) {
  std::array<std::uint32_t, codec::kBlockExtent * codec::kBlockExtent> pixels{};
  pixels.fill(pixel);
  std::uint64_t block = 0;
  constexpr std::uint64_t kPitch = sizeof(pixel) * codec::kBlockExtent;
  codec::EncodeBc1(reinterpret_cast<std::byte*>(&block), sizeof(block),
                   {reinterpret_cast<const std::byte*>(pixels.data()), kPitch, codec::kBlockExtent, codec::kBlockExtent});
  const auto code = [&](std::uint32_t at) { return static_cast<std::uint32_t>(block >> (at + shift)) & ((1U << bits) - 1); };
  // All pixels are nearer to the second code.
  const bool swapped = block >> 32 == 0xFFFFFFFF;
  return code(swapped ? 16 : 0) | code(swapped ? 0 : 16) << 8;
}

}  // namespace

FixedRateShader::FixedRateShader(const Gpu& gpu, Steps steps, std::unique_ptr<HostBuffer> levels)
    : gpu_(gpu), steps_(std::move(steps)), levels_(std::move(levels)) {}

Result<std::unique_ptr<FixedRateShader>> FixedRateShader::Create(const Gpu& gpu) {
  auto pack = ComputePipeline::Create(gpu, packed_encode_comp, 2, sizeof(Constants));
  if (!pack.ok()) return std::move(pack).error();
  auto unpack = ComputePipeline::Create(gpu, packed_decode_comp, 2, sizeof(Constants));
  if (!unpack.ok()) return std::move(unpack).error();
  auto encode_blocks = ComputePipeline::Create(gpu, bc1_encode_comp, 3, sizeof(Constants));
  if (!encode_blocks.ok()) return std::move(encode_blocks).error();
  auto decode_blocks = ComputePipeline::Create(gpu, bc1_decode_comp, 2, sizeof(Constants));
  if (!decode_blocks.ok()) return std::move(decode_blocks).error();
  auto levels = HostBuffer::CreateBounce(gpu, nullptr, 4ULL * kLevels);
  if (!levels.ok()) return std::move(levels).error();
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    const std::uint32_t codes = CodesOf(level, 0, 5) | CodesOf(level << 8, 5, 6) << 16;  // blue and red, then green
    std::memcpy((*levels)->bounce() + 4 * std::size_t{level}, &codes, sizeof(codes));
  }
  return std::unique_ptr<FixedRateShader>(new FixedRateShader(
      gpu, {std::move(*pack), std::move(*unpack), std::move(*encode_blocks), std::move(*decode_blocks)}, std::move(*levels)));
}

bool FixedRateShader::Takes(const FixedRateJob& job) const {
  const auto fits = [&](const VkDescriptorBufferInfo& buffer, std::uint64_t first, std::uint64_t bytes) {
    return buffer.buffer != VK_NULL_HANDLE && buffer.range <= gpu_.max_storage_bytes() && first % 4 == 0 &&
           first <= buffer.range && bytes <= buffer.range - first;
  };
  const bool quarter = color::IsQuarterTurn(job.rotation);
  const std::uint64_t row_bytes = 4ULL * (quarter ? job.height : job.width);
  const std::uint64_t rows = quarter ? job.width : job.height;
  return job.width != 0 && job.height != 0 && job.picture_pitch % 4 == 0 && row_bytes <= job.picture_pitch &&
         fits(job.picture, job.picture_first, job.picture_pitch * (rows - 1) + row_bytes) && fits(job.slice, 0, SliceBytes(job));
}

Result<std::shared_ptr<void>> FixedRateShader::RecordEncode(VkCommandBuffer commands, const FixedRateJob& job) const {
  const bool blocks = job.rate == FixedRate::kBc1;
  const ComputePipeline& step = blocks ? *steps_.encode_blocks : *steps_.pack;
  const std::array<VkDescriptorBufferInfo, 3> buffers{job.picture, job.slice, {levels_->handle(), 0, VK_WHOLE_SIZE}};
  Result<std::shared_ptr<void>> bound = step.Bind(commands, std::span(buffers).first(blocks ? 3 : 2), VK_NULL_HANDLE);
  if (!bound.ok()) return bound;
  const Constants constants = ConstantsOf(job);
  step.Push(commands, &constants);
  if (blocks) {
    gpu_.vk().CmdDispatch(commands, GroupsOf(codec::BlocksAcross(job.width)), codec::BlocksAcross(job.height), 1);
  } else {
    gpu_.vk().CmdDispatch(commands, GroupsOf((RowBytes(job) + 3) / 4), job.height, 1);
  }
  return bound;
}

Result<std::shared_ptr<void>> FixedRateShader::RecordDecode(VkCommandBuffer commands, const FixedRateJob& job) const {
  const ComputePipeline& step = job.rate == FixedRate::kBc1 ? *steps_.decode_blocks : *steps_.unpack;
  const std::array buffers{job.slice, job.picture};
  Result<std::shared_ptr<void>> bound = step.Bind(commands, buffers, VK_NULL_HANDLE);
  if (!bound.ok()) return bound;
  const Constants constants = ConstantsOf(job);
  step.Push(commands, &constants);
  gpu_.vk().CmdDispatch(commands, GroupsOf(job.width), job.height, 1);
  return bound;
}

}  // namespace tandem::vulkan
