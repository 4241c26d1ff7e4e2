// The GPUs that a desktop offers for "Launch using …", each with the environment that makes Tandem render on it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/adapter_info.h"

namespace tandem::desktop {

using EnvironmentPairs = std::vector<std::pair<std::string, std::string>>;

struct Gpu {
  std::string name;  // the adapter's own, printable UTF-8
  std::string selector;
  EnvironmentPairs environment;  // sends a program that the layer serves there
  bool is_default = false;       // shows the desktop; exactly one of a list that is not empty
  bool is_discrete = false;
  friend bool operator==(const Gpu&, const Gpu&) = default;
};

// The variables that switch the layer on. `data_directory` holds the layer's manifests.
[[nodiscard]] EnvironmentPairs LayerSwitch(const std::string& data_directory);

// Adapters that run Vulkan programs and are not hidden. Processors count only where there is no GPU.
[[nodiscard]] std::vector<Gpu> GpusFrom(std::span<const config::AdapterInfo> adapters);

// The GPUs of this machine, from the kept list of adapters where that fits. Empty where no adapter runs Vulkan programs.
[[nodiscard]] std::vector<Gpu> ListGpus();
// ListGpus() with environments that switch the layer on as well. kNotFound without a layer.
[[nodiscard]] Result<std::vector<Gpu>> ListGpusWithLayer();

}  // namespace tandem::desktop
