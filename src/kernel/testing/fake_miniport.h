// A miniport for tests: it writes down every DDI with its IRQL, fails or misbehaves on command, and interrupts when a test says
// so.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "kernel/adapter/irql.h"

#include <dispmprt.h>

namespace tandem::kernel {

// One device of one driver. Set it up (table, caps, hooks), hand Entry() to LoadDriver, start one adapter. The object outlives
// both; only one exists at a time. Threads: the DDIs from any; set up and read `calls()` from the test's.
//
// Every handle that it gives out for a device or context is its own address, so that any DDI finds it.
class FakeMiniport {
 public:
  struct Call {
    std::string ddi;  // "DxgkDdiPatch"
    KIRQL irql;
  };
  static constexpr std::uint64_t kSegmentSize = 64ULL << 20;  // each of the two
  static constexpr std::uint64_t kApertureBase = 1ULL << 32;

  FakeMiniport() {
    TANDEM_CHECK(instance_ == nullptr);
    instance_ = this;
    caps.WDDMVersion = DXGKDDI_WDDMv3_1;
    caps.MaxAllocationListSlotId = 16;
    caps.MaxQueuedFlipOnVSync = 1;
    caps.FlipCaps.FlipOnVSyncMmIo = caps.FlipCaps.FlipImmediateMmIo = caps.FlipCaps.FlipInterval = caps.FlipCaps.FlipIndependent =
        1;
    caps.MemoryManagementCaps.CrossAdapterResource = caps.MemoryManagementCaps.CrossAdapterResourceTexture = 1;
    caps.MemoryManagementCaps.CrossAdapterResourceScanout = 1;
    caps.MemoryManagementCaps.PagingNode = 1;
    caps.GpuEngineTopology.NbAsymetricProcessingNodes = 2;
    segments.resize(2);
    segments[0].Size = segments[1].Size = kSegmentSize;
    segments[0].Flags.CpuVisible = 1;
    segments[1].BaseAddress.QuadPart = kApertureBase;
    segments[1].Flags.Aperture = segments[1].Flags.CacheCoherent = 1;
    FillLifeCycle();
    FillRendering();
    FillDisplay();
  }
  ~FakeMiniport() { instance_ = nullptr; }
  FakeMiniport(const FakeMiniport&) = delete;
  FakeMiniport& operator=(const FakeMiniport&) = delete;

  static DRIVER_INITIALIZE* Entry() {
    return [](DRIVER_OBJECT* driver, UNICODE_STRING* path) { return DxgkInitialize(driver, path, &instance_->table); };
  }

  // Answers of the driver.
  DRIVER_INITIALIZATION_DATA table{};
  DXGK_DRIVERCAPS caps{};
  std::size_t caps_bytes = sizeof(caps);  // what it must be asked for at least
  DXGK_CHILD_CAPABILITIES child_caps{};
  std::vector<DXGK_SEGMENTDESCRIPTOR4> segments;
  UINT paging_segment = 0;
  UINT paging_size = 64U << 10;
  UINT paging_private_size = 256;
  ULONG sources = 1;
  ULONG children = 1;

  // Behaviour. The DDI with this number (from 0, in call order) returns STATUS_UNSUCCESSFUL; -1 for none. Only DDIs with a
  // status count.
  int fail_call = -1;
  bool isr_queues_dpc = true;
  BOOLEAN isr_claims = TRUE;  // its result
  bool dpc_notifies = true;
  bool complete_at_once = false;  // SubmitCommand interrupts with DMA_COMPLETED before it returns

  // Bodies that a test gives; the default is STATUS_SUCCESS.
  std::function<NTSTATUS()> on_start_device, on_stop_device, on_remove_device;
  std::function<void()> on_interrupt, on_dpc;
  std::function<NTSTATUS(DXGKARG_CREATEALLOCATION*)> on_create_allocation;
  std::function<NTSTATUS(const DXGKARG_OPENALLOCATION*)> on_open_allocation;
  std::function<NTSTATUS(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA*)> on_standard_allocation;
  std::function<NTSTATUS(DXGKARG_DESCRIBEALLOCATION*)> on_describe_allocation;
  std::function<NTSTATUS(DXGKARG_BUILDPAGINGBUFFER*)> on_build_paging_buffer;
  std::function<NTSTATUS(DXGKARG_CREATECONTEXT*)> on_create_context;
  std::function<NTSTATUS(DXGKARG_PRESENT*)> on_present;
  std::function<NTSTATUS(DXGKARG_RENDER*)> on_render;
  std::function<NTSTATUS(const DXGKARG_PATCH*)> on_patch;
  std::function<NTSTATUS(const DXGKARG_SUBMITCOMMAND*)> on_submit;
  std::function<NTSTATUS(const DXGKARG_PREEMPTCOMMAND*)> on_preempt;
  std::function<NTSTATUS(const DXGKARG_CANCELCOMMAND*)> on_cancel;
  std::function<NTSTATUS(DXGKARG_QUERYCURRENTFENCE*)> on_query_fence;
  std::function<NTSTATUS(DXGKARG_QUERYDEPENDENTENGINEGROUP*)> on_query_group;
  std::function<NTSTATUS(DXGKARG_QUERYENGINESTATUS*)> on_query_status;
  std::function<NTSTATUS(DXGKARG_RESETENGINE*)> on_reset_engine;
  std::function<NTSTATUS(const DXGKARG_COLLECTDBGINFO*)> on_collect;
  std::function<NTSTATUS()> on_reset_from_timeout, on_restart_from_timeout;
  std::function<NTSTATUS(const DXGKARG_SETVIDPNSOURCEADDRESS*)> on_set_vidpn_source_address;
  std::function<NTSTATUS(DXGK_CHILD_STATUS*)> on_query_child_status;
  std::function<NTSTATUS(const DXGKARG_COMMITVIDPN*)> on_commit_vidpn;
  std::function<NTSTATUS(const DXGKARG_ENUMVIDPNCOFUNCMODALITY*)> on_enum_vidpn_cofunc_modality;
  std::function<NTSTATUS(DXGKARG_ISSUPPORTEDVIDPN*)> on_is_supported_vidpn;
  std::function<NTSTATUS(DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3*)> on_check_overlay;
  std::function<NTSTATUS(DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3*)> on_set_planes;

