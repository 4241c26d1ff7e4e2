// A started adapter: the driver's dispatch table, its caps and segments as they were checked at start, and the gate through which
// every DDI is called.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "kernel/adapter/child_statuses.h"
#include "kernel/adapter/ddi_gate.h"
#include "kernel/adapter/monitors.h"
#include "kernel/adapter/present_progress.h"
#include "kernel/display_only.h"
#include "kernel/feature/adapter_features.h"
#include "kernel/kernel.h"

#include <d3dkmddi.h>
#include <dispmprt.h>

namespace tandem::kernel {

// Layers of overlay planes; 0 is the top one.
inline constexpr std::uint32_t kMaxOverlayLayers = 8;

// A plane in a vertical blank that tells of planes (DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY, 2 and 3).
struct PlaneReport {
  std::uint32_t layer = 0;
  bool enabled = true;      // the first type alone tells
  std::uint64_t value = 0;  // PhysicalAddress, PresentId or FirstFreeFlipQueueLogEntryIndex, by type
};

// Receiver of an adapter's interrupts. Called on the adapter's DPC thread at DISPATCH_LEVEL, in the
// order of the driver's DxgkCbNotifyInterrupt calls, after the driver's DPC routine called DxgkCbNotifyDpc. Must not block, must
// not call Call() of a PASSIVE DDI.
class InterruptSink {
 public:
  virtual ~InterruptSink() = default;
  virtual void OnInterrupt(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) = 0;
  // Somebody called Adapter::RequestDpc() since the last time. DPC thread, DISPATCH_LEVEL.
  virtual void OnDpc() {}
  // The driver broke a rule and the adapter is stopped: no interrupt comes any more; wake whoever waits for one. Once, on the DPC
  // thread; once more, on another thread, when a call of the driver does not return.
  virtual void OnAdapterLost() {}
};

// Answers DxgkCbGetHandleData, DxgkCbGetHandleParent and DxgkCbEnumHandleChildren for objects that live in the rooms above. Any
// thread that is in a DDI of the adapter, IRQL < DISPATCH.
class HandleResolver {
 public:
  virtual ~HandleResolver() = default;
  // The driver's own handle behind a D3DKMT handle of this adapter; null when there is none.
  [[nodiscard]] virtual PVOID HandleData(const DXGKARGCB_GETHANDLEDATA& args) = 0;
  // The resource of an allocation; 0 for one that stands alone.
  [[nodiscard]] virtual D3DKMT_HANDLE HandleParent(D3DKMT_HANDLE allocation) = 0;
  // Allocation `index` of a resource; 0 behind the last one.
  [[nodiscard]] virtual D3DKMT_HANDLE HandleChild(D3DKMT_HANDLE resource, UINT index) = 0;
};

struct SegmentDescription {
  std::uint32_t id = 0;  // 1-based, as in DXGK_ALLOCATIONLIST::SegmentId
  std::uint64_t base_address = 0;
  std::uint64_t size = 0;
  bool aperture = false;
  bool cpu_visible = false;
  // DXGK_SEGMENTDESCRIPTOR*::CpuTranslatedAddress, which is a host address on a machine without a hardware bus; 0 when not CPU
  // visible.
  std::uint64_t cpu_address = 0;
};

// Engines of one adapter.
inline constexpr std::uint32_t kMaxNodes = 8;
// Segment sets are 32-bit masks.
inline constexpr std::uint32_t kMaxSegments = 32;
// Bytes of one paging buffer, and of its private data, that a driver may ask for.
inline constexpr std::uint32_t kMaxPagingBufferSize = 16U << 20;
// DxgkCbNotifyInterrupt calls that may wait for one DPC.
inline constexpr std::uint32_t kMaxNotedInterrupts = 1024;

class Adapter : public DdiGate::Owner {
 public:
  ~Adapter() override = default;

  [[nodiscard]] virtual LUID luid() const = 0;
  [[nodiscard]] virtual const std::string& name() const = 0;  // the DEVICE_OBJECT's
  [[nodiscard]] virtual const DRIVER_INITIALIZATION_DATA& ddi() const = 0;
  [[nodiscard]] virtual PVOID miniport_context() const = 0;  // MiniportDeviceContext from AddDevice
  [[nodiscard]] virtual const DXGK_DRIVERCAPS& caps() const = 0;
  // Why the cross-adapter tier that the driver declares counts as none, with rules.h's name; empty: it counts.
  [[nodiscard]] virtual const std::string& tier_refusal() const = 0;
  [[nodiscard]] virtual const std::vector<SegmentDescription>& segments() const = 0;
  [[nodiscard]] virtual std::uint32_t paging_buffer_size() const = 0;  // bytes, from DXGK_QUERYSEGMENTOUT*
  [[nodiscard]] virtual std::uint32_t paging_buffer_private_data_size() const = 0;
  [[nodiscard]] virtual std::uint32_t node_count() const = 0;  // engines, 1..kMaxNodes
  [[nodiscard]] virtual std::uint32_t paging_node() const = 0;
  [[nodiscard]] virtual std::uint32_t vidpn_source_count() const = 0;
  [[nodiscard]] virtual const std::vector<ULONG>& targets() const = 0;  // VidPnTargetId of each video output
  [[nodiscard]] virtual Clock& clock() const = 0;
  [[nodiscard]] virtual DdiGate& gate() = 0;
  // False once the adapter was removed, or stopped because its driver broke a rule: nothing is called any more, thunks answer
  // DEVICE_REMOVED.
  [[nodiscard]] virtual bool alive() const = 0;
  // Stops the adapter because `rule` was broken; logs once, tells every sink by OnAdapterLost(). Any thread, any IRQL.
  void ReportViolation(const char* rule, const std::string& seen) override = 0;
  // The sentence of the rule that was broken first, with driver, adapter and rules.h's name; empty while none was. Any thread.
  [[nodiscard]] virtual std::string violation() const = 0;

