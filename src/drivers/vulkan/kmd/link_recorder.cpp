#include "drivers/vulkan/kmd/link_recorder.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/limits.h"
#include "codec/tile_format.h"
#include "drivers/vulkan/kmd/copy_recorder.h"
#include "drivers/vulkan/kmd/link_send.comp.spv.h"

namespace tandem::vulkan {
namespace {

// link_send.comp reads the same.
struct SendConstants {
  std::uint32_t from, to, row_count, room;
};
static_assert(sizeof(SendConstants) == 16);

constexpr std::uint32_t kPixelBytes = 4;
constexpr std::uint32_t kSendThreads = 64;
// Workgroups of a transfer; longer ones loop. Each reads the row table, over the link where that is on its far side.
constexpr std::uint32_t kMostSendGroups = 256;
// What every device allows a storage buffer to begin at.
constexpr std::uint64_t kStorageAlignment = 256;

constexpr VkPipelineStageFlags kWork = VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr VkAccessFlags kReads = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_SHADER_READ_BIT;
constexpr VkAccessFlags kWrites = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT;

using Keeps = std::array<std::shared_ptr<void>, 2>;

std::uint64_t WholeWords(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

std::uint64_t TileBytes(const codec::LinkPart& part, std::uint32_t width) {
  return WholeWords(codec::TileSliceCapacity(codec::TileContent::kBgrx8, width, codec::TileRows(part.row_count)));
}

std::uint64_t FirstByte(const LinkJob& job) { return std::uint64_t{job.part.first_row} * job.picture.pitch; }

color::BlitRect AreaOf(const LinkJob& job) {
  return {0, job.part.first_row, job.picture.width, job.part.first_row + job.part.row_count};
}

bool IsPacked(const LinkJob& job) { return job.part.encoding == codec::LinkEncoding::kPacked; }
bool IsFixedRate(const LinkJob& job) { return IsPacked(job) || job.part.encoding == codec::LinkEncoding::kBc1; }

bool IsRedFirst(color::Format format) {
  return format == color::Format::kR8G8B8A8Unorm || format == color::Format::kR8G8B8A8UnormSrgb;
}

Result<void> Grow(const Gpu& gpu, std::unique_ptr<LocalMemory>& memory, std::uint64_t& size, std::uint64_t wanted, bool& fresh) {
  if (wanted <= size) return {};
  auto made = LocalMemory::Create(gpu, 0, wanted);
  if (!made.ok()) return std::move(made).error();
  memory = *std::move(made);
  size = wanted;
  fresh = true;
  return {};
}

VkDescriptorBufferInfo All(const LocalMemory& memory, std::uint64_t bytes) { return {memory.At(0).buffer, 0, bytes}; }

}  // namespace

Result<std::unique_ptr<LinkRecorder>> LinkRecorder::Create(const Gpu& gpu, RecordedWork& work) {
  std::unique_ptr<LinkRecorder> self(new LinkRecorder(gpu, work));
  if constexpr (color::kHasYuv420) {
    auto yuv = YuvShader::Create(gpu);
    if (!yuv.ok()) return std::move(yuv).error();
    self->yuv_ = *std::move(yuv);
  }
  auto fixed = FixedRateShader::Create(gpu);
  if (!fixed.ok()) return std::move(fixed).error();
  auto encode = TileEncodeShader::Create(gpu);
  if (!encode.ok()) return std::move(encode).error();
  auto decode = TileShader::Create(gpu);
  if (!decode.ok()) return std::move(decode).error();
  auto send = ComputePipeline::Create(gpu, link_send_comp, 2, sizeof(SendConstants));
  if (!send.ok()) return std::move(send).error();
  self->fixed_ = *std::move(fixed);
  self->tile_encode_ = *std::move(encode);
  self->tile_decode_ = *std::move(decode);
  self->send_ = *std::move(send);
  return self;
}

Result<bool> LinkRecorder::MakeRoom(std::uint32_t width, std::uint32_t height, std::uint64_t pitch) {
  const std::uint32_t tile_rows = codec::TileRows(height);
  bool fresh = false;
  if (auto grown = Grow(gpu_, frame_, frame_bytes_, pitch * height, fresh); !grown.ok()) return std::move(grown).error();
  const std::uint64_t payload = std::max(WholeWords(codec::TileSliceCapacity(codec::TileContent::kBgrx8, width, tile_rows)),
                                         std::uint64_t{width} * height * kPixelBytes);
  if (auto grown = Grow(gpu_, payload_, payload_bytes_, payload, fresh); !grown.ok()) return std::move(grown).error();
  if (auto grown = Grow(gpu_, records_, record_bytes_, TileRecordBytes(width, tile_rows), fresh); !grown.ok())
    return std::move(grown).error();
  if (figures_ == nullptr) {
    auto figures = HostBuffer::CreateBounce(gpu_, nullptr, 4ULL * codec::TileRows(kMaxSurfaceExtent));
    if (!figures.ok()) return std::move(figures).error();
    figures_ = *std::move(figures);
  }
  return fresh;
}

std::string LinkRecorder::RefusalOf(const BlitSide& surface, color::Format picture) const {
  if (!codec::HasEightBits(picture)) return fmt::format("there is no shader for pictures of format {}", color::ToString(picture));
  const Rows& rows = surface.rows;
  if (rows.buffer == VK_NULL_HANDLE || !rows.storage || rows.offset % kStorageAlignment != 0)
    return "shaders cannot have the link surface's pages";
  const std::uint64_t bytes = codec::LinkSurfaceBytes(surface.width, surface.height);
  return bytes <= gpu_.max_storage_bytes()
             ? std::string()
             : fmt::format("the link surface has {} bytes, shaders reach {}", bytes, gpu_.max_storage_bytes());
}

std::string LinkRecorder::RefusalOf(const LinkJob& job, bool encodes) const {
  if (job.part.encoding == codec::LinkEncoding::kYuv420Tiles) return "there is no shader for encoding 420-tiles";
  if (std::string why = RefusalOf(job.surface, job.picture.format); !why.empty()) return why;
  if (const std::uint64_t most = std::max(frame_bytes_, payload_bytes_); most > gpu_.max_storage_bytes())
    return fmt::format("the picture takes {} bytes, shaders reach {}", most, gpu_.max_storage_bytes());
  const Rows& picture = job.picture.rows;
  const bool by_rows = job.image == nullptr || !encodes;
  if (by_rows && (picture.buffer == VK_NULL_HANDLE || !picture.storage || picture.offset % kStorageAlignment != 0))
    return "shaders cannot have the picture's rows";
  if (by_rows && job.image == nullptr && picture.bounce != nullptr) return "the picture's pages are not imported";
  if (job.part.encoding == codec::LinkEncoding::kYuv420) {
    if (yuv_ == nullptr) return "4:2:0 is not in the build";
    if constexpr (color::kHasYuv420) {
      if (!yuv_->Takes(YuvJobOf(job, encodes ? frame_->At(0) : picture))) {
        return fmt::format("rows of {} pixels: in 4:2:0 shaders take multiples of 4", job.picture.width);
      }
    }
  }
  const bool tiles = job.part.encoding == codec::LinkEncoding::kLossless;
  if (!tiles && !IsFixedRate(job)) return {};
  const bool taken = !tiles    ? fixed_->Takes(FixedJobOf(job, encodes ? frame_->At(0) : picture))
                     : encodes ? tile_encode_->Takes(TileJobOf(job))
                               : tile_decode_->Takes(DecodeJobOf(job));
  return taken ? std::string()
               : fmt::format("slices of {} x {} pixels are not the shader's", job.picture.width, job.part.row_count);
}

// Host writes into pages and what other queues did, to whatever comes.
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

VkDescriptorBufferInfo LinkRecorder::PictureBuffer(const LinkJob& job, const Rows& rows) const {
  return {rows.buffer, rows.offset, std::uint64_t{job.picture.pitch} * job.picture.height};
}

VkDescriptorBufferInfo LinkRecorder::SurfaceBuffer(const LinkJob& job) const {
  return {job.surface.rows.buffer, job.surface.rows.offset, codec::LinkSurfaceBytes(job.surface.width, job.surface.height)};
}

TileEncodeJob LinkRecorder::TileJobOf(const LinkJob& job) const {
  TileEncodeJob tiles;
  tiles.width = job.picture.width;
  tiles.height = job.part.row_count;
  tiles.row_count = codec::TileRows(job.part.row_count);
  tiles.frame = {PictureBuffer(job, frame_->At(0)), FirstByte(job), job.picture.pitch};
  if (job.compares) tiles.reference = {PictureBuffer(job, job.reference), FirstByte(job), job.picture.pitch};
  tiles.records = All(*records_, record_bytes_);
  tiles.slice = All(*payload_, payload_bytes_);
  return tiles;
}

// The bytes that a slice has are those of its place: what it says itself is not known when this is recorded, and not believed.
TileShaderJob LinkRecorder::DecodeJobOf(const LinkJob& job) const {
  TileShaderJob tiles;
  tiles.slice = All(*payload_, payload_bytes_);
  tiles.header.width = static_cast<std::uint16_t>(job.picture.width);
  tiles.header.height = static_cast<std::uint16_t>(job.part.row_count);
  tiles.header.row_count = static_cast<std::uint16_t>(codec::TileRows(job.part.row_count));
  tiles.header.content = static_cast<std::uint8_t>(codec::TileContent::kBgrx8);
  tiles.header.bytes = static_cast<std::uint32_t>(TileBytes(job.part, job.picture.width));
  tiles.frame = PictureBuffer(job, job.picture.rows);
  tiles.frame_first = FirstByte(job);
  tiles.frame_pitch = job.picture.pitch;
  return tiles;
}

YuvShaderJob LinkRecorder::YuvJobOf(const LinkJob& job, const Rows& rows) const {
  const codec::LinkYuvPlaces places = codec::LinkYuvPlacesOf(job.picture.width, job.part.row_count);
  YuvShaderJob yuv;
  yuv.picture.buffer = PictureBuffer(job, rows);
  yuv.picture.first = FirstByte(job);
  yuv.picture.pitch = job.picture.pitch;
  yuv.picture.red_first = IsRedFirst(job.picture.format);
  yuv.planes.buffer = All(*payload_, payload_bytes_);
  yuv.planes.u = places.chroma;
  yuv.planes.y_pitch = places.y_pitch;
  yuv.planes.chroma_pitch = places.chroma_pitch;
  yuv.width = job.picture.width;
  yuv.height = job.part.row_count;
  return yuv;
}

FixedRateJob LinkRecorder::FixedJobOf(const LinkJob& job, const Rows& rows) const {
  FixedRateJob fixed;
  fixed.rate = IsPacked(job) ? FixedRate::kPacked24 : FixedRate::kBc1;
  fixed.picture = PictureBuffer(job, rows);
  fixed.picture_first = FirstByte(job);
  fixed.picture_pitch = job.picture.pitch;
  fixed.red_first = IsRedFirst(job.picture.format);
  fixed.slice = All(*payload_, payload_bytes_);
  fixed.width = job.picture.width;
  fixed.height = job.part.row_count;
  return fixed;
}

Result<RecordedWork::Keep> LinkRecorder::Code(VkCommandBuffer commands, const LinkJob& job, bool encodes) const {
  const Rows rows = encodes ? frame_->At(0) : job.picture.rows;
  if (IsFixedRate(job)) {
    const FixedRateJob fixed = FixedJobOf(job, rows);
    return encodes ? fixed_->RecordEncode(commands, fixed) : fixed_->RecordDecode(commands, fixed);
  }
  if constexpr (color::kHasYuv420) {
    const YuvShaderJob yuv = YuvJobOf(job, rows);
    return encodes ? yuv_->RecordEncode(commands, yuv, YuvPasses::kFused)
                   : yuv_->RecordDecode(commands, yuv, color::ChromaFilter::kNearest);
  }
  return RecordedWork::Keep();
}

void LinkRecorder::ReadIn(VkCommandBuffer commands, const LinkJob& job) const {
  const color::BlitRect area = AreaOf(job);
  if (job.image != nullptr) {
    RecordReadIn(gpu_.vk(), commands, *job.image, frame_->At(0), {&area, 1});
  } else {
    RecordRows(gpu_.vk(), commands, job.picture.rows, frame_->At(0), {job.picture.pitch, kPixelBytes}, {&area, 1});
  }
}

// Rows one after the other in the payload, a pitch apart in the frame.
void LinkRecorder::CopyPlain(VkCommandBuffer commands, const LinkJob& job, bool encodes) const {
  const std::uint64_t row_bytes = std::uint64_t{job.picture.width} * kPixelBytes;
  const Rows rows = encodes ? frame_->At(0) : job.picture.rows;
  const bool one = row_bytes == job.picture.pitch;
  std::vector<VkBufferCopy> regions;
  for (std::uint32_t y = 0; y < (one ? 1 : job.part.row_count); ++y) {
    const std::uint64_t in_rows = rows.offset + FirstByte(job) + std::uint64_t{y} * job.picture.pitch;
    const std::uint64_t in_payload = job.surface.rows.offset + job.part.payload + y * row_bytes;
    const std::uint64_t bytes = one ? row_bytes * job.part.row_count : row_bytes;
    regions.push_back(encodes ? VkBufferCopy{in_rows, in_payload, bytes} : VkBufferCopy{in_payload, in_rows, bytes});
  }
  gpu_.vk().CmdCopyBuffer(commands, encodes ? rows.buffer : job.surface.rows.buffer,
                          encodes ? job.surface.rows.buffer : rows.buffer, static_cast<std::uint32_t>(regions.size()),
                          regions.data());
}

void LinkRecorder::CopyPayload(VkCommandBuffer commands, const LinkJob& job, bool encodes) const {
  const std::uint64_t bytes = codec::LinkFrameBytes(job.part.encoding, job.picture.format, job.picture.width, job.part.row_count);
  const std::uint64_t at = job.surface.rows.offset + job.part.payload;
  const VkBuffer local = payload_->At(0).buffer;
  const VkBufferCopy region = encodes ? VkBufferCopy{0, at, bytes} : VkBufferCopy{at, 0, bytes};
  gpu_.vk().CmdCopyBuffer(commands, encodes ? local : job.surface.rows.buffer, encodes ? job.surface.rows.buffer : local, 1,
                          &region);
}

Result<RecordedWork::Keep> LinkRecorder::Send(VkCommandBuffer commands, const LinkJob& job, bool encodes) const {
  const VkDescriptorBufferInfo local = All(*payload_, payload_bytes_);
  const VkDescriptorBufferInfo surface = SurfaceBuffer(job);
  const std::array buffers{encodes ? local : surface, encodes ? surface : local};
  auto bound = send_->Bind(commands, buffers);
  if (!bound.ok()) return bound;
  const auto words = [](std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes / 4); };
  const std::uint32_t room = words(TileBytes(job.part, job.picture.width));
  const std::uint32_t place = words(job.part.payload);
  const SendConstants constants{encodes ? 0 : place, encodes ? place : 0, codec::TileRows(job.part.row_count), room};
  send_->Push(commands, &constants);
  gpu_.vk().CmdDispatch(commands, std::min((room + kSendThreads - 1) / kSendThreads, kMostSendGroups), 1, 1);
  return bound;
}

Result<RecordedWork::Keep> LinkRecorder::Encode(VkCommandBuffer& commands, const LinkJob& job) const {
  auto keeps = std::make_shared<Keeps>();
  Begin(commands);
  work_.Mark(commands, 0);
  ReadIn(commands, job);
  Between(commands);
  if (job.part.encoding == codec::LinkEncoding::kPlain) {
    work_.Mark(commands, 1);
    CopyPlain(commands, job, true);
  } else if (job.part.encoding != codec::LinkEncoding::kLossless) {
    auto coded = Code(commands, job, true);
    if (!coded.ok()) return coded;
    (*keeps)[0] = *coded;
    Between(commands);
    work_.Mark(commands, 1);
    CopyPayload(commands, job, true);
  } else {
    auto coded = tile_encode_->Record(commands, TileJobOf(job));
    if (!coded.ok()) return coded;
    (*keeps)[0] = *coded;
    Between(commands);
    if (job.keeps) {
      const std::uint64_t bytes = std::uint64_t{job.part.row_count} * job.picture.pitch;
      const VkBufferCopy region{FirstByte(job), job.reference.offset + FirstByte(job), bytes};
      gpu_.vk().CmdCopyBuffer(commands, frame_->At(0).buffer, job.reference.buffer, 1, &region);
    }
    work_.Mark(commands, 1);
    auto sent = Send(commands, job, true);
    if (!sent.ok()) return sent;
    (*keeps)[1] = *sent;
  }
  work_.Mark(commands, 2);
  End(commands);
  return RecordedWork::Keep(std::move(keeps));
}

Result<RecordedWork::Keep> LinkRecorder::Scout(VkCommandBuffer commands, const LinkJob& job) const {
  Begin(commands);
  ReadIn(commands, job);
  Between(commands);
  auto coded = tile_encode_->Record(commands, TileJobOf(job));
  if (!coded.ok()) return coded;
  Between(commands);
  const VkBufferCopy table{sizeof(codec::TileSliceHeader), 0, 4ULL * codec::TileRows(job.part.row_count)};
  gpu_.vk().CmdCopyBuffer(commands, payload_->At(0).buffer, figures_->handle(), 1, &table);
  End(commands);
  return coded;
}

Result<RecordedWork::Keep> LinkRecorder::Decode(VkCommandBuffer& commands, const LinkJob& job) const {
  auto keeps = std::make_shared<Keeps>();
  Begin(commands);
  work_.Mark(commands, 0);
  if (job.part.encoding == codec::LinkEncoding::kPlain) {
    CopyPlain(commands, job, false);
    work_.Mark(commands, 1);
  } else if (job.part.encoding != codec::LinkEncoding::kLossless) {
    CopyPayload(commands, job, false);
    work_.Mark(commands, 1);
    Between(commands);
    auto decoded = Code(commands, job, false);
    if (!decoded.ok()) return decoded;
    (*keeps)[0] = *decoded;
  } else {
    auto sent = Send(commands, job, false);
    if (!sent.ok()) return sent;
    (*keeps)[0] = *sent;
    work_.Mark(commands, 1);
    Between(commands);
    auto decoded = tile_decode_->RecordDecode(commands, DecodeJobOf(job));
    if (!decoded.ok()) return decoded;
    (*keeps)[1] = *decoded;
  }
  End(commands);
  if (job.image != nullptr) {
    const color::BlitRect area = AreaOf(job);
    RecordWriteBack(gpu_.vk(), commands, *job.image, job.picture.rows, {&area, 1});
  }
  work_.Mark(commands, 2);
  return RecordedWork::Keep(std::move(keeps));
}

}  // namespace tandem::vulkan
