#include "drivers/host/seh.h"

#include <ntddk.h>
#include <signal.h>

#include <cstddef>
#include <utility>

#include "drivers/host/kernel.h"
#include "drivers/host/pool.h"
#include "drivers/host/registers.h"

namespace tandem::drivers::host {
namespace {

struct Fault {
  int signal;
  NTSTATUS code;
};
constexpr Fault kFaults[] = {
    {SIGSEGV, STATUS_ACCESS_VIOLATION}, {SIGBUS, STATUS_ACCESS_VIOLATION}, {SIGFPE, STATUS_INTEGER_DIVIDE_BY_ZERO}};

struct sigaction before[3];
bool caught = false;

// Read in a signal handler, where a lazily allocated thread-local variable would call malloc.
[[gnu::tls_model("initial-exec")]] thread_local TANDEM_SEH_FRAME* top = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local NTSTATUS last_code = STATUS_SUCCESS;
[[gnu::tls_model("initial-exec")]] thread_local const void* fault_address = nullptr;  // until a handler's filter runs

[[noreturn]] void Raise(NTSTATUS code) {
  TANDEM_SEH_FRAME* const frame = top;
  frame->Code = code;
  last_code = code;
  top = frame->Outer;
  siglongjmp(frame->State, 1);
}

void ReportFault(const void* address) {
  ReportPoolFault(address);
  if (address == nullptr || !IsRegister(address)) return;
  Report(Rule::kRegisterAccess, "The driver accesses the register at 0x%zx without READ_REGISTER_* or WRITE_REGISTER_*.",
         reinterpret_cast<std::size_t>(address));
}

void OnFault(int number, siginfo_t* information, void* context) {
  for (int i = 0; i < 3; ++i) {
    if (kFaults[i].signal != number) continue;
    if (top != nullptr) {
      fault_address = number == SIGSEGV ? information->si_addr : nullptr;
      Raise(kFaults[i].code);
    }
    // The process ends. The driver's own instruction faulted, so that this thread holds no lock that a report takes.
    if (number == SIGSEGV) ReportFault(information->si_addr);
    const struct sigaction& old = before[i];
    if ((old.sa_flags & SA_SIGINFO) != 0 && old.sa_sigaction != nullptr) return old.sa_sigaction(number, information, context);
    if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) return old.sa_handler(number);
    signal(number, SIG_DFL);  // The instruction faults again.
  }
}

}  // namespace

void CatchFaults(bool on) {
  if (on == caught) return;
  caught = on;
  for (int i = 0; i < 3; ++i) {
    if (!on) {
      sigaction(kFaults[i].signal, &before[i], nullptr);
      continue;
    }
    struct sigaction action {};
    action.sa_sigaction = OnFault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;  // NODEFER: a jump out of the handler restores no mask.
    sigaction(kFaults[i].signal, &action, &before[i]);
  }
}

}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

VOID TandemNtEnterTry(TANDEM_SEH_FRAME* Frame) {
  Frame->Outer = top;
  Frame->Code = STATUS_SUCCESS;
  Frame->Entered = TRUE;
  Frame->Irql = CurrentIrql();
  top = Frame;
}

VOID TandemNtLeaveTry(TANDEM_SEH_FRAME* Frame) {
  if (top == Frame) top = Frame->Outer;
}

BOOLEAN TandemNtFilter(TANDEM_SEH_FRAME* Frame, LONG Disposition) {
  ReportFault(std::exchange(fault_address, nullptr));
  if (Disposition == EXCEPTION_EXECUTE_HANDLER) {
    last_code = Frame->Code;
    SetIrql(Frame->Irql);
    return TRUE;
  }
  if (Disposition == EXCEPTION_CONTINUE_EXECUTION) {
    Report(Rule::kException, "A filter continues execution, which the driver host does not support.");
  }
  ExRaiseStatus(Frame->Code);
}

NTSTATUS TandemNtExceptionCode(VOID) { return last_code; }

VOID NTAPI ExRaiseStatus(NTSTATUS Status) {
  if (top != nullptr) Raise(Status);
  constexpr ULONG kUnhandled = 0x8E;  // KERNEL_MODE_EXCEPTION_NOT_HANDLED.
  Report(Rule::kException, "The exception 0x%08X finds no handler.", static_cast<unsigned>(Status));
  KeBugCheckEx(kUnhandled, static_cast<ULONG_PTR>(static_cast<ULONG>(Status)), 0, 0, 0);
}

VOID NTAPI ExRaiseAccessViolation(VOID) { ExRaiseStatus(STATUS_ACCESS_VIOLATION); }
