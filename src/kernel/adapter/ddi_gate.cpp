#include "kernel/adapter/ddi_gate.h"

#include <fmt/core.h>

#include "base/check.h"
#include "base/status_name.h"
#include "base/thread_sanitizer.h"
#include "kernel/adapter/rules.h"
#include "kernel/ddi_counts.h"

namespace tandem::kernel {
namespace {
constinit thread_local DdiGate::CurrentCall current_call;
}  // namespace

DdiGate::CurrentCall DdiGate::Current() { return current_call; }

DdiGate::Pass::Pass(DdiGate& gate, Ddi first) : gate_(gate), rule_(RuleOf(first)), entered_(gate.Enter(rule_)) {
  TANDEM_ASSERT(current_call.gate != &gate || rule_.level == SyncLevel::kInterrupt);
}

DdiGate::Pass::~Pass() {
  if (!entered_) return;
  gate_.calls_.End(slot_);
  gate_.Leave(rule_);
}

bool DdiGate::Pass::Begin(Ddi ddi) {
  if (!entered_) return false;
  const auto what = static_cast<std::uint8_t>(ddi);
  if (slot_ == CallSlots::kSlots) {
    slot_ = gate_.calls_.Begin(what);
    if (!gate_.watched_.load() && !gate_.watched_.exchange(true)) gate_.owner_.OnUnwatchedCall();
    return true;
  }
  if (gate_.given_up()) return false;
  gate_.calls_.Change(slot_, what);
  return true;
}

DdiGate::Pass::Scope::Scope(Pass& pass, Ddi ddi)
    : gate_(pass.gate_),
      rule_(RuleOf(ddi)),
      entered_(pass.Begin(ddi)),
      previous_irql_(CurrentIrql()),
      previous_call_(current_call) {
  TANDEM_ASSERT(previous_irql_ <= rule_.irql);
  TANDEM_ASSERT(rule_.level == pass.rule_.level && rule_.sync_class == pass.rule_.sync_class);
  if (!entered_) return;
  if (ddi != Ddi::kInterruptRoutine && ddi != Ddi::kDpcRoutine) NoteDdi(static_cast<std::uint8_t>(ddi), STATUS_SUCCESS);
  internal::current_irql = rule_.irql;
  current_call = {&gate_, ddi};
}

DdiGate::Pass::Scope::~Scope() {
  if (!entered_) return;
  const KIRQL returned_at = CurrentIrql();
  current_call = previous_call_;
  internal::current_irql = previous_irql_;
  if (returned_at != rule_.irql) {
    gate_.owner_.ReportViolation(rules::kDdiReturnsAtSameIrql, fmt::format("{} was called at IRQL {} and returned at {}.",
                                                                           rule_.name, rule_.irql, returned_at));
  }
}

void DdiGate::Pass::Scope::ReturnedError(NTSTATUS status) {
  NoteDdi(static_cast<std::uint8_t>(current_call.ddi), status);
  if (rule_.may_fail) return;
  gate_.owner_.ReportViolation(rules::kDdiMayNotFail, fmt::format("{} returned {}.", rule_.name, StatusText(status)));
}

bool DdiGate::Enter(const DdiRule& rule) {
  if (!EnterLevel(rule)) return false;
  if (!rule.excludes_isr || interrupt_mutex_.Lock()) return true;
  LeaveLevel(rule);
  return false;
}

bool DdiGate::EnterLevel(const DdiRule& rule) {
  switch (rule.level) {
    case SyncLevel::kInterrupt: return !given_up();
    case SyncLevel::kZero: return EnterShared();
    case SyncLevel::kOne: {
      GateMutex& mutex = class_mutexes_[static_cast<std::size_t>(rule.sync_class)];
      if (!mutex.Lock()) return false;
      if (EnterShared()) return true;
      mutex.Unlock();
      return false;
    }
    case SyncLevel::kTwo:
    case SyncLevel::kThree: return EnterExclusive();
  }
  return false;
}

void DdiGate::Leave(const DdiRule& rule) {
  if (rule.excludes_isr) interrupt_mutex_.Unlock();
  LeaveLevel(rule);
}

void DdiGate::LeaveLevel(const DdiRule& rule) {
  switch (rule.level) {
    case SyncLevel::kInterrupt: break;
    case SyncLevel::kZero: LeaveShared(); break;
    case SyncLevel::kOne:
      LeaveShared();
      class_mutexes_[static_cast<std::size_t>(rule.sync_class)].Unlock();
      break;
    case SyncLevel::kTwo:
    case SyncLevel::kThree: LeaveExclusive(); break;
  }
}

bool DdiGate::EnterShared() {
  std::uint32_t callers = callers_.load(std::memory_order_relaxed);
  while ((callers & kGivenUp) == 0) {
    if ((callers & kExclusive) != 0) {
      callers_.wait(callers, std::memory_order_relaxed);
      callers = callers_.load(std::memory_order_relaxed);
    } else if (callers_.compare_exchange_weak(callers, callers + 1, std::memory_order_acquire, std::memory_order_relaxed)) {
      TellAfter(&exclusive_mutex_);
      return true;
    }
  }
  return false;
}

void DdiGate::LeaveShared() {
  TellBefore(&callers_);
  const std::uint32_t before = callers_.fetch_sub(1, std::memory_order_release);
  if (before == (kExclusive | 1)) callers_.notify_all();
}

bool DdiGate::EnterExclusive() {
  if (!exclusive_mutex_.Lock()) return false;
  std::uint32_t callers = callers_.fetch_or(kExclusive, std::memory_order_acquire) | kExclusive;
  while (callers != kExclusive) {
    if ((callers & kGivenUp) != 0) {
      LeaveExclusive();
      return false;
    }
    callers_.wait(callers, std::memory_order_relaxed);
    callers = callers_.load(std::memory_order_acquire);
  }
  TellAfter(&callers_);
  return true;
}

void DdiGate::LeaveExclusive() {
  TellBefore(&exclusive_mutex_);
  callers_.fetch_and(~kExclusive, std::memory_order_release);
  callers_.notify_all();
  exclusive_mutex_.Unlock();
}

DdiGate::Found DdiGate::Look(std::uint32_t looks) {
  // A call that begins from here on either is found or says that nobody watches.
  watched_.store(false);
  Found found;
  if (const auto what = calls_.Look(looks)) found.overdue = static_cast<Ddi>(*what);
  found.any = calls_.any();
  if (found.any) watched_.store(true);
  return found;
}

void DdiGate::GiveUp() {
  callers_.fetch_or(kGivenUp, std::memory_order_acq_rel);
  callers_.notify_all();
  exclusive_mutex_.GiveUp();
  for (GateMutex& mutex : class_mutexes_) mutex.GiveUp();
  interrupt_mutex_.GiveUp();
}

}  // namespace tandem::kernel
