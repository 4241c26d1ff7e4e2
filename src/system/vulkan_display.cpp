#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/thread.h"
#include "color/dither.h"
#include "config/adapter_info.h"
#include "config/settings.h"
#include "drivers/vulkan/gpu/dma_buf_export.h"
#include "drivers/vulkan/vulkan_device.h"
#include "outputs/output.h"
#include "swapchain/runtime_device.h"
#include "swapchain/swap_chain.h"
#include "system/adapter_instances.h"
#include "system/application_window.h"
#include "system/device_memory.h"
#include "system/display.h"
#include "system/output_factory.h"

namespace tandem::system {
namespace {

constexpr std::uint32_t kSockets = 8;  // maximum windows of one instance of the adapter

class VulkanSurface final : public DisplaySurface {
 public:
  VulkanSurface(std::shared_ptr<vulkan::WsiConnectors> connectors, std::uint32_t connector, swapchain::RuntimeDevice& display,
                std::string description)
      : connectors_(std::move(connectors)), connector_(connector), display_(display), description_(std::move(description)) {}
  ~VulkanSurface() override { connectors_->Unplug(connector_); }

  [[nodiscard]] std::uint32_t vidpn_source() const override { return connector_; }
  [[nodiscard]] outputs::OutputStatus Status() const override { return connectors_->Status(connector_); }
  [[nodiscard]] outputs::OutputStatus AskStatus() const override { return connectors_->AskStatus(connector_); }
  [[nodiscard]] swapchain::ShownDepth shown_depth() const override {
    return connectors_->TakesTenBits(connector_) ? swapchain::ShownDepth::kTenBits : swapchain::ShownDepth::kEightBits;
  }
  [[nodiscard]] std::string WhyNotDithered(DXGI_FORMAT frames) const override {
    const bool converts = color::Dithers(static_cast<color::Format>(frames), color::Format::kB8G8R8A8Unorm) &&
                          (frames != DXGI_FORMAT_R10G10B10A2_UNORM || !connectors_->TakesTenBits(connector_));
    return converts ? fmt::format("{} shows eight bits, to which its blit rounds", description_) : std::string();
  }
  [[nodiscard]] swapchain::RuntimeDevice& display() override { return display_; }
  // The window system paces presents; VK_KHR_swapchain does not report its rate.
  [[nodiscard]] std::int64_t refresh_period_ns() const override { return swapchain::kDefaultRefreshPeriodNs; }
  [[nodiscard]] std::string description() const override { return description_; }
  [[nodiscard]] std::uint64_t output_written_bytes() const override { return connectors_->CountersOf(connector_).written_bytes; }

 private:
  const std::shared_ptr<vulkan::WsiConnectors> connectors_;
  const std::uint32_t connector_;
  swapchain::RuntimeDevice& display_;
  const std::string description_;
};

bool Has(const config::AdapterInfo& adapter, const char* output) {
  return std::find(adapter.outputs.begin(), adapter.outputs.end(), output) != adapter.outputs.end();
}

class VulkanDisplay final : public Display {
 public:
  VulkanDisplay(Graphics& graphics, const config::AdapterInfo& adapter, config::LinkEngine engine,
                std::vector<std::string> layers)
      : graphics_(graphics), adapter_(adapter), engine_(engine), layers_(std::move(layers)), instances_(graphics) {}

  Result<std::unique_ptr<DisplayWindow>> Open(const SurfaceTarget& target) override;

  Result<std::unique_ptr<DisplaySurface>> TakeOutput(const vulkan::WsiTarget& wsi) {
    const MutexLock lock(mutex_);
    std::optional<ImportAbilities> imports;  // set if an instance is started
    auto connector =
        instances_.Take([this] { return DescribeAdapter(); }, [&](auto& description) { return Start(description, imports); },
                        [&wsi](auto& description) { return description.connectors->Plug(wsi); });
    if (imports) imports_ = *std::move(imports);
    if (!connector.ok()) return std::move(connector).error();
    return std::unique_ptr<DisplaySurface>(std::make_unique<VulkanSurface>(
        connector->instance->description.connectors, connector->number, *connector->instance->device, Describe(wsi)));
  }

  [[nodiscard]] bool CanShowOn(SurfaceTarget::Kind kind) const override {
    switch (kind) {
      case SurfaceTarget::Kind::kXcb: return Has(adapter_, "wsi-xcb");
      case SurfaceTarget::Kind::kXlib: return Has(adapter_, "wsi-xcb");
      case SurfaceTarget::Kind::kWayland: return Has(adapter_, "wsi-wayland");
      case SurfaceTarget::Kind::kHeadless: return Has(adapter_, "wsi-headless");
    }
    return false;
  }

  [[nodiscard]] ImportAbilities imports() const override {
    const MutexLock lock(mutex_);
    return imports_;
  }
  [[nodiscard]] std::shared_ptr<DmaBufSource> ExportMemory() override { return exporter_; }

