// Callbacks of DXGKRNL_INTERFACE that the adapter's DeviceBus answers. Without one they answer STATUS_NOT_SUPPORTED.
#pragma once

#include <dispmprt.h>

namespace tandem::kernel {

void FillBusCallbacks(DXGKRNL_INTERFACE& callbacks);

}  // namespace tandem::kernel
