// The mode set of a monitor, which the kernel lends to DxgkDdiRecommendMonitorModes.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/adapter/mode_set.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

// The objects behind the functions of DXGK_MONITORSOURCEMODESET_INTERFACE.
struct MonitorModeState {
  ModeSet<D3DKMDT_MONITOR_SOURCE_MODE> set;
  UINT next_mode = 1;  // the id of the next mode
};

// Threads: the one that made it; the driver's, which may be many, between Lend() and Return().
class MonitorModes {
 public:
  MonitorModes() = default;
  ~MonitorModes() { static_cast<void>(Return()); }
  MonitorModes(const MonitorModes&) = delete;
  MonitorModes& operator=(const MonitorModes&) = delete;

  // None of these between Lend() and Return(). The mode gets an id; one that is in the set already is left out.
  void Offer(const D3DKMDT_MONITOR_SOURCE_MODE& mode);
  // Preferred modes first, each group in the order that the modes were added in.
  [[nodiscard]] std::vector<D3DKMDT_MONITOR_SOURCE_MODE> Modes() const;

  // From here to Return() the functions know the handle, on every thread; afterwards they never do again.
  [[nodiscard]] D3DKMDT_HMONITORSOURCEMODESET Lend();
  // Modes that the driver acquired or made, and neither released nor added.
  [[nodiscard]] std::uint32_t Return();
  [[nodiscard]] static const DXGK_MONITORSOURCEMODESET_INTERFACE& Functions();

 private:
  MonitorModeState state_;
  std::uint64_t serial_ = 0;  // of the loan; 0: the kernel has it
};

}  // namespace tandem::kernel
