// Flips of one VidPn source: waiting flips, the one that was programmed, and its retirement by CRTC_VSYNC.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "kernel/adapter/adapter.h"
#include "kernel/submit/plane_set.h"

namespace tandem::kernel {

// Flips and mode changes of one source that were queued, and whose end the owner has not heard of.
inline constexpr std::uint32_t kMaxUnretiredFlips = 9;

struct Flip {
  HANDLE allocation = nullptr;  // the driver's CreateAllocation handle
  HANDLE context = nullptr;     // the driver's handle of the context that presents; null: a mode change, or it is gone
  std::uint32_t segment = 0;
  std::uint64_t address = 0;  // physical address of the surface
  D3DDDI_FLIPINTERVAL_TYPE interval = D3DDDI_FLIPINTERVAL_ONE;
  std::uint64_t cookie = 0;          // given back when the flip is retired; of one source they rise
  const PlaneSet* planes = nullptr;  // shown in place of the allocation alone, which is the lowest of them
  bool in_dma = false;               // a DMA buffer that has run flips to it: the queue programs nothing and counts no blanks
};

struct RetiredFlip {
  std::uint64_t cookie = 0;
  std::int64_t time_ns = 0;
  std::uint64_t vsync = 0;  // vertical blanks of the source so far
};

// One per adapter, for all its sources. Threads: any that is in no DDI; allocates nothing after creation. At first
// target N shows source N: CRTC_VSYNC of VidPnTargetId N is source N's. Where several targets show a source, a flip is retired
// once each has reported it; vertical blanks are counted on the first.
//
// A flip of interval N (1 to 4) takes effect N vertical blanks after the flip before it. Late flips take effect at the next one:
// the kernel counts and programs it one blank ahead. An immediate flip is programmed as soon as it is the head and overtakes the
// programmed flip; it too is retired when CRTC_VSYNC reports its address, which a driver that flips within a frame does at once.
// Without FlipCaps.FlipImmediateMmIo it is a flip of interval 1. A flip of an invisible source is programmed and retired at once,
// because no vertical blank would report it; one of interval 1 to 4 waits for BlankUnseen where somebody calls that.
//
// A mode change overtakes all flips before it, and whatever follows it is programmed when its time has come. What was overtaken
// is retired together with what overtook it, and not before: until then the surface that was on the screen may still be read.
class FlipQueue {
 public:
  // Effect of a mode change on the next flip to its surface: the flip is programmed, or the mode change stands for it.
  enum class FirstFlip : std::uint8_t { kIsProgrammed, kIsTheModeChange };

  class Owner {
   public:
    virtual ~Owner() = default;
    // The flip or mode change is done, in the order of their cookies: CRTC_VSYNC reported its address or that of what overtook
    // it, or the source is invisible. RetiredFlip::time_ns, of the adapter's clock: the vertical blank's, or when the source
    // became invisible. DPC thread, DISPATCH_LEVEL, no lock of the queue held. Not called for flips that are pending when the
    // adapter is lost.
    virtual void OnFlipRetired(std::uint32_t vidpn_source, const RetiredFlip& retired) = 0;
  };

  static std::unique_ptr<FlipQueue> Create(Adapter& adapter, Owner& owner);
  virtual ~FlipQueue() = default;

  // The targets that show an existing source, its primary one first, and no other source; 0 to kMaxVidPnSources. The source is
  // invisible.
  virtual void SetTargets(std::uint32_t vidpn_source, std::span<const std::uint32_t> targets) = 0;
  // STATUS_INVALID_PARAMETER for a source that does not exist, STATUS_DEVICE_REMOVED; a full queue answers
  // STATUS_DEVICE_NOT_READY and nothing is queued. Programs the flip now when nothing is pending before it.
  virtual NTSTATUS Queue(std::uint32_t vidpn_source, const Flip& flip) = 0;
  // The driver's context is about to go: flips that are not programmed yet name no context (ContextCount 0). When it returns no
  // flip that names it is being programmed.
  virtual void ForgetContext(HANDLE context) = 0;
  // Around SetMode, for an existing source: between the two, which come in pairs, nothing is programmed but modes; the flips that
  // are queued meanwhile wait. ReleaseFlips lets the owner hear of what SetMode retired.
  virtual void HoldFlips(std::uint32_t vidpn_source) = 0;
  virtual void ReleaseFlips(std::uint32_t vidpn_source) = 0;
  // Mode change: programs the surface (PASSIVE_LEVEL, Flags.ModeChange) and overtakes the flips of smaller cookies, all of which
  // are queued. With kIsTheModeChange a flip to the same address that is queued next is not programmed once more: it is retired
  // by the next CRTC_VSYNC that reports the address. The driver's status, as Queue's otherwise; a mode that the driver refuses
  // overtakes nothing, and is not retired.
  virtual NTSTATUS SetMode(std::uint32_t vidpn_source, const Flip& flip, FirstFlip first_flip) = 0;
  // SetVidPnSourceVisibility; an invisible source's flips are retired, and those that wait are not programmed. The vertical-blank
  // interrupt is enabled while any source is visible. A source begins invisible. PASSIVE_LEVEL.
  virtual NTSTATUS SetVisibility(std::uint32_t vidpn_source, bool visible) = 0;
  // From now on, or no longer, vertical blanks of the invisible source are those of BlankUnseen, whatever the driver reports.
  // Flips that waited for one are retired when that ends.
  virtual void SetUnseen(std::uint32_t vidpn_source, bool unseen) = 0;
  virtual void BlankUnseen(std::uint32_t vidpn_source) = 0;
  // Blocks until the next CRTC_VSYNC or BlankUnseen of the source; STATUS_DEVICE_REMOVED when the adapter goes first,
  // STATUS_TIMEOUT.
  virtual NTSTATUS WaitForVerticalBlank(std::uint32_t vidpn_source, std::int64_t timeout_ns) = 0;
};

}  // namespace tandem::kernel
