// Publishes a swap chain's state for `tandem status`.
#pragma once

#include <atomic>
#include <cstdint>

#include "status/live_folder.h"
#include "swapchain/live_figures.h"

namespace tandem::status {

// Takes totals of the swap chain's lifetime and reports rates since the last report.
class LiveReporter final : public swapchain::LiveSink {
 public:
  // `file` must outlive the reporter.
  explicit LiveReporter(status::LiveFile& file) : file_(file) {}
  ~LiveReporter() override;
  LiveReporter(const LiveReporter&) = delete;
  LiveReporter& operator=(const LiveReporter&) = delete;

  // Sets the properties that figures do not have; nothing is reported before this call. Call once, on the thread that creates the
  // swap chain.
  void Begin(status::LiveSwapChain known);
  void Report(const swapchain::LiveFigures& figures) override;

 private:
  struct Window {
    std::int64_t begin_ns = 0;
    std::uint64_t frames = 0;
    std::uint64_t link_bytes = 0;
    std::int64_t latency_sum_ns = 0;
  };
  void CloseWindow(const swapchain::LiveFigures& figures);

  status::LiveFile& file_;
  std::atomic<bool> begun_{false};
  int place_ = -1;
  status::LiveSwapChain reported_;
  Window window_;
};

}  // namespace tandem::status
