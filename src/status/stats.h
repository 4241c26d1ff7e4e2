// The figures of the run: what each swap chain did, for the file and the summary that the settings ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <vector>

#include "base/link_measure.h"
#include "base/log.h"
#include "config/adapter_info.h"
#include "swapchain/swap_chain.h"

namespace tandem::status {

// More swap chains than this in one process: the oldest finished ones are forgotten, their frames stay in the totals.
inline constexpr std::size_t kMaxRecordedSwapChains = 64;

// Calls of one adapter's DxgkDdiPresent, as its counter numbers them: `from` up to `to`.
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
  swapchain::Statistics statistics;
  std::uint64_t frame_bytes = 0;    // the most that an encoded frame may have; 0: whatever it takes
  std::string frame_bytes_refusal;  // a sentence, why it is not kept to; empty: it is
  std::string yuv;                  // how 4:2:0 is made, as --yuv takes it
  std::string dithering;            // a sentence; empty: nothing is dithered
  std::uint64_t output_written_bytes = 0;
  std::uint64_t emulated_link = 0;    // bytes a second; 0: none
  LinkMeasure measured_link;          // of the pair, when it was made; nothing where there is none to speak of
  std::vector<PresentSpan> presents;  // of both adapters, while the swap chain lived
  std::uint32_t render_tier = 0;      // cross-adapter tiers, as the kernel tells them
  std::uint32_t display_tier = 0;
  std::int64_t wall_ns = 0;  // from the first present to the last
  std::int64_t cpu_ns = 0;   // of the whole process, from the first present on
};

// When the figures are written; a stream, to which each is added, gets them at the exit only.
enum class Occasion { kSystemGone, kExit };

// Thread-safe. Nothing throws.
class StatsBook {
 public:
  using Source = std::function<SwapChainRecord()>;
  using Id = std::uint64_t;

  // `source` is asked when the figures are written while the swap chain lives, by any thread, until Close() returned.
  Id Open(Source source);
  // Asks a last time and keeps the answer.
  void Close(Id id);

  void SetAdapters(const config::AdapterInfo& render, const config::AdapterInfo& display);
  // The layer does nothing in this process (or for one of its instances), and why; logged at `level`.
  void StepAside(const std::string& reason, LogLevel level);
  // A swap chain that the application asked for could not be made, and why. The last one counts.
  void RefuseSwapChain(const std::string& reason);

  // Replaces the file in one step. A process without a swap chain leaves a file that is there as it is: it may be another
  // process's. A file that cannot be written goes to the log.
  void WriteJson(const std::string& path, Occasion occasion) noexcept;
  // On standard error.
  void PrintSummary() noexcept;

 private:
  struct Live {
    Id id;
    Source source;
  };
  [[nodiscard]] std::vector<SwapChainRecord> Records() const;
  [[nodiscard]] std::string Text() const;

  // Taken by the handler at exit too, which gives up after a while: the thread that holds it may be gone.
  std::mutex mutex_;
  std::list<Live> live_;
  std::vector<SwapChainRecord> finished_;
  SwapChainRecord forgotten_;  // sums only
  std::uint64_t next_id_ = 1;
  std::string step_aside_reason_;
  std::string refusal_;
  config::AdapterInfo render_;
  config::AdapterInfo display_;
};

}  // namespace tandem::status
