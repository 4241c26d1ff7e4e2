#include "cli/bench_link.h"

#include <cstdio>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fnmatch.h>
#include <unistd.h>

#include "cli/exit_codes.h"
#include "link/governor/encodings.h"
#include "link/surface/link_surface.h"

namespace tandem::cli {
namespace {

using system::LinkContent;
using system::LinkTrialRequest;

bool IsWanted(const BenchLinkCommand& command, const std::string& name) {
  return command.filter.empty() || fnmatch(command.filter.c_str(), name.c_str(), 0) == 0;
}

// The example of the co-processing document, a game at 1080p that wants more frames than a narrow link carries, then a grid of
// displays, links and contents.
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
    if (IsWanted(command, NameOf(request))) requests.push_back(request);
  };
  constexpr LinkContent kContents[] = {LinkContent::kGame, LinkContent::kDesktop, LinkContent::kVideo};
  for (const LinkContent content : kContents) add(1280, 1024, 100, 250'000'000, content);
  if (command.quick) return requests;
  add(1920, 1080, 144, 250'000'000, LinkContent::kGame);
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

// Says what is being measured, where somebody looks at it.
class Progress {
 public:
  Progress(std::size_t rows, std::size_t latencies) : all_(rows + latencies) {}
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void NextLine() { ++line_; }
  void Say(const std::string& what, std::string_view encoding) const {
    if (tells_) std::fprintf(stderr, "%s", fmt::format("\r{} of {}: {}, {} ...\033[K", line_, all_, what, encoding).c_str());
  }
  // Before anything else is printed.
  void Clear() const {
    if (tells_) std::fputs("\r\033[K", stderr);
  }

 private:
  const bool tells_ = isatty(STDERR_FILENO) != 0;
  const std::size_t all_;
  std::size_t line_ = 0;
};

Result<LinkBenchRow> Measure(LinkTrialRequest request, system::LinkPictures& pictures, const Progress& progress) {
  LinkBenchRow row;
  row.request = request;
  for (const link::LinkEncoding encoding : BuiltEncodings()) {
    progress.Say(NameOf(request), link::ToString(encoding));
    request.encodings = link::EncodingRequest::Just(encoding);
    auto trial = system::TryLink(request, pictures);
    if (!trial.ok()) return std::move(trial).error();
    row.fixed[static_cast<std::uint32_t>(encoding)] = *std::move(trial);
  }
  progress.Say(NameOf(request), "governor");
  request.encodings = {};
  auto governed = system::TryLink(request, pictures);
  if (!governed.ok()) return std::move(governed).error();
  row.governed = *std::move(governed);
  return row;
}

LinkTrialRequest LatencyRequest(const BenchLinkCommand& command) {
  LinkTrialRequest request;
  request.width = 1920;
  request.height = 1080;
  request.seconds = command.seconds;
  return request;
}

Result<LinkLatencyRow> MeasureLatency(const BenchLinkCommand& command, link::LinkEncoding encoding,
                                      system::LinkPictures& pictures) {
  LinkLatencyRow row;
  row.request = LatencyRequest(command);
  row.request.encodings = link::EncodingRequest::Just(encoding);
  row.encoding = encoding;
  auto latency = system::TryLinkLatency(row.request, pictures);
  if (!latency.ok()) return std::move(latency).error();
  row.latency = *latency;
  return row;
}

}  // namespace

int BenchLink(const BenchLinkCommand& command) {
  const auto requests = Requests(command);
  auto latencies = BuiltEncodings();
  std::erase_if(latencies, [&](link::LinkEncoding encoding) {
    return !IsWanted(command, LatencyNameOf(LatencyRequest(command), encoding));
  });
  if (requests.empty() && latencies.empty()) {
    std::fprintf(stderr, "tandem bench link: No line matches '%s'; one is called '%s'.\n", command.filter.c_str(),
                 LatencyNameOf(LatencyRequest(command), link::LinkEncoding::kPlain).c_str());
    return kExitUsage;
  }
  Progress progress(requests.size(), latencies.size());
  LinkBench bench;
  system::LinkPictures pictures;
  const bool table = command.format == ListFormat::kTable;
  const auto print = [&](const std::string& text) {
    progress.Clear();
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  };
  const auto fail = [&](const Error& error) {
    progress.Clear();
    std::fprintf(stderr, "tandem bench link: %s\n", error.message.c_str());
    return kExitFailure;
  };
  if (table && !requests.empty()) print(Heading());
  for (const LinkTrialRequest& request : requests) {
    progress.NextLine();
    auto row = Measure(request, pictures, progress);
    if (!row.ok()) return fail(row.error());
    if (table) print(ToLine(*row));
    bench.rows.push_back(*std::move(row));
  }
  if (table && !latencies.empty()) print(LatencyHeading());
  for (const link::LinkEncoding encoding : latencies) {
    progress.NextLine();
    progress.Say("one frame at a time", link::ToString(encoding));
    auto row = MeasureLatency(command, encoding, pictures);
    if (!row.ok()) return fail(row.error());
    if (table) print(ToLine(*row));
    bench.latencies.push_back(*std::move(row));
  }
  if (!table) print(ToJson(bench));
  return kExitOk;
}

}  // namespace tandem::cli