  // Features: a driver without DxgkDdiQueryInterface until OfferFeatures(), then one that supports none. Runs on the thread that
  // asks.
  std::function<NTSTATUS(QUERY_INTERFACE*)> on_query_interface;  // after the interface was filled
  std::function<NTSTATUS(DXGKARG_QUERYFEATURESUPPORT*)> on_query_feature_support;
  std::function<NTSTATUS(DXGKARG_QUERYFEATUREINTERFACE*)> on_query_feature_interface;
  int feature_references = 0;
  void OfferFeatures();

  // From StartDevice and AddDevice.
  [[nodiscard]] DXGKRNL_INTERFACE& kernel() { return kernel_; }
  [[nodiscard]] DEVICE_OBJECT& device() { return *device_; }

  // The device interrupts on the calling thread; its interrupt routine notes these.
  void Interrupt(const std::vector<DXGKARGCB_NOTIFY_INTERRUPT_DATA>& notes) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      pending_.insert(pending_.end(), notes.begin(), notes.end());
    }
    device_->Bus.RaiseInterrupt(device_->Bus.Context, 0);
  }
  void CompleteDma(UINT node, UINT fence) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
    note.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    note.DmaCompleted.SubmissionFenceId = fence;
    note.DmaCompleted.NodeOrdinal = node;
    Interrupt({note});
  }
  void AnswerPreemption(UINT node, UINT preemption_fence, UINT last_completed_fence) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
    note.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
    note.DmaPreempted.PreemptionFenceId = preemption_fence;
    note.DmaPreempted.LastCompletedFenceId = last_completed_fence;
    note.DmaPreempted.NodeOrdinal = node;
    Interrupt({note});
  }
  void Vsync(UINT target, std::uint64_t address) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA note{};
    note.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
    note.CrtcVsync.VidPnTargetId = target;
    note.CrtcVsync.PhysicalAddress.QuadPart = static_cast<LONGLONG>(address);
    Interrupt({note});
  }

  [[nodiscard]] std::vector<Call> calls() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return calls_;
  }
  // The names alone, in order.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Call& call : calls()) names.push_back(call.ddi);
    return names;
  }
  // Calls of the DDI so far.
  [[nodiscard]] std::size_t count(const std::string& ddi) const {
    std::size_t count = 0;
    for (const Call& call : calls()) count += call.ddi == ddi ? 1 : 0;
    return count;
  }
  // Forgets the calls, and counts them for fail_call from 0 again.
  void ForgetCalls() {
    const std::lock_guard<std::mutex> lock(mutex_);
    calls_.clear();
    next_call_ = 0;
  }

 private:
  static FakeMiniport& Of(const void* handle) { return *static_cast<FakeMiniport*>(const_cast<void*>(handle)); }

  // False when this call has to fail.
  bool Note(const char* ddi, bool counts) {
    const std::lock_guard<std::mutex> lock(mutex_);
    calls_.push_back({ddi, CurrentIrql()});
    return !counts || next_call_++ != fail_call;
  }

  template <class Hook, class... Args>
  NTSTATUS Run(const char* ddi, const Hook& hook, Args... args) {
    if (!Note(ddi, true)) return STATUS_UNSUCCESSFUL;
    return hook ? hook(args...) : STATUS_SUCCESS;
  }
  NTSTATUS Run(const char* ddi) { return Run(ddi, std::function<NTSTATUS()>()); }

  HANDLE NewHandle() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return reinterpret_cast<HANDLE>(next_handle_ += 16);
  }

  void FillLifeCycle();
  void FillRendering();
  void FillDisplay();
  NTSTATUS AnswerQuery(const DXGKARG_QUERYADAPTERINFO& query);
  void RunInterruptRoutine();
  void RunDpcRoutine();

  static inline FakeMiniport* instance_ = nullptr;
  DXGKRNL_INTERFACE kernel_{};
  DEVICE_OBJECT* device_ = nullptr;
  mutable std::mutex mutex_;
  std::vector<Call> calls_;
  int next_call_ = 0;
  std::uintptr_t next_handle_ = 0x1000;
  std::vector<DXGKARGCB_NOTIFY_INTERRUPT_DATA> pending_;
};

}  // namespace tandem::kernel

#include "kernel/testing/fake_miniport_ddis.h"
