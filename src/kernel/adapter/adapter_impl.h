// The adapter behind adapter.h: its life from AddDevice to RemoveDevice.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel/adapter/adapter.h"
#include "kernel/adapter/caps_check.h"
#include "kernel/adapter/driver.h"
#include "kernel/adapter/feature_driver.h"
#include "kernel/adapter/interrupts.h"
#include "kernel/adapter/monitor_functions.h"
#include "kernel/adapter/timeout_watch.h"

namespace tandem::kernel {

class AdapterImpl final : public Adapter, private TimeoutWatch::Owner {
 public:
  // `bus` null: a machine without a hardware bus.
  AdapterImpl(Driver& driver, void* device_extension, DeviceBus* bus, std::string name, LUID luid, AdapterVisibility visibility,
              Clock& clock);
  ~AdapterImpl() override;

  // AddDevice, StartDevice, caps, segments, children; stops at the first that fails, the destructor undoes what was done. A
  // display-only driver has no segments.
  [[nodiscard]] Result<void> Start();

  [[nodiscard]] LUID luid() const override { return luid_; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const DRIVER_INITIALIZATION_DATA& ddi() const override { return driver_.ddi(); }
  [[nodiscard]] PVOID miniport_context() const override { return miniport_context_; }
  [[nodiscard]] const DXGK_DRIVERCAPS& caps() const override { return caps_; }
  [[nodiscard]] const std::string& tier_refusal() const override { return tier_refusal_; }
  [[nodiscard]] const std::vector<SegmentDescription>& segments() const override { return segments_; }
  [[nodiscard]] std::uint32_t paging_buffer_size() const override { return paging_buffer_.size; }
  [[nodiscard]] std::uint32_t paging_buffer_private_data_size() const override { return paging_buffer_.private_data_size; }
  [[nodiscard]] std::uint32_t node_count() const override { return caps_.GpuEngineTopology.NbAsymetricProcessingNodes; }
  [[nodiscard]] std::uint32_t paging_node() const override { return caps_.MemoryManagementCaps.PagingNode; }
  [[nodiscard]] std::uint32_t vidpn_source_count() const override { return vidpn_sources_; }
  [[nodiscard]] const std::vector<ULONG>& targets() const override { return targets_; }
  [[nodiscard]] Clock& clock() const override { return clock_; }
  [[nodiscard]] DdiGate& gate() override { return gate_; }
  [[nodiscard]] bool alive() const override { return !lost_.load(std::memory_order_acquire); }
  void ReportViolation(const char* rule, const std::string& seen) override;
  void KeepUntilStopped(std::shared_ptr<const void> memory) override;
  void SetTrial(const TrialSettings& trial) override { trial_ = trial; }
  [[nodiscard]] const TrialSettings& trial() const override { return trial_; }
  void NoteOverrun(const std::string& seen) override;
  [[nodiscard]] std::string overrun() override;
  [[nodiscard]] std::string violation() const override {
    return violation_ready_.load(std::memory_order_acquire) ? violation_ : std::string();
  }

  [[nodiscard]] Result<void> WatchCalls(std::int64_t delay_ns) override;
  [[nodiscard]] bool hung() override { return gate_.given_up() && gate_.occupied(); }
  void SetHangListener(InterruptSink* listener) override;

  void AddSink(InterruptSink& sink) override { interrupts_.AddSink(sink); }
  void RemoveSink(InterruptSink& sink) override { interrupts_.RemoveSink(sink); }
  void RequestDpc() override { interrupts_.RequestDpc(); }
  [[nodiscard]] std::int64_t interrupt_time_ns() const override { return interrupts_.delivering_noted_at_ns(); }
  [[nodiscard]] std::span<const PlaneReport> interrupt_planes() const override { return interrupts_.delivering_planes(); }
  [[nodiscard]] AdapterFeatures& features() override { return features_; }
  void SetHandleResolver(HandleResolver* resolver) override { resolver_.store(resolver, std::memory_order_release); }
  [[nodiscard]] CounterSet& counters() override { return counters_; }
  [[nodiscard]] Result<DXGK_DISPLAY_INFORMATION> HandDisplayOver() override;
  [[nodiscard]] PresentProgress& present_progress() override { return present_progress_; }
  [[nodiscard]] Monitors& monitors() override { return monitors_; }
  [[nodiscard]] ChildStatuses& child_statuses() override { return child_statuses_; }

  // For the callbacks of DXGKRNL_INTERFACE.
  [[nodiscard]] Interrupts& interrupts() { return interrupts_; }
  [[nodiscard]] AcquiredMonitorModes& acquired_monitor_modes() { return acquired_monitor_modes_; }
  [[nodiscard]] HandleResolver* resolver() const { return resolver_.load(std::memory_order_acquire); }
  [[nodiscard]] DEVICE_OBJECT& device_object() { return device_object_; }
  [[nodiscard]] DeviceBus* bus() const { return bus_; }
  // The driver draws to the firmware's frame buffer from now on.
  void OnPostDisplayAcquired() { owns_post_display_ = true; }

 private:
  // DdiGate::Owner
  void OnUnwatchedCall() override;
  [[nodiscard]] const char* adapter_name() const override { return name_.c_str(); }
  [[nodiscard]] AdapterImpl* adapter() override { return this; }
  // TimeoutWatch::Owner
  std::int64_t CheckTimeouts() override;

  [[nodiscard]] Result<void> AddDevice();
  [[nodiscard]] Result<void> AcquireFeatures();
  [[nodiscard]] Result<void> StartDevice();
  [[nodiscard]] Result<void> NegotiateFeatures();
  [[nodiscard]] Result<void> QueryCaps();
  [[nodiscard]] Result<void> QuerySegments();
  void DropTiersWithoutAperture();
  [[nodiscard]] Result<void> QueryChildren();
  [[nodiscard]] Result<void> QueryMonitors();
  [[nodiscard]] bool display_only() const { return driver_.present_display_only() != nullptr; }
  void StopDevice();
  // A driver that gives the firmware's frame buffer back stops its device with the same call.
  [[nodiscard]] NTSTATUS ReleaseDisplay(DXGK_DISPLAY_INFORMATION& left_behind);
  [[nodiscard]] NTSTATUS QueryInfo(DXGK_QUERYADAPTERINFOTYPE type, void* input, std::uint32_t input_size, void* output,
                                   std::uint32_t output_size);
  // StopDevice and RemoveDevice. They pass a gate that was given up, once nobody is inside.
  void CallLast(Ddi ddi, NTSTATUS (*function)(CONST PVOID context));
  [[nodiscard]] Error DdiFailed(const char* what, NTSTATUS status) const;

  Driver& driver_;
  DeviceBus* const bus_;
  const std::string name_;
  const LUID luid_;
  const AdapterVisibility visibility_;
  Clock& clock_;
  DdiGate gate_;
  Interrupts interrupts_;
  FeatureDriver feature_driver_;
  AdapterFeatures features_;
  DEVICE_OBJECT device_object_{};
  DXGKRNL_INTERFACE callbacks_{};

  PVOID miniport_context_ = nullptr;
  bool added_ = false;
  bool started_ = false;
  std::atomic<bool> owns_post_display_{false};
  DXGK_DRIVERCAPS caps_{};
  std::string tier_refusal_;
  std::vector<SegmentDescription> segments_;
  PagingBufferDescription paging_buffer_;
  ULONG vidpn_sources_ = 0;
  ULONG children_ = 0;
  std::vector<ULONG> targets_;  // ChildUid of each video output
  std::vector<ULONG> watched_;  // those whose connection the driver notices (HpdAwarenessInterruptible, HpdAwarenessPolled)
  Monitors monitors_;
  AcquiredMonitorModes acquired_monitor_modes_;
  ChildStatuses child_statuses_;

  std::atomic<bool> lost_{false};
  Mutex kept_mutex_;
  std::vector<std::shared_ptr<const void>> kept_ TANDEM_GUARDED_BY(kept_mutex_);
  TrialSettings trial_;
  Mutex overrun_mutex_;
  std::string overrun_ TANDEM_GUARDED_BY(overrun_mutex_);
  std::string violation_;  // written once, before violation_ready_
  std::atomic<bool> violation_ready_{false};
  std::atomic<HandleResolver*> resolver_{nullptr};
  CounterSet counters_;
  PresentProgress present_progress_;

  std::int64_t call_limit_ns_ = 0;
  std::atomic<bool> watches_{false};
  Mutex hang_mutex_;
  InterruptSink* hang_listener_ TANDEM_GUARDED_BY(hang_mutex_) = nullptr;
  std::unique_ptr<TimeoutWatch> watch_;  // null: WatchCalls was not called
};

// The adapter that DXGKRNL_INTERFACE.DeviceHandle stands for.
[[nodiscard]] inline AdapterImpl& AdapterOf(HANDLE device) { return *static_cast<AdapterImpl*>(device); }

}  // namespace tandem::kernel
