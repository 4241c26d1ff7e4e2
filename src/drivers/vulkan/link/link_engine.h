// Who codes what crosses links on one adapter: found by letting both do it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "drivers/vulkan/gpu/recorded_work.h"
#include "drivers/vulkan/link/link_recorder.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {

enum class LinkDirection : std::uint8_t { kEncode, kDecode };

// What each took for a picture of that many pixels, from the device's own memory to the link's pages or back: what the processor
// codes crosses as it is.
struct LinkEngineTimes {
  std::uint64_t pixels = 0;
  std::int64_t processor_ns = 0;
  std::int64_t shader_ns = 0;
};

// Whether a small picture told enough: a shader that is behind by far more than a submission takes will not catch up.
[[nodiscard]] bool IsDecided(const LinkEngineTimes& small, VkPhysicalDeviceType device);
[[nodiscard]] bool IsShaderCheaper(const LinkEngineTimes& times);

// Does it once and tells what it took, in ns.
using LinkRun = std::function<Result<std::int64_t>()>;
// Of some runs of each, in turns, the shortest; the first of each warms up and does not count. Ends early when it is decided, of
// two runs at the least: one that something else held up decides nothing. The errors are the runs'.
[[nodiscard]] Result<LinkEngineTimes> ShortestTimes(std::uint64_t pixels, VkPhysicalDeviceType device, const LinkRun& processor,
                                                    const LinkRun& shader);

// What is timed.
struct LinkTask {
  LinkDirection direction = LinkDirection::kEncode;
  link::LinkEncoding encoding = link::LinkEncoding::kLossless;
};

// The shortest of some runs. Blocks for some milliseconds on a GPU, for tenths of a second on a software device; ends at the next
// run once `stop` is set (kTimeout). The recordings that `work` had are forgotten. kOutOfMemory, kUnsupported, kDeviceLost.
[[nodiscard]] Result<LinkEngineTimes> TimeLinkEngines(Gpu& gpu, Engine& engine, RecordedWork& work, LinkRecorder& recorder,
                                                      LinkTask task, Clock& clock, const std::atomic<bool>& stop);

// What encoding a picture of that many pixels as 4:2:0 took a shader each way.
struct YuvPassTimes {
  std::uint64_t pixels = 0;
  std::int64_t fused_ns = 0;
  std::int64_t three_ns = 0;
};
[[nodiscard]] YuvPasses CheaperPasses(const YuvPassTimes& times);

// Blocks and fails as TimeLinkEngines. The recorder uses some of them afterwards.
[[nodiscard]] Result<YuvPassTimes> TimeYuvPasses(Gpu& gpu, Engine& engine, RecordedWork& work, LinkRecorder& recorder,
                                                 Clock& clock, const std::atomic<bool>& stop);

}  // namespace tandem::vulkan
