// The one place where a driver is called. The gate sets the DDI's IRQL, takes its synchronization level and notices broken
// rules.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "kernel/adapter/call_slots.h"
#include "kernel/adapter/ddi_rules.h"
#include "kernel/adapter/ddi_trace.h"
#include "kernel/adapter/gate_mutex.h"
#include "kernel/adapter/irql.h"

namespace tandem::kernel {

class AdapterImpl;

// One per adapter. Threads: any. Call() blocks while the DDI's synchronization level demands it; uncontended it costs four atomic
// operations at level 0 and a mutex more at level 1, and never allocates. A further call of a Pass costs one store. A call that
// is in the driver for too long cannot be ended, but the gate can be given up: who waits at it is let go, and nobody is let in
// any more.
//
// Nothing can lock up as long as its callers keep three rules, the first two checked in debug builds:
//  - the IRQL only rises: no Call() of a PASSIVE DDI from a DPC or a sink (InterruptSink), none from inside a DDI below its
//  level;
//  - no Call() of levels 0 to 3 from inside another; only the interrupt routine, flips and feature functions nest (a driver may
//  raise its interrupt, and ask for a feature that it is asked for in turn, inside a DDI);
//  - whoever holds a lock that InterruptSink::OnInterrupt takes makes no call of levels 0 to 3: it may wait here.
// A level 2 or 3 call waits for the callers of levels 0 and 1 to leave and holds new ones back, also those at DISPATCH_LEVEL
// (SubmitCommand from the DPC thread): they wait for the length of that one call, and the driver in it cannot wait for them,
// because its interrupt and DPC routines still run.
class DdiGate {
 public:
  // Hears of the rules that the driver broke.
  class Owner {
   public:
    virtual ~Owner() = default;
    // `rule` is one of rules.h, `seen` a sentence. Any thread, any IRQL, maybe under the interrupt lock.
    virtual void ReportViolation(const char* rule, const std::string& seen) = 0;
    // A call begins and nobody looks at calls (CallsAreWatched). Any thread, any IRQL.
    virtual void OnUnwatchedCall() = 0;
    // For traces. Any thread, any IRQL.
    [[nodiscard]] virtual const char* adapter_name() const { return ""; }
    // The adapter whose callbacks the driver may call inside; null in tests of the gate alone.
    [[nodiscard]] virtual AdapterImpl* adapter() { return nullptr; }
  };

  explicit DdiGate(Owner& owner) : owner_(owner) {}
  DdiGate(const DdiGate&) = delete;
  DdiGate& operator=(const DdiGate&) = delete;

  // The gate and DDI that the calling thread is in; null and kCount when it is in none.
  struct CurrentCall {
    DdiGate* gate = nullptr;
    Ddi ddi = Ddi::kCount;
  };
  [[nodiscard]] static CurrentCall Current();

  // One way through the gate for calls of one level and class: whom these keep out gets in behind the last call. The thread
  // makes no other call meanwhile.
  class Pass {
   public:
    Pass(DdiGate& gate, Ddi first);
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

    // The call is one as of DdiGate::Call. `ddi` has the level and class of `first`.
    template <class Function, class... Args>
    auto Call(Ddi ddi, Function function, Args... args) {
      using Answer = std::invoke_result_t<Function, Args...>;
      Scope scope(*this, ddi);
      if constexpr (std::is_same_v<Answer, NTSTATUS>) {
        if (!scope.entered()) return STATUS_DEVICE_REMOVED;
        DdiTrace trace(gate_.owner_.adapter_name(), scope.rule().name, scope.rule().irql, args...);
        const NTSTATUS status = function(args...);
        trace.Returned(status, args...);
        if (!NT_SUCCESS(status)) scope.ReturnedError(status);
        return status;
      } else {
        if (!scope.entered()) return Answer();
        DdiTrace trace(gate_.owner_.adapter_name(), scope.rule().name, scope.rule().irql, args...);
        if constexpr (std::is_void_v<Answer>) {
          function(args...);
          trace.Returned();
        } else {
          const Answer answer = function(args...);
          trace.Returned();
          return answer;
        }
      }
    }

