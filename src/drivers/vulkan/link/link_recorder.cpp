#include "drivers/vulkan/link/link_recorder.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "codec/tiles/tile_format.h"
#include "color/blit.h"
#include "color/format.h"
#include "color/yuv.h"
#include "drivers/vulkan/gpu/copy_recorder.h"
#include "drivers/vulkan/link/link_job.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {
namespace {

constexpr std::uint32_t kSendThreads = 64;
// Maximum workgroups of a transfer; longer transfers loop. Each reads the row table, over the link if it is on the far side.
constexpr std::uint32_t kMostSendGroups = 256;

constexpr VkPipelineStageFlags kWork = VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr VkAccessFlags kReads = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_SHADER_READ_BIT;
constexpr VkAccessFlags kWrites = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT;

using Keeps = std::array<std::shared_ptr<void>, 3>;

VkDescriptorBufferInfo SurfaceBuffer(const LinkJob& coded) {
  const BlitSide& surface = coded.surface;
  return {surface.rows.buffer, surface.rows.offset, link::LinkSurfaceBytes(surface.width, surface.height)};
}

}  // namespace

Result<std::unique_ptr<LinkRecorder>> LinkRecorder::Create(const Gpu& gpu, RecordedWork& work) {
  auto pipelines = CreateLinkPipelines(gpu);
  if (!pipelines.ok()) return std::move(pipelines).error();
  std::unique_ptr<LinkRecorder> self(new LinkRecorder(gpu, work));
  self->pipelines_ = *std::move(pipelines);
  return self;
}

Result<bool> LinkRecorder::MakeRoom(const BlitSide& picture) {
  if (figures_ == nullptr) {
    auto figures = HostBuffer::CreateBounce(gpu_, nullptr, 4ULL * codec::TileRows(kMaxSurfaceExtent));
    if (!figures.ok()) return std::move(figures).error();
    figures_ = *std::move(figures);
  }
  return room_.Make(gpu_, picture);
}

// Makes host writes into pages, and work of other queues, visible to later commands.
void LinkRecorder::Begin(VkCommandBuffer commands) const {
  RecordMemoryBarrier(gpu_.vk(), commands, kWork | VK_PIPELINE_STAGE_HOST_BIT, kWrites | VK_ACCESS_HOST_WRITE_BIT, kWork,
                      kReads | kWrites);
}
void LinkRecorder::Between(VkCommandBuffer commands) const {
  RecordMemoryBarrier(gpu_.vk(), commands, kWork, kWrites, kWork, kReads | kWrites);
}
void LinkRecorder::End(VkCommandBuffer commands) const {
  RecordMemoryBarrier(gpu_.vk(), commands, kWork, kWrites, kWork | VK_PIPELINE_STAGE_HOST_BIT, kReads | VK_ACCESS_HOST_READ_BIT);
}

// The coded picture is available after the next barrier.
Result<RecordedWork::Keep> LinkRecorder::ReadIn(VkCommandBuffer commands, const LinkJob& job) const {
  const color::BlitRect area = AreaOf(job);
  if (job.image != nullptr) {
    RecordReadIn(gpu_.vk(), commands, *job.image, room_.frame(), {&area, 1});
  } else {
    RecordRows(gpu_.vk(), commands, job.picture.rows, room_.frame(), {job.picture.pitch, drivers::PixelBytes(job.picture.format)},
               {&area, 1});
  }
  return Convert(commands, job, true);
}

Result<RecordedWork::Keep> LinkRecorder::Convert(VkCommandBuffer commands, const LinkJob& job, bool encodes) const {
  if (!Converts(job, encodes)) return RecordedWork::Keep();
  const LinkJob coded = room_.CodedOf(job, encodes);
  const Rows rows = encodes ? room_.frame() : job.picture.rows;
  const ConvertedRows wide{PictureBuffer(job, rows), FirstByte(job), job.picture.pitch};
  const ConvertedRows narrow{PictureBuffer(coded, coded.picture.rows), FirstByte(coded), coded.picture.pitch};
  PictureConvertJob convert;
  convert.conversion = !encodes          ? PictureConversion::kEightToTen
                       : HasTenBits(job) ? PictureConversion::kTenToEight
                                         : PictureConversion::kHalfToEight;
  convert.from = encodes ? wide : narrow;
  convert.to = encodes ? narrow : wide;
  convert.width = job.picture.width;
  convert.height = job.part.row_count;
  Between(commands);
  return pipelines_.convert->Record(commands, convert);
}

