// The text of the kept results of probes: that of a list of adapters (adapter_cache_text.h), with what each probe found.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/adapter_info.h"
#include "system/adapter_cache_text.h"
#include "system/machine.h"
#include "system/pair_report.h"

namespace tandem::system {

inline constexpr std::size_t kMaxPairCacheBytes = kMaxAdapterCacheBytes;

struct KeptProbes {
  std::vector<config::AdapterInfo> adapters;
  std::vector<ProbedAdapter> probed;  // one for each adapter
  bool udmabuf = false;               // CanMakeDmaBufs() when they were probed
};

[[nodiscard]] std::string PairCacheText(const KeptProbes& probes, const Machine& machine);
// Takes any bytes. Errors: those of ParseAdapterCache, also for a probe's fields.
[[nodiscard]] Result<KeptProbes> ParsePairCache(std::string_view text, const Machine& machine);

}  // namespace tandem::system
