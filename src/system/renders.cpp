#include "system/renders.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "config/selector.h"
#include "system/started_adapter.h"

namespace tandem::system {

Renders::Renders(Graphics& graphics, const AdapterList& list, std::size_t first, const config::Settings& settings,
                 std::shared_ptr<RenderLosses> losses)
    : graphics_(graphics),
      list_(list),
      on_lost_(settings.on_lost),
      is_trial_(settings.lose.role == config::AdapterLoss::Role::kRender),
      losses_(std::move(losses)),
      position_(first) {}

void Renders::Begin(LUID device, const config::AdapterInfo& adapter, std::shared_ptr<const std::atomic<bool>> lost) {
  const MutexLock lock(mutex_);
  devices_.push_back({device, &adapter, std::move(lost)});
}

void Renders::End(LUID device) {
  Look();
  {
    const MutexLock lock(mutex_);
    std::erase_if(devices_, [&](const Device& known) {
      return known.luid.LowPart == device.LowPart && known.luid.HighPart == device.HighPart;
    });
  }
  graphics_.RemoveAdapter(device);
}

void Renders::Look() {
  const MutexLock lock(mutex_);
  for (const Device& device : devices_) {
    const bool lost = device.lost->load(std::memory_order_acquire) || !graphics_.kernel().Counters(device.luid).ok();
    if (!lost || losses_->Of(*device.adapter) != RenderLosses::State::kNone) continue;
    losses_->Set(*device.adapter, is_trial_ ? RenderLosses::State::kGone : RenderLosses::State::kSeen);
  }
}

bool Renders::Starts(const config::AdapterInfo& adapter) const {
  const StartedAdapter started(graphics_, adapter, 0);
  if (!started.luid().ok())
    Log(LogLevel::kWarn, "Render adapter {} does not start. {}", adapter.name, started.luid().error().message);
  return started.luid().ok();
}

const config::AdapterInfo& Renders::Follow(const std::function<bool(const config::AdapterInfo&)>& usable) {
  Look();
  const config::AdapterInfo& before = adapter();
  if (on_lost_ == config::OnLost::kWait || losses_->Of(before) == RenderLosses::State::kNone) return before;
  const MutexLock lock(following_);
  const config::AdapterInfo& lost = adapter();
  const RenderLosses::State state = losses_->Of(lost);
  if (state == RenderLosses::State::kNone) return lost;
  if (state == RenderLosses::State::kSeen && Starts(lost)) {
    losses_->Set(lost, RenderLosses::State::kNone);
    return lost;
  }
  losses_->Set(lost, RenderLosses::State::kGone);
  std::vector<std::size_t> unfit;
  for (std::size_t i = 0; i < list_.adapters.size(); ++i) {
    if (losses_->Of(list_.adapters[i]) != RenderLosses::State::kNone) unfit.push_back(i);
  }
  while (const auto next = config::FindNextRender(list_.adapters, unfit)) {
    const config::AdapterInfo& candidate = list_.adapters[*next];
    if (usable(candidate) && Starts(candidate)) {
      Log(LogLevel::kWarn, "Render adapter {} is lost: devices from now on are made on {}.", lost.name, candidate.name);
      position_.store(*next, std::memory_order_release);
      return candidate;
    }
    unfit.push_back(*next);
  }
  Log(LogLevel::kInfo, "Render adapter {} is lost, and no other one can follow.", lost.name);
  return lost;
}

}  // namespace tandem::system
