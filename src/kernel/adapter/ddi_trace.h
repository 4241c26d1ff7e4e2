// A line for each call of a driver, for the person who writes it: thread, adapter, IRQL, DDI, arguments that matter, status.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <type_traits>

#include "kernel/adapter/ddi_arguments.h"

namespace tandem::kernel {

// One call. Switched off it costs a load and a branch. A call that does not return leaves the beginning of its line; one beside
// which another begins or ends is continued on a line of its own, begun by "...".
class DdiTrace {
 public:
  // Traces every adapter from now on; -1, as at first: nowhere.
  static void WriteTo(int fd) { trace_fd = fd; }

  template <class... Args>
  DdiTrace(const char* adapter, const char* ddi, KIRQL irql, Args... args) {
    if (trace_fd.load(std::memory_order_relaxed) < 0) return;
    std::string text;
    (AppendArgument(text, args), ...);
    Begin(adapter, ddi, irql, text);
  }

  template <class... Args>
  void Returned(NTSTATUS status, Args... args) const {
    if (call_ == 0) return;
    std::string text;
    if (NT_SUCCESS(status)) (AppendAnswer(text, args), ...);
    End(&status, text);
  }
  // From a function that answers no status.
  void Returned() const {
    if (call_ != 0) End(nullptr, {});
  }

 private:
  template <class Arg>
  static void AppendArgument(std::string& text, Arg arg) {
    using Pointee = std::remove_cv_t<std::remove_pointer_t<Arg>>;
    if constexpr (std::is_same_v<Arg, HANDLE> || std::is_same_v<Arg, CONST VOID*>) {
      AppendHandle(text, arg);
    } else if constexpr (std::is_pointer_v<Arg> && !std::is_void_v<Pointee>) {
      if constexpr (requires(const Pointee& pointee) { DdiArgument(pointee); }) Append(text, DdiArgument(*arg));
    } else if constexpr (std::is_integral_v<Arg> || std::is_enum_v<Arg>) {
      Append(text, std::to_string(static_cast<std::int64_t>(arg)));
    }
  }
  template <class Arg>
  static void AppendAnswer(std::string& text, Arg arg) {
    using Pointee = std::remove_cv_t<std::remove_pointer_t<Arg>>;
    if constexpr (std::is_pointer_v<Arg> && !std::is_void_v<Pointee>) {
      if constexpr (requires(const Pointee& pointee) { DdiAnswer(pointee); }) Append(text, DdiAnswer(*arg));
    }
  }
  static void Append(std::string& text, const std::string& part);
  static void AppendHandle(std::string& text, const void* handle);
  void Begin(const char* adapter, const char* ddi, KIRQL irql, const std::string& arguments);
  void End(const NTSTATUS* status, const std::string& answer) const;

  static std::atomic<int> trace_fd;

  std::uint64_t call_ = 0;  // 0: not traced
  const char* adapter_ = "";
  const char* ddi_ = "";
  KIRQL irql_ = 0;
};

}  // namespace tandem::kernel
