// Chooses the engine that encodes or decodes for links without delaying a frame: the processor does so until the choice is
// known.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/condition.h"
#include "base/thread.h"
#include "drivers/vulkan/link/link_engine.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {

struct LinkVerdict {
  bool shader = false;
  YuvPasses passes = YuvPasses::kFused;  // for a shader that makes 4:2:0
  friend bool operator==(const LinkVerdict&, const LinkVerdict&) = default;
};

// A verdict in its stored form: "processor", "shader", "shader three".
[[nodiscard]] std::string_view ToString(const LinkVerdict& verdict);
[[nodiscard]] std::optional<LinkVerdict> ParseLinkVerdict(std::string_view text);

// One for each node of an adapter. Find: the node's worker; Stop: any thread.
class LinkChoice {
 public:
  // Finds the verdict for one task on a separate thread; may take seconds. Returns early, with any verdict, once `stop` is set.
  // The shader is ready for use when it returns.
  using Judge = std::function<LinkVerdict(LinkTask task, const std::atomic<bool>& stop)>;

  explicit LinkChoice(Judge judge) : judge_(std::move(judge)) {}
  ~LinkChoice() { Stop(); }
  LinkChoice(const LinkChoice&) = delete;
  LinkChoice& operator=(const LinkChoice&) = delete;

  // Never waits. Returns nothing until the verdict is known; the first call starts the search. Tasks are judged one at a time.
  [[nodiscard]] std::optional<LinkVerdict> Find(LinkTask task);
  // Stops the judge and waits for it. Unknown verdicts stay unknown.
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
  Condition asked_;
  bool waiting_ = false;  // guarded by the mutex: a task was added since the thread last looked
  Thread thread_;         // runs from the first call of Find on
};

}  // namespace tandem::vulkan
