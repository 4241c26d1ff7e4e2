// Compares the encodings with their peers: round-robin in one process, on one thread, with frames that no cache holds. Prints
// tables; options:
//   --rounds N             rounds, default 41
//   --target NAME          instruction set of both sides in Highway's words: SSE4, AVX2, AVX3; AVX2+GFNI; default the best
//   --frames FILE          a raw stream of B8G8R8A8 frames; may be given several times: their geometric means come last
//   --benchmark_out=FILE   the figures as JSON
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <hwy/targets.h>
#include <nlohmann/json.hpp>

#include "bench/codec_cases.h"
#include "color/simd/gfni.h"

namespace {

using tandem::bench::Row;

std::string Times(double value) { return value == 0 ? "-" : fmt::format("{:.2f}", value); }

void Print(const std::vector<Row>& rows) {
  fmt::print("\n{}\n{:<28} {:>9} {:>7} {:>8} {:>9} {:>9} {:>8} {:>7}\n", rows.front().table, "", "ms", "GB/s", "x peer",
             "x memcpy", "traffic", "of whole", "ratio");
  for (const Row& row : rows) {
    fmt::print("{:<28} {:>9.3f} {:>7.1f} {:>8} {:>9} {:>9} {:>8} {:>7}\n", row.name, row.median_ms, row.gigabytes_per_second,
               Times(row.times_peer), Times(row.times_memcpy), Times(row.of_traffic), Times(row.of_whole), Times(row.ratio));
  }
  std::fflush(stdout);
}

double GeometricMean(const std::vector<Row>& rows, std::string_view name, double Row::*figure) {
  double sum = 0;
  std::size_t count = 0;
  for (const Row& row : rows) {
    if (row.name != name || row.*figure <= 0) continue;
    sum += std::log(row.*figure);
    ++count;
  }
  return count == 0 ? 0 : std::exp(sum / static_cast<double>(count));
}

void PrintMeans(const std::vector<Row>& rows) {
  if (rows.empty()) return;
  fmt::print("\nGeometric means of the frames given: ratio {:.2f}", GeometricMean(rows, "encode tiles", &Row::ratio));
  for (const char* name : {"encode tiles", "decode tiles", "traffic to tiles", "traffic from tiles"}) {
    fmt::print("; {} {:.2f} x LZ4", name, GeometricMean(rows, name, &Row::times_peer));
  }
  for (const char* name : {"encode within 90 %", "encode within 50 %"}) {
    fmt::print("; {} {:.2f} of the time of encode tiles", name, GeometricMean(rows, name, &Row::of_whole));
  }
  fmt::print("\n");
}

// False if the machine has no such instruction set.
bool SetTarget(std::string_view name) {
  constexpr std::string_view kWithGfni = "AVX2+GFNI";
  std::string known = tandem::color::simd::MayUseGfni() ? fmt::format(" {}", kWithGfni) : "";
  if (name == kWithGfni && !known.empty()) {
    name = "AVX2";
  } else {
    tandem::color::simd::WithholdGfni(true);
  }
  for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    const std::int64_t target = targets & -targets;
    known += fmt::format(" {}", hwy::TargetName(target));
    if (name != hwy::TargetName(target)) continue;
    hwy::SetSupportedTargetsForTest(target);
    tandem::bench::LimitLibyuv(name);
    return true;
  }
  fmt::print(stderr, "--target {}: this machine has{}.\n", name, known);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t rounds = 41;
  std::string json_path;
  std::vector<std::string> streams;
  constexpr std::string_view kOut = "--benchmark_out=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(kOut)) json_path = argument.substr(kOut.size());
    if (argument == "--rounds" && i + 1 < argc) rounds = std::stoul(argv[++i]);
    if (argument == "--target" && (i + 1 == argc || !SetTarget(argv[++i]))) return 2;
    if (argument == "--frames" && i + 1 < argc) streams.emplace_back(argv[++i]);
  }
  std::vector<Row> all;
  const auto add = [&all](const std::vector<Row>& rows) {
    Print(rows);
    all.insert(all.end(), rows.begin(), rows.end());
  };
  add(tandem::bench::MeasureYuv(1920, 1080, rounds));
  add(tandem::bench::MeasureYuv(3840, 2160, rounds));
  add(tandem::bench::MeasureTurned(1920, 1080, rounds));
  std::vector<Row> given;  // rows of the streams' frames
  for (const auto& frame : tandem::bench::LoadFrames(streams)) {
    const std::vector<Row> rows = tandem::bench::MeasureTiles(frame, rounds);
    add(rows);
    if (std::ranges::find(streams, frame.name) != streams.end()) given.insert(given.end(), rows.begin(), rows.end());
  }
  PrintMeans(given);
  if (json_path.empty()) return 0;
  nlohmann::json json = nlohmann::json::array();
  for (const Row& row : all) {
    json.push_back({{"table", row.table},
                    {"name", row.name},
                    {"median_ms", row.median_ms},
                    {"gigabytes_per_second", row.gigabytes_per_second},
                    {"times_peer", row.times_peer},
                    {"times_memcpy", row.times_memcpy},
                    {"of_traffic", row.of_traffic},
                    {"of_whole", row.of_whole},
                    {"ratio", row.ratio}});
  }
  std::ofstream(json_path) << json.dump(1) << '\n';
}
