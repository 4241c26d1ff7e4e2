#include "conform/fuzz/shrink.h"

#include <algorithm>
#include <utility>

namespace tandem::conform {
namespace {

class Shrinker {
 public:
  Shrinker(CallScript script, const std::function<bool(const CallScript&)>& shows, const std::function<bool()>& more)
      : script_(std::move(script)), shows_(shows), more_(more) {}

  CallScript Run() {
    DropSteps();
    for (std::size_t i = 0; i < script_.steps.size(); ++i) {
      ShortenData(i);
      ClearNumbers(i);
    }
    return std::move(script_);
  }

 private:
  bool Keep(CallScript smaller) {
    if (!more_() || !shows_(smaller)) return false;
    script_ = std::move(smaller);
    return true;
  }

  // Ever shorter runs of steps, from the end: what comes last often depends on what came before.
  void DropSteps() {
    for (std::size_t length = std::max<std::size_t>(script_.steps.size() / 2, 1);; length /= 2) {
      for (std::size_t end = script_.steps.size(); end > 0;) {
        const std::size_t begin = end > length ? end - length : 0;
        CallScript smaller = script_;
        smaller.steps.erase(smaller.steps.begin() + static_cast<std::ptrdiff_t>(begin),
                            smaller.steps.begin() + static_cast<std::ptrdiff_t>(end));
        static_cast<void>(Keep(std::move(smaller)));
        end = begin;
      }
      if (length <= 1) return;
    }
  }

  void ShortenData(std::size_t step) {
    for (std::size_t cut = script_.steps[step].data.size(); cut > 0;) {
      CallScript smaller = script_;
      std::vector<std::byte>& data = smaller.steps[step].data;
      data.resize(data.size() - std::min(cut, data.size()));
      if (!Keep(std::move(smaller))) cut /= 2;
      cut = std::min(cut, script_.steps[step].data.size());
    }
    CallScript zeroed = script_;
    std::ranges::fill(zeroed.steps[step].data, std::byte{});
    if (!(zeroed == script_)) static_cast<void>(Keep(std::move(zeroed)));
  }

  void ClearNumbers(std::size_t step) {
    for (std::size_t i = 0; i < kMostFields; ++i) {
      if (script_.steps[step].numbers[i] == 0) continue;
      CallScript smaller = script_;
      smaller.steps[step].numbers[i] = 0;
      static_cast<void>(Keep(std::move(smaller)));
    }
  }

  CallScript script_;
  const std::function<bool(const CallScript&)>& shows_;
  const std::function<bool()>& more_;
};

}  // namespace

CallScript Shrink(CallScript script, const std::function<bool(const CallScript&)>& shows, const std::function<bool()>& more) {
  return Shrinker(std::move(script), shows, more).Run();
}

}  // namespace tandem::conform
