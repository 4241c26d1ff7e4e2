// Pairs of this machine's adapters: the memory that crosses each of them, how fast, and the path that follows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/adapter_info.h"
#include "swapchain/decision.h"
#include "system/backing_choice.h"

namespace tandem::system {

struct AdapterPair {
  std::size_t render = 0;  // places in PairReport::adapters
  std::size_t display = 0;
  BackingChoice backing;
  std::string path;         // as swapchain::ToString(Path) names it; empty: none
  std::string path_reason;  // a sentence
  std::string fences;       // a sentence: how the pair's work on shared memory is ordered
};

struct PairReport {
  std::vector<config::AdapterInfo> adapters;
  std::vector<AdapterPair> pairs;
  bool cached = false;
};

// Findings of a started adapter's probes.
struct ProbedAdapter {
  PageAbilities pages;
  std::string fences;  // a sentence
};

// The adapters' part of what a path depends on.
[[nodiscard]] swapchain::PairFacts FactsOf(const config::AdapterInfo& render, const config::AdapterInfo& display);

// Every pair of an adapter that renders and one that displays. `probed`: one for each adapter.
[[nodiscard]] std::vector<AdapterPair> PairsOf(const std::vector<config::AdapterInfo>& adapters,
                                               const std::vector<ProbedAdapter>& probed);

enum class PairSource { kKept, kMeasured };
// kKept: the probes' results of the cache, if they fit this machine's drivers, devices and kernel. Otherwise starts every adapter
// for some tenths of a second each, and keeps what the probes find. No System may exist meanwhile.
[[nodiscard]] Result<PairReport> ReportPairs(Clock& clock, PairSource source);

}  // namespace tandem::system
