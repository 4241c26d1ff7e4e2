// Figures of swap chains as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "config/adapter_info.h"
#include "status/swap_chain_record.h"

namespace tandem::status {

// `tier` is null before the first swap chain, because the kernel reports tiers of started adapters only.
[[nodiscard]] nlohmann::ordered_json AdapterJson(const config::AdapterInfo& adapter, const nlohmann::ordered_json& tier);
// The keys that are sums over swap chains.
void PutSums(nlohmann::ordered_json& into, const SwapChainRecord& record);
// Keys of a swap chain; the file has the same keys for the last one.
void PutFigures(nlohmann::ordered_json& into, const SwapChainRecord& record);
[[nodiscard]] nlohmann::ordered_json SwapChainJson(const SwapChainRecord& record);

}  // namespace tandem::status
