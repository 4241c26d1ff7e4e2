// A lost display adapter: its frames are dropped, and another adapter follows between two frames.
#include <algorithm>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "base/log.h"
#include "swapchain/swap_chain_impl.h"

namespace tandem::swapchain {
namespace {

// Time between two questions for a display, while there is none.
constexpr std::int64_t kAskAgainNs = 500'000'000;

}  // namespace

bool SwapChainImpl::MayMove() const {
  return desc_.succession != nullptr && !retired_ && !stop_ && side_ != nullptr && !IsLost(render_.kernel_device()) &&
         IsLost(side_->display.kernel_device());
}

void SwapChainImpl::OnFailure(const Error& why) {
  const std::int64_t lost_ns = clock_.NowNs();
  DisplayChange change;
  change.reason = why.message;
  {
    const MutexLock lock(mutex_);
    if (!MayMove()) return MarkLost(IsLost(render_.kernel_device()) ? ErrorKind::kDeviceLost : ErrorKind::kSurfaceLost, why);
    moving_ = true;
    change.from = side_->display.binding().name;
  }
  Log(LogLevel::kWarn, "Display adapter {} is lost: {}", change.from, change.reason);
  const auto dropped = LeaveSide();
  auto side = dropped.ok() ? FindSide(change.from) : nullptr;
  const MutexLock lock(mutex_);
  if (!dropped.ok()) return MarkLost(ErrorKind::kDeviceLost, dropped.error());
  if (side == nullptr) return MarkLost(ErrorKind::kSurfaceLost, why);
  change.frames_lost = *dropped;
  change.to = side->display.binding().name;
  change.path = side->decision.path;
  change.frame = schedule_.presented() - schedule_.waiting() + 1;
  if (auto installed = Install(std::move(side)); !installed.ok()) return MarkLost(ErrorKind::kSurfaceLost, installed.error());
  moving_ = false;
  change.pause_ns = clock_.NowNs() - lost_ns;
  Log(LogLevel::kWarn, "Display adapter {} takes over from frame {} on, path {}; {} frames are lost.", change.to, change.frame,
      ToString(change.path), change.frames_lost);
  if (changes_.size() == kMaxPathEvents) changes_.erase(changes_.begin());
  changes_.push_back(std::move(change));
  changed_.NotifyAll();
}

Result<std::uint64_t> SwapChainImpl::LeaveSide() {
  FenceTarget last{side_->copy_fence.get(), 0};
  {
    const MutexLock lock(mutex_);
    last.value = schedule_.last_copy() * side_->slices;
  }
  // The render adapter's watchdog ends the wait.
  if (auto copied = WaitForAny(render_.kernel_device(), {&last, 1}); !copied.ok()) return std::move(copied).error();
  std::unique_ptr<DisplaySide> side;
  {
    const MutexLock lock(mutex_);
    CollectDone();
    encoded_before_ = Encoded();
    crossed_before_ += CrossedBytes();
    frames_copied_ = 0;
    link_.reset();
    shown_.BeginAgain(schedule_.last_flip());
    lines_.BeginAgain();
    side = std::move(side_);
  }
  // The kernel takes surfaces back once the removed driver reads them no more. The program draws into their images then.
  side.reset();
  const MutexLock lock(mutex_);
  changed_.NotifyAll();
  return schedule_.LoseDisplay();
}

std::unique_ptr<DisplaySide> SwapChainImpl::FindSide(const std::string& lost) {
  for (;;) {
    const auto next = desc_.succession->TakeNext();
    if (!next.ok() && next.error().kind == ErrorKind::kTimeout) {
      if (!WaitToAskAgain()) return nullptr;
      continue;
    }
    auto side = next.ok() ? MakeSide(*next, lost) : Result<std::unique_ptr<DisplaySide>>(next.error());
    if (side.ok()) return *std::move(side);
    if (next.ok() && IsLost(next->display->kernel_device())) continue;
    const ErrorKind kind = IsLost(render_.kernel_device()) ? ErrorKind::kDeviceLost
                           : next.ok()                     ? ErrorKind::kOutOfDate
                                                           : ErrorKind::kSurfaceLost;
    const MutexLock lock(mutex_);
    MarkLost(kind, side.error());
    return nullptr;
  }
}

bool SwapChainImpl::WaitToAskAgain() {
  const std::int64_t due_ns = clock_.NowNs() + kAskAgainNs;
  MutexLock lock(mutex_);
  while (!stop_ && !retired_ && clock_.NowNs() < due_ns) clock_.WaitUntil(lock.native(), changed_, due_ns);
  return !stop_ && !retired_;
}

Result<std::unique_ptr<DisplaySide>> SwapChainImpl::MakeSide(const NextDisplay& next, const std::string& lost) {
  SwapChainDesc desc = desc_;
  desc.image_check = nullptr;
  desc.vidpn_source = next.vidpn_source;
  desc.shown_depth = next.shown_depth;
  desc.slow_flips = next.slow_flips;
  desc.refresh_period_ns = next.refresh_period_ns;
  desc.link_colors.ten_bits = next.shown_depth != ShownDepth::kEightBits;
  auto path = BuildPath(render_, next.display->runtime(), desc, images_);
  if (!path.ok()) return std::move(path).error();
  const std::string& name = next.display->binding().name;
  path->decision.reason += name == lost ? fmt::format(" {} was lost and started again.", name)
                                        : fmt::format(" {} shows because {} was lost.", name, lost);
  return DisplaySide::Create(render_, next.display->runtime(), desc, clock_, *std::move(path), meters_);
}

}  // namespace tandem::swapchain
