// A full driver's device whose bus misbehaves when it is told to.
#pragma once

#include <memory>
#include <optional>

#include "conform/driver_under_test.h"
#include "conform/fuzz/odd_bus.h"

namespace tandem::conform {

class OddDevice final : public BusDevice {
 public:
  explicit OddDevice(std::unique_ptr<BusDevice> device);
  ~OddDevice() override;
  OddDevice(const OddDevice&) = delete;
  OddDevice& operator=(const OddDevice&) = delete;

  // Null: the device has no resources.
  [[nodiscard]] OddBus* bus() { return bus_ ? &*bus_ : nullptr; }
  void* extension() override { return bus_ ? this : device_->extension(); }
  bool TakesPhotographs() override { return device_->TakesPhotographs(); }

 private:
  const std::unique_ptr<BusDevice> device_;
  std::optional<OddBus> bus_;  // plugged with this object as its extension
};

}  // namespace tandem::conform
