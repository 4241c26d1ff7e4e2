// Codes what crosses a link by shaders, where these are cheaper than the processor.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "drivers/vulkan/blit/blit_plan.h"
#include "drivers/vulkan/gpu/engine.h"
#include "drivers/vulkan/link/link_choice.h"
#include "drivers/vulkan/link/link_shader.h"
#include "drivers/vulkan/vulkan_device.h"

namespace tandem::vulkan {

// The result of a shader for a frame.
struct Coded {
  std::uint64_t crossing = 0;  // bytes of an encoding that have to cross
  PassCount passes;
  bool done = false;  // false: the device is lost
};

// One per node. Threads: the node's worker, unless said.
class LinkCoder {
 public:
  // All outlive it.
  LinkCoder(Gpu& gpu, Engine& engine, const DeviceDescription& description)
      : gpu_(gpu),
        engine_(engine),
        wanted_(description.links),
        wanted_passes_(description.yuv_passes),
        memory_(description.memory) {}

  // Blocks until it is done. Nothing: it is the processor's.
  [[nodiscard]] std::optional<Coded> Run(const BlitPlan& plan);
  // True if shaders bring a picture back out of a link surface, whose rows are given.
  [[nodiscard]] bool Decodes(const BlitCommand& command, const Rows& surface);
  // A frame does not cross, whoever coded it: the device is lost.
  void Fail(const Error& error);
  // True if the description asks for shaders in any case.
  [[nodiscard]] bool wants_shaders() const { return wanted_ == BlitEngine::kShader; }

  // No engine is tried any more; waits for the end of a trial. Any thread.
  void StopTrials() { choice_.Stop(); }
  // The allocation goes, or its rows; nothing runs with it. Any thread, as the two below.
  void Forget(const Allocation& allocation);
  [[nodiscard]] std::uint64_t recorded() const;  // command buffers
  [[nodiscard]] YuvPasses passes() const;

 private:
  LinkShader* ShaderFor(LinkTask task);
  [[nodiscard]] LinkShader* view() const;
  [[nodiscard]] std::optional<Coded> Refuse(const Error& error);
  // The choice's thread.
  LinkVerdict Judge(LinkTask task, const std::atomic<bool>& stop);
  std::optional<LinkVerdict> Try(LinkTask task, const std::string& what, const std::atomic<bool>& stop);
  // Makes shader_ where there is none; false: it cannot be made.
  bool MakeShader(const std::string& what);

  Gpu& gpu_;
  Engine& engine_;
  const BlitEngine wanted_;
  const std::optional<YuvPasses> wanted_passes_;
  const std::shared_ptr<DeviceMemory> memory_;  // null: nothing is kept
  // Once it is needed. Made by the choice's thread, or by the node's worker where shaders are wanted in any case.
  std::unique_ptr<LinkShader> shader_;
  bool shader_failed_ = false;
  std::atomic<LinkShader*> view_{nullptr};  // for all but who made it
  std::string refusal_;                     // of shaders, that was told last
  LinkChoice choice_{[this](LinkTask task, const std::atomic<bool>& stop) { return Judge(task, stop); }};  // goes first
};

}  // namespace tandem::vulkan
