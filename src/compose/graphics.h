// The graphics kernel with the drivers that this process has loaded, started when they are first needed.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/thread.h"
#include "drivers/vulkan/vulkan_device.h"
#include "kernel/kernel.h"
#include "swapchain/runtime_device.h"

namespace tandem::compose {

// Whether the device behind an adapter reads and writes pages of each kind without the processor's help.
struct ImportAbilities {
  bool memfd = true;
  bool anonymous = true;
  std::string reason;  // of the driver; may be empty

  // The kind of pages that were chosen for sharing, as far as this adapter goes.
  [[nodiscard]] bool Of(kernel::BackingStoreKind kind) const {
    return kind == kernel::BackingStoreKind::kMemfd ? memfd : anonymous;
  }
};

// Thread-safe.
class Graphics {
 public:
  static Result<std::unique_ptr<Graphics>> Create(Clock& clock);

  [[nodiscard]] kernel::Kernel& kernel() { return *kernel_; }

  // `description` stays valid until RemoveAdapter() returned.
  Result<LUID> AddSoftAdapter(void* description, const std::string& name);
  Result<LUID> AddVulkanAdapter(vulkan::DeviceDescription& description, const std::string& name);
  void RemoveAdapter(LUID adapter);

  // What the Vulkan driver found when it started the adapter.
  [[nodiscard]] static Result<ImportAbilities> VulkanImports(LUID adapter);

 private:
  explicit Graphics(std::unique_ptr<kernel::Kernel> kernel) : kernel_(std::move(kernel)) {}

  const std::unique_ptr<kernel::Kernel> kernel_;
  Mutex mutex_;
  kernel::Driver* soft_ TANDEM_GUARDED_BY(mutex_) = nullptr;
  kernel::Driver* vulkan_ TANDEM_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace tandem::compose
