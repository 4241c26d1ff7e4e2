// Flips from their place in the queue to the screen, and the surfaces that they keep in use.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "base/ring.h"
#include "kernel/submit/context_queue.h"
#include "kernel/submit/memory_waiters.h"
#include "kernel/submit/work_monitor.h"

namespace tandem::kernel {

// One per adapter. A flip takes a place, and is pinned and queued in its context. The host gets it with a cookie once all earlier
// packets are complete. Its surfaces stay in use until another flip is on the screen. Allocates nothing. Threads: any, at
// PASSIVE_LEVEL; what needs `work_lock` up to DISPATCH_LEVEL.
class FlipLedger {
 public:
  // Both under `work_lock`.
  class Host {
   public:
    virtual ~Host() = default;
    // Gives `cookie` back to Scheduler::OnFlipRetired later, by another thread. `driver_context` is the driver's handle of the
    // context that presents. IRQL up to DISPATCH.
    virtual NTSTATUS QueueFlip(const PendingFlip& flip, HANDLE driver_context, std::uint64_t cookie) = 0;
    // The driver's context goes: flips that were queued and are not programmed yet name none.
    virtual void ForgetContext(HANDLE driver_context) = 0;
  };
  enum class FullQueue : std::uint8_t { kWait, kRefuse };

  // Both outlive the ledger.
  FlipLedger(WorkMonitor& monitor, MemoryWaiters& memory) : monitor_(monitor), memory_(memory) {}
  FlipLedger(const FlipLedger&) = delete;
  FlipLedger& operator=(const FlipLedger&) = delete;

  // Null: every flip is refused.
  void SetHost(Host* host);

  // A place for one more flip of the source. While kMaxPendingFlips are not on the screen, kWait waits until one is, and kRefuse
  // answers STATUS_DEVICE_NOT_READY.
  [[nodiscard]] NTSTATUS Reserve(const ContextQueue& context, D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, FullQueue when_full);
  // Gives a place back that Begin did not take.
  void Release(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source);
  // Takes a place for the flip and pins its surfaces, which the caller has pinned, too. False, with the place and the planes
  // given back, when one of them is not resident.
  [[nodiscard]] bool Begin(const PendingFlip& flip);
  // The flip is not issued: place, surfaces and planes are given back.
  void Forget(const PendingFlip& flip) TANDEM_REQUIRES(work_lock);
  // Hands flips of the context to the host whose packets are complete.
  void Issue(ContextQueue& context) TANDEM_REQUIRES(work_lock);

  // Waits until the mode that was issued last is on the screen: STATUS_DEVICE_NOT_READY after kReplaceTimeoutNs.
  [[nodiscard]] NTSTATUS AwaitMode(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source);
  // A mode change that shows the primary is about to be programmed. It behaves like a flip ordered after all earlier ones, and is
  // retired the same way. STATUS_DEVICE_NOT_READY while one of the source is not on the screen.
  [[nodiscard]] NTSTATUS IssueMode(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, Allocation& primary, std::uint64_t& cookie);
  // The driver refused it.
  void CancelMode(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source);

  // The flip with that cookie, and all earlier ones of the source, are done. Collect() finds them. Takes no lock.
  void Retire(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, std::uint64_t cookie);
  // Ends the flips that were retired.
  void Collect() TANDEM_REQUIRES(work_lock);
  // The source shows nothing any more: its flips end, and the surface on the screen is unused.
  void Drop(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) TANDEM_REQUIRES(work_lock);
  // The context goes: its issued flips name none.
  void ForgetContext(const ContextQueue& context) TANDEM_REQUIRES(work_lock);

  // Bit N: VidPn source N shows the allocation, or is about to.
  [[nodiscard]] std::uint32_t SourcesOf(const Allocation& allocation);

 private:
  // One allocation, or the planes whose lowest it is.
  struct Surfaces {
    Allocation* allocation = nullptr;
    PlaneSet* planes = nullptr;
    [[nodiscard]] std::span<Allocation* const> all() const {
      return planes != nullptr ? std::span(planes->allocations).first(planes->count)
                               : std::span(&allocation, allocation != nullptr ? 1 : 0);
    }
  };
  struct IssuedFlip {
    std::uint64_t cookie = 0;
    ContextQueue* context = nullptr;  // null: its context is gone, or it is a mode change
    Surfaces surfaces;
  };
  struct Source {
    std::uint64_t last_cookie = 0;
    std::uint32_t queued = 0;                       // places in operations and flips of contexts, not issued yet
    Ring<IssuedFlip, kMaxPendingFlips + 1> issued;  // one of them may be a mode change
    std::uint64_t mode_cookie = 0;                  // the mode change's; 0: there is none
    Surfaces on_screen;                             // in use as long as they are scanned out
    std::atomic<std::uint64_t> retired{0};          // cookie; written by the DPC thread
    [[nodiscard]] std::size_t pending() const { return queued + issued.size() - (mode_cookie != 0 ? 1 : 0); }
  };
  // False, and nothing is pinned, when one of them is not resident.
  [[nodiscard]] static bool Pin(const Surfaces& surfaces);
  void End(const Surfaces& surfaces) TANDEM_REQUIRES(work_lock);

  WorkMonitor& monitor_;
  MemoryWaiters& memory_;
  Host* host_ TANDEM_GUARDED_BY(work_lock) = nullptr;
  std::size_t issued_ TANDEM_GUARDED_BY(work_lock) = 0;  // flips of all sources; without one a copy looks at no source
  std::array<Source, kMaxFlipSources> sources_;          // `retired` by any thread, the rest under work_lock
};

}  // namespace tandem::kernel
