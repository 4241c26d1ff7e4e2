// Notes of a script's run for the process that started it, in a shared file that outlives a crash.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/memory_map.h"
#include "base/result.h"
#include "conform/crash_stack.h"

namespace tandem::conform {

struct RunNotes {
  std::atomic<std::uint32_t> steps{0};    // begun
  std::atomic<std::uint32_t> calls{0};    // steps that are no events of the device
  std::atomic<std::uint32_t> reached{0};  // calls that entered the driver
  std::atomic<std::uint32_t> told{0};     // 1: the outcome's sentences are the run's own, one a line
  std::array<std::uint64_t, 64> seen{};   // kernel::DdiCounts::seen
  CrashStack stack;
};

class NotesFile {
 public:
  // kIo.
  [[nodiscard]] static Result<NotesFile> Create(const std::string& path);
  [[nodiscard]] static Result<NotesFile> Open(const std::string& path);
  [[nodiscard]] RunNotes& notes() const { return *reinterpret_cast<RunNotes*>(pages_.data()); }
  // For the next run.
  void Clear();

 private:
  explicit NotesFile(MemoryMap pages) : pages_(std::move(pages)) {}
  MemoryMap pages_;
};

}  // namespace tandem::conform
