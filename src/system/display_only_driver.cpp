#include "system/display_only_driver.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "conform/in_child.h"
#include "conform/recording_output.h"
#include "conform/rule.h"
#include "kernel/display_only.h"
#include "outputs/output.h"
#include "system/conformance_drivers.h"
#include "system/interrupt_choice.h"

namespace tandem::system {
namespace {

// How the start of the driver on a device ends.
struct Start {
  bool crashes = false;
  std::string refusal;  // empty: it starts
};

// Tried in a process of its own, for the driver registers once.
Start TryOn(bus::DisplayDeviceKind kind, DRIVER_INITIALIZE* entry, const std::string& name) {
  const auto answer = conform::TextOfChild([&] {
    const auto screen = StartOn(kind, entry, name, std::make_shared<conform::RecordingOutput>(kScreenPeriodNs));
    return screen.ok() ? std::string() : screen.error().message;
  });
  if (!answer.ok()) return {false, answer.error().message};
  return answer->has_value() ? Start{false, **answer} : Start{true, "The driver crashes."};
}

std::string_view WhatIs(bus::DisplayDeviceKind kind) {
  switch (kind) {
    case bus::DisplayDeviceKind::kFramebuffer: return "which has no interrupt";
    case bus::DisplayDeviceKind::kVirtioGpu:
    case bus::DisplayDeviceKind::kVirtioGpuOnLine: return "PCI device 1AF4:1050";
    case bus::DisplayDeviceKind::kQxl: return "PCI device 1B36:0100";
  }
  return "";
}

class DisplayOnlyBusDevice final : public conform::BusDevice {
 public:
  DisplayOnlyBusDevice(const conform::DriverUnderTest& soft, const Result<bus::DisplayDeviceKind>& kind, DRIVER_INITIALIZE* entry,
                       const std::string& name, std::shared_ptr<outputs::Output> output) {
    if (output != nullptr) {
      conform::Require(kind.ok(), "{}", kind.ok() ? "" : kind.error().message);
      auto screen = StartOn(*kind, entry, name, std::move(output));
      conform::Require(screen.ok(), "{}", screen.ok() ? "" : screen.error().message);
      screen_ = *std::move(screen);
    }
    device_ = soft.make_device(screen_);
  }
  void* extension() override { return device_->extension(); }
  bool TakesPhotographs() override { return true; }
  kernel::DisplayOnlyAdapter* display_only() override { return screen_ == nullptr ? nullptr : &screen_->adapter(); }
  kernel::DisplayOnlyMode screen() override { return screen_ == nullptr ? kernel::DisplayOnlyMode{} : screen_->mode(); }
  void ShowScreen() override {
    if (screen_ != nullptr) static_cast<void>(screen_->ShowScreen());
  }
  bool SetCable(std::uint32_t target, bool plugged) override {
    return screen_ != nullptr && target == 0 && screen_->SetCable(plugged);
  }
  std::string Violation() override { return screen_ == nullptr ? "" : screen_->violation(); }

 private:
  std::shared_ptr<bus::DriverOutput> screen_;  // null: the adapter only renders
  std::unique_ptr<conform::BusDevice> device_;
};

}  // namespace

Result<std::unique_ptr<bus::DriverOutput>> StartOn(bus::DisplayDeviceKind kind, DRIVER_INITIALIZE* entry, const std::string& name,
                                                   std::shared_ptr<outputs::Output> output) {
  auto device = bus::MakeDisplayDevice(kind, kScreenWidth, kScreenHeight, std::move(output));
  if (!device.ok()) return std::move(device).error();
  return bus::DriverOutput::Create(entry, name, *std::move(device), bus::ShownPart::kFrame);
}

std::vector<bus::DisplayDeviceKind> DevicesToTry() {
  using enum bus::DisplayDeviceKind;
  std::vector<bus::DisplayDeviceKind> kinds;
  for (const bus::PciInterrupts interrupts : InterruptsToTry()) {
    kinds.push_back(interrupts == bus::PciInterrupts::kMessages ? kVirtioGpu : kVirtioGpuOnLine);
  }
  const bool has_interrupts = kinds.size() == 1;
  kinds.insert(has_interrupts ? kinds.end() : kinds.begin(), kFramebuffer);
  kinds.push_back(kQxl);
  return kinds;
}

std::string NoDevice(const std::vector<RefusedDevice>& refused) {
  std::string text = "The driver starts on no device that Tandem has.";
  for (const RefusedDevice& device : refused) {
    text += fmt::format(" On a {}, {}: {}", bus::NameOf(device.kind), WhatIs(device.kind), device.reason);
  }
  return text + " TANDEM_DRIVER_DEBUG=1 shows what the driver prints.";
}

Result<bus::DisplayDeviceKind> DeviceOf(DRIVER_INITIALIZE* entry, const std::string& name) {
  std::optional<bus::DisplayDeviceKind> crashes_on;
  std::vector<RefusedDevice> refused;
  for (const bus::DisplayDeviceKind kind : DevicesToTry()) {
    const Start start = TryOn(kind, entry, name);
    if (start.refusal.empty()) return kind;
    if (start.crashes && !crashes_on) crashes_on = kind;
    refused.push_back({kind, start.refusal});
  }
  if (crashes_on) return *crashes_on;
  return Fail(ErrorKind::kUnsupported, "{}", NoDevice(refused));
}

conform::DriverUnderTest DisplayOnlyUnderTest(const conform::DriverUnderTest& loaded) {
  conform::DriverUnderTest driver = SoftUnderTest();
  driver.name = loaded.name;
  driver.display_only = true;
  driver.host = loaded.host;
  driver.open_with_shim = nullptr;
  driver.set_shim_host = nullptr;
  driver.make_device = [kind = DeviceOf(loaded.entry, loaded.name), entry = loaded.entry,
                        name = loaded.name](std::shared_ptr<outputs::Output> output) {
    return std::make_unique<DisplayOnlyBusDevice>(SoftUnderTest(), kind, entry, name, std::move(output));
  };
  return driver;
}

}  // namespace tandem::system
