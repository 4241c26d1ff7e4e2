#include "status/figures_text.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "link/governor/encodings.h"
#include "status/figures.h"
#include "swapchain/swap_chain.h"

namespace tandem::status {
namespace {

constexpr double kMiB = 1 << 20;

std::string LinkWidth(const SwapChainRecord& record) {
  const auto megabytes = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  if (record.emulated_link != 0) return fmt::format(" of {:.0f} MB/s (emulated)", megabytes(record.emulated_link));
  if (record.measured_link.bytes_per_second == 0) return {};
  const std::uint64_t tracked = TrackedLink(record);
  const std::string since = tracked == 0 ? std::string() : fmt::format(", with frames {:.0f}", megabytes(tracked));
  return fmt::format(" of {:.0f} MB/s after {:.0f} us (measured{})", megabytes(record.measured_link.bytes_per_second),
                     static_cast<double>(record.measured_link.latency_ns) / 1e3, since);
}

std::string LinkLine(const SwapChainRecord& record) {
  const swapchain::Statistics& statistics = record.statistics;
  std::string frames;
  for (const link::LinkEncoding encoding : link::kLinkEncodingsByPicture) {
    const std::uint64_t count = FramesIn(encoding, statistics);
    if (count != 0) frames += fmt::format("{}{} {}", frames.empty() ? "" : ", ", count, link::ToString(encoding));
  }
  if (statistics.lossy_frames != 0) {
    frames += fmt::format("{}{} in tiles that lost low bits to stay within {} bytes", frames.empty() ? "" : ", ",
                          statistics.lossy_frames, record.frame_bytes);
  }
  if (FramesIn(link::LinkEncoding::kYuv420, statistics) + FramesIn(link::LinkEncoding::kYuv420Tiles, statistics) != 0)
    frames += fmt::format("; 4:2:0 as {}", record.yuv);
  const double bytes = PerFrame(static_cast<double>(statistics.link_bytes), EncodedFrames(statistics));
  const double plain = static_cast<double>(record.width) * record.height * 4;
  return fmt::format("tandem:   link{}: {:.2f} MB a frame in place of {:.2f}; frames: {}\ntandem:   {}\n", LinkWidth(record),
                     bytes / 1e6, plain / 1e6, frames.empty() ? "none" : frames, statistics.encoding_reason);
}

}  // namespace

std::string SummaryLines(const SwapChainRecord& record) {
  const swapchain::Statistics& statistics = record.statistics;
  std::string text = fmt::format(
      "tandem: {}x{} {} {}, {} images, on {}\n"
      "tandem:   path {}: {}\n",
      record.width, record.height, record.format, record.present_mode, record.images, Escaped(record.shown_on),
      swapchain::ToString(record.decision.path), record.decision.reason);
  for (const std::string& refused : record.decision.refused) text += fmt::format("tandem:   refused: {}\n", refused);
  for (const swapchain::PathEvent& event : record.events) {
    text += fmt::format("tandem:   from frame {} on {}: {}\n", event.frame, swapchain::ToString(event.now), event.reason);
  }
  for (const swapchain::DisplayChange& change : record.display_changes) {
    text += fmt::format(
        "tandem:   from frame {} on {} shows in place of {}, path {}: {} frames lost, none shown for {:.0f} ms\n"
        "tandem:   {}\n",
        change.frame, Escaped(change.to), Escaped(change.from), swapchain::ToString(change.path), change.frames_lost,
        InMilliseconds(change.pause_ns), change.reason);
  }
  if (IsEncoded(record.decision)) text += LinkLine(record);
  if (!statistics.priority_refusal.empty()) {
    text += fmt::format("tandem:   the display thread has the program's priority: {}\n", statistics.priority_refusal);
  }
  if (!record.frame_bytes_refusal.empty()) text += fmt::format("tandem:   {}\n", record.frame_bytes_refusal);
  if (!record.dithering.empty()) text += fmt::format("tandem:   {}\n", record.dithering);
  const std::string copies =
      statistics.counts_passes
          ? fmt::format("{:.2f} copies and {:.1f} MiB written a frame shown", CopiesPerFrame(statistics),
                        PerFrame(static_cast<double>(statistics.bytes_moved), statistics.frames_shown) / kMiB)
          : std::string("a driver does not count its copies");
  text += fmt::format(
      "tandem:   {} frames presented, {} shown, {} dropped; {:.1f} shown a second\n"
      "tandem:   {}, {:.1f} MiB more by the output\n"
      "tandem:   {:.2f} ms and {:.2f} ms of processor time a frame presented\n"
      "tandem:   present to vertical blank: median {:.2f} ms, 99 % within {:.2f} ms\n",
      statistics.frames_presented, statistics.frames_shown, statistics.frames_dropped, PerSecond(record), copies,
      PerFrame(static_cast<double>(record.output_written_bytes), statistics.frames_shown) / kMiB, WallPerFrame(record),
      PerFrame(InMilliseconds(record.cpu_ns), statistics.frames_presented), InMilliseconds(statistics.latency_p50_ns),
      InMilliseconds(statistics.latency_p99_ns));
  if (const auto& counts = record.display_counts) {
    text += fmt::format("tandem:   the display reports {} frames seen, {} replaced, {} not yet\n", counts->seen, counts->replaced,
                        counts->pending);
  }
  return text;
}

}  // namespace tandem::status