Result<RecordedWork::Keep> LinkRecorder::Code(VkCommandBuffer commands, const LinkJob& coded, bool encodes) const {
  if (IsFixedRate(coded)) {
    const FixedRateJob fixed = room_.FixedJobOf(coded);
    return encodes ? pipelines_.fixed->RecordEncode(commands, fixed) : pipelines_.fixed->RecordDecode(commands, fixed);
  }
  if constexpr (color::kHasYuv420) {
    const YuvShaderJob yuv = room_.YuvJobOf(coded);
    return encodes ? pipelines_.yuv->RecordEncode(commands, yuv, passes())
                   : pipelines_.yuv->RecordDecode(commands, yuv, coded.part.colors.yuv.filter);
  }
  return RecordedWork::Keep();
}

// Rows are adjacent in the payload, and a pitch apart in the frame.
void LinkRecorder::CopyPlain(VkCommandBuffer commands, const LinkJob& coded, bool encodes) const {
  const std::uint64_t row_bytes = std::uint64_t{coded.picture.width} * kPixelBytes;
  const Rows& rows = coded.picture.rows;
  const bool one = row_bytes == coded.picture.pitch;
  std::vector<VkBufferCopy> regions;
  for (std::uint32_t y = 0; y < (one ? 1 : coded.part.row_count); ++y) {
    const std::uint64_t in_rows = rows.offset + FirstByte(coded) + std::uint64_t{y} * coded.picture.pitch;
    const std::uint64_t in_payload = coded.surface.rows.offset + coded.part.payload + y * row_bytes;
    const std::uint64_t bytes = one ? row_bytes * coded.part.row_count : row_bytes;
    regions.push_back(encodes ? VkBufferCopy{in_rows, in_payload, bytes} : VkBufferCopy{in_payload, in_rows, bytes});
  }
  gpu_.vk().CmdCopyBuffer(commands, encodes ? rows.buffer : coded.surface.rows.buffer,
                          encodes ? coded.surface.rows.buffer : rows.buffer, static_cast<std::uint32_t>(regions.size()),
                          regions.data());
}

void LinkRecorder::CopyPayload(VkCommandBuffer commands, const LinkJob& coded, bool encodes) const {
  const std::uint64_t bytes =
      link::LinkFrameBytes(coded.part.encoding, coded.picture.format, coded.picture.width, coded.part.row_count);
  const std::uint64_t at = coded.surface.rows.offset + coded.part.payload;
  const VkBuffer local = room_.payload().buffer;
  const VkBufferCopy region = encodes ? VkBufferCopy{0, at, bytes} : VkBufferCopy{at, 0, bytes};
  gpu_.vk().CmdCopyBuffer(commands, encodes ? local : coded.surface.rows.buffer, encodes ? coded.surface.rows.buffer : local, 1,
                          &region);
}

Result<RecordedWork::Keep> LinkRecorder::Send(VkCommandBuffer commands, const LinkJob& coded, bool encodes) const {
  const VkDescriptorBufferInfo local = room_.payload();
  const VkDescriptorBufferInfo surface = SurfaceBuffer(coded);
  const std::array buffers{encodes ? local : surface, encodes ? surface : local};
  auto bound = pipelines_.send->Bind(commands, buffers, VK_NULL_HANDLE);
  if (!bound.ok()) return bound;
  const auto words = [](std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes / 4); };
  const std::uint32_t room = words(TileBytes(coded.part, coded.picture.width));
  const std::uint32_t place = words(coded.part.payload);
  const SendConstants constants{encodes ? 0 : place, encodes ? place : 0, codec::TileRows(coded.part.row_count), room};
  pipelines_.send->Push(commands, &constants);
  gpu_.vk().CmdDispatch(commands, std::min((room + kSendThreads - 1) / kSendThreads, kMostSendGroups), 1, 1);
  return bound;
}

