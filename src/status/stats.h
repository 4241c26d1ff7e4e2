// Figures of each swap chain of the run, for the JSON file and the summary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "base/log.h"
#include "config/adapter_info.h"
#include "status/swap_chain_record.h"

namespace tandem::status {

// If a process has more swap chains, the oldest finished ones are dropped; their frames stay in the totals.
inline constexpr std::size_t kMaxRecordedSwapChains = 64;

// When the figures are written. A stream is appended to, so it gets them at the exit only.
enum class Occasion { kSystemGone, kExit };

// Thread-safe. Nothing throws.
class StatsBook {
 public:
  using Source = std::function<SwapChainRecord()>;
  using Id = std::uint64_t;

  // Until Close() returns, any thread may call `source` to write the figures of a live swap chain.
  Id Open(Source source);
  // Calls the source a last time and keeps its answer.
  void Close(Id id);

  // Another render adapter than before stands in place of a lost one.
  void SetAdapters(const config::AdapterInfo& render, const config::AdapterInfo& display);
  // Records that the layer does nothing in this process, or for one instance, and why; logged at `level`.
  void StepAside(const std::string& reason, LogLevel level);
  // Records the command that opened the render adapter's driver, which was asleep before.
  void SetOpenedBy(const std::string& command);
  // Records why a swap chain could not be made; the last reason counts.
  void RefuseSwapChain(const std::string& reason);

  // Replaces the file in one step. A process without a swap chain leaves an existing file unchanged: it may be another
  // process's. A failure is logged.
  void WriteJson(const std::string& path, Occasion occasion) noexcept;
  // Prints to standard error.
  void PrintSummary() noexcept;

 private:
  struct Live {
    Id id;
    Source source;
  };
  struct RenderChange {
    std::string from;  // names of the adapters
    std::string to;
  };
  [[nodiscard]] std::vector<SwapChainRecord> Records() const;
  [[nodiscard]] std::string Text() const;

  // The exit handler takes it too and gives up after a while, because its holder may be gone.
  std::mutex mutex_;
  std::list<Live> live_;
  std::vector<SwapChainRecord> finished_;
  SwapChainRecord forgotten_;  // sums only
  std::uint64_t next_id_ = 1;
  std::string step_aside_reason_;
  std::string refusal_;
  std::string opened_by_;
  std::vector<RenderChange> render_changes_;
  config::AdapterInfo render_;
  config::AdapterInfo display_;
};

}  // namespace tandem::status
