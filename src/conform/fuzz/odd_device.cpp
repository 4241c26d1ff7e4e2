#include "conform/fuzz/odd_device.h"

#include <utility>

#include "kernel/device_slots.h"

namespace tandem::conform {

OddDevice::OddDevice(std::unique_ptr<BusDevice> device) : device_(std::move(device)) {
  kernel::DeviceBus* const bus = kernel::BusOf(device_->extension());
  if (bus != nullptr) kernel::PlugDevice(this, bus_.emplace(*bus));
}

OddDevice::~OddDevice() {
  if (bus_) kernel::UnplugDevice(this);
}

}  // namespace tandem::conform
