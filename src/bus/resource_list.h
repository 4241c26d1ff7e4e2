// The resources of a PCI device as its driver finds them: DXGK_DEVICE_INFO.TranslatedResourceList.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bus/pci_config.h"

#include <wddm_resources.h>

namespace tandem::bus {

class ResourceList {
 public:
  explicit ResourceList(std::span<const AssignedBar> bars);
  // Behind the BARs. The line is shared, and level-sensitive.
  void AddLine();
  void AddMessages(std::uint32_t count);

  // Valid until a resource is added.
  [[nodiscard]] PCM_RESOURCE_LIST get() { return reinterpret_cast<PCM_RESOURCE_LIST>(words_.data()); }

 private:
  CM_PARTIAL_RESOURCE_DESCRIPTOR& Add(std::uint8_t type, std::uint8_t share, std::uint16_t flags);

  std::vector<std::uint64_t> words_;
};

}  // namespace tandem::bus
