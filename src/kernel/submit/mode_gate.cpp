#include "kernel/submit/mode_gate.h"

namespace tandem::kernel {

void ModeGate::Add(std::uint32_t sources) {
  for (std::size_t i = 0; i < sources_.size(); ++i) sources_[i].built += sources >> i & 1;
}

void ModeGate::EndPacket(std::uint32_t sources) {
  if (sources == 0) return;
  for (std::size_t i = 0; i < sources_.size(); ++i) sources_[i].built -= sources >> i & 1;
  monitor_.Notify();
}

bool ModeGate::Changes(std::uint32_t sources) const {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if ((sources >> i & 1) != 0 && sources_[i].mode_changes) return true;
  }
  return false;
}

NTSTATUS ModeGate::Sleep(std::int64_t deadline_ns) {
  if (monitor_.gone()) return STATUS_DEVICE_REMOVED;
  return monitor_.Sleep(deadline_ns) ? STATUS_SUCCESS : STATUS_DEVICE_NOT_READY;
}

NTSTATUS ModeGate::BeginBuild(std::uint32_t sources) {
  if (sources == 0) return STATUS_SUCCESS;
  const WorkLock lock(monitor_);
  while (Changes(sources)) {
    if (const NTSTATUS status = Sleep(kNoDeadline); !NT_SUCCESS(status)) return status;
  }
  Add(sources);
  return STATUS_SUCCESS;
}

void ModeGate::EndBuild(std::uint32_t sources) {
  if (sources == 0) return;
  const WorkLock lock(monitor_);
  EndPacket(sources);
}

void ModeGate::BuildFor(Packet& packet, std::uint32_t sources) {
  if (sources == 0) return;
  const WorkLock lock(monitor_);
  packet.built_for = sources;
  Add(sources);
}

NTSTATUS ModeGate::BeginChange(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  const WorkLock lock(monitor_);
  Source& source = sources_[vidpn_source];
  const std::int64_t deadline_ns = monitor_.adapter().clock().NowNs() + kModeTimeoutNs;
  while (source.mode_changes) {
    if (const NTSTATUS status = Sleep(deadline_ns); !NT_SUCCESS(status)) return status;
  }
  source.mode_changes = true;
  while (source.built != 0) {
    const NTSTATUS status = Sleep(deadline_ns);
    if (NT_SUCCESS(status)) continue;
    source.mode_changes = false;
    monitor_.Notify();
    return status;
  }
  return STATUS_SUCCESS;
}

void ModeGate::EndChange(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) {
  const WorkLock lock(monitor_);
  sources_[vidpn_source].mode_changes = false;
  monitor_.Notify();
}

}  // namespace tandem::kernel
