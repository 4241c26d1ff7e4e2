// The call stack of a trial's process at its end, in memory that outlives the process.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace tandem::conform {

// Written in a signal handler. Zeroed memory is an empty stack.
struct CrashStack {
  // Addresses of the driver's shared object; set before the driver is entered.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  // Frames within it, innermost first, each the byte behind its call or its faulting instruction.
  std::atomic<std::uint32_t> count{0};
  std::array<std::uint64_t, 16> frames{};
};

// Fills `begin` and `end` for the shared object that holds `address`.
void SetDriver(CrashStack& stack, const void* address);

// Keeps the calling thread's frames within the driver; `context` is the signal handler's. Async-signal-safe after a first call
// of backtrace().
void WriteStack(CrashStack& stack, void* context);

}  // namespace tandem::conform
