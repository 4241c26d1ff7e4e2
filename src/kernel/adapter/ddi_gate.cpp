#include "kernel/adapter/ddi_gate.h"

#include <fmt/core.h>

#include "base/check.h"
#include "kernel/adapter/rules.h"

namespace tandem::kernel {
namespace {
constinit thread_local DdiGate::CurrentCall current_call;
}  // namespace

DdiGate::CurrentCall DdiGate::Current() { return current_call; }

DdiGate::Scope::Scope(DdiGate& gate, Ddi ddi)
    : gate_(gate), rule_(RuleOf(ddi)), previous_irql_(CurrentIrql()), previous_call_(current_call) {
  TANDEM_ASSERT(previous_irql_ <= rule_.irql);
  TANDEM_ASSERT(previous_call_.gate != &gate || rule_.level == SyncLevel::kInterrupt);
  gate.Enter(rule_);
  internal::current_irql = rule_.irql;
  current_call = {&gate, ddi};
}

DdiGate::Scope::~Scope() {
  const KIRQL returned_at = CurrentIrql();
  current_call = previous_call_;
  internal::current_irql = previous_irql_;
  gate_.Leave(rule_);
  if (returned_at != rule_.irql) {
    gate_.owner_.ReportViolation(rules::kDdiReturnsAtSameIrql, fmt::format("{} was called at IRQL {} and returned at {}.",
                                                                           rule_.name, rule_.irql, returned_at));
  }
}

void DdiGate::Scope::ReturnedError(NTSTATUS status) {
  if (rule_.may_fail) return;
  gate_.owner_.ReportViolation(rules::kDdiMayNotFail,
                               fmt::format("{} returned 0x{:08X}.", rule_.name, static_cast<std::uint32_t>(status)));
}

void DdiGate::Enter(const DdiRule& rule) {
  switch (rule.level) {
    case SyncLevel::kInterrupt: break;
    case SyncLevel::kOne: class_mutexes_[static_cast<std::size_t>(rule.sync_class)].lock(); [[fallthrough]];
    case SyncLevel::kZero: EnterShared(); break;
    case SyncLevel::kTwo:
    case SyncLevel::kThree: EnterExclusive(); break;
  }
  if (rule.excludes_isr) interrupt_mutex_.lock();
}

void DdiGate::Leave(const DdiRule& rule) {
  if (rule.excludes_isr) interrupt_mutex_.unlock();
  switch (rule.level) {
    case SyncLevel::kInterrupt: break;
    case SyncLevel::kZero: LeaveShared(); break;
    case SyncLevel::kOne:
      LeaveShared();
      class_mutexes_[static_cast<std::size_t>(rule.sync_class)].unlock();
      break;
    case SyncLevel::kTwo:
    case SyncLevel::kThree: LeaveExclusive(); break;
  }
}

void DdiGate::EnterShared() {
  std::uint32_t callers = callers_.load(std::memory_order_relaxed);
  for (;;) {
    if ((callers & kExclusive) != 0) {
      callers_.wait(callers, std::memory_order_relaxed);
      callers = callers_.load(std::memory_order_relaxed);
    } else if (callers_.compare_exchange_weak(callers, callers + 1, std::memory_order_acquire, std::memory_order_relaxed)) {
      return;
    }
  }
}

void DdiGate::LeaveShared() {
  const std::uint32_t before = callers_.fetch_sub(1, std::memory_order_release);
  if (before == (kExclusive | 1)) callers_.notify_all();
}

void DdiGate::EnterExclusive() {
  exclusive_mutex_.lock();
  std::uint32_t callers = callers_.fetch_or(kExclusive, std::memory_order_acquire) | kExclusive;
  while (callers != kExclusive) {
    callers_.wait(callers, std::memory_order_relaxed);
    callers = callers_.load(std::memory_order_acquire);
  }
}

void DdiGate::LeaveExclusive() {
  callers_.fetch_and(~kExclusive, std::memory_order_release);
  callers_.notify_all();
  exclusive_mutex_.unlock();
}

}  // namespace tandem::kernel
