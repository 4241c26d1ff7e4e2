// Notes of a script's run for the process that started it, in a shared file that outlives a crash.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/memory_map.h"
#include "base/result.h"
#include "conform/crash_stack.h"
#include "conform/fuzz/call_script.h"

namespace tandem::conform {

// Edges of a driver beyond these are not told apart from none.
inline constexpr std::size_t kMostEdges = 1 << 16;

struct SeenByRuns {
  std::array<std::uint64_t, 64> answers{};             // kernel::DdiCounts::seen
  std::array<std::uint64_t, kMostEdges / 64> edges{};  // a bit for each edge that was taken
  void Add(const SeenByRuns& more);
};

struct RunNotes {
  std::atomic<std::uint32_t> steps{0};                // begun
  std::atomic<std::uint32_t> calls{0};                // steps that are no events of the device
  std::atomic<std::uint32_t> reached{0};              // calls that entered the driver
  std::atomic<std::uint32_t> told{0};                 // 1: the outcome's sentences are the run's own, one a line
  std::atomic<std::uint32_t> edges{0};                // of the driver's code; 0: it was built without coverage
  SeenByRuns seen;                                    // by all runs
  std::array<std::uint64_t, kMostSteps / 64> news{};  // a bit for each step that added to `seen`
  CrashStack stack;
};

class NotesFile {
 public:
  // kIo.
  [[nodiscard]] static Result<NotesFile> Create(const std::string& path);
  [[nodiscard]] static Result<NotesFile> Open(const std::string& path);
  [[nodiscard]] RunNotes& notes() const { return *reinterpret_cast<RunNotes*>(pages_.data()); }
  // For the next run, after which `seen` has more than what earlier runs saw.
  void Begin(const SeenByRuns& seen);

 private:
  explicit NotesFile(MemoryMap pages) : pages_(std::move(pages)) {}
  MemoryMap pages_;
};

}  // namespace tandem::conform
