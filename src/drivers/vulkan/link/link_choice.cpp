#include "drivers/vulkan/link/link_choice.h"

#include <utility>

#include "base/log.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {
namespace {

constexpr std::size_t IndexOf(LinkTask task) {
  return static_cast<std::size_t>(task.direction) * link::kLinkEncodings + static_cast<std::size_t>(task.encoding);
}

constexpr LinkTask TaskOf(std::size_t index) {
  return {static_cast<LinkDirection>(index / link::kLinkEncodings),
          static_cast<link::LinkEncoding>(index % link::kLinkEncodings)};
}

constexpr LinkVerdict kByProcessor{};
constexpr LinkVerdict kByShader{true, YuvPasses::kFused};
constexpr LinkVerdict kByShaderInThree{true, YuvPasses::kThree};

}  // namespace

std::string_view ToString(const LinkVerdict& verdict) {
  if (!verdict.shader) return "processor";
  return verdict.passes == YuvPasses::kThree ? "shader three" : "shader";
}

std::optional<LinkVerdict> ParseLinkVerdict(std::string_view text) {
  for (const LinkVerdict& verdict : {kByProcessor, kByShader, kByShaderInThree}) {
    if (text == ToString(verdict)) return verdict;
  }
  return std::nullopt;
}

std::optional<LinkVerdict> LinkChoice::Find(LinkTask task) {
  std::atomic<State>& state = states_[IndexOf(task)];
  switch (state.load(std::memory_order_acquire)) {
    case State::kProcessor: return kByProcessor;
    case State::kShader: return kByShader;
    case State::kShaderThree: return kByShaderInThree;
    case State::kAsked: return std::nullopt;
    case State::kNew: break;
  }
  if (stop_.load(std::memory_order_relaxed)) return std::nullopt;
  state.store(State::kAsked, std::memory_order_relaxed);
  if (!thread_.joinable()) {
    auto thread = Thread::Start("vk-link-trial", [this] { Run(); });
    if (!thread.ok()) {
      Log(LogLevel::kInfo, "The engines of links are not timed: {}", thread.error().message);
      state.store(State::kProcessor, std::memory_order_relaxed);
      return kByProcessor;
    }
    thread_ = *std::move(thread);
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_ = true;
  }
  asked_.NotifyOne();
  return std::nullopt;
}

void LinkChoice::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_.store(true, std::memory_order_relaxed);
  }
  asked_.NotifyOne();
  thread_.Join();
}

std::optional<std::size_t> LinkChoice::NextAsked() {
  for (std::size_t i = 0; i < kTasks; ++i) {
    if (states_[i].load(std::memory_order_relaxed) == State::kAsked) return i;
  }
  return std::nullopt;
}

void LinkChoice::Run() {
  for (;;) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      while (!waiting_ && !stop_.load(std::memory_order_relaxed)) asked_.Wait(lock);
      waiting_ = false;
    }
    while (const auto index = NextAsked()) {
      if (stop_.load(std::memory_order_relaxed)) return;
      const LinkVerdict verdict = judge_(TaskOf(*index), stop_);
      if (stop_.load(std::memory_order_relaxed)) return;
      states_[*index].store(!verdict.shader                       ? State::kProcessor
                            : verdict.passes == YuvPasses::kThree ? State::kShaderThree
                                                                  : State::kShader,
                            std::memory_order_release);
    }
    if (stop_.load(std::memory_order_relaxed)) return;
  }
}

}  // namespace tandem::vulkan
