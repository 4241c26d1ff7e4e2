#include "kernel/adapter/device_registers.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace tandem::kernel {
namespace {

struct Buses {
  std::shared_mutex mutex;
  std::vector<DeviceBus*> all;
};

Buses& BusesOfProcess() {
  static Buses buses;
  return buses;
}

// True for the first bus that `access` is true for.
template <class Access>
BOOLEAN AnyBus(Access access) {
  Buses& buses = BusesOfProcess();
  const std::shared_lock lock(buses.mutex);
  return std::ranges::any_of(buses.all, [&](DeviceBus* bus) { return access(*bus); }) ? TRUE : FALSE;
}

}  // namespace

void AddRegisters(DeviceBus& bus) {
  Buses& buses = BusesOfProcess();
  const std::unique_lock lock(buses.mutex);
  buses.all.push_back(&bus);
}

void RemoveRegisters(DeviceBus& bus) {
  Buses& buses = BusesOfProcess();
  const std::unique_lock lock(buses.mutex);
  std::erase(buses.all, &bus);
}

BOOLEAN HasRegister(CONST volatile VOID* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return AnyBus([at](const DeviceBus& bus) { return bus.HasRegister(at); });
}

BOOLEAN ReadRegister(CONST volatile VOID* address, ULONG size, UINT64* value) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return AnyBus([&](DeviceBus& bus) { return bus.ReadRegister(at, size, *value); });
}

BOOLEAN WriteRegister(volatile VOID* address, ULONG size, UINT64 value) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return AnyBus([&](DeviceBus& bus) { return bus.WriteRegister(at, size, value); });
}

BOOLEAN ReadPort(ULONG port, ULONG size, ULONG* value) {
  return AnyBus([&](DeviceBus& bus) { return bus.ReadPort(port, size, *value); });
}

BOOLEAN WritePort(ULONG port, ULONG size, ULONG value) {
  return AnyBus([&](DeviceBus& bus) { return bus.WritePort(port, size, value); });
}

}  // namespace tandem::kernel
