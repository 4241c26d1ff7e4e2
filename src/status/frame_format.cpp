#include "status/frame_format.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/printable.h"
#include "link/surface/link_surface.h"

namespace tandem::status {
namespace {

constexpr std::string_view kTandemColumns =
    "swap_chain,frame,outcome,held,acquired_ms,presented_ms,shown_ms,path,shown_by,encoding,reason,link,link_bytes,encode_ms,"
    "link_ms,decode_ms,unchanged,lossy,lost_before,copy_begin_ms,copy_end_ms,link_begin_ms,link_end_ms,flip_queued_ms,render_gpu,"
    "render_adapter,display_gpu,display_adapter\n";

// An empty field if there is no time.
void AddMilliseconds(std::string& text, std::int64_t ns) {
  if (ns != 0) fmt::format_to(std::back_inserter(text), "{:.3f}", static_cast<double>(ns) / 1e6);
  text.push_back(',');
}

// Readers of the log know no quotes.
std::string NameField(std::string_view name) {
  std::string field = Printable(std::string(name));
  std::ranges::replace(field, ',', ' ');
  return field;
}

class TandemFormat final : public FrameFormat {
 public:
  void AddHead(std::string& text, const FrameLogRun&) const override { text += kTandemColumns; }

  void AddLine(std::string& text, const FrameLogRun& run, const LoggedChain& chain,
               const FrameQueue::Entry& entry) const override {
    const swapchain::FrameLine& line = entry.line;
    const FrameQueue& queue = *chain.queue;
    const bool shown = line.shown_ns != 0;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "{},{},{},{},", chain.number, line.number, shown ? "shown" : "dropped", line.held ? 1 : 0);
    for (const std::int64_t ns : {line.acquired_ns, line.presented_ns, line.shown_ns}) AddMilliseconds(text, ns);
    fmt::format_to(out, "{},{},", ToString(line.path), shown ? ToString(line.shown_by) : std::string_view());
    if (line.encoding) {
      fmt::format_to(out, "{},{},{},{},", ToString(*line.encoding), line.cause, queue.link, line.bytes);
    } else {
      fmt::format_to(out, ",,{},,", queue.link);
    }
    for (const std::int64_t ns : {line.encode_ns, line.link_ns, line.decode_ns}) AddMilliseconds(text, ns);
    if (line.encoding) {
      fmt::format_to(out, "{:.3f},{}", line.unchanged / 1000.0, line.lossy ? 1 : 0);
    } else {
      text.push_back(',');
    }
    fmt::format_to(out, ",{},", entry.lost);
    const PassTimes& copy = line.copy;
    for (const std::int64_t ns : {copy.begin_ns, copy.end_ns, copy.link_begin_ns, copy.link_end_ns, line.flip_queued_ns}) {
      AddMilliseconds(text, ns);
    }
    // Only a swap chain's first line names the adapters.
    if (chain.frame == 0) {
      fmt::format_to(out, "{},{},{},{}\n", run.render_gpu, NameField(run.render_adapter), run.display_gpu,
                     NameField(run.display_adapter));
    } else {
      text += ",,,\n";
    }
  }
};

}  // namespace

std::int64_t LoggedChain::SincePresent(const swapchain::FrameLine& line) const {
  return frame != 0 && line.number == frame + 1 ? line.presented_ns - presented_ns : 0;
}

std::int64_t LoggedChain::SinceShown(const FrameQueue::Entry& entry) const {
  const bool known = entry.line.shown_ns != 0 && shown_ns != 0 && entry.lost == 0;
  return known ? entry.line.shown_ns - shown_ns : 0;
}

void LoggedChain::Follow(const FrameQueue::Entry& entry) {
  frame = entry.line.number;
  presented_ns = entry.line.presented_ns;
  if (entry.line.shown_ns != 0 || entry.lost != 0) shown_ns = entry.line.shown_ns;
  trace.Follow(TraceFrameOf(*this, entry));
}

const FrameFormat& FormatOf(config::FrameLogFormat format) {
  static const TandemFormat tandem;
  switch (format) {
    case config::FrameLogFormat::kPresentMon: return PresentMonFormat();
    case config::FrameLogFormat::kMangoHud: return MangoHudFormat();
    case config::FrameLogFormat::kTandem: break;
  }
  return tandem;
}

std::string CsvField(std::string_view text) {
  const std::string printable = Printable(std::string(text));
  if (printable.find_first_of(",\"") == std::string::npos) return printable;
  std::string quoted = "\"";
  for (const char c : printable) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace tandem::status
