// The device memory that slices of a link surface are coded in, and each shader's job over it.
#pragma once

#include <cstdint>
#include <memory>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/gpu/local_memory.h"
#include "drivers/vulkan/link/fixed_rate_shader.h"
#include "drivers/vulkan/link/link_job.h"
#include "drivers/vulkan/link/tile_encode_shader.h"
#include "drivers/vulkan/link/tile_shader.h"
#include "drivers/vulkan/link/yuv_shader.h"

namespace tandem::vulkan {

// Not thread-safe. The memory grows and then stays.
class LinkRoom {
 public:
  // Makes room for slices of a picture of that format, pitch and extent. True: the memory is new, and recordings over the old
  // one are of no use. Precondition: no recording over it is running. kOutOfMemory.
  [[nodiscard]] Result<bool> Make(const Gpu& gpu, const BlitSide& picture);

  [[nodiscard]] Rows frame() const { return frame_->At(0); }
  [[nodiscard]] VkDescriptorBufferInfo payload() const;
  // Bytes of the largest buffer that a shader reads or writes.
  [[nodiscard]] std::uint64_t LargestBytes() const;

  // The slice as it is coded: an encoding reads rows of this memory, in eight bits where the encoding has no more.
  [[nodiscard]] LinkJob CodedOf(const LinkJob& job, bool encodes) const;
  // Jobs of a coded slice.
  [[nodiscard]] TileEncodeJob TileJobOf(const LinkJob& coded) const;
  [[nodiscard]] TileShaderJob DecodeJobOf(const LinkJob& coded) const;
  [[nodiscard]] YuvShaderJob YuvJobOf(const LinkJob& coded) const;
  [[nodiscard]] YuvShaderJob Nv12JobOf(const LinkJob& coded, std::uint32_t left, std::uint32_t right) const;
  [[nodiscard]] FixedRateJob FixedJobOf(const LinkJob& coded) const;

 private:
  std::unique_ptr<LocalMemory> frame_;      // the picture's rows
  std::unique_ptr<LocalMemory> converted_;  // the same in eight bits
  std::unique_ptr<LocalMemory> payload_;
  std::unique_ptr<LocalMemory> records_;  // of the tile encoder, between its steps
  std::uint64_t frame_bytes_ = 0;
  std::uint64_t converted_bytes_ = 0;
  std::uint64_t payload_bytes_ = 0;
  std::uint64_t record_bytes_ = 0;
};

// The rows of a job's picture as a shader's buffer.
[[nodiscard]] inline VkDescriptorBufferInfo PictureBuffer(const LinkJob& job, const Rows& rows) {
  return {rows.buffer, rows.offset, BytesOf(job)};
}

}  // namespace tandem::vulkan
