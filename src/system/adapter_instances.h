// Instances of one display adapter: a driver has few connectors, while a program may open any number of windows.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/setting_values.h"
#include "swapchain/runtime_device.h"
#include "system/graphics.h"

namespace tandem::system {

// `Description` describes an adapter to its driver and stays valid until the adapter is removed. Not thread-safe.
template <class Description>
class AdapterInstances {
 public:
  struct Instance {
    Description description;
    std::unique_ptr<swapchain::RuntimeDevice> device;
  };
  struct Connector {
    Instance* instance = nullptr;
    std::uint32_t number = 0;
  };

  explicit AdapterInstances(Graphics& graphics) : graphics_(graphics) {}
  // Precondition: every connector is free.
  ~AdapterInstances() {
    for (const auto& instance : instances_) {
      const LUID luid = instance->device->binding().luid;
      instance->device.reset();
      graphics_.RemoveAdapter(luid);
    }
  }
  AdapterInstances(const AdapterInstances&) = delete;
  AdapterInstances& operator=(const AdapterInstances&) = delete;

  // Takes a connector of the first instance that lives and has a free one, or of a new instance. `plug(description)` returns the
  // connector's number, or kLimit when all are taken. `describe()` makes a description; `start(description)` starts its adapter.
  template <class Describe, class Start, class Plug>
  Result<Connector> Take(const Describe& describe, const Start& start, const Plug& plug) {
    for (const auto& instance : instances_) {
      if (swapchain::IsLost(instance->device->kernel_device())) continue;
      auto connector = plug(instance->description);
      if (connector.ok()) return Connector{instance.get(), *connector};
      if (connector.error().kind != ErrorKind::kLimit) return std::move(connector).error();
    }
    auto fresh = std::make_unique<Instance>(Instance{describe(), nullptr});
    auto device = start(fresh->description);
    if (!device.ok()) return std::move(device).error().Context("Starting the display adapter");
    fresh->device = *std::move(device);
    graphics_.StartDisplayTrial(fresh->device->binding().luid);
    instances_.push_back(std::move(fresh));
    Instance& last = *instances_.back();
    auto connector = plug(last.description);
    if (!connector.ok()) return std::move(connector).error();
    return Connector{&last, *connector};
  }

 private:
  Graphics& graphics_;
  std::vector<std::unique_ptr<Instance>> instances_;
};

}  // namespace tandem::system
