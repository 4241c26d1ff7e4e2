// Records the commands for one slice of a link surface, between a picture, this device's own memory and the surface's payload.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <vulkan/vulkan_core.h>

#include "base/result.h"
#include "drivers/vulkan/gpu/recorded_work.h"
#include "drivers/vulkan/link/link_limits.h"
#include "drivers/vulkan/link/link_room.h"

namespace tandem::vulkan {

// Not thread-safe. Its memory grows and never shrinks.
class LinkRecorder {
 public:
  // `work` must outlive the recorder. kUnsupported.
  [[nodiscard]] static Result<std::unique_ptr<LinkRecorder>> Create(const Gpu& gpu, RecordedWork& work);

  // Makes room for slices of a picture with that format, pitch and extent. True if the room is new: recordings over the old
  // room are then useless. None of them may be running. kOutOfMemory.
  Result<bool> MakeRoom(const BlitSide& picture);

  // Sets the passes of later 4:2:0 encodings; recordings with other passes become useless.
  void UsePasses(YuvPasses passes) { passes_.store(passes, std::memory_order_relaxed); }
  [[nodiscard]] YuvPasses passes() const { return passes_.load(std::memory_order_relaxed); }

  [[nodiscard]] const LinkLimits& limits() const { return limits_; }

  // `left` to `right` are the columns of the part's rows, equal in picture and surface.
  [[nodiscard]] Result<RecordedWork::Keep> EncodeNv12(VkCommandBuffer commands, const LinkJob& job, std::uint32_t left,
                                                      std::uint32_t right) const;

  // Each belongs in a recording of its own. While encoding, the bytes cross the link between marks 1 and 2, and all other work
  // is between 0 and 1. Decoding is the reverse. kOutOfMemory.
  [[nodiscard]] Result<RecordedWork::Keep> Encode(VkCommandBuffer& commands, const LinkJob& job) const;
  [[nodiscard]] Result<RecordedWork::Keep> Decode(VkCommandBuffer& commands, const LinkJob& job) const;
  // Computes the slice's lossless size into figures().
  [[nodiscard]] Result<RecordedWork::Keep> Probe(VkCommandBuffer commands, const LinkJob& job) const;
  // 32 bits for each tile row of the slice: the row's bytes.
  [[nodiscard]] const std::byte* figures() const { return figures_->bounce(); }

 private:
  LinkRecorder(const Gpu& gpu, RecordedWork& work) : gpu_(gpu), work_(work) {}
  void Begin(VkCommandBuffer commands) const;
  void Between(VkCommandBuffer commands) const;
  void End(VkCommandBuffer commands) const;
  // Converts the job's picture to the coded one, or back, if they differ.
  [[nodiscard]] Result<RecordedWork::Keep> Convert(VkCommandBuffer commands, const LinkJob& job, bool encodes) const;
  [[nodiscard]] Result<RecordedWork::Keep> ReadIn(VkCommandBuffer commands, const LinkJob& job) const;
  void CopyPlain(VkCommandBuffer commands, const LinkJob& coded, bool encodes) const;
  // Code works between the rows and payload_ for encodings that cross as a copy of payload_; CopyPayload copies it.
  [[nodiscard]] Result<RecordedWork::Keep> Code(VkCommandBuffer commands, const LinkJob& coded, bool encodes) const;
  void CopyPayload(VkCommandBuffer commands, const LinkJob& coded, bool encodes) const;
  [[nodiscard]] Result<RecordedWork::Keep> Send(VkCommandBuffer commands, const LinkJob& coded, bool encodes) const;

  const Gpu& gpu_;
  RecordedWork& work_;
  LinkPipelines pipelines_;
  LinkRoom room_;
  const LinkLimits limits_{gpu_, pipelines_, room_};
  std::atomic<YuvPasses> passes_{YuvPasses::kFused};
  std::unique_ptr<HostBuffer> figures_;
};

}  // namespace tandem::vulkan
