// Record of what a swap chain counted and chose in its life.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/link_measure.h"
#include "swapchain/swap_chain.h"

namespace tandem::status {

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

}  // namespace tandem::status
