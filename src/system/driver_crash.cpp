#include "system/driver_crash.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>

#include <execinfo.h>

#include "base/crash_signals.h"
#include "kernel/thunk/current_ddi.h"
#include "status/run_note.h"

namespace tandem::system {
namespace {

constinit std::atomic<DriverCrashWatch*> watch{nullptr};
constinit std::atomic_flag noted;

}  // namespace

DriverCrashWatch::DriverCrashWatch(std::string file, const void* inside)
    : file_(std::move(file)), note_(inside == nullptr ? UniqueFd() : status::OpenRunNote()) {
  if (!note_.valid()) return;
  conform::SetDriver(stack_, inside);
  std::array<void*, 1> loaded{};
  backtrace(loaded.data(), 1);  // loads the unwinder, which allocates
  watch = this;
  ObserveCrashes(&OnCrash);
}

DriverCrashWatch::~DriverCrashWatch() {
  if (!note_.valid()) return;
  StopObservingCrashes();
  watch = nullptr;
}

// The program may have crashes of its own, and may live with them.
void DriverCrashWatch::OnCrash(int signal, void* context) {
  DriverCrashWatch* const driver = watch;
  if (driver == nullptr) return;
  conform::CrashStack stack;
  stack.begin = driver->stack_.begin;
  stack.end = driver->stack_.end;
  conform::WriteStack(stack, context);
  const std::span<std::uint64_t> frames(stack.frames.data(), stack.count);
  if (frames.empty() || noted.test_and_set()) return;
  for (std::uint64_t& frame : frames) frame -= stack.begin + 1;
  status::NoteDriverCrash(driver->note_, signal, kernel::CurrentDdiName(), frames, driver->file_);
}

}  // namespace tandem::system
