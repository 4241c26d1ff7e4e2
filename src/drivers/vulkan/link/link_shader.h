// Pictures into link surfaces and back, and into NV12, by compute shaders: the same bits as link_blit.h and nv12_blit.h.
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
  // Both outlive it. kUnsupported: no queue takes dispatches, or the device refuses a shader.
  [[nodiscard]] static Result<std::unique_ptr<LinkShader>> Create(Gpu& gpu, Engine& engine);

  // Whether pictures of the format come out of the surface in every encoding but 420-tiles.
  [[nodiscard]] bool Takes(const BlitSide& surface, color::Format picture) const {
    return link::HasEightBits(picture) && recorder_->RefusalOf(surface).empty();
  }

  // Runs the rectangles. kUnsupported: shaders do not take the job, for the reason that it
  // tells, and nothing was done. kInvalidArgument: as RunLinkBlit. kDeviceLost; kOutOfMemory.
  [[nodiscard]] Result<link::EncodedRows> Encode(const BlitPlan& plan);
  // The same into NV12, as RunNv12Blit: one rectangle that stays where it is.
  [[nodiscard]] Result<link::EncodedRows> EncodeNv12(const BlitPlan& plan);
  [[nodiscard]] Result<PassCount> Decode(const BlitPlan& plan);

  // Times of the two engines here. Blocks, on one thread; kOutOfMemory, kUnsupported, kDeviceLost, kTimeout.
  [[nodiscard]] Result<LinkEngineTimes> Time(LinkTask task, const std::atomic<bool>& stop) {
    return TimeLinkEngines(gpu_, engine_, *work_, *recorder_, task, clock_, stop);
  }
  // The same for both ways to make 4:2:0.
  [[nodiscard]] Result<YuvPassTimes> TimePasses(const std::atomic<bool>& stop) {
    return TimeYuvPasses(gpu_, engine_, *work_, *recorder_, clock_, stop);
  }
  // Before it makes 4:2:0, by any thread.
  void UsePasses(YuvPasses passes) { recorder_->UsePasses(passes); }
  [[nodiscard]] YuvPasses passes() const { return recorder_->passes(); }

  // The allocation, or where its rows are, goes; nothing runs with it.
  void Forget(const Allocation& allocation);

  [[nodiscard]] std::uint64_t recorded() const { return work_->recorded(); }

 private:
  // Of a link surface that was encoded into: what its decoder still holds, in this device's own memory.
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
  std::mutex mutex_;  // kept_
  std::map<const Allocation*, std::unique_ptr<Kept>> kept_;
};

}  // namespace tandem::vulkan
