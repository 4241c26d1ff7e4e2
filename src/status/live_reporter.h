// Tells the world outside how a swap chain stands: `tandem status` reads it.
#pragma once

#include <atomic>
#include <cstdint>

#include "status/live_folder.h"
#include "swapchain/live_figures.h"

namespace tandem::status {

// Figures of the whole life go in, rates since the last time come out.
class LiveReporter final : public swapchain::LiveSink {
 public:
  // `file` outlives it.
  explicit LiveReporter(status::LiveFile& file) : file_(file) {}
  ~LiveReporter() override;
  LiveReporter(const LiveReporter&) = delete;
  LiveReporter& operator=(const LiveReporter&) = delete;

  // What does not change. Nothing is told before. Once, by the thread that makes the swap chain.
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
  std::string decided_;  // why the path was taken
  status::LiveSwapChain reported_;
  Window window_;
};

}  // namespace tandem::status
