#include "drivers/soft/sockets.h"

#include <algorithm>
#include <utility>

#include "outputs/output.h"

namespace tandem::soft {

Result<std::uint32_t> Sockets::Plug(std::shared_ptr<outputs::Output> output) {
  if (!output) return Fail(ErrorKind::kInvalidArgument, "No output was given to plug in.");
  for (std::uint32_t number = 0; number < count(); ++number) {
    Socket& socket = sockets_[number];
    const MutexLock lock(socket.mutex);
    if (socket.output) continue;
    socket.output = std::move(output);
    socket.counters = {};
    return number;
  }
  return Fail(ErrorKind::kLimit, "All {} sockets of the adapter are taken.", count());
}

void Sockets::Unplug(std::uint32_t number) {
  if (number >= count()) return;
  Socket& socket = sockets_[number];
  std::shared_ptr<outputs::Output> output;
  {
    const MutexLock lock(socket.mutex);
    output.swap(socket.output);
  }
  const MutexLock no_use(socket.use_mutex);
  output.reset();
}

outputs::OutputStatus Sockets::Status(std::uint32_t number) const {
  const auto output = OutputOf(number);
  if (!output) return {outputs::OutputState::kLost, 0, 0};
  return output->Status();
}

Connector::Counters Sockets::CountersOf(std::uint32_t number) const {
  if (number >= count()) return {};
  const MutexLock lock(sockets_[number].mutex);
  return sockets_[number].counters;
}

std::int64_t Sockets::RefreshPeriodNs(std::uint32_t number) const {
  const auto output = OutputOf(number);
  const std::int64_t period_ns = output ? output->info().refresh_period_ns : 0;
  return period_ns > 0 ? period_ns : kDefaultRefreshPeriodNs;
}

bool Sockets::TakesNv12(std::uint32_t number) const {
  const auto output = OutputOf(number);
  return output && output->TakesNv12();
}

Result<void> Sockets::Show(std::uint32_t number, const outputs::Surface& surface, std::uint64_t written) {
  Socket& socket = sockets_[number];
  const MutexLock in_use(socket.use_mutex);
  const auto output = OutputOf(number);
  if (!output) return Fail(ErrorKind::kSurfaceLost, "Nothing is plugged into socket {}.", number);
  auto shown = output->Show(surface);
  if (!shown.ok()) return shown;
  const MutexLock lock(socket.mutex);
  ++socket.counters.shown;
  socket.counters.written_bytes += written + output->LastShowCopiedBytes();
  return {};
}

void Sockets::Forget(std::uint32_t number, std::uint64_t surface_id) {
  const MutexLock in_use(sockets_[number].use_mutex);
  if (const auto output = OutputOf(number)) output->Forget(surface_id);
}

std::shared_ptr<outputs::Output> Sockets::OutputOf(std::uint32_t number) const {
  if (number >= count()) return nullptr;
  const MutexLock lock(sockets_[number].mutex);
  return sockets_[number].output;
}

std::shared_ptr<Connector> CreateConnector(std::uint32_t sockets) {
  return std::make_shared<Sockets>(std::clamp(sockets, 1U, kMaxVidPnSources));
}

}  // namespace tandem::soft
