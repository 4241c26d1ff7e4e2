#include "status/figures_json.h"

#include <string>
#include <utility>
#include <vector>

#include "link/governor/encodings.h"
#include "status/figures.h"
#include "swapchain/swap_chain.h"

namespace tandem::status {
namespace {

using Json = nlohmann::ordered_json;

Json EventsJson(const std::vector<swapchain::PathEvent>& events) {
  auto list = Json::array();
  for (const swapchain::PathEvent& event : events) {
    list.push_back({{"frame", event.frame}, {"now", std::string(swapchain::ToString(event.now))}, {"reason", event.reason}});
  }
  return list;
}

Json ChangesJson(const std::vector<swapchain::DisplayChange>& changes) {
  auto list = Json::array();
  for (const swapchain::DisplayChange& change : changes) {
    list.push_back({{"frame", change.frame},
                    {"from", change.from},
                    {"to", change.to},
                    {"path", std::string(swapchain::ToString(change.path))},
                    {"frames_lost", change.frames_lost},
                    {"pause_ms", InMilliseconds(change.pause_ns)},
                    {"reason", change.reason}});
  }
  return list;
}

// Time of one frame; null if no time was reported.
Json TimePerFrame(std::int64_t ns, std::uint64_t frames) {
  return ns == 0 || frames == 0 ? Json() : Json(PerFrame(InMilliseconds(ns), frames));
}

Json LinkJson(const SwapChainRecord& record) {
  const swapchain::Statistics& statistics = record.statistics;
  Json frames;
  for (const link::LinkEncoding encoding : link::kLinkEncodingsByPicture) {
    frames[std::string(link::ToString(encoding))] = FramesIn(encoding, statistics);
  }
  frames["lossy"] = statistics.lossy_frames;
  return {{"emulated_bytes_per_second", record.emulated_link},
          {"measured_bytes_per_second", record.measured_link.bytes_per_second},
          {"measured_latency_ns", record.measured_link.latency_ns},
          {"tracked_bytes_per_second", TrackedLink(record)},
          {"bytes_per_frame", PerFrame(static_cast<double>(statistics.link_bytes), EncodedFrames(statistics))},
          {"encode_ms_per_frame", TimePerFrame(statistics.encode_ns, EncodedFrames(statistics))},
          {"link_ms_per_frame", TimePerFrame(statistics.link_ns, EncodedFrames(statistics))},
          {"decode_ms_per_frame", TimePerFrame(statistics.decode_ns, statistics.decoded_frames)},
          {"frames", std::move(frames)},
          {"frame_bytes", record.frame_bytes},
          {"yuv", record.yuv},
          {"unchanged_tiles", statistics.unchanged_tiles / 1000.0},
          {"reason", statistics.encoding_reason}};
}

}  // namespace

Json AdapterJson(const config::AdapterInfo& adapter, const Json& tier) {
  return {{"index", adapter.index},
          {"name", adapter.name},
          {"kind", adapter.kind},
          {"driver", adapter.driver},
          {"driver_detail", adapter.driver_detail},
          {"tier", tier}};
}

void PutSums(Json& into, const SwapChainRecord& record) {
  const swapchain::Statistics& statistics = record.statistics;
  into["frames_presented"] = statistics.frames_presented;
  into["frames_shown"] = statistics.frames_shown;
  into["frames_dropped"] = statistics.frames_dropped;
  into["frames_composed"] = statistics.frames_composed;
  into["copies_per_frame"] = statistics.counts_passes ? Json(CopiesPerFrame(statistics)) : Json();
  into["bytes_per_frame"] =
      statistics.counts_passes ? Json(PerFrame(static_cast<double>(statistics.bytes_moved), statistics.frames_shown)) : Json();
  into["output_bytes_per_frame"] = PerFrame(static_cast<double>(record.output_written_bytes), statistics.frames_shown);
  into["ddi_presents"] = CountOf(record.presents);
}

void PutFigures(Json& into, const SwapChainRecord& record) {
  const swapchain::Statistics& statistics = record.statistics;
  into["path"] = std::string(swapchain::ToString(record.decision.path));
  if (const auto& counts = record.display_counts) {
    into["display_report"] = {{"seen", counts->seen}, {"replaced", counts->replaced}, {"pending", counts->pending}};
  }
  into["path_reason"] = record.decision.reason;
  into["crossing_format"] = std::string(swapchain::NameOf(record.decision.crossing_format));
  into["paths_refused"] = record.decision.refused;
  into["path_events"] = EventsJson(record.events);
  into["display_changes"] = ChangesJson(record.display_changes);
  into["present_mode"] = record.present_mode;
  PutSums(into, record);
  if (IsEncoded(record.decision)) into["link"] = LinkJson(record);
  into["priority_refusal"] = statistics.priority_refusal;
  into["frame_bytes_refusal"] = record.frame_bytes_refusal;
  into["dithering"] = record.dithering;
  into["frames_per_second"] = PerSecond(record);
  into["latency_ms"] = {{"p50", InMilliseconds(statistics.latency_p50_ns)}, {"p99", InMilliseconds(statistics.latency_p99_ns)}};
  into["cpu_ms_per_frame"] = PerFrame(InMilliseconds(record.cpu_ns), statistics.frames_presented);
  into["wall_ms_per_frame"] = WallPerFrame(record);
}

Json SwapChainJson(const SwapChainRecord& record) {
  Json json{{"width", record.width}, {"height", record.height}, {"format", record.format}, {"images", record.images}};
  json["shown_on"] = record.shown_on;
  PutFigures(json, record);
  return json;
}

}  // namespace tandem::status
