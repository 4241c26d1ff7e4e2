// Runs blits and fills on the worker of a node: by the processor where the pixels are in its memory and shaders are slow, by the
// shader elsewhere; through scratch rows where one side is an image.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "color/blit.h"
#include "color/format.h"
#include "drivers/vulkan/blit/blit_plan.h"
#include "drivers/vulkan/blit/blit_shader.h"
#include "drivers/vulkan/gpu/command_cache.h"
#include "drivers/vulkan/gpu/engine.h"
#include "drivers/vulkan/kmd/link_coder.h"
#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan {

// One per node. Threads: the node's worker.
class Blitter {
 public:
  // All outlive it. Never fails: without a shader everything is the processor's; the description says what to use where both can.
  [[nodiscard]] static std::unique_ptr<Blitter> Create(Gpu& gpu, Engine& engine, CommandCache& cache,
                                                       const DeviceDescription& description);

  // Blocks until it is done. Rows of images and primaries are not given: their scratch is used. A failure loses the device.
  // `palette` is that of a source of indexes. Answers the bytes of an encoding that have to cross a link, 0 for everything else;
  // the passes count for the destination.
  std::uint64_t Run(const BlitCommand& command, const Rows& source, const Rows& destination,
                    const drivers::SourcePalette* palette);

  // True if shaders bring a picture back out of a link surface, whose rows are given.
  [[nodiscard]] bool DecodesByShader(const BlitCommand& command, const Rows& surface) { return links_.Decodes(command, surface); }

  // No engine is tried any more; waits for the end of a trial. Any thread.
  void StopTrials() { links_.StopTrials(); }

  // The allocation goes, or its rows; nothing runs with it.
  void Forget(const Allocation& allocation);

  struct Counters {
    std::uint64_t by_processor = 0;
    std::uint64_t by_shader = 0;
    std::uint64_t recorded = 0;  // for shaders that code what crosses links
    YuvPasses passes = YuvPasses::kFused;
  };
  [[nodiscard]] Counters counters() const;

 private:
  Blitter(Gpu& gpu, Engine& engine, CommandCache& cache, const DeviceDescription& description)
      : gpu_(gpu), engine_(engine), cache_(cache), links_(gpu, engine, description) {}
  std::uint64_t RunPlan(BlitPlan& plan);
  Result<BlitSide> SideOf(Allocation& allocation, const Rows& rows) const;
  // True if the source is an image that the shader or the processor reads where it is, without rows of its own.
  [[nodiscard]] bool ReadsInPlace(const BlitPlan& plan) const;
  // True if the source is an image whose rows the processor copies out a few at a time.
  [[nodiscard]] bool FetchesInStrips(const BlitPlan& plan) const;
  void BlitStrips(const BlitPlan& plan);
  // Moves an image between the device and the processor, which reads its pixels.
  bool ShowToProcessor(const Allocation& image);
  void TakeFromProcessor(Allocation& image);
  bool RunByShader(const BlitPlan& plan);
  std::uint64_t RunByProcessor(BlitPlan& plan);
  [[nodiscard]] static bool StandIn(Allocation* allocation, BlitSide& side);
  bool MoveAreas(Opcode opcode, const Allocation& allocation, const BlitSide& side, const Rows& rows);
  bool Submitted(bool recorded, std::uint64_t value);
  void SetAreas(const BlitPlan& plan);
  // One pass over the areas.
  void NoteAreas(color::Format written);
  [[nodiscard]] std::uint64_t BytesOfAreas(color::Format format) const;

  Gpu& gpu_;
  Engine& engine_;
  CommandCache& cache_;
  std::unique_ptr<BlitShader> shader_;
  BlitEngine wanted_ = BlitEngine::kProcessor;
  std::vector<color::BlitRect> areas_;  // in memory, of the blit that runs
  std::vector<std::byte> room_;
  PassCount passes_;  // of the blit that runs
  std::atomic<std::uint64_t> by_processor_{0};
  std::atomic<std::uint64_t> by_shader_{0};
  LinkCoder links_;  // goes first
};

}  // namespace tandem::vulkan
