// Debugger output, assertions and bug checks.
#include <ntddk.h>

#include <cstdio>
#include <cstdlib>

#include "drivers/host/format.h"
#include "drivers/host/kernel.h"

using namespace tandem::drivers::host;

namespace {

BOOLEAN debugger_enabled = FALSE;
BOOLEAN debugger_not_present = TRUE;

bool IsShown() {
  static const bool shown = std::getenv("TANDEM_DRIVER_DEBUG") != nullptr;
  return shown;
}

ULONG Print(const char* prefix, const char* format, va_list list) {
  if (!IsShown()) return STATUS_SUCCESS;
  char line[1024];
  Arguments arguments;
  va_copy(arguments.list, list);
  TextBuffer text(line, sizeof(line));
  Format(text, format, arguments);
  va_end(arguments.list);
  text.End();
  std::fprintf(stderr, "%s%s", prefix, line);
  return STATUS_SUCCESS;
}

}  // namespace

PBOOLEAN KdDebuggerEnabled = &debugger_enabled;
PBOOLEAN KdDebuggerNotPresent = &debugger_not_present;

ULONG DbgPrint(PCSTR Format, ...) {
  va_list arguments;
  va_start(arguments, Format);
  const ULONG status = Print("", Format, arguments);
  va_end(arguments);
  return status;
}

ULONG DbgPrintEx(ULONG /*ComponentId*/, ULONG /*Level*/, PCSTR Format, ...) {
  va_list arguments;
  va_start(arguments, Format);
  const ULONG status = Print("", Format, arguments);
  va_end(arguments);
  return status;
}

ULONG NTAPI vDbgPrintEx(ULONG /*ComponentId*/, ULONG /*Level*/, PCSTR Format, va_list Arguments) {
  return Print("", Format, Arguments);
}

ULONG NTAPI vDbgPrintExWithPrefix(PCSTR Prefix, ULONG /*ComponentId*/, ULONG /*Level*/, PCSTR Format, va_list Arguments) {
  return Print(Prefix, Format, Arguments);
}

// No debugger answers.
ULONG NTAPI DbgPrompt(PCSTR Prompt, PSTR Response, ULONG Length) {
  if (IsShown()) std::fprintf(stderr, "%s\n", Prompt);
  if (Length > 0) Response[0] = '\0';
  return 0;
}

VOID NTAPI DbgBreakPoint(VOID) { Report(Rule::kBreakPoint, "The driver breaks into the debugger."); }

VOID TandemNtAssertionFailed(CONST char* Expression, CONST char* File, int Line) {
  Report(Rule::kAssertion, "%s:%d: %s is false.", File, Line, Expression);
}

VOID TandemNtPagedCode(CONST char* Function) {
  const KIRQL level = CurrentIrql();
  if (level > APC_LEVEL) Report(Rule::kPagedCode, "%s runs at %s; its limit is APC_LEVEL.", Function, IrqlName(level));
}

VOID NTAPI KeBugCheckEx(ULONG BugCheckCode, ULONG_PTR BugCheckParameter1, ULONG_PTR BugCheckParameter2,
                        ULONG_PTR BugCheckParameter3, ULONG_PTR BugCheckParameter4) {
  Report(Rule::kBugCheck, "The driver stops the system with code 0x%08X (0x%zX, 0x%zX, 0x%zX, 0x%zX).", BugCheckCode,
         static_cast<std::size_t>(BugCheckParameter1), static_cast<std::size_t>(BugCheckParameter2),
         static_cast<std::size_t>(BugCheckParameter3), static_cast<std::size_t>(BugCheckParameter4));
  std::abort();
}

VOID NTAPI KeBugCheck(ULONG BugCheckCode) { KeBugCheckEx(BugCheckCode, 0, 0, 0, 0); }
