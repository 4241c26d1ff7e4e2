// Figures of each swap chain of the run, for the JSON file and the summary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/link_measure.h"
#include "base/log.h"
#include "config/adapter_info.h"
#include "swapchain/swap_chain.h"

namespace tandem::status {

// If a process has more swap chains, the oldest finished ones are dropped; their frames stay in the totals.
inline constexpr std::size_t kMaxRecordedSwapChains = 64;

// Calls of one adapter's DxgkDdiPresent: its counter's values before the first call (`from`) and after the last (`to`).
struct PresentSpan {
  std::uint64_t adapter = 0;  // its LUID
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

struct SwapChainRecord {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::string format;
  std::uint32_t images = 0;
  std::string present_mode;
  std::string shown_on;
  swapchain::PathDecision decision;
  std::vector<swapchain::PathEvent> events;
  std::vector<swapchain::DisplayChange> display_changes;
  swapchain::Statistics statistics;
  std::uint64_t frame_bytes = 0;    // limit of an encoded frame; 0: no limit
  std::string frame_bytes_refusal;  // a sentence: why the limit is not kept; empty: it is
  std::string yuv;                  // the chroma settings, in the form of --yuv
  std::string dithering;            // a sentence; empty: no dithering
  std::uint64_t output_written_bytes = 0;
  // Frames by the display's own report, as by Wayland's presentation-time; nothing where it reports none.
  struct DisplayCounts {
    std::uint64_t seen = 0;      // reached the screen
    std::uint64_t replaced = 0;  // a later frame took their place before
    std::uint64_t pending = 0;   // not reported yet
  };
  std::optional<DisplayCounts> display_counts;
  std::uint64_t emulated_link = 0;    // bytes a second; 0: none
  LinkMeasure measured_link;          // measured for the pair when it was made; zero without a link
  std::vector<PresentSpan> presents;  // both adapters' presents in the swap chain's lifetime
  std::uint32_t render_tier = 0;      // cross-adapter tiers from the kernel
  std::uint32_t display_tier = 0;
  std::int64_t wall_ns = 0;  // from the first present to the last
  std::int64_t cpu_ns = 0;   // whole process, since the first present
};

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
