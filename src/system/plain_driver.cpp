#include "system/plain_driver.h"

#include <utility>
#include <vector>

#include "config/selector.h"
#include "config/settings.h"
#include "drivers/vulkan/icd/manifest.h"
#include "system/adapter_cache.h"
#include "system/system.h"

namespace tandem::system {

Result<RenderDriver> OpenPlainDriver() {
  if (!vulkan::IsOwnDriverAlone()) return Fail(ErrorKind::kUnsupported, "The Vulkan loader has other drivers.");
  auto kept = CachedAdapters();  // wakes no GPU
  const std::vector<config::AdapterInfo> adapters = kept.ok() ? *std::move(kept) : System::List();
  const auto pair = config::ChooseAdapters({}, adapters);
  if (!pair.ok()) return pair.error();
  const config::AdapterInfo& screen = adapters[pair->display];
  return OpenRenderDriver(screen.can_render ? screen : adapters[pair->render]);
}

}  // namespace tandem::system
