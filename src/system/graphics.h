// The graphics kernel and the drivers loaded by this process, started on first use.
#pragma once

#include <functional>
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
#include "drivers/kms/kms_device.h"
#include "drivers/vulkan/vulkan_device.h"
#include "kernel/kernel.h"
#include "swapchain/runtime_device.h"
#include "system/backing_choice.h"
#include "system/cable_pull.h"

namespace tandem::system {

// True for each kind of pages that the device reads and writes without the processor.
struct ImportAbilities {
  bool memfd = true;
  bool anonymous = true;
  std::string reason;  // the driver's reason; may be empty
  // The measured link between the device's own memory and system memory; zero if unknown.
  LinkMeasure link_out;
  LinkMeasure link_in;
  bool codes_links = true;  // shaders encode and decode on the device's side of the link
  // Each kind of memory by itself.
  PageAbilities pages = ProcessorAbilities();
  std::string fences = "The processor orders its own work.";  // how work on shared memory is ordered with other devices
};

[[nodiscard]] vulkan::BlitEngine ToBlitEngine(config::LinkEngine engine);
[[nodiscard]] std::optional<vulkan::YuvPasses> ToYuvPasses(config::YuvPasses passes);

// Thread-safe.
class Graphics {
 public:
  // `features` are the user's overrides for `adapters`; `lose` is the adapter that is lost in a trial. Errors: those of
  // OverridesFor().
  static Result<std::unique_ptr<Graphics>> Create(Clock& clock, std::vector<config::AdapterInfo> adapters,
                                                  std::vector<config::FeatureEntry> features,
                                                  const config::AdapterLoss& lose = {});

  [[nodiscard]] kernel::Kernel& kernel() { return *kernel_; }

  // `description` must stay valid until RemoveAdapter() returns. `info` is an element of Create()'s list.
  Result<LUID> AddSoftAdapter(void* description, const config::AdapterInfo& info);
  Result<LUID> AddKmsAdapter(kms::DeviceDescription& description, const config::AdapterInfo& info);
  Result<LUID> AddVulkanAdapter(vulkan::DeviceDescription& description, const config::AdapterInfo& info);
  // An adapter that is lost already may be removed. False: a call of its driver does not return, and its device must stay.
  bool RemoveAdapter(LUID adapter);
  // An adapter has started. The first one in the role of the trial is lost in time, by `lose`, which a thread of the trial calls.
  void StartTrial(config::AdapterLoss::Role role, std::function<void()> lose);
  // The kernel removes a display adapter.
  void StartDisplayTrial(LUID adapter);

  // D3DKMT_CROSSADAPTERRESOURCE_SUPPORT of an adapter, 0 to 3.
  [[nodiscard]] static Result<std::uint32_t> TierOf(LUID adapter);
  // Import abilities that the Vulkan driver found when it started the adapter.
  [[nodiscard]] static Result<ImportAbilities> VulkanImports(LUID adapter);

 private:
  Graphics(std::unique_ptr<kernel::Kernel> kernel, std::vector<config::AdapterInfo> adapters,
           std::vector<config::FeatureEntry> features, const config::AdapterLoss& lose)
      : kernel_(std::move(kernel)), adapters_(std::move(adapters)), features_(std::move(features)), lose_(lose) {}
  Result<LUID> Add(kernel::Driver& driver, void* description, const config::AdapterInfo& info) TANDEM_REQUIRES(mutex_);

  const std::unique_ptr<kernel::Kernel> kernel_;
  const std::vector<config::AdapterInfo> adapters_;
  const std::vector<config::FeatureEntry> features_;
  const config::AdapterLoss lose_;
  Mutex mutex_;
  kernel::Driver* soft_ TANDEM_GUARDED_BY(mutex_) = nullptr;
  kernel::Driver* kms_ TANDEM_GUARDED_BY(mutex_) = nullptr;
  kernel::Driver* vulkan_ TANDEM_GUARDED_BY(mutex_) = nullptr;
  std::unique_ptr<CablePull> trial_ TANDEM_GUARDED_BY(mutex_);  // ends before the kernel; null: none began
};

}  // namespace tandem::system
