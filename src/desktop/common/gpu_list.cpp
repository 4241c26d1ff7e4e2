#include "desktop/common/gpu_list.h"

#include <algorithm>
#include <optional>

#include "base/log.h"
#include "base/printable.h"
#include "config/layer_location.h"
#include "config/selector.h"
#include "config/settings.h"
#include "system/adapter_cache.h"
#include "system/system.h"

namespace tandem::desktop {
namespace {

constexpr std::uint32_t kNvidia = 0x10de;

bool IsListed(const config::AdapterInfo& adapter, bool gpus) {
  return adapter.can_render && !adapter.hidden && (!gpus || adapter.kind != "cpu");
}

// OpenGL has no layers, so that programs of OpenGL need their driver's own words.
void AddOpenGl(const config::AdapterInfo& adapter, EnvironmentPairs& environment) {
  if (adapter.pci_address.empty()) return;
  if (adapter.vendor_id == kNvidia && adapter.driver_detail.starts_with("NVIDIA")) {
    environment.emplace_back("__NV_PRIME_RENDER_OFFLOAD", "1");
    environment.emplace_back("__GLX_VENDOR_LIBRARY_NAME", "nvidia");
    return;
  }
  std::string tag = "pci-" + adapter.pci_address;
  std::ranges::replace(tag, ':', '_');
  std::ranges::replace(tag, '.', '_');
  environment.emplace_back("DRI_PRIME", std::move(tag));
}

// The position of the adapter that shows the desktop, among those that are listed.
std::optional<std::size_t> DefaultOf(std::span<const config::AdapterInfo> adapters, bool gpus) {
  const auto pair = config::ChooseAdapters(config::Settings{}, adapters);
  if (pair.ok() && IsListed(adapters[pair->display], gpus)) return pair->display;
  // An adapter without Vulkan programs shows. The one that Tandem would render on is the one to choose.
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < adapters.size(); ++i) {
    if (!IsListed(adapters[i], gpus)) continue;
    if (!pair.ok() || i != pair->render) return i;
    first = i;
  }
  return first;
}

}  // namespace

EnvironmentPairs LayerSwitch(const std::string& data_directory) {
  if (config::IsSearchedAlways(data_directory)) return {{"TANDEM_ENABLE", "1"}};
  // Elsewhere the loader is shown the other manifest; the layer may be in the chain once only.
  return {{"TANDEM_ENABLE", "0"},
          {"VK_ADD_LAYER_PATH", data_directory + "/vulkan/explicit_layer.d"},
          {"VK_INSTANCE_LAYERS", std::string(config::kListedLayer)}};
}

std::vector<Gpu> GpusFrom(std::span<const config::AdapterInfo> adapters) {
  const bool gpus = std::ranges::any_of(adapters, [](const config::AdapterInfo& adapter) { return IsListed(adapter, true); });
  const auto shows = DefaultOf(adapters, gpus);
  std::vector<Gpu> list;
  for (std::size_t i = 0; i < adapters.size(); ++i) {
    if (!IsListed(adapters[i], gpus)) continue;
    Gpu& gpu = list.emplace_back();
    gpu.name = Printable(adapters[i].name);
    gpu.selector = config::SelectorOf(i, adapters);
    gpu.is_default = i == shows;
    gpu.is_discrete = adapters[i].kind == "discrete";
    gpu.environment.emplace_back("TANDEM_RENDER", gpu.selector);
    if (!gpu.is_default) AddOpenGl(adapters[i], gpu.environment);
  }
  return list;
}

std::vector<Gpu> ListGpus() {
  // Names need no GPU that is awake.
  const auto cached = system::CachedAdapters();
  if (cached.ok()) return GpusFrom(*cached);
  Log(LogLevel::kInfo, "The adapters' drivers are opened. {}", cached.error().message);
  return GpusFrom(system::System::List());
}

Result<std::vector<Gpu>> ListGpusWithLayer() {
  const auto data_directory = config::FindLayerDataDirectory();
  if (!data_directory.ok()) return data_directory.error();
  const EnvironmentPairs layer = LayerSwitch(*data_directory);
  std::vector<Gpu> gpus = ListGpus();
  for (Gpu& gpu : gpus) gpu.environment.insert(gpu.environment.begin(), layer.begin(), layer.end());
  return gpus;
}

}  // namespace tandem::desktop
