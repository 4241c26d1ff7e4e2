#include "tests/modules/spoil.h"

namespace tandem::soft {

void Spoil(DRIVER_INITIALIZATION_DATA& /*table*/) {}

}  // namespace tandem::soft
