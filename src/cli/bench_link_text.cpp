#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/bench_link.h"
#include "color/format.h"
#include "link/governor/encodings.h"
#include "link/surface/link_surface.h"
#include "link/trial/encoding_trial.h"
#include "system/link_pictures.h"
#include "system/link_trial.h"

namespace tandem::cli {
namespace {

using system::LinkTrial;
using system::LinkTrialRequest;

std::string Screen(const LinkTrialRequest& request) {
  return fmt::format("{}x{}@{:.0f}", request.width, request.height, request.frames_per_second);
}

std::string Choices(const LinkTrial& trial) {
  std::uint64_t all = 0;
  for (const std::uint64_t frames : trial.frames) all += frames;
  std::string text;
  for (const link::LinkEncoding encoding : link::kLinkEncodingsByPicture) {
    const std::uint64_t frames = trial.frames[static_cast<std::uint32_t>(encoding)];
    if (frames == 0) continue;
    const double share = 100.0 * static_cast<double>(frames) / static_cast<double>(all);
    text += fmt::format("{}{}", text.empty() ? "" : " ", link::ToString(encoding));
    if (share < 99.5) text += fmt::format(" {:.0f}%", share);
  }
  return text;
}

nlohmann::ordered_json TrialJson(const LinkTrial& trial) {
  return {{"frames_per_second", trial.frames_per_second},
          {"bytes_per_frame", trial.bytes_per_frame},
          {"latency_p50_ms", static_cast<double>(trial.latency_p50_ns) / 1e6}};
}

}  // namespace

std::vector<link::LinkEncoding> BuiltEncodings() {
  std::vector<link::LinkEncoding> built;
  std::ranges::copy_if(link::kLinkEncodingsByPicture, std::back_inserter(built),
                       [](link::LinkEncoding encoding) { return link::IsBuilt(encoding); });
  return built;
}

double LinkBenchRow::PlainLimit() const {
  const auto plain =
      link::LinkFrameBytes(link::LinkEncoding::kPlain, color::Format::kB8G8R8A8Unorm, request.width, request.height);
  return static_cast<double>(request.link_bytes_per_second) / static_cast<double>(plain);
}

double LinkBenchRow::BestFixed() const {
  double best = 0;
  for (const LinkTrial& trial : fixed) best = std::max(best, trial.frames_per_second);
  return best;
}

double LinkBenchRow::Share() const { return BestFixed() == 0 ? 0 : governed.frames_per_second / BestFixed(); }

double LinkLatencyRow::Ratio() const {
  return latency.link_ns == 0 ? 0 : static_cast<double>(latency.p50_ns) / static_cast<double>(latency.link_ns);
}

std::string NameOf(const LinkTrialRequest& request) {
  return fmt::format("{} {} {}", Screen(request), link::LinkLimitText(request.link_bytes_per_second),
                     system::ToString(request.content));
}

std::string LatencyNameOf(const LinkTrialRequest& request, link::LinkEncoding encoding) {
  return fmt::format("latency {} {}", link::LinkLimitText(request.link_bytes_per_second), link::ToString(encoding));
}

std::string Heading() {
  std::string text = "Frames a second that were shown; links are emulated, adapters are software.\n";
  text += fmt::format("{:<15}{:>10}  {:<9}{:>12}", "display", "link", "content", "plain limit");
  for (const link::LinkEncoding encoding : BuiltEncodings()) text += fmt::format("{:>10}", link::ToString(encoding));
  return text + fmt::format("{:>10}{:>9}{:>11}  {}\n", "governor", "of best", "MB a frame", "its choice");
}

std::string ToLine(const LinkBenchRow& row) {
  std::string text =
      fmt::format("{:<15}{:>10}  {:<9}{:>12.1f}", Screen(row.request), link::LinkLimitText(row.request.link_bytes_per_second),
                  system::ToString(row.request.content), row.PlainLimit());
  for (const link::LinkEncoding encoding : BuiltEncodings()) {
    text += fmt::format("{:>10.1f}", row.fixed[static_cast<std::uint32_t>(encoding)].frames_per_second);
  }
  return text + fmt::format("{:>10.1f}{:>8.0f}%{:>11.2f}  {}\n", row.governed.frames_per_second, 100 * row.Share(),
                            row.governed.bytes_per_frame / 1e6, Choices(row.governed));
}

std::string LatencyHeading() {
  return fmt::format("\nOne frame at a time, in {} slices: present to screen, over what its bytes take on the link.\n",
                     LinkTrialRequest{}.slices);
}

std::string ToLine(const LinkLatencyRow& row) {
  return fmt::format("{}x{} over {}, {}, {}: {:.1f} ms, {:.2f} x {:.1f} ms\n", row.request.width, row.request.height,
                     link::LinkLimitText(row.request.link_bytes_per_second), system::ToString(row.request.content),
                     link::ToString(row.encoding), static_cast<double>(row.latency.p50_ns) / 1e6, row.Ratio(),
                     static_cast<double>(row.latency.link_ns) / 1e6);
}

std::string ToJson(const LinkBench& bench) {
  auto list = nlohmann::ordered_json::array();
  for (const LinkBenchRow& row : bench.rows) {
    nlohmann::ordered_json json{{"width", row.request.width},
                                {"height", row.request.height},
                                {"refresh_hz", row.request.frames_per_second},
                                {"emulated_bytes_per_second", row.request.link_bytes_per_second},
                                {"content", std::string(system::ToString(row.request.content))},
                                {"plain_limit_frames_per_second", row.PlainLimit()}};
    for (const link::LinkEncoding encoding : BuiltEncodings()) {
      json[std::string(link::ToString(encoding))] = TrialJson(row.fixed[static_cast<std::uint32_t>(encoding)]);
    }
    json["governor"] = TrialJson(row.governed);
    json["governor"]["of_best"] = row.Share();
    json["governor"]["reason"] = row.governed.reason;
    list.push_back(std::move(json));
  }
  auto latencies = nlohmann::ordered_json::array();
  for (const LinkLatencyRow& row : bench.latencies) {
    latencies.push_back({{"width", row.request.width},
                         {"height", row.request.height},
                         {"emulated_bytes_per_second", row.request.link_bytes_per_second},
                         {"content", std::string(system::ToString(row.request.content))},
                         {"encoding", std::string(link::ToString(row.encoding))},
                         {"slices", row.request.slices},
                         {"latency_p50_ms", static_cast<double>(row.latency.p50_ns) / 1e6},
                         {"link_ms", static_cast<double>(row.latency.link_ns) / 1e6},
                         {"ratio", row.Ratio()}});
  }
  return nlohmann::ordered_json{{"link", list}, {"latency", latencies}}.dump(2) + "\n";
}

}  // namespace tandem::cli
