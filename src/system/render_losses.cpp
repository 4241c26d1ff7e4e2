#include "system/render_losses.h"

#include <algorithm>

namespace tandem::system {
bool RenderLosses::empty() const {
  const MutexLock lock(mutex_);
  return losses_.empty();
}

std::size_t RenderLosses::gone() const {
  const MutexLock lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count(losses_, State::kGone, &Loss::state));
}

RenderLosses::State RenderLosses::Of(const config::AdapterInfo& adapter) const {
  const MutexLock lock(mutex_);
  const auto found =
      std::ranges::find_if(losses_, [&](const Loss& loss) { return config::IsSameAdapter(loss.adapter, adapter); });
  return found == losses_.end() ? State::kNone : found->state;
}

void RenderLosses::Set(const config::AdapterInfo& adapter, State state) {
  const MutexLock lock(mutex_);
  const auto found =
      std::ranges::find_if(losses_, [&](const Loss& loss) { return config::IsSameAdapter(loss.adapter, adapter); });
  if (found == losses_.end()) {
    losses_.push_back({adapter, state});
  } else {
    found->state = state;
  }
}

}  // namespace tandem::system
