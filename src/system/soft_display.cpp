#include <array>
#include <functional>
#include <utility>

#include "base/thread.h"
#include "config/adapter_info.h"
#include "config/settings.h"
#include "drivers/processor/user_mode.h"
#include "drivers/soft/soft_device.h"
#include "outputs/output.h"
#include "swapchain/runtime_device.h"
#include "swapchain/swap_chain.h"
#include "system/adapter_instances.h"
#include "system/application_window.h"
#include "system/cable_pull.h"
#include "system/desktop_output.h"
#include "system/display.h"
#include "system/display_driver.h"
#include "system/output_factory.h"

namespace tandem::system {
namespace {

// Maximum windows of one instance of the adapter; each has a scan-out thread that sleeps until a frame is shown.
constexpr std::uint32_t kSockets = 8;

class SoftSurface final : public DisplaySurface {
 public:
  SoftSurface(std::shared_ptr<soft::Connectors> connectors, std::uint32_t connector, swapchain::RuntimeDevice& display,
              std::shared_ptr<outputs::Output> output, swapchain::ShownDepth shown_depth, std::unique_ptr<CablePull> pull)
      : connectors_(std::move(connectors)),
        connector_(connector),
        display_(display),
        output_(std::move(output)),
        shown_depth_(shown_depth),
        pull_(std::move(pull)) {}
  ~SoftSurface() override {
    pull_.reset();
    connectors_->Unplug(connector_);
  }

  [[nodiscard]] std::uint32_t vidpn_source() const override { return connector_; }
  [[nodiscard]] outputs::OutputStatus Status() const override { return output_->Status(); }
  [[nodiscard]] outputs::OutputStatus AskStatus() const override { return output_->AskStatus(); }
  [[nodiscard]] swapchain::ShownDepth shown_depth() const override { return shown_depth_; }
  [[nodiscard]] std::string WhyNotDithered(DXGI_FORMAT /*frames*/) const override { return {}; }
  bool SetFit(const Fit& fit) override { return output_->SetFit(fit); }
  void SetBlending(bool blends) override { output_->SetBlending(blends); }
  [[nodiscard]] swapchain::RuntimeDevice& display() override { return display_; }
  [[nodiscard]] std::int64_t refresh_period_ns() const override { return output_->info().refresh_period_ns; }
  [[nodiscard]] bool slow_flips() const override { return output_->HoldsSurfaces(); }
  [[nodiscard]] std::string description() const override { return output_->info().name; }
  [[nodiscard]] std::uint64_t output_written_bytes() const override { return connectors_->CountersOf(connector_).written_bytes; }
  [[nodiscard]] DisplayReport display_report() const override { return output_->report(); }
  [[nodiscard]] Seen SeenAt(std::int64_t shown_ns) const override { return output_->SeenAt(shown_ns); }

 private:
  const std::shared_ptr<soft::Connectors> connectors_;
  const std::uint32_t connector_;
  swapchain::RuntimeDevice& display_;
  const std::shared_ptr<outputs::Output> output_;
  const swapchain::ShownDepth shown_depth_;
  std::unique_ptr<CablePull> pull_;  // null: the monitor stays
};

class SoftDisplay final : public Display {
 public:
  SoftDisplay(Graphics& graphics, const config::AdapterInfo& adapter, const config::Settings& settings, FullDriver* desktop)
      : graphics_(graphics),
        adapter_(adapter),
        output_(settings.output),
        driver_(settings.display_driver),
        registry_(settings.registry),
        desktop_(desktop),
        scans_out_nv12_(settings.scan_out_nv12),
        dithers_(settings.dither),
        unplug_(settings.unplug),
        instances_(graphics) {}

  Result<std::unique_ptr<DisplayWindow>> Open(const SurfaceTarget& target) override;

  // Files accept every format. An 8-bit window accepts more bits only if the user wants them dithered.
  [[nodiscard]] std::vector<DXGI_FORMAT> FormatsFor(SurfaceTarget::Kind kind) const {
    return ShowableFormats(ShowsInWindow(kind, output_) && !dithers_ ? MoreBits::kNotOffered : MoreBits::kOffered);
  }

  // A display driver has a mode of its own, and Wayland surfaces and files take each frame's size.
  [[nodiscard]] bool FitsFrames(SurfaceTarget::Kind kind) const {
    const bool is_x11 = kind == SurfaceTarget::Kind::kXcb || kind == SurfaceTarget::Kind::kXlib;
    return is_x11 && driver_.empty() && ShowsInWindow(kind, output_);
  }

  // An X11 window's visual decides, a display driver has a screen of its own, and files have nothing below.
  [[nodiscard]] bool BlendsFrames(SurfaceTarget::Kind kind) const {
    return kind == SurfaceTarget::Kind::kWayland && driver_.empty() && ShowsInWindow(kind, output_);
  }

