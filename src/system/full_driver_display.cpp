// A full driver with a user-mode half as the display adapter: its virtio GPU shows in the output of the one surface.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/thread.h"
#include "config/settings.h"
#include "outputs/output.h"
#include "swapchain/runtime_device.h"
#include "swapchain/swap_chain.h"
#include "system/application_window.h"
#include "system/cable_pull.h"
#include "system/display.h"
#include "system/display_full_driver.h"
#include "system/output_factory.h"

namespace tandem::system {
namespace {

// What one surface runs on, in the order that it is made in.
class FullDriverSurface final : public DisplaySurface {
 public:
  explicit FullDriverSurface(std::shared_ptr<outputs::Output> output) : output_(std::move(output)) {}
  // The cable is put back before the device goes.
  ~FullDriverSurface() override { pull_.reset(); }

  // Errors: FullDriverAdapter's, those of the user-mode half, CablePull::Create's.
  Result<void> Start(FullDriver& driver, const config::UnplugTimes& unplug);

  [[nodiscard]] std::uint32_t vidpn_source() const override { return 0; }
  [[nodiscard]] outputs::OutputStatus Status() const override { return output_->Status(); }
  [[nodiscard]] outputs::OutputStatus AskStatus() const override { return output_->AskStatus(); }
  [[nodiscard]] swapchain::ShownDepth shown_depth() const override { return swapchain::ShownDepth::kEightBits; }
  [[nodiscard]] std::string WhyNotDithered(DXGI_FORMAT /*frames*/) const override { return {}; }
  [[nodiscard]] swapchain::RuntimeDevice& display() override { return *device_; }
  [[nodiscard]] std::int64_t refresh_period_ns() const override { return output_->info().refresh_period_ns; }
  [[nodiscard]] std::string description() const override {
    return device_->binding().name + " on a virtio GPU, seen in " + output_->info().name;
  }
  [[nodiscard]] std::uint64_t output_written_bytes() const override { return adapter_->gpu().copied_bytes(); }
  [[nodiscard]] DisplayReport display_report() const override { return output_->report(); }

 private:
  const std::shared_ptr<outputs::Output> output_;
  std::unique_ptr<FullDriverAdapter> adapter_;
  std::unique_ptr<swapchain::RuntimeDevice> device_;  // on the adapter
  std::unique_ptr<CablePull> pull_;                   // null: the monitor stays
};

Result<void> FullDriverSurface::Start(FullDriver& driver, const config::UnplugTimes& unplug) {
  auto adapter = FullDriverAdapter::Start(driver, ScreenExtentOf(*output_), output_);
  if (!adapter.ok()) return std::move(adapter).error();
  adapter_ = *std::move(adapter);
  auto device = swapchain::RuntimeDevice::Create({adapter_->luid(), driver.open_adapter(), driver.name(), {}, 0});
  if (!device.ok()) return std::move(device).error();
  device_ = *std::move(device);
  auto pull = CablePull::Create([&gpu = adapter_->gpu()](bool plugged) { gpu.SetCable(plugged); }, unplug);
  if (!pull.ok()) return std::move(pull).error();
  pull_ = *std::move(pull);
  return {};
}

class FullDriverDisplay final : public Display {
 public:
  FullDriverDisplay(FullDriver& driver, const config::Settings& settings)
      : driver_(driver), output_(settings.output), unplug_(settings.unplug) {}

  Result<std::unique_ptr<DisplayWindow>> Open(const SurfaceTarget& target) override;
  [[nodiscard]] bool CanShowOn(SurfaceTarget::Kind /*kind*/) const override { return true; }
  // The driver's processor reaches any pages.
  [[nodiscard]] ImportAbilities imports() const override { return {}; }

  Result<std::unique_ptr<DisplaySurface>> TakeOutput(const SurfaceTarget& target) {
    const MutexLock lock(mutex_);
    auto output = MakeOutput(target, output_, count_);
    if (!output.ok()) return std::move(output).error();
    auto surface = std::make_unique<FullDriverSurface>(*std::move(output));
    if (auto started = surface->Start(driver_, unplug_); !started.ok()) {
      return std::move(started).error().Context("Display driver " + driver_.name());
    }
    ++count_;
    return std::unique_ptr<DisplaySurface>(std::move(surface));
  }

 private:
  FullDriver& driver_;
  const config::OutputSpec output_;
  const config::UnplugTimes unplug_;
  Mutex mutex_;
  std::uint32_t count_ TANDEM_GUARDED_BY(mutex_) = 0;
};

class FullDriverWindow final : public DisplayWindow {
 public:
  FullDriverWindow(FullDriverDisplay& display, const SurfaceTarget& target, ApplicationWindow window)
      : display_(display), target_(target), window_(std::move(window)) {}

  [[nodiscard]] outputs::OutputStatus AskStatus() const override { return window_.Ask(); }
  [[nodiscard]] std::vector<DXGI_FORMAT> formats() const override { return ShowableFormats(MoreBits::kNotOffered); }
  [[nodiscard]] std::vector<swapchain::PresentMode> present_modes() const override {
    return {swapchain::PresentMode::kFifo, swapchain::PresentMode::kMailbox, swapchain::PresentMode::kImmediate,
            swapchain::PresentMode::kFifoRelaxed, swapchain::PresentMode::kFifoLatestReady};
  }
  Result<std::unique_ptr<DisplaySurface>> TakeOutput() override { return display_.TakeOutput(target_); }

 private:
  FullDriverDisplay& display_;
  const SurfaceTarget target_;
  const ApplicationWindow window_;
};

Result<std::unique_ptr<DisplayWindow>> FullDriverDisplay::Open(const SurfaceTarget& target) {
  auto window = ApplicationWindow::Find(target);
  if (!window.ok()) return std::move(window).error();
  return std::unique_ptr<DisplayWindow>(std::make_unique<FullDriverWindow>(*this, target, *std::move(window)));
}

}  // namespace

std::unique_ptr<Display> MakeFullDriverDisplay(FullDriver& driver, const config::Settings& settings) {
  return std::make_unique<FullDriverDisplay>(driver, settings);
}

}  // namespace tandem::system
