// The process's display adapter, started on first use.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/adapter_info.h"
#include "config/settings.h"
#include "system/display_full_driver.h"
#include "system/graphics.h"
#include "system/system.h"

namespace tandem::system {

// Thread-safe. Must outlive every window that it opened.
class Display {
 public:
  virtual ~Display() = default;
  virtual Result<std::unique_ptr<DisplayWindow>> Open(const SurfaceTarget& target) = 0;
  [[nodiscard]] virtual bool CanShowOn(SurfaceTarget::Kind kind) const = 0;
  // Kinds of pages that the adapter imports itself. All kinds, if the adapter reads pages with the processor anyway.
  [[nodiscard]] virtual ImportAbilities imports() const = 0;
  // The memory that the adapter exports; null: it exports none. Resources that cross to it have this memory from now on.
  [[nodiscard]] virtual std::shared_ptr<DmaBufSource> ExportMemory() { return nullptr; }
};

// All references must outlive the returned display. `desktop`: a full driver that shows the adapter's frames; null: a
// display-only driver or none does.
[[nodiscard]] std::unique_ptr<Display> MakeSoftDisplay(Graphics& graphics, const config::AdapterInfo& adapter,
                                                       const config::Settings& settings, FullDriver* desktop);
// A full driver with a user-mode half, in the software adapter's place.
[[nodiscard]] std::unique_ptr<Display> MakeFullDriverDisplay(FullDriver& driver, const config::Settings& settings);
[[nodiscard]] std::unique_ptr<Display> MakeKmsDisplay(Graphics& graphics, const config::AdapterInfo& adapter,
                                                      const config::Settings& settings);
// `layers`: names of Vulkan layers above the adapter's driver.
[[nodiscard]] std::unique_ptr<Display> MakeVulkanDisplay(Graphics& graphics, const config::AdapterInfo& adapter,
                                                         config::LinkEngine engine, std::vector<std::string> layers);

}  // namespace tandem::system
