#include "kernel/adapter/interrupts.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/thread_sanitizer.h"
#include "kernel/adapter/rules.h"
#include "kernel/tolerated.h"

namespace tandem::kernel {
namespace {

// A stamp further from the report belongs to another clock.
constexpr std::int64_t kFarStampNs = 1'000'000'000;

std::int64_t TimeBy(std::int64_t stamp_ns, std::int64_t now_ns) {
  const bool is_near = stamp_ns > now_ns - kFarStampNs && stamp_ns < now_ns + kFarStampNs;
  return stamp_ns != 0 && is_near ? stamp_ns : now_ns;
}

}  // namespace

Result<void> Interrupts::Start(const DRIVER_INITIALIZATION_DATA& ddi, PVOID miniport_context, const std::string& thread_name) {
  ddi_ = &ddi;
  miniport_context_ = miniport_context;
  Result<Thread> thread = Thread::Start(thread_name, [this] { RunDpcThread(); });
  if (!thread.ok()) return std::move(thread).error().Context("Starting the DPC thread");
  dpc_thread_ = std::move(thread).value();
  enabled_.store(true, std::memory_order_release);
  return {};
}

void Interrupts::Disable() {
  const std::lock_guard<std::mutex> no_dpc(driver_dpc_mutex_);
  const DdiGate::InterruptScope no_interrupt(gate_);
  enabled_.store(false, std::memory_order_release);
}

void Interrupts::Stop() {
  if (!dpc_thread_.joinable()) return;
  request_.Post(kStop);
  dpc_thread_.Join();
}

void Interrupts::MarkLost() {
  enabled_.store(false, std::memory_order_release);
  request_.Post(kLost);
}

void Interrupts::Raise(ULONG message_number) {
  if (CurrentIrql() >= DIRQL) {
    owner_.ReportViolation(rules::kRaiseInterruptBelowDirql,
                           fmt::format("Interrupt message {} was raised at IRQL {}.", message_number, CurrentIrql()));
    return;
  }
  if (!enabled_.load(std::memory_order_acquire) || ddi_->DxgkDdiInterruptRoutine == nullptr) return;
  gate_.Call(Ddi::kInterruptRoutine, [this, message_number] {
    if (enabled_.load(std::memory_order_relaxed)) RunInterruptRoutine(message_number);
  });
}

void Interrupts::RunInterruptRoutine(ULONG message_number) {
  dpc_owed_.store(false, std::memory_order_relaxed);
  acknowledged_.store(false, std::memory_order_relaxed);
  crtc_noted_ = false;
  stamp_ns_ = 0;
  message_number_ = message_number;
  const std::uint32_t noted_before = head_.load(std::memory_order_relaxed);
  in_routine_ = true;
  const BOOLEAN claimed = ddi_->DxgkDdiInterruptRoutine(miniport_context_, message_number);
  in_routine_ = false;
  if (dpc_owed_.load(std::memory_order_relaxed)) {
    owner_.ReportViolation(rules::kNotifyInterruptThenQueueDpc,
                           "DxgkDdiInterruptRoutine called DxgkCbNotifyInterrupt and returned without DxgkCbQueueDpc.");
  }
  if (claimed && !acknowledged_.load(std::memory_order_relaxed)) {
    owner_.ReportViolation(rules::kInterruptClaim,
                           "DxgkDdiInterruptRoutine returned TRUE and neither reported an interrupt nor queued a DPC.");
  }
  if (!claimed && head_.load(std::memory_order_relaxed) != noted_before) {
    owner_.ReportViolation(rules::kInterruptClaim, "DxgkDdiInterruptRoutine reported an interrupt and returned FALSE.");
  }
}

void Interrupts::SetLimits(InterruptLimits limits) {
  limits_ = std::move(limits);
  has_limits_.store(true, std::memory_order_release);
}

void Interrupts::Stamp(std::int64_t time_ns) {
  if (CurrentIrql() >= DIRQL) stamp_ns_ = time_ns;
}

void Interrupts::Notify(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  if (CurrentIrql() < DIRQL) {
    owner_.ReportViolation(rules::kNotifyInterruptAtDirql,
                           fmt::format("DxgkCbNotifyInterrupt was called at IRQL {}, not at DIRQL ({}).", CurrentIrql(), DIRQL));
    return;
  }
  const std::int64_t stamp_ns = std::exchange(stamp_ns_, 0);
  const InterruptLimits* const limits = has_limits_.load(std::memory_order_acquire) ? &limits_ : nullptr;
  if (const auto broken = CheckInterrupt(data, source_, limits)) {
    owner_.ReportViolation(broken->rule, broken->seen);
    return;
  }
  if (in_routine_ && limits != nullptr && message_number_ != limits->message_number && !other_message_) {
    other_message_ = true;
    ReportTolerated(rules::kNotifyInterruptMessage,
                    fmt::format("DxgkCbNotifyInterrupt was called for message {}; InterruptMessageNumber is {}.", message_number_,
                                limits->message_number));
  }
  if (in_routine_ && crtc_noted_ && !IsCrtcType(data.InterruptType)) {
    owner_.ReportViolation(rules::kDmaBeforeCrtc, fmt::format("Interrupt type {} was reported after a vertical blank.",
                                                              static_cast<int>(data.InterruptType)));
    return;
  }
  crtc_noted_ = crtc_noted_ || IsCrtcType(data.InterruptType);
  dpc_owed_.store(true, std::memory_order_relaxed);
  acknowledged_.store(true, std::memory_order_relaxed);
  const std::uint32_t head = head_.load(std::memory_order_relaxed);
  const std::uint32_t waiting = head - tail_.load(std::memory_order_acquire);
  // A DPC thread that is held up has missed it, as who looks away misses a vertical blank: the next one reports the same surface.
  if (IsCrtcType(data.InterruptType) && waiting >= kMaxNotedInterrupts / 2) return;
  if (waiting == kMaxNotedInterrupts) {
    owner_.ReportViolation(rules::kInterruptsAwaitDpc,
                           fmt::format("More than {} interrupts wait for a DPC.", kMaxNotedInterrupts));
    return;
  }
  ring_[head % kMaxNotedInterrupts] = {data, TimeBy(stamp_ns, clock_.NowNs()), PlanesOf(data)};
  TellBefore(&head_);
  head_.store(head + 1, std::memory_order_release);
}

bool Interrupts::QueueDpc() {
  dpc_owed_.store(false, std::memory_order_relaxed);
  acknowledged_.store(true, std::memory_order_relaxed);
  return (request_.Post(kDriverDpc) & kDriverDpc) == 0;
}

void Interrupts::NotifyDpc() {
  const DdiGate::CurrentCall call = DdiGate::Current();
  if (call.gate != &gate_ || call.ddi != Ddi::kDpcRoutine) {
    owner_.ReportViolation(rules::kNotifyDpcInDpc,
                           fmt::format("DxgkCbNotifyDpc was called at IRQL {}, outside DxgkDdiDpcRoutine.", CurrentIrql()));
    return;
  }
  notified_ = head_.load(std::memory_order_acquire);
  TellAfter(&head_);
}

BOOLEAN Interrupts::Synchronize(PKSYNCHRONIZE_ROUTINE routine, PVOID context) {
  const DdiGate::InterruptScope interrupt(gate_);
  return interrupt.entered() ? routine(context) : BOOLEAN{FALSE};
}

void Interrupts::AddSink(InterruptSink& sink) {
  const MutexLock lock(sinks_mutex_);
  sinks_.push_back(&sink);
}

void Interrupts::RemoveSink(InterruptSink& sink) {
  const MutexLock lock(sinks_mutex_);
  sinks_.erase(std::remove(sinks_.begin(), sinks_.end(), &sink), sinks_.end());
}

void Interrupts::RunDpcThread() {
  RequestDisplayPriority();
  for (;;) {
    const std::uint32_t request = request_.Take();
    if ((request & kStop) != 0) return;
    if ((request & kDriverDpc) != 0) {
      RunDriverDpc();
      Deliver();
    }
    if ((request & kSinkDpc) != 0) TellSinks(&InterruptSink::OnDpc);
    if ((request & kLost) != 0) TellSinks(&InterruptSink::OnAdapterLost);
  }
}

void Interrupts::RunDriverDpc() {
  const std::lock_guard<std::mutex> lock(driver_dpc_mutex_);
  if (!enabled_.load(std::memory_order_acquire)) return;
  if (ddi_->DxgkDdiDpcRoutine != nullptr) gate_.Call(Ddi::kDpcRoutine, ddi_->DxgkDdiDpcRoutine, miniport_context_);
}

void Interrupts::Deliver() {
  const IrqlScope dispatch(DISPATCH_LEVEL);
  const MutexLock lock(sinks_mutex_);
  std::uint32_t tail = tail_.load(std::memory_order_relaxed);
  while (tail != notified_ && enabled_.load(std::memory_order_acquire)) {
    const Noted noted = ring_[tail % kMaxNotedInterrupts];
    tail_.store(++tail, std::memory_order_release);
    delivering_noted_at_ns_ = noted.time_ns;
    delivering_planes_ = noted.planes.all();
    for (InterruptSink* sink : sinks_) sink->OnInterrupt(noted.data);
  }
}

void Interrupts::TellSinks(void (InterruptSink::*member)()) {
  const IrqlScope dispatch(DISPATCH_LEVEL);
  const MutexLock lock(sinks_mutex_);
  for (InterruptSink* sink : sinks_) (sink->*member)();
}

}  // namespace tandem::kernel
