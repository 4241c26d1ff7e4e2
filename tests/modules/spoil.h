// What is wrong with a module's driver; one source file for each module.
#pragma once

#include <dispmprt.h>

namespace tandem::soft {

void Spoil(DRIVER_INITIALIZATION_DATA& table);

}  // namespace tandem::soft
