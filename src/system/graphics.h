// The graphics kernel with the drivers that this process has loaded, started when they are first needed.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/link_measure.h"
#include "base/result.h"
#include "base/thread.h"
#include "config/adapter_info.h"
#include "config/feature_file.h"
#include "config/settings.h"
#include "drivers/vulkan/vulkan_device.h"
#include "kernel/kernel.h"
#include "swapchain/runtime_device.h"

namespace tandem::system {

// Whether the device behind an adapter reads and writes pages of each kind without the processor's help.
struct ImportAbilities {
  bool memfd = true;
  bool anonymous = true;
  std::string reason;  // of the driver; may be empty
  // Between the device's own memory and system memory, where it was measured.
  LinkMeasure link_out;
  LinkMeasure link_in;
  bool codes_links = true;  // with that memory on its side of the link

  // The kind of pages that were chosen for sharing, as far as this adapter goes.
  [[nodiscard]] bool Of(kernel::BackingStoreKind kind) const {
    return kind == kernel::BackingStoreKind::kMemfd ? memfd : anonymous;
  }
};

[[nodiscard]] vulkan::BlitEngine ToBlitEngine(config::LinkEngine engine);
[[nodiscard]] std::optional<vulkan::YuvPasses> ToYuvPasses(config::YuvPasses passes);

// Thread-safe.
class Graphics {
 public:
  // `features` are the user's overrides for `adapters`. Errors: those of OverridesFor().
  static Result<std::unique_ptr<Graphics>> Create(Clock& clock, std::vector<config::AdapterInfo> adapters,
                                                  std::vector<config::FeatureEntry> features);

  [[nodiscard]] kernel::Kernel& kernel() { return *kernel_; }

  // `description` stays valid until RemoveAdapter() returned. `info` is one of the list that Create() was given.
  Result<LUID> AddSoftAdapter(void* description, const config::AdapterInfo& info);
  Result<LUID> AddVulkanAdapter(vulkan::DeviceDescription& description, const config::AdapterInfo& info);
  void RemoveAdapter(LUID adapter);

  // D3DKMT_CROSSADAPTERRESOURCE_SUPPORT of an adapter, 0 to 3.
  [[nodiscard]] static Result<std::uint32_t> TierOf(LUID adapter);
  // What the Vulkan driver found when it started the adapter.
  [[nodiscard]] static Result<ImportAbilities> VulkanImports(LUID adapter);

 private:
  Graphics(std::unique_ptr<kernel::Kernel> kernel, std::vector<config::AdapterInfo> adapters,
           std::vector<config::FeatureEntry> features)
      : kernel_(std::move(kernel)), adapters_(std::move(adapters)), features_(std::move(features)) {}
  Result<LUID> Add(kernel::Driver& driver, void* description, const config::AdapterInfo& info) TANDEM_REQUIRES(mutex_);

  const std::unique_ptr<kernel::Kernel> kernel_;
  const std::vector<config::AdapterInfo> adapters_;
  const std::vector<config::FeatureEntry> features_;
  Mutex mutex_;
  kernel::Driver* soft_ TANDEM_GUARDED_BY(mutex_) = nullptr;
  kernel::Driver* vulkan_ TANDEM_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace tandem::system
