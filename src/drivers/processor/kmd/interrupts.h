// The interrupt registers of the device: engines and scan-outs set them and raise, the interrupt routine reads them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/limits.h"
#include "drivers/processor/kmd/scan_out_frame.h"

#include <d3dkmddi.h>
#include <dispmprt.h>

namespace tandem::processor {

inline constexpr std::uint32_t kNodeCount = 2;
inline constexpr std::uint32_t kRenderNode = 0;
inline constexpr std::uint32_t kCopyNode = 1;

// Each register has one writer (its engine's or scan-out's thread) and one reader (the interrupt routine). Raise() returns when
// the routine has run, so a writer never overwrites what was not read.
class InterruptRegisters {
 public:
  // The callback table is copied; valid until Stop().
  void Start(const TANDEM_BUS_INTERFACE& bus, const DXGKRNL_INTERFACE& kernel);

  // Writers. PASSIVE_LEVEL, no lock held: the kernel's interrupt routine runs inside.
  void Completed(std::uint32_t node, std::uint32_t fence);
  void Preempted(std::uint32_t node, std::uint32_t preemption_fence, std::uint32_t last_completed_fence);
  void Faulted(std::uint32_t node, std::uint32_t fence, std::uint64_t address, bool on_write, bool bad_command);
  // Sets the register alone, under the scan-out's lock, so that a flip that is programmed from then on finds it. Raise() follows.
  // `time_ns`: when the vertical blank was, of the bus's clock; 0: at the report.
  void SetVerticalBlank(std::uint32_t target, const ScanOutFrame& scanned_out, std::int64_t time_ns = 0);
  void Raise() { bus_.RaiseInterrupt(bus_.Context, 0); }
  // What was not read yet is not read: a flip to the same address is programmed, and would be taken for done. Under the
  // scan-out's lock, where the interrupt routine cannot run (flips at DIRQL).
  void WithdrawVerticalBlank(std::uint32_t target, std::uint64_t address);

  // The interrupt routine: notifies what is set, DMA before CRTC, and queues the DPC. False when nothing was.
  bool Service();
  // The DPC routine.
  void NotifyDpc();

 private:
  struct Node {
    std::atomic<bool> completed{false};
    std::atomic<bool> preempted{false};
    std::atomic<bool> faulted{false};
    std::uint32_t completed_fence = 0;
    std::uint32_t preemption_fence = 0;
    std::uint32_t faulted_fence = 0;
    std::uint64_t fault_address = 0;
    bool fault_on_write = false;
    bool bad_command = false;
  };
  struct Target {
    std::atomic<bool> vertical_blank{false};
    std::uint64_t address = 0;
    std::int64_t time_ns = 0;
    // Empty while the surface at `address` is shown alone.
    std::uint32_t plane_count = 0;
    std::array<DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2, kMaxScanOutPlanes> planes{};
  };

  void Notify(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) { kernel_.DxgkCbNotifyInterrupt(kernel_.DeviceHandle, &data); }
  bool ServiceNode(std::uint32_t ordinal);
  bool ServiceTarget(std::uint32_t id);

  TANDEM_BUS_INTERFACE bus_{};
  DXGKRNL_INTERFACE kernel_{};
  std::array<Node, kNodeCount> nodes_;
  std::array<Target, kMaxVidPnSources> targets_;
};

}  // namespace tandem::processor
