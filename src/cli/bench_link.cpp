#include "cli/bench_link.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "cli/exit_codes.h"

namespace tandem::cli {
namespace {

using compose::LinkContent;
using compose::LinkTrial;
using compose::LinkTrialRequest;

// The example of the co-processing document, then a grid of displays, links and contents.
std::vector<LinkTrialRequest> Requests(const BenchLinkCommand& command) {
  std::vector<LinkTrialRequest> requests;
  const auto add = [&](std::uint32_t width, std::uint32_t height, double rate, std::uint64_t link, LinkContent content) {
    LinkTrialRequest request;
    request.width = width;
    request.height = height;
    request.frames_per_second = rate;
    request.link_bytes_per_second = link;
    request.content = content;
    request.seconds = command.seconds;
    requests.push_back(request);
  };
  constexpr LinkContent kContents[] = {LinkContent::kGame, LinkContent::kDesktop, LinkContent::kVideo};
  for (const LinkContent content : kContents) add(1280, 1024, 100, 250'000'000, content);
  if (command.quick) return requests;
  struct Screen {
    std::uint32_t width, height;
    double rate;
  };
  for (const auto& [width, height, rate] : {Screen{1920, 1080, 60}, Screen{2560, 1440, 144}, Screen{3840, 2160, 60}}) {
    for (const std::uint64_t link : {250'000'000ULL, 1'000'000'000ULL, 2'500'000'000ULL, 8'000'000'000ULL}) {
      for (const LinkContent content : kContents) add(width, height, rate, link, content);
    }
  }
  return requests;
}

// Of the encodings, those that this build has.
std::vector<codec::LinkEncoding> Built() {
  std::vector<codec::LinkEncoding> built;
  std::ranges::copy_if(codec::kLinkEncodingsByPicture, std::back_inserter(built), codec::IsBuilt);
  return built;
}

std::string Screen(const LinkTrialRequest& request) {
  return fmt::format("{}x{}@{:.0f}", request.width, request.height, request.frames_per_second);
}

Result<LinkBenchRow> Measure(LinkTrialRequest request) {
  LinkBenchRow row;
  row.request = request;
  for (const codec::LinkEncoding encoding : Built()) {
    request.encodings = coproc::EncodingWish::Just(encoding);
    auto trial = compose::TryLink(request);
    if (!trial.ok()) return std::move(trial).error();
    row.fixed[static_cast<std::uint32_t>(encoding)] = *std::move(trial);
  }
  request.encodings = {};
  auto governed = compose::TryLink(request);
  if (!governed.ok()) return std::move(governed).error();
  row.governed = *std::move(governed);
  return row;
}

Result<LinkLatencyRow> MeasureLatency(const BenchLinkCommand& command, codec::LinkEncoding encoding) {
  LinkLatencyRow row;
  row.request.width = 1920;
  row.request.height = 1080;
  row.request.seconds = command.seconds;
  row.request.encodings = coproc::EncodingWish::Just(encoding);
  row.encoding = encoding;
  auto latency = compose::TryLinkLatency(row.request);
  if (!latency.ok()) return std::move(latency).error();
  row.latency = *latency;
  return row;
}

std::string Choices(const LinkTrial& trial) {
  std::uint64_t all = 0;
  for (const std::uint64_t frames : trial.frames) all += frames;
  std::string text;
  for (const codec::LinkEncoding encoding : codec::kLinkEncodingsByPicture) {
    const std::uint64_t frames = trial.frames[static_cast<std::uint32_t>(encoding)];
    if (frames == 0) continue;
    const double share = 100.0 * static_cast<double>(frames) / static_cast<double>(all);
    text += fmt::format("{}{}", text.empty() ? "" : " ", codec::ToString(encoding));
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

double LinkBenchRow::PlainLimit() const {
  const auto plain =
      codec::LinkFrameBytes(codec::LinkEncoding::kPlain, color::Format::kB8G8R8A8Unorm, request.width, request.height);
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

std::string ToTable(const LinkBench& bench) {
  std::string text = "Frames a second that were shown; links are emulated, adapters are software.\n";
  text += fmt::format("{:<15}{:>10}  {:<9}{:>12}", "display", "link", "content", "plain limit");
  for (const codec::LinkEncoding encoding : Built()) text += fmt::format("{:>10}", codec::ToString(encoding));
  text += fmt::format("{:>10}{:>9}{:>11}  {}\n", "governor", "of best", "MB a frame", "its choice");
  for (const LinkBenchRow& row : bench.rows) {
    text +=
        fmt::format("{:<15}{:>10}  {:<9}{:>12.1f}", Screen(row.request), coproc::LinkLimitText(row.request.link_bytes_per_second),
                    compose::ToString(row.request.content), row.PlainLimit());
    for (const codec::LinkEncoding encoding : Built()) {
      text += fmt::format("{:>10.1f}", row.fixed[static_cast<std::uint32_t>(encoding)].frames_per_second);
    }
    text += fmt::format("{:>10.1f}{:>8.0f}%{:>11.2f}  {}\n", row.governed.frames_per_second, 100 * row.Share(),
                        row.governed.bytes_per_frame / 1e6, Choices(row.governed));
  }
  text += fmt::format("\nOne frame at a time, in {} slices: present to screen, over what its bytes take on the link.\n",
                      LinkTrialRequest{}.slices);
  for (const LinkLatencyRow& row : bench.latencies) {
    text += fmt::format("{}x{} over {}, {}, {}: {:.1f} ms, {:.2f} x {:.1f} ms\n", row.request.width, row.request.height,
                        coproc::LinkLimitText(row.request.link_bytes_per_second), compose::ToString(row.request.content),
                        codec::ToString(row.encoding), static_cast<double>(row.latency.p50_ns) / 1e6, row.Ratio(),
                        static_cast<double>(row.latency.link_ns) / 1e6);
  }
  return text;
}

std::string ToJson(const LinkBench& bench) {
  auto list = nlohmann::ordered_json::array();
  for (const LinkBenchRow& row : bench.rows) {
    nlohmann::ordered_json json{{"width", row.request.width},
                                {"height", row.request.height},
                                {"refresh_hz", row.request.frames_per_second},
                                {"emulated_bytes_per_second", row.request.link_bytes_per_second},
                                {"content", std::string(compose::ToString(row.request.content))},
                                {"plain_limit_frames_per_second", row.PlainLimit()}};
    for (const codec::LinkEncoding encoding : Built()) {
      json[std::string(codec::ToString(encoding))] = TrialJson(row.fixed[static_cast<std::uint32_t>(encoding)]);
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
                         {"content", std::string(compose::ToString(row.request.content))},
                         {"encoding", std::string(codec::ToString(row.encoding))},
                         {"slices", row.request.slices},
                         {"latency_p50_ms", static_cast<double>(row.latency.p50_ns) / 1e6},
                         {"link_ms", static_cast<double>(row.latency.link_ns) / 1e6},
                         {"ratio", row.Ratio()}});
  }
  return nlohmann::ordered_json{{"link", list}, {"latency", latencies}}.dump(2) + "\n";
}

int BenchLink(const BenchLinkCommand& command) {
  const auto requests = Requests(command);
  const bool tells = isatty(STDERR_FILENO) != 0;
  LinkBench bench;
  for (const LinkTrialRequest& request : requests) {
    if (tells) {
      std::fprintf(stderr, "\r%zu of %zu: %s, %s, %s ...\033[K", bench.rows.size() + 1, requests.size(), Screen(request).c_str(),
                   coproc::LinkLimitText(request.link_bytes_per_second).c_str(),
                   std::string(compose::ToString(request.content)).c_str());
    }
    auto row = Measure(request);
    if (!row.ok()) {
      std::fprintf(stderr, "%standem bench link: %s\n", tells ? "\n" : "", row.error().message.c_str());
      return kExitFailure;
    }
    bench.rows.push_back(*std::move(row));
  }
  for (const codec::LinkEncoding encoding : Built()) {
    auto row = MeasureLatency(command, encoding);
    if (!row.ok()) {
      std::fprintf(stderr, "%standem bench link: %s\n", tells ? "\n" : "", row.error().message.c_str());
      return kExitFailure;
    }
    bench.latencies.push_back(*std::move(row));
  }
  if (tells) std::fputs("\r\033[K", stderr);
  std::fputs((command.format == ListFormat::kJson ? ToJson(bench) : ToTable(bench)).c_str(), stdout);
  return kExitOk;
}

}  // namespace tandem::cli
