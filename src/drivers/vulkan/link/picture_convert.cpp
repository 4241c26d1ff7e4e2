#include "drivers/vulkan/link/picture_convert.h"

#include <array>
#include <utility>

#include "color/channels.h"
#include "drivers/vulkan/link/picture_convert.comp.spv.h"

namespace tandem::vulkan {
namespace {

// picture_convert.comp has an equal block.
struct Constants {
  std::uint32_t width, from, from_pitch, to, to_pitch, conversion;
};
static_assert(sizeof(Constants) == 24);

constexpr std::uint32_t kBuffers = 3;
constexpr std::uint32_t kThreads = 64;

}  // namespace

PictureConvert::PictureConvert(const Gpu& gpu, std::unique_ptr<ComputePipeline> pipeline, std::unique_ptr<HostBuffer> halves)
    : gpu_(gpu), pipeline_(std::move(pipeline)), halves_(std::move(halves)) {}

Result<std::unique_ptr<PictureConvert>> PictureConvert::Create(const Gpu& gpu) {
  auto pipeline = ComputePipeline::Create(gpu, picture_convert_comp, kBuffers, sizeof(Constants));
  if (!pipeline.ok()) return std::move(pipeline).error();
  const std::uint32_t codes = color::CodeCount(color::ChannelCode::kHalf);
  auto halves = HostBuffer::CreateBounce(gpu, nullptr, 2ULL * codes);
  if (!halves.ok()) return std::move(halves).error();
  std::byte* to = (*halves)->bounce();
  for (const color::Transfer transfer : {color::Transfer::kLinearToSrgb, color::Transfer::kPassThrough}) {
    const std::uint16_t* const table = color::ChannelTable(color::ChannelCode::kHalf, color::ChannelCode::kUnorm8, transfer);
    for (std::uint32_t code = 0; code < codes; ++code) *to++ = static_cast<std::byte>(table[code]);
  }
  return std::unique_ptr<PictureConvert>(new PictureConvert(gpu, std::move(*pipeline), std::move(*halves)));
}

Result<std::shared_ptr<void>> PictureConvert::Record(VkCommandBuffer commands, const PictureConvertJob& job) const {
  const std::array<VkDescriptorBufferInfo, kBuffers> buffers{
      job.from.buffer, job.to.buffer, {halves_->handle(), 0, VK_WHOLE_SIZE}};
  Result<std::shared_ptr<void>> bound = pipeline_->Bind(commands, buffers, VK_NULL_HANDLE);
  if (!bound.ok()) return bound;
  const auto words = [](std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes / 4); };
  const Constants constants{job.width,           words(job.from.first), words(job.from.pitch),
                            words(job.to.first), words(job.to.pitch),   static_cast<std::uint32_t>(job.conversion)};
  pipeline_->Push(commands, &constants);
  gpu_.vk().CmdDispatch(commands, (job.width + kThreads - 1) / kThreads, job.height, 1);
  return bound;
}

}  // namespace tandem::vulkan