   private:
    // One call within a pass.
    class Scope {
     public:
      Scope(Pass& pass, Ddi ddi);
      ~Scope();
      Scope(const Scope&) = delete;
      Scope& operator=(const Scope&) = delete;

      [[nodiscard]] bool entered() const { return entered_; }
      [[nodiscard]] const DdiRule& rule() const { return rule_; }
      void ReturnedError(NTSTATUS status);

     private:
      DdiGate& gate_;
      const DdiRule& rule_;
      const bool entered_;
      KIRQL previous_irql_;
      CurrentCall previous_call_;
    };
    // A call begins. False when the gate was given up.
    [[nodiscard]] bool Begin(Ddi ddi);

    DdiGate& gate_;
    const DdiRule& rule_;  // of the first call
    const bool entered_;
    std::size_t slot_ = CallSlots::kSlots;
  };

  // Calls `function(args...)` at the DDI's IRQL and level; `function` must not be null. A gate that was given up calls nothing
  // and answers STATUS_DEVICE_REMOVED, or a zero.
  template <class Function, class... Args>
  auto Call(Ddi ddi, Function function, Args... args) {
    return Pass(*this, ddi).Call(ddi, function, args...);
  }

  // Runs the scope at DIRQL so that it excludes the interrupt routine and flips: the body of DxgkCbSynchronizeExecution.
  class InterruptScope {
   public:
    explicit InterruptScope(DdiGate& gate) : gate_(gate), entered_(gate.interrupt_mutex_.Lock()), irql_(DIRQL) {}
    ~InterruptScope() {
      if (entered_) gate_.interrupt_mutex_.Unlock();
    }
    InterruptScope(const InterruptScope&) = delete;
    InterruptScope& operator=(const InterruptScope&) = delete;
    [[nodiscard]] bool entered() const { return entered_; }  // not: the gate was given up

   private:
    DdiGate& gate_;
    const bool entered_;
    IrqlScope irql_;
  };

  [[nodiscard]] Owner& owner() { return owner_; }

  // For the one thread that looks for calls that do not return. Calls are watched until a Look that finds none; then the next
  // call says so (OnUnwatchedCall).
  struct Found {
    bool any = false;
    std::optional<Ddi> overdue;  // has been in the driver at so many looks in a row
  };
  [[nodiscard]] Found Look(std::uint32_t looks);
  // Irrevocable.
  void GiveUp();
  [[nodiscard]] bool given_up() const { return (callers_.load(std::memory_order_acquire) & kGivenUp) != 0; }
  [[nodiscard]] bool occupied() const { return calls_.any(); }

 private:
  // False when the gate was given up.
  [[nodiscard]] bool Enter(const DdiRule& rule);
  void Leave(const DdiRule& rule);
  void LeaveLevel(const DdiRule& rule);
  [[nodiscard]] bool EnterLevel(const DdiRule& rule);
  [[nodiscard]] bool EnterShared();
  void LeaveShared();
  [[nodiscard]] bool EnterExclusive();
  void LeaveExclusive();

  static constexpr std::uint32_t kExclusive = 1U << 31, kGivenUp = 1U << 30;

  Owner& owner_;
  // Callers of levels 0 and 1 inside the driver; kExclusive while a caller of level 2 or 3 is inside or waits for them to leave.
  std::atomic<std::uint32_t> callers_{0};
  GateMutex exclusive_mutex_;
  std::array<GateMutex, static_cast<std::size_t>(SyncClass::kCount)> class_mutexes_;
  GateMutex interrupt_mutex_;
  CallSlots calls_;
  std::atomic<bool> watched_{false};
};

}  // namespace tandem::kernel
