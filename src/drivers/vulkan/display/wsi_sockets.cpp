#include "drivers/vulkan/display/wsi_sockets.h"

#include <algorithm>

#include "base/limits.h"
#include "outputs/output.h"

namespace tandem::vulkan {

Result<std::uint32_t> WsiSockets::Plug(const WsiTarget& target) {
  for (std::uint32_t number = 0; number < count(); ++number) {
    Socket& socket = sockets_[number];
    {
      const MutexLock lock(socket.mutex);
      if (socket.state != State::kEmpty) continue;
      socket.state = State::kPlugged;
      socket.target = target;
      socket.failure.reset();
      socket.counters = {};
      if (socket.listener == nullptr) return number;
      socket.listener->OnPlugChanged();
    }
    if (auto opened = AwaitOpen(socket); !opened.ok()) return opened.error();
    return number;
  }
  return Fail(ErrorKind::kLimit, "All {} sockets of the display adapter are taken.", count());
}

Result<void> WsiSockets::AwaitOpen(Socket& socket) {
  MutexLock lock(socket.mutex);
  while (socket.state == State::kPlugged || socket.state == State::kTaken) socket.changed.wait(lock.native());
  if (socket.state != State::kFailed) return {};
  socket.state = State::kEmpty;
  return *socket.failure;
}

void WsiSockets::Unplug(std::uint32_t number) {
  if (number >= count()) return;
  Socket& socket = sockets_[number];
  MutexLock lock(socket.mutex);
  while (socket.state == State::kTaken) socket.changed.wait(lock.native());
  if (socket.state != State::kOpen) {
    socket.state = State::kEmpty;
    return;
  }
  socket.state = State::kLeaving;
  if (socket.listener != nullptr) socket.listener->OnPlugChanged();
  while (socket.state == State::kLeaving) socket.changed.wait(lock.native());
}

outputs::OutputStatus WsiSockets::Status(std::uint32_t number) const { return StatusOf(number, StatusAge::kRecent); }
outputs::OutputStatus WsiSockets::AskStatus(std::uint32_t number) const { return StatusOf(number, StatusAge::kNew); }

outputs::OutputStatus WsiSockets::StatusOf(std::uint32_t number, StatusAge age) const {
  constexpr outputs::OutputStatus kGone{outputs::OutputState::kLost, 0, 0};
  if (number >= count()) return kGone;
  const Socket& socket = sockets_[number];
  const MutexLock lock(socket.mutex);
  if (socket.presenter != nullptr) return socket.presenter->Status(age);
  // No head has opened the window yet, so no fault is known.
  return socket.state == State::kPlugged || socket.state == State::kTaken ? outputs::OutputStatus{} : kGone;
}

bool WsiSockets::TakesTenBits(std::uint32_t number) const {
  if (number >= count()) return false;
  const MutexLock lock(sockets_[number].mutex);
  const WsiPresenter* const presenter = sockets_[number].presenter;
  return presenter != nullptr && std::ranges::any_of(presenter->formats(), [](const WsiFormat& window) {
           return window.format == VK_FORMAT_A2B10G10R10_UNORM_PACK32 && window.color_space == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
         });
}

WsiConnector::Counters WsiSockets::CountersOf(std::uint32_t number) const {
  if (number >= count()) return {};
  const MutexLock lock(sockets_[number].mutex);
  return sockets_[number].counters;
}

void WsiSockets::Attach(std::uint32_t number, Listener& listener) {
  Socket& socket = sockets_[number];
  const MutexLock lock(socket.mutex);
  socket.listener = &listener;
  if (socket.state == State::kPlugged) listener.OnPlugChanged();
}

void WsiSockets::Detach(std::uint32_t number) {
  Socket& socket = sockets_[number];
  {
    const MutexLock lock(socket.mutex);
    socket.listener = nullptr;
    if (socket.state == State::kPlugged) {
      socket.state = State::kFailed;
      socket.failure = Fail(ErrorKind::kDeviceLost, "The display adapter was stopped.");
    }
  }
  socket.changed.notify_all();
}

std::optional<WsiTarget> WsiSockets::Take(std::uint32_t number) {
  Socket& socket = sockets_[number];
  const MutexLock lock(socket.mutex);
  if (socket.state != State::kPlugged) return std::nullopt;
  socket.state = State::kTaken;
  return socket.target;
}

void WsiSockets::Opened(std::uint32_t number, WsiPresenter* presenter, const Error* failure) {
  Socket& socket = sockets_[number];
  {
    const MutexLock lock(socket.mutex);
    socket.state = failure == nullptr ? State::kOpen : State::kFailed;
    socket.presenter = presenter;
    if (failure != nullptr) socket.failure = *failure;
  }
  socket.changed.notify_all();
}

bool WsiSockets::IsPlugged(std::uint32_t number) const {
  const MutexLock lock(sockets_[number].mutex);
  return sockets_[number].state == State::kOpen;
}

void WsiSockets::Close(std::uint32_t number) {
  const MutexLock lock(sockets_[number].mutex);
  sockets_[number].presenter = nullptr;
}

void WsiSockets::Released(std::uint32_t number) {
  Socket& socket = sockets_[number];
  {
    const MutexLock lock(socket.mutex);
    if (socket.state == State::kLeaving) {
      socket.state = State::kEmpty;
    } else {
      socket.state = State::kFailed;
      socket.failure = Fail(ErrorKind::kDeviceLost, "The display adapter was stopped.");
    }
  }
  socket.changed.notify_all();
}

void WsiSockets::CountShown(std::uint32_t number) {
  const MutexLock lock(sockets_[number].mutex);
  ++sockets_[number].counters.shown;
}

void WsiSockets::CountWritten(std::uint32_t number, std::uint64_t bytes) {
  const MutexLock lock(sockets_[number].mutex);
  sockets_[number].counters.written_bytes += bytes;
}

std::shared_ptr<WsiConnector> CreateWsiConnector(std::uint32_t sockets) {
  return std::make_shared<WsiSockets>(std::clamp(sockets, 1U, kMaxVidPnSources));
}

}  // namespace tandem::vulkan
