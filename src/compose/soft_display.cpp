#include <array>
#include <utility>

#include "base/thread.h"
#include "compose/display.h"
#include "compose/output_factory.h"
#include "drivers/soft/soft_device.h"

namespace tandem::compose {
namespace {

// Windows of one process at a time; each has a scan-out thread that sleeps until something is shown.
constexpr std::uint32_t kSockets = 8;

class SoftSurface final : public DisplaySurface {
 public:
  SoftSurface(std::shared_ptr<soft::Connector> connector, std::uint32_t socket, swapchain::RuntimeDevice& display,
              const outputs::OutputInfo& output, bool has_ten_bits)
      : connector_(std::move(connector)), socket_(socket), display_(display), output_(output), has_ten_bits_(has_ten_bits) {}
  ~SoftSurface() override { connector_->Unplug(socket_); }

  [[nodiscard]] std::uint32_t vidpn_source() const override { return socket_; }
  [[nodiscard]] outputs::OutputStatus Status() const override { return connector_->Status(socket_); }
  [[nodiscard]] std::vector<DXGI_FORMAT> formats() const override { return ShowableFormats(); }
  [[nodiscard]] bool has_ten_bits() const override { return has_ten_bits_; }
  [[nodiscard]] std::string WhyNotDithered(DXGI_FORMAT /*frames*/) const override { return {}; }
  [[nodiscard]] std::vector<swapchain::PresentMode> present_modes() const override {
    return {swapchain::PresentMode::kFifo, swapchain::PresentMode::kMailbox, swapchain::PresentMode::kImmediate,
            swapchain::PresentMode::kFifoRelaxed};
  }
  [[nodiscard]] swapchain::RuntimeDevice& display() override { return display_; }
  [[nodiscard]] std::int64_t refresh_period_ns() const override { return output_.refresh_period_ns; }
  [[nodiscard]] std::string description() const override { return output_.name; }
  [[nodiscard]] std::uint64_t output_copied_bytes() const override { return connector_->CountersOf(socket_).copied_bytes; }

 private:
  const std::shared_ptr<soft::Connector> connector_;
  const std::uint32_t socket_;
  swapchain::RuntimeDevice& display_;
  const outputs::OutputInfo output_;
  const bool has_ten_bits_;
};

class SoftDisplay final : public Display {
 public:
  SoftDisplay(Graphics& graphics, const coproc::AdapterInfo& adapter, const coproc::Settings& settings)
      : graphics_(graphics), adapter_(adapter), output_(settings.output) {
    description_.connector = soft::CreateConnector(kSockets);
    description_.scans_out_nv12 = settings.scan_out_nv12;
    description_.dithers = settings.dither;
  }
  ~SoftDisplay() override {
    const MutexLock lock(mutex_);
    if (!device_) return;
    const LUID luid = device_->binding().luid;
    device_.reset();
    graphics_.RemoveAdapter(luid);
  }

  Result<std::unique_ptr<DisplaySurface>> Open(const SurfaceTarget& target) override {
    const MutexLock lock(mutex_);
    auto output = MakeOutput(target, output_, opened_);
    if (!output.ok()) return std::move(output).error();
    if (!device_) {
      auto device = Start();
      if (!device.ok()) return std::move(device).error().Context("Starting the software adapter");
      device_ = *std::move(device);
    }
    const outputs::OutputInfo info = (*output)->info();
    auto socket = description_.connector->Plug(*std::move(output));
    if (!socket.ok()) return std::move(socket).error();
    ++opened_;
    return std::unique_ptr<DisplaySurface>(
        std::make_unique<SoftSurface>(description_.connector, *socket, *device_, info, KeepsTenBits(info, output_)));
  }

  [[nodiscard]] bool CanShowOn(SurfaceTarget::Kind kind) const override { return HasOutputFor(kind, output_); }
  [[nodiscard]] ImportAbilities imports() const override { return {}; }

 private:
  Result<std::unique_ptr<swapchain::RuntimeDevice>> Start() {
    auto luid = graphics_.AddSoftAdapter(&description_, adapter_);
    if (!luid.ok()) return std::move(luid).error();
    auto device = swapchain::RuntimeDevice::Create({*luid, &soft::SoftOpenAdapter10_2, adapter_.name, {}, 0});
    if (!device.ok()) graphics_.RemoveAdapter(*luid);
    return device;
  }

  Graphics& graphics_;
  const coproc::AdapterInfo& adapter_;
  const coproc::OutputSpec output_;
  soft::DeviceDescription description_;
  Mutex mutex_;
  std::unique_ptr<swapchain::RuntimeDevice> device_ TANDEM_GUARDED_BY(mutex_);
  std::uint32_t opened_ TANDEM_GUARDED_BY(mutex_) = 0;
};

}  // namespace

std::unique_ptr<Display> MakeSoftDisplay(Graphics& graphics, const coproc::AdapterInfo& adapter,
                                         const coproc::Settings& settings) {
  return std::make_unique<SoftDisplay>(graphics, adapter, settings);
}

}  // namespace tandem::compose
