// MMIO flips of one VidPn source: waiting flips, the one that was programmed, and its retirement by CRTC_VSYNC.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "kernel/adapter/adapter.h"

namespace tandem::kernel {

// Flips that may wait in one queue beside the programmed one.
inline constexpr std::uint32_t kMaxQueuedFlips = 8;

struct Flip {
  HANDLE allocation = nullptr;  // the driver's CreateAllocation handle
  HANDLE context = nullptr;     // the driver's handle of the context that presents; not used by a mode change
  std::uint32_t segment = 0;
  std::uint64_t address = 0;  // physical address of the surface
  D3DDDI_FLIPINTERVAL_TYPE interval = D3DDDI_FLIPINTERVAL_ONE;
  std::uint64_t cookie = 0;  // given back when the flip is retired
};

// One per adapter, for all its sources. Threads: any; allocates nothing after creation.
class FlipQueue {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // The surface is being scanned out: CRTC_VSYNC reported its address. DPC thread, DISPATCH_LEVEL.
    virtual void OnFlipRetired(std::uint32_t vidpn_source, std::uint64_t cookie, std::int64_t vsync_time_ns) = 0;
  };

  static std::unique_ptr<FlipQueue> Create(Adapter& adapter, Owner& owner);
  virtual ~FlipQueue() = default;

  // STATUS_SUCCESS, STATUS_INVALID_PARAMETER (source), STATUS_DEVICE_BUSY-like STATUS_GRAPHICS_PRESENT_DENIED never: a full queue
  // answers STATUS_DEVICE_NOT_READY and nothing is queued. Programs the flip at once when nothing is pending before it.
  virtual NTSTATUS Queue(std::uint32_t vidpn_source, const Flip& flip) = 0;
  // Mode change: programs the surface at once (PASSIVE_LEVEL, Flags.ModeChange) and forgets waiting flips.
  virtual NTSTATUS SetMode(std::uint32_t vidpn_source, const Flip& flip) = 0;
  // SetVidPnSourceVisibility; the vertical-blank interrupt is enabled while any source is visible.
  virtual NTSTATUS SetVisibility(std::uint32_t vidpn_source, bool visible) = 0;
  // Blocks until the next CRTC_VSYNC of the source; STATUS_DEVICE_REMOVED when the adapter goes first, STATUS_TIMEOUT.
  virtual NTSTATUS WaitForVerticalBlank(std::uint32_t vidpn_source, std::int64_t timeout_ns) = 0;
};

}  // namespace tandem::kernel
