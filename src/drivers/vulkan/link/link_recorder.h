// The commands that code one slice of a link surface: between a picture, this device's own memory and the surface's payload.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/gpu/local_memory.h"
#include "drivers/vulkan/gpu/recorded_work.h"
#include "drivers/vulkan/link/fixed_rate_shader.h"
#include "drivers/vulkan/link/link_job.h"
#include "drivers/vulkan/link/picture_convert.h"
#include "drivers/vulkan/link/tile_encode_shader.h"
#include "drivers/vulkan/link/tile_shader.h"
#include "drivers/vulkan/link/yuv_shader.h"

namespace tandem::vulkan {

// Not thread-safe. Its room grows and then stays.
class LinkRecorder {
 public:
  // `work` outlives it. kUnsupported.
  [[nodiscard]] static Result<std::unique_ptr<LinkRecorder>> Create(const Gpu& gpu, RecordedWork& work);

  // Room for slices of a picture of that format, pitch and extent; true: it is new, so that recordings over the old one are of no
  // use. Nothing of them is running. kOutOfMemory.
  Result<bool> MakeRoom(const BlitSide& picture);

  // How 4:2:0 is made from here on; recordings that were made otherwise are of no use.
  void UsePasses(YuvPasses passes) { passes_.store(passes, std::memory_order_relaxed); }
  [[nodiscard]] YuvPasses passes() const { return passes_.load(std::memory_order_relaxed); }

  // Why shaders cannot have the surface; empty: they can.
  [[nodiscard]] std::string RefusalOf(const BlitSide& surface) const;
  // Nor code the slice. After MakeRoom.
  [[nodiscard]] std::string RefusalOf(const LinkJob& job, bool encodes) const;

  // The same of a picture that becomes NV12 in the surface, which others read: the columns from `left` to `right` of the part's
  // rows, which are those of both.
  [[nodiscard]] std::string RefusalOfNv12(const LinkJob& job, std::uint32_t left, std::uint32_t right) const;
  [[nodiscard]] Result<RecordedWork::Keep> EncodeNv12(VkCommandBuffer commands, const LinkJob& job, std::uint32_t left,
                                                      std::uint32_t right) const;

  // Each for a recording of its own. Of an encoding the bytes' way over the link is between marks 1 and 2, what is before it
  // between 0 and 1; of a decoding the other way round. kOutOfMemory.
  [[nodiscard]] Result<RecordedWork::Keep> Encode(VkCommandBuffer& commands, const LinkJob& job) const;
  [[nodiscard]] Result<RecordedWork::Keep> Decode(VkCommandBuffer& commands, const LinkJob& job) const;
  // The slice's lossless size, into figures().
  [[nodiscard]] Result<RecordedWork::Keep> Probe(VkCommandBuffer commands, const LinkJob& job) const;
  // 32 bits for each of its tile rows: the row's bytes.
  [[nodiscard]] const std::byte* figures() const { return figures_->bounce(); }

 private:
  LinkRecorder(const Gpu& gpu, RecordedWork& work) : gpu_(gpu), work_(work) {}
  void Begin(VkCommandBuffer commands) const;
  void Between(VkCommandBuffer commands) const;
  void End(VkCommandBuffer commands) const;
  // The slice whose picture is what is coded: of an encoding rows of our own, in eight bits where the encoding has no more.
  [[nodiscard]] LinkJob CodedOf(const LinkJob& job, bool encodes) const;
  // Brings the job's picture to the coded one, or back, where these differ.
  [[nodiscard]] Result<RecordedWork::Keep> Convert(VkCommandBuffer commands, const LinkJob& job, bool encodes) const;
  [[nodiscard]] Result<RecordedWork::Keep> ReadIn(VkCommandBuffer commands, const LinkJob& job) const;
  // These of a coded one.
  [[nodiscard]] VkDescriptorBufferInfo PictureBuffer(const LinkJob& coded, const Rows& rows) const;
  [[nodiscard]] VkDescriptorBufferInfo SurfaceBuffer(const LinkJob& coded) const;
  [[nodiscard]] TileEncodeJob TileJobOf(const LinkJob& coded) const;
  [[nodiscard]] TileShaderJob DecodeJobOf(const LinkJob& coded) const;
  [[nodiscard]] YuvShaderJob YuvJobOf(const LinkJob& coded) const;
  [[nodiscard]] YuvShaderJob Nv12JobOf(const LinkJob& coded, std::uint32_t left, std::uint32_t right) const;
  [[nodiscard]] FixedRateJob FixedJobOf(const LinkJob& coded) const;
  void CopyPlain(VkCommandBuffer commands, const LinkJob& coded, bool encodes) const;
  // Between rows and payload_, of an encoding that crosses as a copy of the latter; and that copy.
  [[nodiscard]] Result<RecordedWork::Keep> Code(VkCommandBuffer commands, const LinkJob& coded, bool encodes) const;
  void CopyPayload(VkCommandBuffer commands, const LinkJob& coded, bool encodes) const;
  [[nodiscard]] Result<RecordedWork::Keep> Send(VkCommandBuffer commands, const LinkJob& coded, bool encodes) const;

  const Gpu& gpu_;
  RecordedWork& work_;
  std::unique_ptr<YuvShader> yuv_;  // null where 4:2:0 is not in the build
  std::atomic<YuvPasses> passes_{YuvPasses::kFused};
  std::unique_ptr<PictureConvert> convert_;
  std::unique_ptr<FixedRateShader> fixed_;
  std::unique_ptr<TileEncodeShader> tile_encode_;
  std::unique_ptr<TileShader> tile_decode_;
  std::unique_ptr<ComputePipeline> send_;
  // Of the device's own: the picture's rows, the same in eight bits, a payload, what the tile encoder leaves between its steps.
  std::unique_ptr<LocalMemory> frame_;
  std::unique_ptr<LocalMemory> converted_;
  std::unique_ptr<LocalMemory> payload_;
  std::unique_ptr<LocalMemory> records_;
  std::unique_ptr<HostBuffer> figures_;
  std::uint64_t frame_bytes_ = 0;
  std::uint64_t converted_bytes_ = 0;
  std::uint64_t payload_bytes_ = 0;
  std::uint64_t record_bytes_ = 0;
};

}  // namespace tandem::vulkan
