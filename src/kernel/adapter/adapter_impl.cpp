#include "kernel/adapter/adapter_impl.h"

#include <utility>

#include <fmt/core.h>

#include "base/log.h"
#include "base/status_name.h"
#include "kernel/adapter/device_registers.h"
#include "kernel/adapter/rules.h"
#include "kernel/device_slots.h"

namespace tandem::kernel {
namespace {

// Looks for a call within its time limit. A process that was stopped meanwhile misses looks, not its limit.
constexpr std::int64_t kLooksInLimit = 4;

void RaiseInterrupt(PVOID context, ULONG message_number) {
  static_cast<AdapterImpl*>(context)->interrupts().Raise(message_number);
}

UINT64 QueryClock(PVOID context) { return static_cast<UINT64>(static_cast<AdapterImpl*>(context)->clock().NowNs()); }

void StampInterrupt(PVOID context, UINT64 time) {
  static_cast<AdapterImpl*>(context)->interrupts().Stamp(static_cast<std::int64_t>(time));
}

ErrorKind KindOf(NTSTATUS status) {
  switch (status) {
    case STATUS_NO_MEMORY:
    case STATUS_INSUFFICIENT_RESOURCES: return ErrorKind::kOutOfMemory;
    case STATUS_GRAPHICS_NO_VIDEO_MEMORY: return ErrorKind::kOutOfVideoMemory;
    case STATUS_NOT_SUPPORTED: return ErrorKind::kUnsupported;
    case STATUS_NO_SUCH_DEVICE:
    case STATUS_DEVICE_DOES_NOT_EXIST: return ErrorKind::kNotFound;
    case STATUS_DEVICE_REMOVED: return ErrorKind::kDeviceLost;
    default: return ErrorKind::kInternal;
  }
}

}  // namespace

AdapterImpl::AdapterImpl(Driver& driver, void* device_extension, DeviceBus* bus, std::string name, LUID luid,
                         AdapterVisibility visibility, Clock& clock)
    : driver_(driver),
      bus_(bus),
      name_(std::move(name)),
      luid_(luid),
      visibility_(visibility),
      clock_(clock),
      gate_(*this),
      interrupts_(gate_, clock, *this, display_only() ? InterruptSource::kDisplayOnlyDriver : InterruptSource::kFullDriver),
      feature_driver_(gate_),
      features_(driver.features(), feature_driver_) {
  device_object_.DriverObject = &driver.object();
  device_object_.DeviceExtension = device_extension;
  device_object_.Bus = {this, &RaiseInterrupt, &QueryClock, &StampInterrupt};
  device_object_.Name = name_.c_str();
  if (bus_ == nullptr) return;
  AddRegisters(*bus_);
  bus_->Connect(device_object_.Bus);
}

AdapterImpl::~AdapterImpl() {
  lost_.store(true, std::memory_order_release);
  watches_.store(false, std::memory_order_release);
  child_statuses_.Stop();
  if (started_) StopDevice();
  interrupts_.Disable();
  interrupts_.Stop();
  feature_driver_.Release();
  if (added_) CallLast(Ddi::kRemoveDevice, ddi().DxgkDdiRemoveDevice);
  if (bus_ == nullptr) return;
  bus_->Disconnect();
  RemoveRegisters(*bus_);
}

NTSTATUS AdapterImpl::ReleaseDisplay(DXGK_DISPLAY_INFORMATION& left_behind) {
  const auto release = ddi().DxgkDdiStopDeviceAndReleasePostDisplayOwnership;
  left_behind = {};
  if (!owns_post_display_ || release == nullptr || targets_.empty()) return STATUS_NOT_SUPPORTED;
  const NTSTATUS status =
      gate_.Call(Ddi::kStopDeviceAndReleasePostDisplayOwnership, release, miniport_context_, targets_.front(), &left_behind);
  if (NT_SUCCESS(status) && bus_ != nullptr) bus_->ReleasePostDisplayOwnership(left_behind);
  return status;
}

void AdapterImpl::StopDevice() {
  DXGK_DISPLAY_INFORMATION left_behind{};
  const NTSTATUS status = gate_.given_up() ? STATUS_NOT_SUPPORTED : ReleaseDisplay(left_behind);
  if (NT_SUCCESS(status)) return;
  if (status != STATUS_NOT_SUPPORTED)
    Log(LogLevel::kWarn, "{}", DdiFailed("DxgkDdiStopDeviceAndReleasePostDisplayOwnership", status).message);
  CallLast(Ddi::kStopDevice, ddi().DxgkDdiStopDevice);
}

Result<DXGK_DISPLAY_INFORMATION> AdapterImpl::HandDisplayOver() {
  if (!alive() || !started_) return Fail(ErrorKind::kDeviceLost, "Adapter {} is stopped.", name_);
  DXGK_DISPLAY_INFORMATION left_behind{};
  const NTSTATUS status = ReleaseDisplay(left_behind);
  if (const std::string broken = violation(); !broken.empty()) return Fail(ErrorKind::kDeviceLost, "{}", broken);
  if (!NT_SUCCESS(status)) return DdiFailed("DxgkDdiStopDeviceAndReleasePostDisplayOwnership", status);
  started_ = false;
  const auto sane = CheckPostDisplay(left_behind, targets_);
  if (!sane.ok()) ReportViolation(rules::kPostDisplayInformation, sane.error().message);
  if (const std::string broken = violation(); !broken.empty()) return Fail(ErrorKind::kDeviceLost, "{}", broken);
  lost_.store(true, std::memory_order_release);
  return left_behind;
}

void AdapterImpl::CallLast(Ddi ddi, NTSTATUS (*function)(CONST PVOID context)) {
  const NTSTATUS status = gate_.given_up() ? function(miniport_context_) : gate_.Call(ddi, function, miniport_context_);
  if (!NT_SUCCESS(status)) Log(LogLevel::kError, "{}", DdiFailed(RuleOf(ddi).name, status).message);
}

Result<void> AdapterImpl::Start() {
  using Step = Result<void> (AdapterImpl::*)();
  for (const Step step :
       {&AdapterImpl::AddDevice, &AdapterImpl::AcquireFeatures, &AdapterImpl::StartDevice, &AdapterImpl::NegotiateFeatures,
        &AdapterImpl::QueryCaps, &AdapterImpl::QuerySegments, &AdapterImpl::QueryChildren, &AdapterImpl::QueryMonitors}) {
    if (step == &AdapterImpl::QuerySegments && display_only()) continue;
    Result<void> done = (this->*step)();
    if (const std::string broken = violation(); !broken.empty()) return Fail(ErrorKind::kInternal, "{}", broken);
    if (!done.ok()) return std::move(done).error().Context(fmt::format("Driver {}, adapter {}", driver_.name(), name_));
  }
  interrupts_.SetLimits({node_count(), caps_.InterruptMessageNumber, targets_, std::max(caps_.MaxOverlayPlanes, 1u)});
  return {};
}

void AdapterImpl::ReportViolation(const char* rule, const std::string& seen) {
  if (lost_.exchange(true, std::memory_order_acq_rel)) return;
  violation_ = fmt::format("Driver {}, adapter {}: {}: {}", driver_.name(), name_, rule, seen);
  violation_ready_.store(true, std::memory_order_release);
  Log(LogLevel::kError, "{}", violation_);
  interrupts_.MarkLost();
}

Result<void> AdapterImpl::WatchCalls(std::int64_t delay_ns) {
  call_limit_ns_ = delay_ns;
  auto watch = TimeoutWatch::Create(clock_, *this, "tandem-ddi");
  if (!watch.ok()) return std::move(watch).error();
  watch_ = *std::move(watch);
  watches_.store(true, std::memory_order_release);
  watch_->Arm(clock_.NowNs() + call_limit_ns_ / kLooksInLimit);
  return {};
}

void AdapterImpl::SetHangListener(InterruptSink* listener) {
  const MutexLock lock(hang_mutex_);
  hang_listener_ = listener;
}

// Nobody looked since the last call, so the watch exists: the first look is its own.
void AdapterImpl::OnUnwatchedCall() {
  if (watches_.load(std::memory_order_acquire)) watch_->Arm(clock_.NowNs() + call_limit_ns_ / kLooksInLimit);
}

std::int64_t AdapterImpl::CheckTimeouts() {
  const DdiGate::Found found = gate_.Look(kLooksInLimit + 1);
  if (!watches_.load(std::memory_order_acquire)) return kNoDeadline;
  if (!found.overdue) return found.any ? clock_.NowNs() + call_limit_ns_ / kLooksInLimit : kNoDeadline;
  gate_.GiveUp();  // first: who hears of the violation finds the gate closed
  ReportViolation(rules::kDdiReturns, fmt::format("{} has not returned for {} ms, the limit (TdrDdiDelay).",
                                                  RuleOf(*found.overdue).name, call_limit_ns_ / 1'000'000));
  {
    const MutexLock lock(hang_mutex_);
    if (hang_listener_ != nullptr) hang_listener_->OnAdapterLost();
  }
  interrupts_.TellLost();
  return kNoDeadline;
}

void AdapterImpl::KeepUntilStopped(std::shared_ptr<const void> memory) {
  const MutexLock lock(kept_mutex_);
  kept_.push_back(std::move(memory));
}

void AdapterImpl::NoteOverrun(const std::string& seen) {
  const MutexLock lock(overrun_mutex_);
  if (overrun_.empty()) overrun_ = seen;
}

std::string AdapterImpl::overrun() {
  const MutexLock lock(overrun_mutex_);
  return overrun_;
}

Error AdapterImpl::DdiFailed(const char* what, NTSTATUS status) const {
  return Fail(KindOf(status), "{} returned {}.", what, StatusText(status));
}

Result<std::unique_ptr<Adapter>> StartAdapter(Driver& driver, void* device_extension, std::string name, LUID luid,
                                              AdapterVisibility visibility, Clock& clock) {
  if (driver.present_display_only() != nullptr) {
    return Fail(ErrorKind::kUnsupported, "Driver {} is display-only: it neither renders nor holds surfaces.", driver.name());
  }
  auto adapter =
      std::make_unique<AdapterImpl>(driver, device_extension, BusOf(device_extension), std::move(name), luid, visibility, clock);
  if (Result<void> started = adapter->Start(); !started.ok()) return std::move(started).error();
  return adapter;
}

Result<std::unique_ptr<Adapter>> StartDisplayOnly(Driver& driver, void* device_extension, DeviceBus& bus, std::string name,
                                                  LUID luid, Clock& clock) {
  if (driver.present_display_only() == nullptr) {
    return Fail(ErrorKind::kUnsupported, "Driver {} is a full driver, not a display-only one.", driver.name());
  }
  auto adapter =
      std::make_unique<AdapterImpl>(driver, device_extension, &bus, std::move(name), luid, AdapterVisibility::kListed, clock);
  if (Result<void> started = adapter->Start(); !started.ok()) return std::move(started).error();
  return adapter;
}

}  // namespace tandem::kernel
