#include "system/adapter_cache.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "config/graphics_nodes.h"
#include "drivers/vulkan/icd/manifest.h"
#include "system/adapter_cache_text.h"
#include "system/adapter_list.h"
#include "system/cache_file.h"

namespace tandem::system {
namespace {

constexpr const char* kFileName = "adapters.json";

void Store(std::span<const config::AdapterInfo> adapters, const Machine& machine) {
  const auto path = CachePath(kFileName);
  if (!path.ok()) return;
  const auto written = WriteAdapterCache(*path, adapters, machine);
  if (!written.ok()) Log(LogLevel::kInfo, "The list of adapters is not kept: {}", written.error().message);
}

}  // namespace

Result<std::vector<config::AdapterInfo>> ReadAdapterCache(const std::string& path, const Machine& machine) {
  const auto text = ReadCacheFile(path, kMaxAdapterCacheBytes);
  if (!text.ok()) return text.error();
  auto adapters = ParseAdapterCache(*text, machine);
  if (!adapters.ok()) return std::move(adapters).error().Context(path);
  return adapters;
}

Result<void> WriteAdapterCache(const std::string& path, std::span<const config::AdapterInfo> adapters, const Machine& machine) {
  const std::string text = AdapterCacheText(adapters, machine);
  if (text.size() > kMaxAdapterCacheBytes || adapters.size() > kMaxCachedAdapters) {
    return Fail(ErrorKind::kUnsupported, "{} adapters need {} bytes; the limits are {} and {}.", adapters.size(), text.size(),
                kMaxCachedAdapters, kMaxAdapterCacheBytes);
  }
  return WriteCacheFile(path, text);
}

Machine ThisMachine() { return ReadMachine("", vulkan::FindManifests()); }

bool IsGpuAsleep() { return std::ranges::any_of(FindDisplays(""), &Machine::Display::asleep); }

Result<std::vector<config::AdapterInfo>> CachedAdapters() {
  const auto path = CachePath(kFileName);
  if (!path.ok()) return path.error();
  auto adapters = ReadAdapterCache(*path, ThisMachine());
  if (adapters.ok()) HideTagged(*adapters);
  return adapters;
}

void KeepAdapters(std::span<const config::AdapterInfo> adapters, const Machine& before) {
  const Machine now = ThisMachine();
  if (now.key != before.key) return;
  const auto closed = config::FindClosedNodes("");
  if (std::ranges::find(closed, config::ClosedNode::Reason::kBlocked, &config::ClosedNode::reason) != closed.end()) return;
  Store(adapters, now);
}

void KeepTiers(std::span<const config::AdapterInfo> adapters) {
  const auto path = CachePath(kFileName);
  if (!path.ok()) return;
  const Machine machine = ThisMachine();
  auto kept = ReadAdapterCache(*path, machine);
  if (!kept.ok() || kept->size() != adapters.size()) return;
  for (std::size_t i = 0; i < adapters.size(); ++i) {
    if ((*kept)[i].device_uuid != adapters[i].device_uuid) return;
    (*kept)[i].tier = adapters[i].tier;
    (*kept)[i].tier_reason = adapters[i].tier_reason;
  }
  Store(*kept, machine);
}

}  // namespace tandem::system
