// Encodes pictures into link surfaces and NV12, and decodes link surfaces, in compute shaders. Bits equal those of link_blit.h
// and nv12_blit.h.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "color/format.h"
#include "drivers/vulkan/blit/blit_plan.h"
#include "drivers/vulkan/gpu/recorded_work.h"
#include "drivers/vulkan/link/link_engine.h"
#include "drivers/vulkan/link/link_recorder.h"
#include "link/surface/link_parts.h"

namespace tandem::vulkan {

// One per node. Encode and Decode: the node's worker; Forget: any thread.
class LinkShader {
 public:
  // `gpu` and `engine` must outlive it. kUnsupported: no queue takes dispatches, or the device refuses a shader.
  [[nodiscard]] static Result<std::unique_ptr<LinkShader>> Create(Gpu& gpu, Engine& engine);

  // True if shaders can decode pictures of this format from the surface in every encoding except 420-tiles.
  [[nodiscard]] bool Takes(const BlitSide& surface, color::Format picture) const {
    return link::HasEightBits(picture) && recorder_->limits().RefusalOf(surface).empty();
  }

  // Runs the rectangles. kUnsupported: shaders do not take the job, with the reason, and nothing was done. kInvalidArgument: as
  // RunLinkBlit. kDeviceLost; kOutOfMemory.
  [[nodiscard]] Result<link::EncodedRows> Encode(const BlitPlan& plan);
  // Encodes into NV12 like RunNv12Blit: one rectangle, equal in source and destination.
  [[nodiscard]] Result<link::EncodedRows> EncodeNv12(const BlitPlan& plan);
  [[nodiscard]] Result<PassCount> Decode(const BlitPlan& plan);

  // Times both engines on this adapter. Blocks, on one thread; kOutOfMemory, kUnsupported, kDeviceLost, kTimeout.
  [[nodiscard]] Result<LinkEngineTimes> Time(LinkTask task, const std::atomic<bool>& stop) {
    return TimeLinkEngines(gpu_, engine_, *work_, *recorder_, task, clock_, stop);
  }
  // One task on a picture, with its result compared (TryLinkTask).
  [[nodiscard]] Result<LinkTaskTrial> Try(LinkTask task, std::span<const std::byte> picture, std::uint32_t width,
                                          std::uint32_t height, const std::atomic<bool>& stop) {
    return TryLinkTask(gpu_, engine_, *work_, *recorder_, task, picture, width, height, clock_, stop);
  }
  // Times both pass counts of 4:2:0.
  [[nodiscard]] Result<YuvPassTimes> TimePasses(const std::atomic<bool>& stop) {
    return TimeYuvPasses(gpu_, engine_, *work_, *recorder_, clock_, stop);
  }
  // Sets the passes before the first 4:2:0 encoding; any thread.
  void UsePasses(YuvPasses passes) { recorder_->UsePasses(passes); }
  [[nodiscard]] YuvPasses passes() const { return recorder_->passes(); }

  // The allocation, or the memory of its rows, is about to be destroyed; nothing uses it any more.
  void Forget(const Allocation& allocation);

  [[nodiscard]] std::uint64_t recorded() const { return work_->recorded(); }

 private:
  // The reference rows of an encoded link surface's decoder, in this device's own memory.
  struct Kept {
    std::unique_ptr<LocalMemory> rows;
    std::uint64_t bytes = 0;
    std::array<link::LinkReference, link::kMaxLinkSlices> slices;
  };

  LinkShader(Gpu& gpu, Engine& engine) : gpu_(gpu), engine_(engine) {}
  Result<LinkJob> Begin(const BlitPlan& plan, bool encodes);
  Result<Kept*> KeptOf(const Allocation& surface, std::uint64_t bytes);
  Result<link::EncodedRows> EncodePart(const BlitPlan& plan, const link::LinkRows& rows, LinkJob& job, Kept& kept);
  Result<PassCount> DecodePart(const BlitPlan& plan, const link::LinkRows& rows, const LinkJob& job);
  Result<PassCount> ProbePart(const BlitPlan& plan, const link::LinkRows& rows, const LinkJob& job);
  [[nodiscard]] SubmitWaits WaitsOf(const BlitPlan& plan) const;

  Gpu& gpu_;
  Engine& engine_;
  Clock& clock_ = MonotonicClock();
  std::unique_ptr<RecordedWork> work_;
  std::unique_ptr<LinkRecorder> recorder_;
  std::mutex mutex_;  // guards kept_
  std::map<const Allocation*, std::unique_ptr<Kept>> kept_;
};

}  // namespace tandem::vulkan
