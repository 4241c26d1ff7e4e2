// Cards of the kernel's mode setting in the list of adapters.
#pragma once

#include "config/adapter_info.h"
#include "system/adapter_list.h"

namespace tandem::system {

// Puts the machine's cards before the soft adapter and numbers the adapters again. Reads sysfs and opens no card.
void AddCards(AdapterList& list);

}  // namespace tandem::system
