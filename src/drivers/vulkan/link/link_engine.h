// Measures whether the processor or a shader encodes and decodes faster for an adapter's links.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "drivers/vulkan/gpu/recorded_work.h"
#include "drivers/vulkan/link/link_recorder.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {

enum class LinkDirection : std::uint8_t { kEncode, kDecode };

// Times for a picture of `pixels` pixels, from the device's own memory to the link's pages or back. The processor's pixels
// cross the link uncoded.
struct LinkEngineTimes {
  std::uint64_t pixels = 0;
  std::int64_t processor_ns = 0;
  std::int64_t shader_ns = 0;
};

// True if a small picture decides: a shader slower by far more than a submission's time cannot catch up.
[[nodiscard]] bool IsDecided(const LinkEngineTimes& small, VkPhysicalDeviceType device);
[[nodiscard]] bool IsShaderCheaper(const LinkEngineTimes& times);

// Does the work once and returns its time in ns.
using LinkRun = std::function<Result<std::int64_t>()>;
// The shortest times of several alternating runs; the first run of each is a warm-up. Ends early once decided, but after at
// least two runs, because one disturbed run decides nothing. Errors are those of the runs.
[[nodiscard]] Result<LinkEngineTimes> ShortestTimes(std::uint64_t pixels, VkPhysicalDeviceType device, const LinkRun& processor,
                                                    const LinkRun& shader);

// A task to time.
struct LinkTask {
  LinkDirection direction = LinkDirection::kEncode;
  link::LinkEncoding encoding = link::LinkEncoding::kLossless;
};

// The shortest of several runs. Blocks for milliseconds on a GPU and tenths of a second on a software device. Once `stop` is
// set, it ends at the next run (kTimeout). Forgets the recordings of `work`. kOutOfMemory, kUnsupported, kDeviceLost.
[[nodiscard]] Result<LinkEngineTimes> TimeLinkEngines(Gpu& gpu, Engine& engine, RecordedWork& work, LinkRecorder& recorder,
                                                      LinkTask task, Clock& clock, const std::atomic<bool>& stop);

// A task on a given picture, done by both.
struct LinkTaskTrial {
  LinkEngineTimes times;
  std::uint64_t bytes = 0;       // coded
  std::int64_t coding_ns = 0;    // the shader alone, by the queue's clock; 0: it has none, or the coded bytes cross meanwhile
  std::int64_t crossing_ns = 0;  // the coded bytes on the link, likewise
  bool same = false;             // the shader's coded bytes, or pixels, are the processor's
};
// `picture` has width x height pixels of B8G8R8A8, rows without padding; whole pitches. Blocks and fails like TimeLinkEngines.
[[nodiscard]] Result<LinkTaskTrial> TryLinkTask(Gpu& gpu, Engine& engine, RecordedWork& work, LinkRecorder& recorder,
                                                LinkTask task, std::span<const std::byte> picture, std::uint32_t width,
                                                std::uint32_t height, Clock& clock, const std::atomic<bool>& stop);

// A shader's times for encoding a picture of `pixels` pixels as 4:2:0, with one pass and with three.
struct YuvPassTimes {
  std::uint64_t pixels = 0;
  std::int64_t fused_ns = 0;
  std::int64_t three_ns = 0;
};
[[nodiscard]] YuvPasses CheaperPasses(const YuvPassTimes& times);

// Blocks and fails like TimeLinkEngines. Changes the recorder's passes.
[[nodiscard]] Result<YuvPassTimes> TimeYuvPasses(Gpu& gpu, Engine& engine, RecordedWork& work, LinkRecorder& recorder,
                                                 Clock& clock, const std::atomic<bool>& stop);

}  // namespace tandem::vulkan
