#include "system/all_adapters.h"

#include "base/clock.h"
#include "base/log.h"
#include "config/feature_file.h"
#include "drivers/vulkan/icd/enumeration.h"
#include "system/adapter_list.h"

namespace tandem::system {
namespace {

// Programs may own a source of the soft adapter and set its mode; nothing shows what it scans out.
constexpr std::uint32_t kSoftConnectors = 1;

}  // namespace

Result<std::unique_ptr<AllAdapters>> AllAdapters::Start() {
  const vulkan::Enumeration enumeration = vulkan::EnumerateDevices();
  for (const std::string& problem : enumeration.problems) Log(LogLevel::kInfo, "{}", problem);
  const std::vector<config::AdapterInfo> adapters = ListAdapters(enumeration).adapters;
  const auto feature_file = config::FeatureFilePath();
  auto features = feature_file ? config::ReadFeatureFile(*feature_file) : std::vector<config::FeatureEntry>();
  if (!features.ok()) return std::move(features).error();
  auto graphics = Graphics::Create(MonotonicClock(), adapters, *std::move(features));
  if (!graphics.ok()) return std::move(graphics).error();
  std::unique_ptr<AllAdapters> all(new AllAdapters(*std::move(graphics)));
  for (const config::AdapterInfo& adapter : adapters) {
    auto started = std::make_unique<StartedAdapter>(*all->graphics_, adapter, kSoftConnectors);
    if (!started->luid().ok()) Log(LogLevel::kWarn, "{}", started->luid().error().message);
    all->started_.push_back(std::move(started));
  }
  return all;
}

}  // namespace tandem::system
