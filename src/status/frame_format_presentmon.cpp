// The columns of PresentMon 2.3.1, as its console application writes them by default. A value that Tandem does not know is NA.
#include <iterator>

#include <fmt/format.h>

#include "status/frame_format.h"
#include "swapchain/frame_line.h"
#include "swapchain/swap_chain.h"

namespace tandem::status {
namespace {

constexpr std::string_view kPresentMonColumns =
    "Application,ProcessID,SwapChainAddress,PresentRuntime,SyncInterval,PresentFlags,AllowsTearing,PresentMode,TimeInMs,"
    "MsBetweenSimulationStart,MsBetweenPresents,MsBetweenDisplayChange,MsInPresentAPI,MsRenderPresentLatency,MsUntilDisplayed,"
    "MsPCLatency,CPUStartTimeInMs,MsBetweenAppStart,MsCPUBusy,MsCPUWait,MsGPULatency,MsGPUTime,MsGPUBusy,MsGPUWait,"
    "MsAnimationError,AnimationTime,MsAllInputToPhotonLatency,MsClickToPhotonLatency\n";
// The runtime behind neither DXGI nor Direct3D 9. A Vulkan present has neither sync interval nor flags: -1 and 0.
constexpr std::string_view kRuntime = "Other,-1,0";

std::string Milliseconds(std::int64_t ns) { return ns == 0 ? "NA" : fmt::format("{:.4f}", static_cast<double>(ns) / 1e6); }

class PresentMon final : public FrameFormat {
 public:
  void AddHead(std::string& text, const FrameLogRun&) const override { text += kPresentMonColumns; }

  void AddLine(std::string& text, const FrameLogRun& run, const LoggedChain& chain,
               const FrameQueue::Entry& entry) const override {
    const swapchain::FrameLine& line = entry.line;
    const swapchain::PresentMode mode = chain.queue->present_mode;
    const bool tears = mode == swapchain::PresentMode::kImmediate || mode == swapchain::PresentMode::kFifoRelaxed;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "{},{},0x{:X},{},{},{},{:.4f},NA,", CsvField(run.program), run.pid, chain.number, kRuntime, tears ? 1 : 0,
                   chain.queue->whole_display ? "Hardware: Independent Flip" : "Other",
                   static_cast<double>(line.presented_ns - run.begin_ns) / 1e6);
    fmt::format_to(out, "{},{},NA,NA,{},", Milliseconds(chain.SincePresent(line)), Milliseconds(chain.SinceShown(entry)),
                   Milliseconds(line.shown_ns == 0 ? 0 : line.shown_ns - line.presented_ns));
    text += "NA,NA,NA,NA,NA,NA,NA,NA,NA,NA,NA,NA,NA\n";
  }
};

}  // namespace

const FrameFormat& PresentMonFormat() {
  static const PresentMon format;
  return format;
}

}  // namespace tandem::status
