// Devices on buses, by the extension that an adapter is added with (Kernel::AddAdapter): the adapter then has the device's
// resources. Any thread.
#pragma once

namespace tandem::kernel {

class DeviceBus;  // kernel/display_only.h

// From before AddAdapter until after RemoveAdapter. `extension` is not null, and no other device's.
void PlugDevice(void* extension, DeviceBus& bus);
void UnplugDevice(void* extension);
// Null: the device has no resources.
[[nodiscard]] DeviceBus* BusOf(void* extension);

}  // namespace tandem::kernel
