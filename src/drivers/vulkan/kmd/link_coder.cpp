#include "drivers/vulkan/kmd/link_coder.h"

#include <utility>

#include <fmt/core.h>

#include "base/log.h"
#include "drivers/vulkan/link/link_blit.h"
#include "drivers/vulkan/link/nv12_blit.h"
#include "link/governor/encodings.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {
namespace {

std::string NameOf(LinkTask task) {
  return fmt::format("{} {}", task.direction == LinkDirection::kEncode ? "encoding" : "decoding", link::ToString(task.encoding));
}

}  // namespace

bool LinkCoder::MakeShader(const std::string& what) {
  if (shader_ != nullptr) return true;
  if (shader_failed_) return false;
  auto made = LinkShader::Create(gpu_, engine_);
  if (!made.ok()) {
    shader_failed_ = true;
    Log(LogLevel::kInfo, "{}: {} for links is the processor's: {}", gpu_.name(), what, made.error().message);
    return false;
  }
  shader_ = *std::move(made);
  if (wanted_passes_) shader_->UsePasses(*wanted_passes_);
  view_.store(shader_.get(), std::memory_order_release);
  return true;
}

// Nothing: it failed, and may do better another time.
std::optional<LinkVerdict> LinkCoder::Try(LinkTask task, const std::string& what, const std::atomic<bool>& stop) {
  // Not the one that codes frames: that one is the node's.
  const auto trial = LinkShader::Create(gpu_, engine_);
  const auto times = trial.ok() ? (*trial)->Time(task, stop) : Result<LinkEngineTimes>(trial.error());
  if (!times.ok()) {
    Log(LogLevel::kInfo, "{}: {} for links is the processor's: {}", gpu_.name(), what, times.error().message);
    return std::nullopt;
  }
  LinkVerdict verdict{IsShaderCheaper(*times), YuvPasses::kFused};
  Log(LogLevel::kInfo, "{}: {} for links is the {}'s: {} pixels take the shader {} us, the processor {} us.", gpu_.name(), what,
      verdict.shader ? "shader" : "processor", times->pixels, times->shader_ns / 1000, times->processor_ns / 1000);
  const bool makes420 = task.direction == LinkDirection::kEncode && task.encoding == link::LinkEncoding::kYuv420;
  if (!verdict.shader || wanted_passes_ || !makes420) return verdict;
  const auto passes = (*trial)->TimePasses(stop);
  if (!passes.ok()) {
    Log(LogLevel::kInfo, "{}: the ways to 4:2:0 are not timed: {}", gpu_.name(), passes.error().message);
    return verdict;
  }
  verdict.passes = CheaperPasses(*passes);
  Log(LogLevel::kInfo, "{}: shaders make 4:2:0 in {}: {} pixels take {} us in one pass, {} us in three.", gpu_.name(),
      verdict.passes == YuvPasses::kFused ? "one pass" : "three passes", passes->pixels, passes->fused_ns / 1000,
      passes->three_ns / 1000);
  return verdict;
}

LinkVerdict LinkCoder::Judge(LinkTask task, const std::atomic<bool>& stop) {
  const std::string what = NameOf(task);
  std::optional<LinkVerdict> verdict;
  if (memory_ != nullptr) {
    if (const auto kept = memory_->Recall(what)) verdict = ParseLinkVerdict(*kept);
  }
  if (!verdict) {
    verdict = Try(task, what, stop);
    if (verdict && memory_ != nullptr && !stop.load(std::memory_order_relaxed))
      memory_->Keep(what, std::string(ToString(*verdict)));
  }
  if (!verdict || !verdict->shader || !MakeShader(what)) return {};
  if (!wanted_passes_ && verdict->passes != YuvPasses::kFused) shader_->UsePasses(verdict->passes);
  return *verdict;
}

// Null: the processor codes, at least this frame. On a software device always: there shaders took 60 to 200 times what it takes.
LinkShader* LinkCoder::ShaderFor(LinkTask task) {
  if (wanted_ == BlitEngine::kProcessor) return nullptr;
  if (wanted_ == BlitEngine::kShader) return MakeShader(NameOf(task)) ? shader_.get() : nullptr;
  if (gpu_.type() == VK_PHYSICAL_DEVICE_TYPE_CPU) return nullptr;
  const auto verdict = choice_.Find(task);
  return verdict && verdict->shader ? view() : nullptr;
}

bool LinkCoder::Decodes(const BlitCommand& command, const Rows& surface) {
  if (command.source == nullptr || !IsLinkSurface(*command.source)) return false;
  const AllocationData& crossed = command.source->data();
  const BlitSide side{surface, link::kLinkFormat, 0, crossed.width, crossed.height};
  const auto row = static_cast<std::uint32_t>(command.rects[0].top);
  const link::LinkEncoding encoding = LinkEncodingAt(side, row, false);
  // A plain frame is a copy, whoever makes it: what comes after it counts.
  const bool plain = encoding == link::LinkEncoding::kPlain;
  const LinkShader* const shader = ShaderFor({LinkDirection::kDecode, plain ? link::LinkEncoding::kLossless : encoding});
  return shader != nullptr && shader->Takes(side, command.destination->data().format);
}

LinkShader* LinkCoder::view() const { return view_.load(std::memory_order_acquire); }

void LinkCoder::Forget(const Allocation& allocation) {
  if (LinkShader* const shader = view()) shader->Forget(allocation);
}

std::uint64_t LinkCoder::recorded() const {
  const LinkShader* const shader = view();
  return shader == nullptr ? 0 : shader->recorded();
}

YuvPasses LinkCoder::passes() const {
  const LinkShader* const shader = view();
  return shader == nullptr ? YuvPasses::kFused : shader->passes();
}

std::optional<Coded> LinkCoder::Run(const BlitPlan& plan) {
  const bool nv12 = IsNv12Blit(plan.command);
  const bool encodes = nv12 || IsLinkSurface(*plan.command.destination);
  const BlitSide& surface = encodes ? plan.destination : plan.source;
  const auto row = static_cast<std::uint32_t>(plan.command.rects[0].top);
  const link::LinkEncoding encoding = nv12 ? link::LinkEncoding::kYuv420 : LinkEncodingAt(surface, row, encodes);
  LinkShader* const shader = ShaderFor({encodes ? LinkDirection::kEncode : LinkDirection::kDecode, encoding});
  if (shader == nullptr) return std::nullopt;
  if (encodes) {
    auto encoded = nv12 ? shader->EncodeNv12(plan) : shader->Encode(plan);
    return encoded.ok() ? Coded{encoded->crossing, encoded->passes, true} : Refuse(encoded.error());
  }
  auto decoded = shader->Decode(plan);
  return decoded.ok() ? Coded{0, *decoded, true} : Refuse(decoded.error());
}

// Nothing: the processor codes the frame.
std::optional<Coded> LinkCoder::Refuse(const Error& error) {
  if (error.kind == ErrorKind::kUnsupported || error.kind == ErrorKind::kOutOfMemory ||
      error.kind == ErrorKind::kOutOfVideoMemory) {
    if (refusal_ != error.message) {
      refusal_ = error.message;
      Log(LogLevel::kInfo, "{}: the processor codes what crosses the link: {}", gpu_.name(), refusal_);
    }
    return std::nullopt;
  }
  Fail(error);
  return Coded{};
}

void LinkCoder::Fail(const Error& error) {
  Log(LogLevel::kError, "{}: a frame does not cross the link: {}", gpu_.name(), error.message);
  gpu_.MarkLost("A frame that crosses a link", VK_ERROR_DEVICE_LOST);
}

}  // namespace tandem::vulkan
