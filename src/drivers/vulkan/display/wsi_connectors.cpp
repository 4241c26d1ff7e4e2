#include "drivers/vulkan/display/wsi_connectors.h"

#include <algorithm>

#include "base/limits.h"
#include "outputs/output.h"

namespace tandem::vulkan {

Result<std::uint32_t> WsiConnectorsImpl::Plug(const WsiTarget& target) {
  for (std::uint32_t number = 0; number < count(); ++number) {
    Connector& connector = connectors_[number];
    {
      const MutexLock lock(connector.mutex);
      if (connector.state != State::kEmpty) continue;
      connector.state = State::kPlugged;
      connector.target = target;
      connector.failure.reset();
      connector.counters = {};
      if (connector.listener == nullptr) return number;
      connector.listener->OnPlugChanged();
    }
    if (auto opened = AwaitOpen(connector); !opened.ok()) return opened.error();
    return number;
  }
  return Fail(ErrorKind::kLimit, "All {} connectors of the display adapter are taken.", count());
}

Result<void> WsiConnectorsImpl::AwaitOpen(Connector& connector) {
  MutexLock lock(connector.mutex);
  while (connector.state == State::kPlugged || connector.state == State::kTaken) connector.changed.Wait(lock.native());
  if (connector.state != State::kFailed) return {};
  connector.state = State::kEmpty;
  return *connector.failure;
}

void WsiConnectorsImpl::Unplug(std::uint32_t number) {
  if (number >= count()) return;
  Connector& connector = connectors_[number];
  MutexLock lock(connector.mutex);
  while (connector.state == State::kTaken) connector.changed.Wait(lock.native());
  if (connector.state != State::kOpen) {
    connector.state = State::kEmpty;
    return;
  }
  connector.state = State::kLeaving;
  if (connector.listener != nullptr) connector.listener->OnPlugChanged();
  while (connector.state == State::kLeaving) connector.changed.Wait(lock.native());
}

outputs::OutputStatus WsiConnectorsImpl::Status(std::uint32_t number) const { return StatusOf(number, StatusAge::kRecent); }
outputs::OutputStatus WsiConnectorsImpl::AskStatus(std::uint32_t number) const { return StatusOf(number, StatusAge::kNew); }

outputs::OutputStatus WsiConnectorsImpl::StatusOf(std::uint32_t number, StatusAge age) const {
  constexpr outputs::OutputStatus kGone{outputs::OutputState::kLost, 0, 0};
  if (number >= count()) return kGone;
  const Connector& connector = connectors_[number];
  const MutexLock lock(connector.mutex);
  if (connector.presenter != nullptr) return connector.presenter->Status(age);
  // No head has opened the window yet, so no fault is known.
  return connector.state == State::kPlugged || connector.state == State::kTaken ? outputs::OutputStatus{} : kGone;
}

bool WsiConnectorsImpl::TakesTenBits(std::uint32_t number) const {
  if (number >= count()) return false;
  const MutexLock lock(connectors_[number].mutex);
  const WsiPresenter* const presenter = connectors_[number].presenter;
  return presenter != nullptr && std::ranges::any_of(presenter->formats(), [](const WsiFormat& window) {
           return window.format == VK_FORMAT_A2B10G10R10_UNORM_PACK32 && window.color_space == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
         });
}

WsiConnectors::Counters WsiConnectorsImpl::CountersOf(std::uint32_t number) const {
  if (number >= count()) return {};
  const MutexLock lock(connectors_[number].mutex);
  return connectors_[number].counters;
}

void WsiConnectorsImpl::Attach(std::uint32_t number, Listener& listener) {
  Connector& connector = connectors_[number];
  const MutexLock lock(connector.mutex);
  connector.listener = &listener;
  if (connector.state == State::kPlugged) listener.OnPlugChanged();
}

void WsiConnectorsImpl::Detach(std::uint32_t number) {
  Connector& connector = connectors_[number];
  {
    const MutexLock lock(connector.mutex);
    connector.listener = nullptr;
    if (connector.state == State::kPlugged) {
      connector.state = State::kFailed;
      connector.failure = Fail(ErrorKind::kDeviceLost, "The display adapter was stopped.");
    }
  }
  connector.changed.NotifyAll();
}

std::optional<WsiTarget> WsiConnectorsImpl::Take(std::uint32_t number) {
  Connector& connector = connectors_[number];
  const MutexLock lock(connector.mutex);
  if (connector.state != State::kPlugged) return std::nullopt;
  connector.state = State::kTaken;
  return connector.target;
}

void WsiConnectorsImpl::Opened(std::uint32_t number, WsiPresenter* presenter, const Error* failure) {
  Connector& connector = connectors_[number];
  {
    const MutexLock lock(connector.mutex);
    connector.state = failure == nullptr ? State::kOpen : State::kFailed;
    connector.presenter = presenter;
    if (failure != nullptr) connector.failure = *failure;
  }
  connector.changed.NotifyAll();
}

bool WsiConnectorsImpl::IsPlugged(std::uint32_t number) const {
  const MutexLock lock(connectors_[number].mutex);
  return connectors_[number].state == State::kOpen;
}

void WsiConnectorsImpl::Close(std::uint32_t number) {
  const MutexLock lock(connectors_[number].mutex);
  connectors_[number].presenter = nullptr;
}

void WsiConnectorsImpl::Released(std::uint32_t number) {
  Connector& connector = connectors_[number];
  {
    const MutexLock lock(connector.mutex);
    if (connector.state == State::kLeaving) {
      connector.state = State::kEmpty;
    } else {
      connector.state = State::kFailed;
      connector.failure = Fail(ErrorKind::kDeviceLost, "The display adapter was stopped.");
    }
  }
  connector.changed.NotifyAll();
}

void WsiConnectorsImpl::CountShown(std::uint32_t number) {
  const MutexLock lock(connectors_[number].mutex);
  ++connectors_[number].counters.shown;
}

void WsiConnectorsImpl::CountWritten(std::uint32_t number, std::uint64_t bytes) {
  const MutexLock lock(connectors_[number].mutex);
  connectors_[number].counters.written_bytes += bytes;
}

std::shared_ptr<WsiConnectors> CreateWsiConnectors(std::uint32_t connectors) {
  return std::make_shared<WsiConnectorsImpl>(std::clamp(connectors, 1U, kMaxVidPnSources));
}

}  // namespace tandem::vulkan
