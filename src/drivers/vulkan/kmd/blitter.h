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
#include "drivers/vulkan/link/link_choice.h"
#include "drivers/vulkan/link/link_shader.h"
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
  [[nodiscard]] bool DecodesByShader(const BlitCommand& command, const Rows& surface);

  // No engine is tried any more; waits for the end of a trial. Any thread.
  void StopTrials();

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
  Blitter(Gpu& gpu, Engine& engine, CommandCache& cache) : gpu_(gpu), engine_(engine), cache_(cache) {}
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
  std::optional<std::uint64_t> RunLinkByShader(const BlitPlan& plan);
  LinkShader* ShaderFor(LinkTask task);
  // The choice's thread.
  LinkVerdict Judge(LinkTask task, const std::atomic<bool>& stop);
  std::optional<LinkVerdict> Try(LinkTask task, const std::string& what, const std::atomic<bool>& stop);
  // Makes link_shader_ where there is none; false: it cannot be made.
  bool MakeLinkShader(const std::string& what);
  void FailLink(const Error& error);
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
  BlitEngine wanted_for_links_ = BlitEngine::kProcessor;
  std::optional<YuvPasses> wanted_passes_;
  std::shared_ptr<DeviceMemory> memory_;  // null: nothing is kept
  // Once it is needed. Made by the choice's thread, or by the node's worker where shaders are wanted in any case.
  std::unique_ptr<LinkShader> link_shader_;
  bool link_shader_failed_ = false;
  std::atomic<LinkShader*> link_view_{nullptr};  // for all but who made it
  std::string link_refusal_;                     // of shaders, that was told last
  BlitEngine wanted_ = BlitEngine::kProcessor;
  std::vector<color::BlitRect> areas_;  // in memory, of the blit that runs
  std::vector<std::byte> room_;
  PassCount passes_;  // of the blit that runs
  std::atomic<std::uint64_t> by_processor_{0};
  std::atomic<std::uint64_t> by_shader_{0};
  LinkChoice choice_{[this](LinkTask task, const std::atomic<bool>& stop) { return Judge(task, stop); }};  // goes first
};

}  // namespace tandem::vulkan
