#include "drivers/kms/kmd/screens.h"

#include "outputs/output.h"

#include <algorithm>
#include <fstream>
#include <utility>

namespace tandem::kms {
namespace {

bool WriteText(const std::string& path, const char* text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

}  // namespace

std::uint32_t ScreensImpl::count() const {
  const MutexLock lock(mutex_);
  return count_;
}

ScreenState ScreensImpl::StateOf(std::uint32_t target) const {
  const MutexLock lock(mutex_);
  if (target < count_) return states_[target];
  ScreenState none;
  none.status.state = outputs::OutputState::kLost;
  none.connected = false;
  return none;
}

bool ScreensImpl::Watch(std::uint32_t target, std::shared_ptr<outputs::Output> output) {
  if (target >= kMaxVidPnSources) return false;
  const MutexLock lock(mutex_);
  watchers_[target] = std::move(output);
  return true;
}

std::shared_ptr<outputs::Output> ScreensImpl::WatcherOf(std::uint32_t target) const {
  const MutexLock lock(mutex_);
  return watchers_[target];
}

bool ScreensImpl::Force(std::uint32_t target, bool plugged) {
  std::string card, connector;
  {
    const MutexLock lock(mutex_);
    if (target >= count_) return false;
    card = "/sys/class/drm/" + node_;
    connector = states_[target].connector;
    const std::uint32_t bit = 1U << target;
    forced_ = plugged ? forced_ & ~bit : forced_ | bit;
  }
  // Drivers that poll no connectors do not report what is written.
  return WriteText(card + "-" + connector + "/status", plugged ? "detect" : "off") && WriteText(card + "/uevent", "change");
}

void ScreensImpl::Start(std::uint32_t target, const std::string& node, const std::string& connector,
                        std::int64_t refresh_period_ns, bool writes_back) {
  const MutexLock lock(mutex_);
  node_ = node.substr(node.rfind('/') + 1);
  states_[target] = {};
  states_[target].connector = connector;
  states_[target].refresh_period_ns = refresh_period_ns;
  states_[target].writes_back = writes_back;
  count_ = std::max(count_, target + 1);
}

void ScreensImpl::Stop() {
  std::uint32_t forced = 0;
  {
    const MutexLock lock(mutex_);
    forced = forced_;
  }
  for (std::uint32_t target = 0; forced >> target != 0; ++target) {
    if ((forced >> target & 1) != 0) Force(target, true);
  }
  const MutexLock lock(mutex_);
  count_ = 0;
}

void ScreensImpl::SetLost(std::uint32_t target) {
  const MutexLock lock(mutex_);
  states_[target].status.state = outputs::OutputState::kLost;
}

void ScreensImpl::SetConnected(std::uint32_t target, bool connected) {
  const MutexLock lock(mutex_);
  states_[target].connected = connected;
}

void ScreensImpl::SetPeriod(std::uint32_t target, std::int64_t refresh_period_ns) {
  const MutexLock lock(mutex_);
  states_[target].refresh_period_ns = refresh_period_ns;
}

void ScreensImpl::CountDirect(std::uint32_t target) {
  const MutexLock lock(mutex_);
  ++states_[target].direct_frames;
}

void ScreensImpl::CountComposed(std::uint32_t target, std::uint64_t written_bytes, const std::string& why) {
  const MutexLock lock(mutex_);
  ScreenState& state = states_[target];
  ++state.composed_frames;
  state.written_bytes += written_bytes;
  if (state.why_composed != why) state.why_composed = why;
}

std::shared_ptr<Screens> CreateScreens() { return std::make_shared<ScreensImpl>(); }

}  // namespace tandem::kms