Result<RecordedWork::Keep> LinkRecorder::Encode(VkCommandBuffer& commands, const LinkJob& job) const {
  auto keeps = std::make_shared<Keeps>();
  const LinkJob coded = room_.CodedOf(job, true);
  Begin(commands);
  work_.Mark(commands, 0);
  auto read = ReadIn(commands, job);
  if (!read.ok()) return read;
  (*keeps)[0] = *read;
  Between(commands);
  if (job.part.encoding == link::LinkEncoding::kPlain) {
    work_.Mark(commands, 1);
    CopyPlain(commands, coded, true);
  } else if (job.part.encoding != link::LinkEncoding::kLossless) {
    auto made = Code(commands, coded, true);
    if (!made.ok()) return made;
    (*keeps)[1] = *made;
    Between(commands);
    work_.Mark(commands, 1);
    CopyPayload(commands, coded, true);
  } else {
    auto made = pipelines_.tile_encode->Record(commands, room_.TileJobOf(coded));
    if (!made.ok()) return made;
    (*keeps)[1] = *made;
    Between(commands);
    if (job.keeps) {
      const std::uint64_t bytes = std::uint64_t{job.part.row_count} * coded.picture.pitch;
      const VkBufferCopy region{FirstByte(coded), job.reference.offset + FirstByte(coded), bytes};
      gpu_.vk().CmdCopyBuffer(commands, coded.picture.rows.buffer, job.reference.buffer, 1, &region);
    }
    work_.Mark(commands, 1);
    auto sent = Send(commands, coded, true);
    if (!sent.ok()) return sent;
    (*keeps)[2] = *sent;
  }
  work_.Mark(commands, 2);
  End(commands);
  return RecordedWork::Keep(std::move(keeps));
}

Result<RecordedWork::Keep> LinkRecorder::EncodeNv12(VkCommandBuffer commands, const LinkJob& job, std::uint32_t left,
                                                    std::uint32_t right) const {
  Begin(commands);
  auto read = ReadIn(commands, job);  // an eight-bit picture keeps no resources
  if (!read.ok()) return read;
  Between(commands);
  // Always one pass, whichever is cheaper in the device's memory: the last of three would read back over the link.
  if constexpr (color::kHasYuv420)
    read = pipelines_.yuv->RecordEncode(commands, room_.Nv12JobOf(room_.CodedOf(job, true), left, right), YuvPasses::kFused);
  End(commands);
  return read;
}

Result<RecordedWork::Keep> LinkRecorder::Probe(VkCommandBuffer commands, const LinkJob& job) const {
  auto keeps = std::make_shared<Keeps>();
  Begin(commands);
  auto read = ReadIn(commands, job);
  if (!read.ok()) return read;
  (*keeps)[0] = *read;
  Between(commands);
  auto made = pipelines_.tile_encode->Record(commands, room_.TileJobOf(room_.CodedOf(job, true)));
  if (!made.ok()) return made;
  (*keeps)[1] = *made;
  Between(commands);
  const VkBufferCopy table{sizeof(codec::TileSliceHeader), 0, 4ULL * codec::TileRows(job.part.row_count)};
  gpu_.vk().CmdCopyBuffer(commands, room_.payload().buffer, figures_->handle(), 1, &table);
  End(commands);
  return RecordedWork::Keep(std::move(keeps));
}

Result<RecordedWork::Keep> LinkRecorder::Decode(VkCommandBuffer& commands, const LinkJob& job) const {
  auto keeps = std::make_shared<Keeps>();
  const LinkJob coded = room_.CodedOf(job, false);
  Begin(commands);
  work_.Mark(commands, 0);
  if (job.part.encoding == link::LinkEncoding::kPlain && !IsTurned(job)) {
    CopyPlain(commands, coded, false);
    work_.Mark(commands, 1);
  } else if (job.part.encoding != link::LinkEncoding::kLossless) {
    CopyPayload(commands, coded, false);
    work_.Mark(commands, 1);
    Between(commands);
    auto made = Code(commands, coded, false);
    if (!made.ok()) return made;
    (*keeps)[0] = *made;
  } else {
    auto sent = Send(commands, coded, false);
    if (!sent.ok()) return sent;
    (*keeps)[0] = *sent;
    work_.Mark(commands, 1);
    Between(commands);
    auto made = pipelines_.tile_decode->RecordDecode(commands, room_.DecodeJobOf(coded));
    if (!made.ok()) return made;
    (*keeps)[1] = *made;
  }
  auto converted = Convert(commands, job, false);
  if (!converted.ok()) return converted;
  (*keeps)[2] = *converted;
  End(commands);
  if (job.image != nullptr) {
    const color::BlitRect area = AreaOf(job);
    RecordWriteBack(gpu_.vk(), commands, *job.image, job.picture.rows, {&area, 1});
  }
  work_.Mark(commands, 2);
  return RecordedWork::Keep(std::move(keeps));
}

}  // namespace tandem::vulkan
