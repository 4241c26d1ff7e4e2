// The part of Scheduler that keeps work and the changes of display modes apart.
#include <algorithm>

#include "kernel/submit/scheduler.h"

namespace tandem::kernel {

void Scheduler::AddBuilt(std::uint32_t sources) {
  for (std::size_t i = 0; i < sources_.size(); ++i) sources_[i].built += sources >> i & 1;
}

void Scheduler::DropBuilt(std::uint32_t sources) {
  if (sources == 0) return;
  for (std::size_t i = 0; i < sources_.size(); ++i) sources_[i].built -= sources >> i & 1;
  if (sleepers_ != 0) changed_.notify_all();
}

bool Scheduler::ModeChanges(std::uint32_t sources) {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if ((sources >> i & 1) != 0 && sources_[i].mode_changes) return true;
  }
  return false;
}

NTSTATUS Scheduler::BeginBuild(std::uint32_t sources) {
  if (sources == 0) return STATUS_SUCCESS;
  MutexLock lock(mutex_);
  while (ModeChanges(sources)) {
    if (lost_.load(std::memory_order_relaxed) || !adapter_.alive()) return STATUS_DEVICE_REMOVED;
    Sleep(lock, kNoDeadline);
  }
  AddBuilt(sources);
  return STATUS_SUCCESS;
}

void Scheduler::EndBuild(std::uint32_t sources) {
  if (sources == 0) return;
  const MutexLock lock(mutex_);
  DropBuilt(sources);
}

void Scheduler::BuildFor(Packet& packet, std::uint32_t sources) {
  if (sources == 0) return;
  const MutexLock lock(mutex_);
  packet.built_for = sources;
  AddBuilt(sources);
}

NTSTATUS Scheduler::BeginModeChange(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  MutexLock lock(mutex_);
  Source& source = sources_[vidpn_source];
  const std::int64_t deadline = adapter_.clock().NowNs() + kModeTimeoutNs;
  const auto wait = [&](NTSTATUS& status) TANDEM_REQUIRES(mutex_) {
    if (lost_.load(std::memory_order_relaxed) || !adapter_.alive()) {
      status = STATUS_DEVICE_REMOVED;
    } else if (!Sleep(lock, deadline)) {
      status = STATUS_DEVICE_NOT_READY;
    }
    return NT_SUCCESS(status);
  };
  NTSTATUS status = STATUS_SUCCESS;
  while (source.mode_changes) {
    if (!wait(status)) return status;
  }
  source.mode_changes = true;
  while (source.built != 0) {
    if (wait(status)) continue;
    source.mode_changes = false;
    changed_.notify_all();
    return status;
  }
  return STATUS_SUCCESS;
}

void Scheduler::EndModeChange(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  const MutexLock lock(mutex_);
  sources_[vidpn_source].mode_changes = false;
  changed_.notify_all();
}

bool Scheduler::EngineWorks() {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [](const Node& node) { return !node.in_flight.empty() || node.submitting != nullptr || node.preempting; });
}

NTSTATUS Scheduler::Suspend() {
  MutexLock lock(mutex_);
  ++suspensions_;
  const std::int64_t deadline = adapter_.clock().NowNs() + kIdleTimeoutNs;
  while (EngineWorks()) {
    if (!adapter_.alive()) return STATUS_DEVICE_REMOVED;
    if (!Sleep(lock, deadline)) return STATUS_DEVICE_NOT_READY;
  }
  return STATUS_SUCCESS;
}

void Scheduler::Resume() {
  const MutexLock lock(mutex_);
  if (--suspensions_ != 0) return;
  changed_.notify_all();  // paging
  Wake();
}

}  // namespace tandem::kernel
