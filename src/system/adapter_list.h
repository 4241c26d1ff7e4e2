// The machine's adapters in the order that users see.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/adapter_info.h"
#include "drivers/vulkan/icd/enumeration.h"

namespace tandem::system {

struct AdapterList {
  // Vulkan devices in the order of their drivers, the soft adapter last; AdapterInfo::index is the position.
  std::vector<config::AdapterInfo> adapters;
  // Window systems that each Vulkan device can present to, by position in `adapters`.
  std::vector<vulkan::SurfaceSupport> surfaces;

  [[nodiscard]] std::size_t soft() const { return adapters.size() - 1; }
};

// A sentence about Vulkan devices that show frames and render none.
inline constexpr const char* kRendersNone = "It has no timeline semaphores, so it shows frames and renders none.";

// The adapters as their drivers describe them.
[[nodiscard]] AdapterList DescribeAdapters(const vulkan::Enumeration& enumeration);
// Lists adapters that were described before, and opens no driver: AdapterInfo::outputs names the window systems. kInvalidArgument
// unless the soft adapter is the last.
[[nodiscard]] Result<AdapterList> ListOfKept(std::vector<config::AdapterInfo> adapters);
// Marks those that the configuration file tags. A wrong table counts for its own adapters alone, a file that cannot be read for
// none.
void HideTagged(std::span<config::AdapterInfo> adapters);
// Both.
[[nodiscard]] AdapterList ListAdapters(const vulkan::Enumeration& enumeration);

}  // namespace tandem::system
