// Cards of the kernel's mode setting in the list of adapters.
#pragma once

#include <string>
#include <vector>

#include "config/adapter_info.h"
#include "system/adapter_list.h"

namespace tandem::system {

struct CardDriver {
  std::string card;    // "card0"
  std::string driver;  // of the kernel
};
// The cards in sysfs below `root`; "" is the machine's own. Opens none.
[[nodiscard]] std::vector<CardDriver> CardDrivers(const std::string& root);

// Puts the machine's cards before the soft adapter and numbers the adapters again. Reads sysfs and opens no card.
void AddCards(AdapterList& list);

}  // namespace tandem::system