  // An Xlib window becomes an xcb window on a connection of our own.
  Result<vulkan::WsiTarget> ToWsi(const SurfaceTarget& target, const ApplicationWindow& window) const {
    if (!CanShowOn(target.kind)) {
      return Fail(ErrorKind::kUnsupported, "Display adapter {} has no surfaces of this window system.", adapter_.name);
    }
    vulkan::WsiTarget wsi;
    wsi.window = target.window;
    switch (target.kind) {
      case SurfaceTarget::Kind::kXcb:
      case SurfaceTarget::Kind::kXlib:
        wsi.kind = vulkan::WsiTarget::Kind::kXcb;
        wsi.connection = window.connection();
        break;
      case SurfaceTarget::Kind::kWayland:
        wsi.kind = vulkan::WsiTarget::Kind::kWayland;
        wsi.connection = target.connection;
        wsi.wayland_surface = target.wayland_surface;
        break;
      case SurfaceTarget::Kind::kHeadless: wsi.kind = vulkan::WsiTarget::Kind::kHeadless; break;
    }
    return wsi;
  }

 private:
  [[nodiscard]] std::string Describe(const vulkan::WsiTarget& wsi) const {
    switch (wsi.kind) {
      case vulkan::WsiTarget::Kind::kXcb: return fmt::format("window {:#x} by {}", wsi.window, adapter_.name);
      case vulkan::WsiTarget::Kind::kWayland: return fmt::format("a Wayland surface by {}", adapter_.name);
      case vulkan::WsiTarget::Kind::kHeadless: break;
    }
    return fmt::format("a headless surface by {}", adapter_.name);
  }

  [[nodiscard]] vulkan::DeviceDescription DescribeAdapter() const {
    vulkan::DeviceDescription description;
    description.links = ToBlitEngine(engine_);
    description.memory = MakeDeviceMemory(adapter_);
    description.own = vulkan::OwnDevice{.icd_library = adapter_.icd_library,
                                        .device_uuid = adapter_.device_uuid,
                                        .driver_uuid = adapter_.driver_uuid,
                                        .layers = layers_};
    description.connectors = vulkan::CreateWsiConnectors(kSockets);
    description.exporter = exporter_;
    return description;
  }
  Result<std::unique_ptr<swapchain::RuntimeDevice>> Start(vulkan::DeviceDescription& description,
                                                          std::optional<ImportAbilities>& imports) const {
    auto luid = graphics_.AddVulkanAdapter(description, adapter_);
    if (!luid.ok()) return std::move(luid).error();
    auto found = Graphics::VulkanImports(*luid);
    imports = found.ok() ? *std::move(found) : ImportAbilities{};
    const std::string bounce_reason = imports->memfd || imports->anonymous ? std::string() : imports->reason;
    auto device = swapchain::RuntimeDevice::Create(
        {*luid, &vulkan::VulkanOpenAdapter10_2, adapter_.name, bounce_reason, 0, imports->link_in, {}});
    if (!device.ok()) graphics_.RemoveAdapter(*luid);
    return device;
  }

  Graphics& graphics_;
  const config::AdapterInfo adapter_;
  const std::shared_ptr<vulkan::DmaBufExporter> exporter_ = std::make_shared<vulkan::DmaBufExporter>();
  const config::LinkEngine engine_;
  const std::vector<std::string> layers_;
  mutable Mutex mutex_;
  AdapterInstances<vulkan::DeviceDescription> instances_ TANDEM_GUARDED_BY(mutex_);
  ImportAbilities imports_ TANDEM_GUARDED_BY(mutex_);
};

class VulkanWindow final : public DisplayWindow {
 public:
  VulkanWindow(VulkanDisplay& display, const vulkan::WsiTarget& wsi, ApplicationWindow window, MoreBits more_bits)
      : display_(display), wsi_(wsi), window_(std::move(window)), more_bits_(more_bits) {}

  [[nodiscard]] outputs::OutputStatus AskStatus() const override { return window_.Ask(); }
  [[nodiscard]] std::vector<DXGI_FORMAT> formats() const override { return ShowableFormats(more_bits_); }
  [[nodiscard]] std::vector<swapchain::PresentMode> present_modes() const override {
    return {swapchain::PresentMode::kFifo, swapchain::PresentMode::kMailbox, swapchain::PresentMode::kImmediate,
            swapchain::PresentMode::kFifoRelaxed, swapchain::PresentMode::kFifoLatestReady};
  }
  Result<std::unique_ptr<DisplaySurface>> TakeOutput() override { return display_.TakeOutput(wsi_); }

 private:
  VulkanDisplay& display_;
  const vulkan::WsiTarget wsi_;
  const ApplicationWindow window_;
  const MoreBits more_bits_;
};

Result<std::unique_ptr<DisplayWindow>> VulkanDisplay::Open(const SurfaceTarget& target) {
  auto window = ApplicationWindow::Find(target);
  if (!window.ok()) return std::move(window).error();
  auto wsi = ToWsi(target, *window);
  if (!wsi.ok()) return std::move(wsi).error();
  // The driver knows a window's formats only with an output, so one is taken and released at once.
  auto looked = TakeOutput(*wsi);
  if (!looked.ok()) return std::move(looked).error();
  const bool eight_bits = looked.value()->shown_depth() == swapchain::ShownDepth::kEightBits;
  const MoreBits more_bits = eight_bits ? MoreBits::kNotOffered : MoreBits::kOffered;
  return std::unique_ptr<DisplayWindow>(std::make_unique<VulkanWindow>(*this, *wsi, *std::move(window), more_bits));
}

}  // namespace

std::unique_ptr<Display> MakeVulkanDisplay(Graphics& graphics, const config::AdapterInfo& adapter, config::LinkEngine engine,
                                           std::vector<std::string> layers) {
  return std::make_unique<VulkanDisplay>(graphics, adapter, engine, std::move(layers));
}

}  // namespace tandem::system
