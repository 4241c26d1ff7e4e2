#include "system/full_driver.h"

#include <cstdlib>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "bus/virtio_gpu_device.h"
#include "conform/in_child.h"
#include "conform/rule.h"
#include "kernel/kernel.h"
#include "outputs/output.h"
#include "system/display_only_driver.h"
#include "system/interrupt_choice.h"

namespace tandem::system {
namespace {

// Null output: nothing is connected to the GPU. An empty `renderer`: it has no 3D.
class VirtioGpuBusDevice final : public conform::BusDevice {
 public:
  VirtioGpuBusDevice(std::uint32_t width, std::uint32_t height, std::shared_ptr<outputs::Output> output,
                     bus::MakeRenderer3d renderer, bus::PciInterrupts interrupts) {
    auto device =
        bus::VirtioGpuDevice::Create(width, height, std::move(output), bus::ShownWhen::kFlushed, std::move(renderer), interrupts);
    conform::Require(device.ok(), "{}", device.ok() ? "" : device.error().message);
    device_ = *std::move(device);
  }
  void* extension() override { return device_->extension(); }
  bool TakesPhotographs() override { return true; }
  bool SetCable(std::uint32_t target, bool plugged) override { return target == 0 && device_->SetCable(plugged); }

 private:
  std::unique_ptr<bus::VirtioGpuDevice> device_;
};

bool Starts(const conform::DriverUnderTest& driver, conform::BusDevice& device) {
  const auto kernel = kernel::Kernel::Create(MonotonicClock());
  if (!kernel.ok()) return false;
  const auto loaded = (*kernel)->LoadDriver(driver.entry, driver.name);
  if (!loaded.ok()) return false;
  return (*kernel)->AddAdapter(**loaded, device.extension(), "tried").ok();
}

enum class Start { kDone, kRefused, kCrashed };

template <class MakeDevice>
Start TryStart(const conform::DriverUnderTest& driver, const MakeDevice& make_device) {
  const auto answer = conform::RunInChild([&] {
    const std::unique_ptr<conform::BusDevice> device = make_device();
    return Starts(driver, *device) ? EXIT_SUCCESS : EXIT_FAILURE;
  });
  if (!answer.ok()) return Start::kRefused;
  if (!answer->has_value()) return Start::kCrashed;
  return **answer == EXIT_SUCCESS ? Start::kDone : Start::kRefused;
}

std::unique_ptr<conform::BusDevice> MakeGpu(bus::MakeRenderer3d renderer, bus::PciInterrupts interrupts) {
  return std::make_unique<VirtioGpuBusDevice>(kScreenWidth, kScreenHeight, nullptr, std::move(renderer), interrupts);
}

}  // namespace

std::optional<bus::PciInterrupts> GpuInterruptsOf(const conform::DriverUnderTest& loaded) {
  if (loaded.host == nullptr || TryStart(loaded, [&] { return loaded.make_device(nullptr); }) != Start::kRefused) return {};
  std::optional<bus::PciInterrupts> crashes_with;
  for (const bus::PciInterrupts interrupts : InterruptsToTry()) {
    const Start start = TryStart(loaded, [&] { return MakeGpu(bus::InstalledRenderer3d(), interrupts); });
    if (start == Start::kDone) return interrupts;
    if (start == Start::kCrashed && !crashes_with) crashes_with = interrupts;
  }
  return crashes_with;
}

conform::DriverUnderTest OnVirtioGpu(conform::DriverUnderTest loaded, bus::PciInterrupts interrupts, std::uint32_t width,
                                     std::uint32_t height) {
  loaded.make_device = [interrupts, width, height](std::shared_ptr<outputs::Output> output) {
    return std::make_unique<VirtioGpuBusDevice>(width, height, std::move(output), bus::InstalledRenderer3d(), interrupts);
  };
  return loaded;
}

conform::DriverUnderTest FullUnderTest(conform::DriverUnderTest loaded) {
  const std::optional<bus::PciInterrupts> interrupts = GpuInterruptsOf(loaded);
  if (!interrupts) return loaded;
  // One device of a process has 3D, which such a driver does not start without.
  loaded.has_one_device = TryStart(loaded, [&] { return MakeGpu({}, *interrupts); }) != Start::kDone;
  return OnVirtioGpu(std::move(loaded), *interrupts, kScreenWidth, kScreenHeight);
}

}  // namespace tandem::system
