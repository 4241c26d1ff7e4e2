// A display-only driver under test: the soft adapter renders, the driver is its screen.
#include <memory>
#include <string>
#include <utility>

#include "bus/driver_output.h"
#include "bus/framebuffer.h"
#include "conform/rule.h"
#include "system/conformance_drivers.h"

namespace tandem::system {
namespace {

// Larger than the pictures of the rules, which stand in its middle.
constexpr std::uint32_t kScreenWidth = 1920, kScreenHeight = 1080;

class DisplayOnlyBusDevice final : public conform::BusDevice {
 public:
  DisplayOnlyBusDevice(const conform::DriverUnderTest& soft, DRIVER_INITIALIZE* entry, const std::string& name,
                       std::shared_ptr<outputs::Output> output) {
    if (output != nullptr) {
      auto framebuffer = bus::Framebuffer::Create(kScreenWidth, kScreenHeight, std::move(output));
      conform::Require(framebuffer.ok(), "{}", framebuffer.ok() ? "" : framebuffer.error().message);
      auto screen = bus::DriverOutput::Create(entry, name, *std::move(framebuffer), bus::ShownPart::kFrame);
      conform::Require(screen.ok(), "{}", screen.ok() ? "" : screen.error().message);
      screen_ = *std::move(screen);
    }
    device_ = soft.make_device(screen_);
  }
  void* extension() override { return device_->extension(); }
  bool TakesPhotographs() override { return true; }
  std::string Violation() override { return screen_ == nullptr ? "" : screen_->violation(); }

 private:
  std::shared_ptr<bus::DriverOutput> screen_;  // null: the adapter only renders
  std::unique_ptr<conform::BusDevice> device_;
};

}  // namespace

conform::DriverUnderTest DisplayOnlyUnderTest(const conform::DriverUnderTest& loaded) {
  conform::DriverUnderTest driver = SoftUnderTest();
  driver.name = loaded.name;
  driver.display_only = true;
  driver.open_with_shim = nullptr;
  driver.set_shim_host = nullptr;
  driver.make_device = [entry = loaded.entry, name = loaded.name](std::shared_ptr<outputs::Output> output) {
    return std::make_unique<DisplayOnlyBusDevice>(SoftUnderTest(), entry, name, std::move(output));
  };
  return driver;
}

}  // namespace tandem::system
