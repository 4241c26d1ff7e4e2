// The choice of an engine that codes for links, without holding up a frame: the processor codes until the answer is there.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/thread.h"
#include "drivers/vulkan/link/link_engine.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {

struct LinkVerdict {
  bool shader = false;
  YuvPasses passes = YuvPasses::kFused;  // of a shader that makes 4:2:0
  friend bool operator==(const LinkVerdict&, const LinkVerdict&) = default;
};

// A verdict as it is remembered: "processor", "shader", "shader three".
[[nodiscard]] std::string_view ToString(const LinkVerdict& verdict);
[[nodiscard]] std::optional<LinkVerdict> ParseLinkVerdict(std::string_view text);

// One for each node of an adapter. Find: the node's worker; Stop: any thread.
class LinkChoice {
 public:
  // Finds the verdict for one task, on a thread of its own; may take seconds. Ends early, with any answer, once `stop` is set.
  // The shader's needs are met when it answers.
  using Judge = std::function<LinkVerdict(LinkTask task, const std::atomic<bool>& stop)>;

  explicit LinkChoice(Judge judge) : judge_(std::move(judge)) {}
  ~LinkChoice() { Stop(); }
  LinkChoice(const LinkChoice&) = delete;
  LinkChoice& operator=(const LinkChoice&) = delete;

  // Never waits. Nothing: it is not known yet; the first question has it found. Tasks are judged one after the other.
  [[nodiscard]] std::optional<LinkVerdict> Find(LinkTask task);
  // Waits for the judge, who is told to end. What is not known then stays so.
  void Stop();

 private:
  enum class State : std::uint8_t { kNew, kAsked, kProcessor, kShader, kShaderThree };
  static constexpr std::size_t kTasks = 2 * link::kLinkEncodings;

  void Run();
  std::optional<std::size_t> NextAsked();

  const Judge judge_;
  std::array<std::atomic<State>, kTasks> states_{};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable asked_;
  bool waiting_ = false;  // under the mutex: something was asked since the thread looked
  Thread thread_;         // from the first question on
};

}  // namespace tandem::vulkan
