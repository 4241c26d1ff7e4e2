// Display modes against the DMA buffers that were built for them.
#pragma once

#include <array>
#include <cstdint>

#include "kernel/submit/limits.h"
#include "kernel/submit/packet.h"
#include "kernel/submit/work_monitor.h"

namespace tandem::kernel {

// The mode of a source stays as it is while commands are built for it and until they have run. Bit N of `sources`: VidPn source
// N. Threads: any, PASSIVE_LEVEL unless said.
class ModeGate {
 public:
  explicit ModeGate(WorkMonitor& monitor) : monitor_(monitor) {}
  ModeGate(const ModeGate&) = delete;
  ModeGate& operator=(const ModeGate&) = delete;

  // The caller builds commands between the two calls. BeginBuild waits for the end of a mode change. STATUS_DEVICE_REMOVED.
  [[nodiscard]] NTSTATUS BeginBuild(std::uint32_t sources);
  void EndBuild(std::uint32_t sources);
  // `packet` is filled within such a build. The modes stay until the packet has run, or is given up.
  void BuildFor(Packet& packet, std::uint32_t sources);
  // A packet that was built for `sources` is over. IRQL up to DISPATCH.
  void EndPacket(std::uint32_t sources) TANDEM_REQUIRES(work_lock);

  // The mode of the source may change between the two calls: nothing that was built for it is left. STATUS_DEVICE_NOT_READY when
  // something still is after kModeTimeoutNs, say behind a fence that nobody signals.
  [[nodiscard]] NTSTATUS BeginChange(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source);
  void EndChange(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source);

 private:
  struct Source {
    std::uint32_t built = 0;    // packets that have not run, and callers that are building
    bool mode_changes = false;  // nobody builds meanwhile
  };
  void Add(std::uint32_t sources) TANDEM_REQUIRES(work_lock);
  [[nodiscard]] bool Changes(std::uint32_t sources) const TANDEM_REQUIRES(work_lock);
  // Sleeps once. STATUS_DEVICE_REMOVED, STATUS_DEVICE_NOT_READY after the deadline.
  [[nodiscard]] NTSTATUS Sleep(std::int64_t deadline_ns) TANDEM_REQUIRES(work_lock);

  WorkMonitor& monitor_;
  std::array<Source, kMaxFlipSources> sources_ TANDEM_GUARDED_BY(work_lock);
};

}  // namespace tandem::kernel