  // Sinks hear of what was noted after AddSink and nothing after RemoveSink returned. Neither from a sink nor from a DDI.
  virtual void AddSink(InterruptSink& sink) = 0;
  virtual void RemoveSink(InterruptSink& sink) = 0;
  // Makes the DPC thread call every sink's OnDpc() soon; several requests may end in one call. Any thread, any IRQL, never
  // blocks.
  virtual void RequestDpc() = 0;
  // When the interrupt that is being delivered was noted (nanoseconds of clock()). Only inside OnInterrupt.
  [[nodiscard]] virtual std::int64_t interrupt_time_ns() const = 0;
  // The planes that it tells of, when it does; its own pointer is the driver's and stale. Only inside OnInterrupt.
  [[nodiscard]] virtual std::span<const PlaneReport> interrupt_planes() const = 0;
  // Any thread, PASSIVE_LEVEL.
  [[nodiscard]] virtual AdapterFeatures& features() = 0;
  [[nodiscard]] bool FeatureEnabled(DXGK_FEATURE_ID id) { return features().Query(id).Enabled != 0; }

  // Memory that the engines of a stopped adapter may still touch: freed once StopDevice and RemoveDevice have returned. Any
  // thread.
  virtual void KeepUntilStopped(std::shared_ptr<const void> memory) = 0;

  // From now on a call that has been in the driver for `delay_ns` breaks rules::kDdiReturns and the adapter is given up: who
  // waits for the driver is let go, and nobody is let in. Not StopDevice and RemoveDevice. Once.
  [[nodiscard]] virtual Result<void> WatchCalls(std::int64_t delay_ns) = 0;
  // A call never came back: neither the adapter nor what the driver may use can be freed. Not any more once it does come back.
  [[nodiscard]] virtual bool hung() = 0;
  // `listener` gets OnAdapterLost() on the watchdog thread, without adapter locks that a hung call could hold. Null when it
  // goes.
  virtual void SetHangListener(InterruptSink* listener) = 0;

  // What the driver said of its monitors, and who hears when it indicates a change.
  [[nodiscard]] virtual Monitors& monitors() = 0;
  [[nodiscard]] virtual ChildStatuses& child_statuses() = 0;

  // DxgkDdiStopDeviceAndReleasePostDisplayOwnership for the first target: the device is stopped, and the frame buffer as the
  // driver leaves it is the answer. Nothing but the end of the adapter follows. kUnsupported without the DDI, or for a driver
  // that does not own the display; else the driver's status as kInternal, or the rule that it broke as kDeviceLost.
  [[nodiscard]] virtual Result<DXGK_DISPLAY_INFORMATION> HandDisplayOver() = 0;

  // Reports of a display-only driver about presents that it left pending.
  [[nodiscard]] virtual PresentProgress& present_progress() = 0;

  // Set before anything else of the adapter is used.
  virtual void SetTrial(const TrialSettings& trial) = 0;
  [[nodiscard]] virtual const TrialSettings& trial() const = 0;
  // Keeps the first sentence about a write behind a buffer. Any thread, any IRQL.
  virtual void NoteOverrun(const std::string& seen) = 0;
  [[nodiscard]] virtual std::string overrun() = 0;  // empty: none was seen

  // Null until set; set before the first user-mode call and cleared before the resolver goes.
  virtual void SetHandleResolver(HandleResolver* resolver) = 0;

  struct CounterSet {
    std::atomic<std::uint64_t> ddi_presents{0}, submissions{0}, patches{0}, flips{0}, vsyncs{0}, resets{0};
    std::atomic<std::uint64_t> preemptions{0}, preemptions_answered{0}, lost_interrupts{0};
  };
  [[nodiscard]] virtual CounterSet& counters() = 0;
};

// Runs DriverEntry and keeps what it registered. kInvalidArgument for a table that breaks the contract (version, missing DDIs),
// by name.
// `features` outlives the driver and its adapters.
[[nodiscard]] Result<std::unique_ptr<Driver>> LoadDriver(DRIVER_INITIALIZE* entry, std::string name, KernelFeatures& features);

// AddDevice, StartDevice, QueryAdapterInfo and the checks of what it said. `driver`, `clock` and `device_extension` outlive the
// adapter. The destructor stops and removes the device (StopDevice, RemoveDevice) after the last DPC has run.
[[nodiscard]] Result<std::unique_ptr<Adapter>> StartAdapter(Driver& driver, void* device_extension, std::string name, LUID luid,
                                                            AdapterVisibility visibility, Clock& clock);
// Starts the adapter of a display-only driver, which has neither segments nor engines; `bus` outlives the adapter. kUnsupported
// for a full driver.
[[nodiscard]] Result<std::unique_ptr<Adapter>> StartDisplayOnly(Driver& driver, void* device_extension, DeviceBus& bus,
                                                                std::string name, LUID luid, Clock& clock);

}  // namespace tandem::kernel
