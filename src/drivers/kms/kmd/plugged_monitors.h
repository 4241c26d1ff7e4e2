// The displays in the heads' connectors, as the kernel asks for its monitors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/limits.h"
#include "base/thread.h"
#include "drivers/kms/card/mode.h"
#include "drivers/kms/card/resources.h"

#include <dispmprt.h>

namespace tandem::kms {

// True if a display is in the connector, as far as its driver knows, and it has a mode.
[[nodiscard]] bool HasDisplay(const Connector& connector);

// Targets are below kMaxVidPnSources. Threads: any.
class PluggedMonitors {
 public:
  // Null: the connector itself is gone, with its dock. True if the display is another one, came or went since the last call.
  bool Update(std::uint32_t target, const Connector* connector);
  [[nodiscard]] bool IsConnected(std::uint32_t target) const;
  // The part of the display's EDID that the caller asks for. STATUS_GRAPHICS_CHILD_DESCRIPTOR_NOT_SUPPORTED without an EDID,
  // STATUS_INVALID_PARAMETER behind its end.
  [[nodiscard]] NTSTATUS Describe(std::uint32_t target, DXGK_DEVICE_DESCRIPTOR& descriptor) const;

 private:
  struct Monitor {
    bool connected = false;
    std::vector<std::byte> edid;
    std::vector<Mode> modes;

    friend bool operator==(const Monitor&, const Monitor&) = default;
  };
  mutable Mutex mutex_;
  std::array<Monitor, kMaxVidPnSources> monitors_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::kms
