// The display adapter of the process: started when it is first needed.
#pragma once

#include <memory>

#include "base/result.h"
#include "config/adapter_info.h"
#include "config/settings.h"
#include "system/graphics.h"
#include "system/system.h"

namespace tandem::system {

// Thread-safe. Every window that it opened goes before it.
class Display {
 public:
  virtual ~Display() = default;
  virtual Result<std::unique_ptr<DisplayWindow>> Open(const SurfaceTarget& target) = 0;
  [[nodiscard]] virtual bool CanShowOn(SurfaceTarget::Kind kind) const = 0;
  // What the adapter imports by itself; everything for one that reads pages by the processor anyway.
  [[nodiscard]] virtual ImportAbilities imports() const = 0;
};

// What they refer to outlives them.
[[nodiscard]] std::unique_ptr<Display> MakeSoftDisplay(Graphics& graphics, const config::AdapterInfo& adapter,
                                                       const config::Settings& settings);
[[nodiscard]] std::unique_ptr<Display> MakeVulkanDisplay(Graphics& graphics, const config::AdapterInfo& adapter,
                                                         config::LinkEngine engine);

}  // namespace tandem::system
