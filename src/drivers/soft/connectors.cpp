#include "drivers/soft/connectors.h"

#include <algorithm>
#include <utility>

#include "outputs/output.h"

namespace tandem::soft {

ConnectorsImpl::~ConnectorsImpl() {
  for (std::uint32_t number = 0; number < count(); ++number) Unplug(number);
}

Result<std::uint32_t> ConnectorsImpl::Plug(std::shared_ptr<outputs::Output> output) {
  if (!output) return Fail(ErrorKind::kInvalidArgument, "No output was given to plug in.");
  for (std::uint32_t number = 0; number < count(); ++number) {
    Connector& connector = connectors_[number];
    MutexLock lock(connector.mutex);
    if (connector.output) continue;
    connector.output = output;
    connector.counters = {};
    lock.Unlock();
    output->Listen([this, number] { Beat(number); });
    return number;
  }
  return Fail(ErrorKind::kLimit, "All {} connectors of the adapter are taken.", count());
}

void ConnectorsImpl::Unplug(std::uint32_t number) {
  if (number >= count()) return;
  Connector& connector = connectors_[number];
  std::shared_ptr<outputs::Output> output;
  {
    const MutexLock lock(connector.mutex);
    output.swap(connector.output);
  }
  if (output) output->Listen({});
  const MutexLock no_use(connector.use_mutex);
  output.reset();
}

void ConnectorsImpl::SetCable(std::uint32_t number, bool plugged) {
  if (number >= count()) return;
  {
    const MutexLock lock(connectors_[number].mutex);
    if (std::exchange(connectors_[number].has_cable, plugged) == plugged) return;
  }
  const MutexLock lock(cable_mutex_);
  if (on_cable_) on_cable_(number);
}

bool ConnectorsImpl::HasCable(std::uint32_t number) const {
  if (number >= count()) return false;
  const MutexLock lock(connectors_[number].mutex);
  return connectors_[number].has_cable;
}

void ConnectorsImpl::OnCable(std::function<void(std::uint32_t)> call) {
  const MutexLock lock(cable_mutex_);
  on_cable_ = std::move(call);
}

void ConnectorsImpl::OnBeat(std::uint32_t number, std::function<void()> call) {
  if (number >= count()) return;
  const MutexLock lock(connectors_[number].beat_mutex);
  connectors_[number].on_beat = std::move(call);
}

void ConnectorsImpl::Beat(std::uint32_t number) {
  const MutexLock lock(connectors_[number].beat_mutex);
  if (connectors_[number].on_beat) connectors_[number].on_beat();
}

std::optional<outputs::Beat> ConnectorsImpl::BeatOf(std::uint32_t number) const {
  const auto output = OutputOf(number);
  if (!output || !output->KeepsTime()) return std::nullopt;
  return output->last_beat();
}

outputs::OutputStatus ConnectorsImpl::Status(std::uint32_t number) const {
  const auto output = OutputOf(number);
  if (!output) return {outputs::OutputState::kLost, 0, 0};
  return output->Status();
}

Connectors::Counters ConnectorsImpl::CountersOf(std::uint32_t number) const {
  if (number >= count()) return {};
  const MutexLock lock(connectors_[number].mutex);
  return connectors_[number].counters;
}

std::int64_t ConnectorsImpl::RefreshPeriodNs(std::uint32_t number) const {
  const auto output = OutputOf(number);
  const std::int64_t period_ns = output ? output->last_beat().period_ns : 0;
  return period_ns > 0 ? period_ns : kDefaultRefreshPeriodNs;
}

bool ConnectorsImpl::TakesNv12(std::uint32_t number) const {
  const auto output = OutputOf(number);
  return output && output->TakesNv12();
}

std::int64_t ConnectorsImpl::LastShownNs(std::uint32_t number) const {
  const auto output = OutputOf(number);
  return output ? output->last_shown_ns() : 0;
}

Result<void> ConnectorsImpl::Show(std::uint32_t number, const outputs::Surface& surface, std::uint64_t written) {
  Connector& connector = connectors_[number];
  const MutexLock in_use(connector.use_mutex);
  if (!HasCable(number)) return {};
  const auto output = OutputOf(number);
  if (!output) return Fail(ErrorKind::kSurfaceLost, "Nothing is plugged into connector {}.", number);
  auto shown = output->Show(surface);
  if (!shown.ok()) return shown;
  const MutexLock lock(connector.mutex);
  ++connector.counters.shown;
  connector.counters.written_bytes += written + output->LastShowCopiedBytes();
  return {};
}

void ConnectorsImpl::Forget(std::uint32_t number, std::uint64_t surface_id) {
  const MutexLock in_use(connectors_[number].use_mutex);
  if (const auto output = OutputOf(number)) output->Forget(surface_id);
}

std::shared_ptr<outputs::Output> ConnectorsImpl::OutputOf(std::uint32_t number) const {
  if (number >= count()) return nullptr;
  const MutexLock lock(connectors_[number].mutex);
  return connectors_[number].output;
}

std::shared_ptr<Connectors> CreateConnectors(std::uint32_t connectors) {
  return std::make_shared<ConnectorsImpl>(std::clamp(connectors, 1U, kMaxVidPnSources));
}

}  // namespace tandem::soft
