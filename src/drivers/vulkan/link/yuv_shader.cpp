#include "drivers/vulkan/link/yuv_shader.h"

#include <array>
#include <utility>

#include "color/yuv_fixed.h"
#include "drivers/vulkan/gpu/copy_recorder.h"
#include "drivers/vulkan/link/yuv_decode.comp.spv.h"
#include "drivers/vulkan/link/yuv_encode.comp.spv.h"

namespace tandem::vulkan {
namespace {

// yuv.glsl has an equal block.
struct Constants {
  std::uint32_t width, height, flags;
  std::uint32_t picture, picture_pitch;
  std::uint32_t y_plane, u_plane, v_plane;
  std::uint32_t y_pitch, chroma_pitch;
  std::int32_t weights[10];
};
static_assert(sizeof(Constants) == 80);

constexpr std::uint32_t kThreePlanes = 1;
constexpr std::uint32_t kRedFirst = 2;
constexpr std::uint32_t kBilinear = 4;
constexpr std::uint32_t kByTerms = 8;
constexpr std::uint32_t kWritesY = 16;
constexpr std::uint32_t kWritesU = 32;
constexpr std::uint32_t kWritesV = 64;
constexpr std::uint32_t kRotationShift = 8;

constexpr std::uint32_t kBuffers = 2;
constexpr std::uint32_t kGroupWidth = 64;  // pixels of a workgroup
constexpr std::uint32_t kGroupHeight = 16;

Constants ConstantsOf(const YuvShaderJob& job) {
  const auto words = [](std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes / 4); };
  Constants constants{};
  constants.width = job.width;
  constants.height = job.height;
  constants.flags = static_cast<std::uint32_t>(job.picture.rotation) << kRotationShift;
  if (job.planes.layout == color::YuvLayout::kThreePlanes) constants.flags |= kThreePlanes;
  if (job.picture.red_first) constants.flags |= kRedFirst;
  constants.picture = words(job.picture.first);
  constants.picture_pitch = words(job.picture.pitch);
  constants.y_plane = words(job.planes.y);
  constants.u_plane = words(job.planes.u);
  constants.v_plane = words(job.planes.v);
  constants.y_pitch = words(job.planes.y_pitch);
  constants.chroma_pitch = words(job.planes.chroma_pitch);
  return constants;
}

void Dispatch8x2(const Dispatch& vk, VkCommandBuffer commands, const YuvShaderJob& job) {
  vk.CmdDispatch(commands, (job.width + kGroupWidth - 1) / kGroupWidth, (job.height + kGroupHeight - 1) / kGroupHeight, 1);
}

std::uint64_t WholeWords(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

}  // namespace

YuvShader::YuvShader(const Gpu& gpu, std::unique_ptr<ComputePipeline> encode, std::unique_ptr<ComputePipeline> decode)
    : gpu_(gpu), encode_(std::move(encode)), decode_(std::move(decode)) {}

Result<std::unique_ptr<YuvShader>> YuvShader::Create(const Gpu& gpu) {
  auto encode = ComputePipeline::Create(gpu, yuv_encode_comp, kBuffers, sizeof(Constants));
  if (!encode.ok()) return std::move(encode).error();
  auto decode = ComputePipeline::Create(gpu, yuv_decode_comp, kBuffers, sizeof(Constants));
  if (!decode.ok()) return std::move(decode).error();
  return std::unique_ptr<YuvShader>(new YuvShader(gpu, std::move(*encode), std::move(*decode)));
}

bool YuvShader::Takes(const YuvShaderJob& job) const {
  const auto in_words = [](std::uint64_t bytes) { return bytes % 4 == 0; };
  const auto rows_fit = [&](const VkDescriptorBufferInfo& buffer, std::uint64_t first, std::uint64_t pitch,
                            std::uint64_t row_bytes, std::uint64_t rows) {
    return buffer.buffer != VK_NULL_HANDLE && buffer.range <= gpu_.max_storage_bytes() && in_words(first) && in_words(pitch) &&
           row_bytes <= pitch && first + pitch * (rows - 1) + row_bytes <= buffer.range;
  };
  if (job.width == 0 || job.height == 0) return false;
  const auto& [picture, planes] = std::pair(job.picture, job.planes);
  const bool turned = color::IsQuarterTurn(picture.rotation);
  const std::uint64_t chroma_width = color::ChromaExtent(job.width);
  const std::uint64_t chroma_height = color::ChromaExtent(job.height);
  const bool three = planes.layout == color::YuvLayout::kThreePlanes;
  const std::uint64_t chroma_bytes = WholeWords(three ? chroma_width : 2 * chroma_width);
  return rows_fit(picture.buffer, picture.first, picture.pitch, 4ULL * (turned ? job.height : job.width),
                  turned ? job.width : job.height) &&
         rows_fit(planes.buffer, planes.y, planes.y_pitch, WholeWords(job.width), job.height) &&
         rows_fit(planes.buffer, planes.u, planes.chroma_pitch, chroma_bytes, chroma_height) &&
         (!three || rows_fit(planes.buffer, planes.v, planes.chroma_pitch, chroma_bytes, chroma_height));
}

Result<std::shared_ptr<void>> YuvShader::RecordEncode(VkCommandBuffer commands, const YuvShaderJob& job, YuvPasses passes) const {
  const std::array buffers{job.picture.buffer, job.planes.buffer};
  Result<std::shared_ptr<void>> bound = encode_->Bind(commands, buffers, VK_NULL_HANDLE);
  if (!bound.ok()) return bound;
  Constants constants = ConstantsOf(job);
  const std::uint32_t flags = constants.flags;
  const color::EncodeWeights& w = color::EncodeWeightsOf(job.coding);
  const std::array<std::int32_t, 10> weights{
      w.blue, w.green, w.red, w.blue_green_multiplier, w.red_multiplier, w.luma_offset, w.u_blue, w.u_red, w.v_blue, w.v_red};
  std::copy(weights.begin(), weights.end(), constants.weights);
  const auto dispatch = [&](std::uint32_t planes) {
    constants.flags = flags | planes;
    encode_->Push(commands, &constants);
    Dispatch8x2(gpu_.vk(), commands, job);
  };
  if (passes == YuvPasses::kFused) {
    dispatch(kWritesY | kWritesU | kWritesV);
    return bound;
  }
  dispatch(kWritesY);
  dispatch(kWritesU);
  // In NV12 the third pass writes between the bytes of the second.
  constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  RecordMemoryBarrier(gpu_.vk(), commands, kCompute, VK_ACCESS_SHADER_WRITE_BIT, kCompute,
                      VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
  dispatch(kWritesV);
  return bound;
}

Result<std::shared_ptr<void>> YuvShader::RecordDecode(VkCommandBuffer commands, const YuvShaderJob& job,
                                                      color::ChromaFilter filter) const {
  const std::array buffers{job.planes.buffer, job.picture.buffer};
  Result<std::shared_ptr<void>> bound = decode_->Bind(commands, buffers, VK_NULL_HANDLE);
  if (!bound.ok()) return bound;
  Constants constants = ConstantsOf(job);
  if (filter == color::ChromaFilter::kBilinear) constants.flags |= kBilinear;
  if (color::DecodesByTerms(job.coding, filter)) {
    constants.flags |= kByTerms;
    const color::TermWeights& w = color::TermWeightsOf(job.coding.matrix);
    const std::array<std::int32_t, 4> weights{w.red_v, w.blue_u, w.green_u, w.green_v};
    std::copy(weights.begin(), weights.end(), constants.weights);
  } else {
    const color::SumWeights& w = color::SumWeightsOf(job.coding);
    const std::array<std::int32_t, 6> weights{w.luma_offset, w.luma, w.red_v, w.blue_u, w.green_u, w.green_v};
    std::copy(weights.begin(), weights.end(), constants.weights);
  }
  decode_->Push(commands, &constants);
  Dispatch8x2(gpu_.vk(), commands, job);
  return bound;
}

}  // namespace tandem::vulkan