  Result<std::unique_ptr<DisplaySurface>> TakeOutput(const SurfaceTarget& target) {
    const MutexLock lock(mutex_);
    auto output = MakeOutput(target, output_, taken_);
    if (!output.ok()) return std::move(output).error();
    PullCable pull_devices;
    if (!driver_.empty()) {
      auto driven = ThroughDriver(*std::move(output));
      if (!driven.ok()) return std::move(driven).error();
      output = std::move(driven->output);
      pull_devices = std::move(driven->set_cable);
    }
    const auto plug = [&output](soft::DeviceDescription& adapter) { return adapter.connectors->Plug(*output); };
    auto connector =
        instances_.Take([this] { return Describe(); }, [this](auto& description) { return Start(description); }, plug);
    if (!connector.ok()) return std::move(connector).error();
    ++taken_;
    const std::shared_ptr<soft::Connectors>& connectors = connector->instance->description.connectors;
    // The driver's device has a cable, or else the soft adapter.
    const auto set_cable = [connectors, number = connector->number, pull_devices](bool plugged) {
      if (pull_devices == nullptr || !pull_devices(plugged)) connectors->SetCable(number, plugged);
    };
    auto pull = CablePull::Create(set_cable, unplug_);
    if (!pull.ok()) return std::move(pull).error();
    return std::unique_ptr<DisplaySurface>(std::make_unique<SoftSurface>(connectors, connector->number,
                                                                         *connector->instance->device, *output,
                                                                         ShownDepthOf(target.kind, output_), *std::move(pull)));
  }

  [[nodiscard]] bool CanShowOn(SurfaceTarget::Kind /*kind*/) const override { return true; }
  [[nodiscard]] ImportAbilities imports() const override { return {}; }

 private:
  using PullCable = std::function<bool(bool plugged)>;  // false: the device has no cable
  struct Driven {
    std::shared_ptr<outputs::Output> output;
    PullCable set_cable;
  };

  Result<Driven> ThroughDriver(std::shared_ptr<outputs::Output> screen) {
    const auto drive = [](auto shown) -> Result<Driven> {
      if (!shown.ok()) return std::move(shown).error();
      return Driven{*shown, [driven = *shown](bool plugged) { return driven->SetCable(plugged); }};
    };
    if (desktop_ == nullptr) return drive(ShowThroughDriver({driver_, registry_}, std::move(screen)));
    auto driven = drive(DesktopOutput::Create(*desktop_, std::move(screen)));
    return driven.ok() ? std::move(driven) : Result<Driven>(std::move(driven).error().Context("Display driver " + driver_));
  }
  [[nodiscard]] soft::DeviceDescription Describe() const {
    soft::DeviceDescription description;
    description.connectors = soft::CreateConnectors(kSockets);
    description.scans_out_nv12 = scans_out_nv12_;
    description.dithers = dithers_;
    return description;
  }
  Result<std::unique_ptr<swapchain::RuntimeDevice>> Start(soft::DeviceDescription& description) {
    auto luid = graphics_.AddSoftAdapter(&description, adapter_);
    if (!luid.ok()) return std::move(luid).error();
    auto device = swapchain::RuntimeDevice::Create({*luid, &processor::ProcessorOpenAdapter10_2, adapter_.name, {}, 0});
    if (!device.ok()) graphics_.RemoveAdapter(*luid);
    return device;
  }

  Graphics& graphics_;
  const config::AdapterInfo& adapter_;
  const config::OutputSpec output_;
  const std::string driver_;    // of the display; empty: none
  const std::string registry_;  // its file of values; empty: none
  FullDriver* const desktop_;   // the driver; null: it is display-only
  const bool scans_out_nv12_;
  const bool dithers_;
  const config::UnplugTimes unplug_;
  Mutex mutex_;
  AdapterInstances<soft::DeviceDescription> instances_ TANDEM_GUARDED_BY(mutex_);
  std::uint32_t taken_ TANDEM_GUARDED_BY(mutex_) = 0;
};

class SoftWindow final : public DisplayWindow {
 public:
  SoftWindow(SoftDisplay& display, const SurfaceTarget& target, ApplicationWindow window)
      : display_(display), target_(target), window_(std::move(window)) {}

  [[nodiscard]] outputs::OutputStatus AskStatus() const override { return window_.Ask(); }
  [[nodiscard]] std::vector<DXGI_FORMAT> formats() const override { return display_.FormatsFor(target_.kind); }
  [[nodiscard]] std::vector<swapchain::PresentMode> present_modes() const override {
    return {swapchain::PresentMode::kFifo, swapchain::PresentMode::kMailbox, swapchain::PresentMode::kImmediate,
            swapchain::PresentMode::kFifoRelaxed, swapchain::PresentMode::kFifoLatestReady};
  }
  [[nodiscard]] bool fits_frames() const override { return display_.FitsFrames(target_.kind); }
  [[nodiscard]] bool blends_frames() const override { return display_.BlendsFrames(target_.kind); }
  Result<std::unique_ptr<DisplaySurface>> TakeOutput() override { return display_.TakeOutput(target_); }

 private:
  SoftDisplay& display_;
  const SurfaceTarget target_;
  const ApplicationWindow window_;
};

Result<std::unique_ptr<DisplayWindow>> SoftDisplay::Open(const SurfaceTarget& target) {
  auto window = ApplicationWindow::Find(target);
  if (!window.ok()) return std::move(window).error();
  return std::unique_ptr<DisplayWindow>(std::make_unique<SoftWindow>(*this, target, *std::move(window)));
}

}  // namespace

std::unique_ptr<Display> MakeSoftDisplay(Graphics& graphics, const config::AdapterInfo& adapter, const config::Settings& settings,
                                         FullDriver* desktop) {
  return std::make_unique<SoftDisplay>(graphics, adapter, settings, desktop);
}

}  // namespace tandem::system
