#include "system/pair_report.h"

#include <utility>

#include <fmt/format.h>

#include "base/dma_buf.h"
#include "base/log.h"
#include "drivers/vulkan/icd/enumeration.h"
#include "system/adapter_cache.h"
#include "system/adapter_list.h"
#include "system/cache_file.h"
#include "system/pair_cache_text.h"
#include "system/tier_report.h"

namespace tandem::system {
namespace {

constexpr const char* kFileName = "pairs.json";

void ChoosePath(const config::AdapterInfo& render, const config::AdapterInfo& display, AdapterPair& pair) {
  swapchain::PairFacts facts = FactsOf(render, display);
  if (!pair.backing.chosen) facts.render_bounce_reason = pair.backing.reason;
  const swapchain::PathCandidates candidates(swapchain::PathRequest::kAuto, facts);
  if (!candidates.current()) {
    pair.path_reason = candidates.Failure().message;
    return;
  }
  const swapchain::PathDecision decision = candidates.Accept();
  pair.path = swapchain::ToString(decision.path);
  pair.path_reason = decision.reason;
}

Result<PairReport> ReadKept(const Machine& machine) {
  const auto path = CachePath(kFileName);
  if (!path.ok()) return path.error();
  const auto text = ReadCacheFile(*path, kMaxPairCacheBytes);
  if (!text.ok()) return text.error();
  auto kept = ParsePairCache(*text, machine);
  if (!kept.ok()) return std::move(kept).error().Context(*path);
  if (kept->udmabuf != CanMakeDmaBufs())
    return Fail(ErrorKind::kNotFound, "/dev/udmabuf could {}be opened when it was made.", kept->udmabuf ? "" : "not ");
  HideTagged(kept->adapters);
  return PairReport{kept->adapters, PairsOf(kept->adapters, kept->probed), true};
}

void Keep(const KeptProbes& probes, const Machine& before) {
  const Machine now = ThisMachine();
  const auto path = CachePath(kFileName);
  if (!path.ok() || now.key != before.key) return;
  const auto written = WriteCacheFile(*path, PairCacheText(probes, now));
  if (!written.ok()) Log(LogLevel::kInfo, "The pairs of adapters are not kept: {}", written.error().message);
}

}  // namespace

swapchain::PairFacts FactsOf(const config::AdapterInfo& render, const config::AdapterInfo& display) {
  swapchain::PairFacts facts;
  facts.render_name = render.name;
  facts.display_name = display.name;
  facts.render_tier = render.tier;
  facts.display_tier = display.tier;
  facts.render_is_discrete = render.kind == "discrete";
  facts.within_minimum = true;
  return facts;
}

std::vector<AdapterPair> PairsOf(const std::vector<config::AdapterInfo>& adapters, const std::vector<ProbedAdapter>& probed) {
  std::vector<AdapterPair> pairs;
  for (std::size_t render = 0; render < adapters.size(); ++render) {
    for (std::size_t display = 0; display < adapters.size(); ++display) {
      if (render == display || !adapters[render].can_render || !adapters[display].can_display) continue;
      AdapterPair pair;
      pair.render = render;
      pair.display = display;
      pair.backing = ChooseBacking(probed[render].pages, probed[display].pages);
      pair.fences = probed[render].fences;
      ChoosePath(adapters[render], adapters[display], pair);
      pairs.push_back(std::move(pair));
    }
  }
  return pairs;
}

Result<PairReport> ReportPairs(Clock& clock, PairSource source) {
  const Machine machine = ThisMachine();
  if (source == PairSource::kKept) {
    auto kept = ReadKept(machine);
    if (kept.ok()) return kept;
    Log(LogLevel::kInfo, "The adapters are started: {}", kept.error().message);
  }
  KeptProbes probes;
  probes.udmabuf = CanMakeDmaBufs();
  probes.adapters = DescribeAdapters(vulkan::EnumerateDevices()).adapters;
  const auto asked = AskTiers(probes.adapters, clock, [&](const config::AdapterInfo&, const ImportAbilities& found) {
    probes.probed.push_back({found.pages, found.fences});
  });
  if (!asked.ok()) return asked.error();
  Keep(probes, machine);
  HideTagged(probes.adapters);
  auto pairs = PairsOf(probes.adapters, probes.probed);
  return PairReport{std::move(probes.adapters), std::move(pairs), false};
}

}  // namespace tandem::system
