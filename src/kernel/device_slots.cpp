#include "kernel/device_slots.h"

#include <map>

#include "base/thread.h"

namespace tandem::kernel {
namespace {

struct Slots {
  Mutex mutex;
  std::map<void*, DeviceBus*> buses TANDEM_GUARDED_BY(mutex);  // by extension
};

Slots& SlotsOfProcess() {
  static Slots slots;
  return slots;
}

}  // namespace

void PlugDevice(void* extension, DeviceBus& bus) {
  Slots& slots = SlotsOfProcess();
  const MutexLock lock(slots.mutex);
  slots.buses[extension] = &bus;
}

void UnplugDevice(void* extension) {
  Slots& slots = SlotsOfProcess();
  const MutexLock lock(slots.mutex);
  slots.buses.erase(extension);
}

DeviceBus* BusOf(void* extension) {
  Slots& slots = SlotsOfProcess();
  const MutexLock lock(slots.mutex);
  const auto found = slots.buses.find(extension);
  return found == slots.buses.end() ? nullptr : found->second;
}

}  // namespace tandem::kernel
