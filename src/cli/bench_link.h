// tandem bench link: what comes through emulated narrow links, by encoding and by the governor's choice.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "link/surface/link_surface.h"
#include "system/link_trial.h"

namespace tandem::cli {

// One line of the table: the same frames over the same link in each way.
struct LinkBenchRow {
  system::LinkTrialRequest request;  // but for its encodings
  std::array<system::LinkTrial, link::kLinkEncodings> fixed;
  system::LinkTrial governed;

  // Frames a second that plain bytes allow on the link.
  [[nodiscard]] double PlainLimit() const;
  [[nodiscard]] double BestFixed() const;
  // The governor's share of the best fixed choice.
  [[nodiscard]] double Share() const;
};

// One frame at a time over the link of the request, in one encoding.
struct LinkLatencyRow {
  system::LinkTrialRequest request;
  link::LinkEncoding encoding = link::LinkEncoding::kPlain;
  system::LinkLatency latency;

  // Latency of a frame divided by the time of its bytes on the link.
  [[nodiscard]] double Ratio() const;
};

struct LinkBench {
  std::vector<LinkBenchRow> rows;
  std::vector<LinkLatencyRow> latencies;
};

// Those that this build has, best picture first.
[[nodiscard]] std::vector<link::LinkEncoding> BuiltEncodings();

// "3840x2160@60 250MB/s game", "latency 250MB/s 420-tiles": what a pattern is compared with.
[[nodiscard]] std::string NameOf(const system::LinkTrialRequest& request);
[[nodiscard]] std::string LatencyNameOf(const system::LinkTrialRequest& request, link::LinkEncoding encoding);

// The table, a line at a time.
[[nodiscard]] std::string Heading();
[[nodiscard]] std::string ToLine(const LinkBenchRow& row);
[[nodiscard]] std::string LatencyHeading();
[[nodiscard]] std::string ToLine(const LinkLatencyRow& row);
[[nodiscard]] std::string ToJson(const LinkBench& bench);

// Prints the table on standard output, each line as soon as it is measured, and what is being measured on standard error where
// that is a terminal. Returns the exit code.
[[nodiscard]] int BenchLink(const BenchLinkCommand& command);

}  // namespace tandem::cli
