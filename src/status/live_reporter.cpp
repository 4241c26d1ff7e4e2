#include "status/live_reporter.h"

#include <algorithm>
#include <span>
#include <utility>

namespace tandem::status {
namespace {

std::uint64_t PerSecond(std::uint64_t amount, std::int64_t duration_ns) {
  return static_cast<std::uint64_t>(static_cast<double>(amount) * 1e9 / static_cast<double>(duration_ns));
}

}  // namespace

LiveReporter::~LiveReporter() { file_.Close(place_); }

void LiveReporter::Begin(status::LiveSwapChain known) {
  reported_ = std::move(known);
  reported_.path_reason.reserve(status::kLiveReasonBytes);
  reported_.encoding_reason.reserve(status::kLiveReasonBytes);
  reported_.display.reserve(status::kLiveNameBytes);
  place_ = file_.Open();
  begun_.store(true, std::memory_order_release);
}

void LiveReporter::CloseWindow(const swapchain::LiveFigures& figures) {
  const std::int64_t duration_ns = figures.now_ns - window_.begin_ns;
  const std::uint64_t frames = figures.frames_shown - window_.frames;
  if (window_.begin_ns != 0 && duration_ns > 0) {
    reported_.millihertz = PerSecond(frames * 1000, duration_ns);
    reported_.link_bytes_per_second = PerSecond(figures.link_bytes - window_.link_bytes, duration_ns);
    reported_.latency_ns =
        frames == 0 ? 0 : (figures.latency_sum_ns - window_.latency_sum_ns) / static_cast<std::int64_t>(frames);
  }
  window_ = {figures.now_ns, figures.frames_shown, figures.link_bytes, figures.latency_sum_ns};
}

void LiveReporter::Report(const swapchain::LiveFigures& figures) {
  if (!begun_.load(std::memory_order_acquire) || place_ < 0) return;
  if (window_.begin_ns == 0 || figures.now_ns - window_.begin_ns >= swapchain::kLivePeriodNs) CloseWindow(figures);
  reported_.reported_ns = figures.now_ns;
  reported_.frames.presented = figures.frames_presented;
  reported_.frames.shown = figures.frames_shown;
  reported_.frames.dropped = figures.frames_dropped;
  reported_.lossy_frames = figures.lossy_frames;
  reported_.shown_by = figures.shown_by;
  const bool composed = figures.shown_by == swapchain::ShownBy::kComposition;
  reported_.display.assign(figures.display.substr(0, status::kLiveNameBytes));
  reported_.path = figures.decision->path;
  reported_.crossing_format = figures.decision->crossing_format;
  const std::string_view why = composed ? figures.shown_by_reason : std::string_view(figures.decision->reason);
  reported_.path_reason.assign(why.substr(0, status::kLiveReasonBytes));
  reported_.encoding = figures.encoding;
  if (figures.encodings != nullptr) {
    reported_.encoding_reason.resize(status::kLiveReasonBytes);
    reported_.encoding_reason.resize(figures.encodings->Explain(reported_.encoding_reason));
  }
  file_.Report(place_, reported_);
}

}  // namespace tandem::status
