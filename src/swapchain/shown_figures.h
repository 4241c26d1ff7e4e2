// Figures of frames that were flipped and shown. Internal to the module.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "swapchain/frame_schedule.h"
#include "swapchain/live_figures.h"
#include "swapchain/swap_chain.h"

namespace tandem::swapchain {

// Not thread-safe.
class ShownFigures {
 public:
  void OnFlipped(const FlipWork& work, ShownBy by, std::optional<std::string> reason);
  // Serials of flips begin again; `flips` of them were given out.
  void BeginAgain(std::uint64_t flips) { flips_before_ += flips; }
  void OnShown(std::int64_t presented_ns, std::int64_t now_ns);

  // True, and the report counts as made, when the next live report is due. `idle`: no frame is on its way.
  [[nodiscard]] bool TakeReport(std::int64_t now_ns, std::uint64_t frames_shown, bool idle);
  [[nodiscard]] std::int64_t latency_sum_ns() const { return latency_sum_ns_; }
  void Fill(LiveFigures& figures) const;
  void Fill(Statistics& statistics) const;
  // The last kMaxPathEvents changes of the way of a frame.
  [[nodiscard]] const std::vector<PathEvent>& events() const { return events_; }

 private:
  std::uint64_t composed_ = 0;
  std::uint64_t flips_before_ = 0;  // of display adapters that were lost
  ShownBy shown_by_ = ShownBy::kScanOut;
  std::vector<PathEvent> events_;
  std::int64_t latency_sum_ns_ = 0;  // sum over the frames shown
  std::optional<std::int64_t> first_shown_ns_;
  std::int64_t last_shown_ns_ = 0;
  std::optional<std::int64_t> reported_ns_;  // time of the last live report
};

}  // namespace tandem::swapchain
