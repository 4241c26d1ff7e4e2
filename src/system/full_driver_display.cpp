// A full driver as the display adapter: its adapter has a virtio GPU, whose pictures go to the output of the one surface.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/thread.h"
#include "bus/virtio_gpu_device.h"
#include "config/settings.h"
#include "kernel/kernel.h"
#include "outputs/output.h"
#include "swapchain/runtime_device.h"
#include "swapchain/swap_chain.h"
#include "system/application_window.h"
#include "system/cable_pull.h"
#include "system/display.h"
#include "system/driver_library.h"
#include "system/interrupt_choice.h"
#include "system/output_factory.h"

namespace tandem::system {
namespace {

class FullDriverDisplay;

// What one surface runs on, in the order that it is made in.
class FullDriverSurface final : public DisplaySurface {
 public:
  FullDriverSurface(FullDriverDisplay& owner, std::shared_ptr<outputs::Output> output)
      : owner_(&owner), output_(std::move(output)) {}
  ~FullDriverSurface() override;
  // The surface was not handed out.
  void Abandon() { owner_ = nullptr; }

  // Errors: those of the device, the driver's start, and its user-mode half; CablePull::Create's.
  Result<void> Start(Graphics& graphics, kernel::Driver& driver, const DriverLibrary& library, const config::UnplugTimes& unplug);

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
  [[nodiscard]] std::uint64_t output_written_bytes() const override { return gpu_->copied_bytes(); }
  [[nodiscard]] DisplayReport display_report() const override { return output_->report(); }

 private:
  // Starts the driver's adapter on a virtio GPU. Errors: the device's, and that of the first start.
  Result<void> AddAdapter(Graphics& graphics, kernel::Driver& driver, const std::string& name);

  FullDriverDisplay* owner_;  // null: abandoned
  const std::shared_ptr<outputs::Output> output_;
  Graphics* graphics_ = nullptr;  // null: no adapter
  LUID luid_{};
  std::unique_ptr<bus::VirtioGpuDevice> gpu_;  // outlives the adapter
  std::unique_ptr<swapchain::RuntimeDevice> device_;
  std::unique_ptr<CablePull> pull_;  // null: the monitor stays
};

class FullDriverDisplay final : public Display {
 public:
  FullDriverDisplay(Graphics& graphics, const config::Settings& settings, const DriverLibrary& library)
      : graphics_(graphics), output_(settings.output), unplug_(settings.unplug), library_(library) {}

  Result<std::unique_ptr<DisplayWindow>> Open(const SurfaceTarget& target) override;
  [[nodiscard]] bool CanShowOn(SurfaceTarget::Kind /*kind*/) const override { return true; }
  // The driver's processor reaches any pages.
  [[nodiscard]] ImportAbilities imports() const override { return {}; }

  Result<std::unique_ptr<DisplaySurface>> TakeOutput(const SurfaceTarget& target) {
    const MutexLock lock(mutex_);
    if (taken_) {
      return Fail(ErrorKind::kLimit, "Display driver {} is asked for another window: it shows one at a time in a process.",
                  library_.name());
    }
    if (driver_ == nullptr) {
      const auto entry = library_.Entry();
      if (!entry.ok()) return entry.error();
      auto loaded = graphics_.kernel().LoadDriver(*entry, library_.name());
      if (!loaded.ok()) return std::move(loaded).error();
      driver_ = *loaded;
    }
    auto output = MakeOutput(target, output_, count_);
    if (!output.ok()) return std::move(output).error();
    auto surface = std::make_unique<FullDriverSurface>(*this, *std::move(output));
    if (auto started = surface->Start(graphics_, *driver_, library_, unplug_); !started.ok()) {
      surface->Abandon();
      return std::move(started).error().Context("Display driver " + library_.name());
    }
    ++count_;
    taken_ = true;
    return std::unique_ptr<DisplaySurface>(std::move(surface));
  }
  void GiveBack() {
    const MutexLock lock(mutex_);
    taken_ = false;
  }

 private:
  Graphics& graphics_;
  const config::OutputSpec output_;
  const config::UnplugTimes unplug_;
  const DriverLibrary& library_;
  Mutex mutex_;
  kernel::Driver* driver_ TANDEM_GUARDED_BY(mutex_) = nullptr;  // null: not loaded yet
  bool taken_ TANDEM_GUARDED_BY(mutex_) = false;
  std::uint32_t count_ TANDEM_GUARDED_BY(mutex_) = 0;
};

FullDriverSurface::~FullDriverSurface() {
  pull_.reset();
  device_.reset();
  if (graphics_ != nullptr) graphics_->RemoveAdapter(luid_);
  gpu_.reset();
  if (owner_ != nullptr) owner_->GiveBack();
}

Result<void> FullDriverSurface::Start(Graphics& graphics, kernel::Driver& driver, const DriverLibrary& library,
                                      const config::UnplugTimes& unplug) {
  if (auto added = AddAdapter(graphics, driver, library.name()); !added.ok()) return added;
  if (library.open_adapter() == nullptr) {
    return Fail(ErrorKind::kUnsupported, "The driver has no user-mode half (OpenAdapter10_2), which makes surfaces.");
  }
  auto device = swapchain::RuntimeDevice::Create({luid_, library.open_adapter(), library.name(), {}, 0});
  if (!device.ok()) return std::move(device).error();
  device_ = *std::move(device);
  auto pull = CablePull::Create([gpu = gpu_.get()](bool plugged) { gpu->SetCable(plugged); }, unplug);
  if (!pull.ok()) return std::move(pull).error();
  pull_ = *std::move(pull);
  return {};
}

Result<void> FullDriverSurface::AddAdapter(Graphics& graphics, kernel::Driver& driver, const std::string& name) {
  const ScreenExtent extent = ScreenExtentOf(*output_);
  Result<void> added;
  for (const bus::PciInterrupts interrupts : InterruptsToTry()) {
    auto gpu = bus::VirtioGpuDevice::Create(extent.width, extent.height, output_, bus::ShownWhen::kFlushed,
                                            bus::InstalledRenderer3d(), interrupts);
    if (!gpu.ok()) return std::move(gpu).error();
    auto luid = graphics.kernel().AddAdapter(driver, (*gpu)->extension(), name);
    if (luid.ok()) {
      gpu_ = *std::move(gpu);
      graphics_ = &graphics;
      luid_ = *luid;
      return {};
    }
    if (added.ok()) added = std::move(luid).error();
  }
  return added;
}

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

std::unique_ptr<Display> MakeFullDriverDisplay(Graphics& graphics, const config::Settings& settings,
                                               const DriverLibrary& library) {
  return std::make_unique<FullDriverDisplay>(graphics, settings, library);
}

}  // namespace tandem::system
