// A module driver's fault; one source file for each module.
#pragma once

#include <dispmprt.h>

namespace tandem::soft {

void Spoil(DRIVER_INITIALIZATION_DATA& table);

}  // namespace tandem::soft
