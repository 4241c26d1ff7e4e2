// The monitors of an adapter: what its driver says of each video output.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/thread.h"
#include "kernel/kernel.h"

#include <d3dkmddi.h>
#include <dispmprt.h>

namespace tandem::kernel {

class Adapter;

// Bytes of a block of an EDID, and the blocks that are read.
inline constexpr std::size_t kEdidBlockBytes = 128;
inline constexpr std::size_t kMaxEdidBlocks = 4;

// Asks DxgkDdiQueryChildStatus for the connection; of a connected target DxgkDdiQueryDeviceDescriptor for the EDID, block by
// block, and DxgkDdiRecommendMonitorModes for modes beside the EDID's preferred one. A driver without the first one has its
// monitors connected. PASSIVE_LEVEL.
[[nodiscard]] MonitorDescription ReadMonitor(Adapter& adapter, ULONG target);

// Keeps in the adapter's table what the driver answers after it indicated a status of this type. PASSIVE_LEVEL.
void UpdateMonitor(Adapter& adapter, ULONG target, DXGK_CHILD_STATUS_TYPE type);

// The preferred mode of an EDID: its first detailed timing (VESA E-EDID 1.4, 3.10.2). Nothing when there is none.
[[nodiscard]] std::optional<D3DKMDT_MONITOR_SOURCE_MODE> PreferredModeOf(const std::vector<std::uint8_t>& edid);

// Threads: any.
class Monitors {
 public:
  // A target of which nothing is known is connected.
  [[nodiscard]] MonitorDescription Of(ULONG target) const;
  void Set(ULONG target, MonitorDescription monitor);

 private:
  struct Entry {
    ULONG target = 0;
    MonitorDescription monitor;
  };
  mutable Mutex mutex_;
  std::vector<Entry> entries_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::kernel
