#include "bus/driver_output.h"

#include <utility>

#include <fmt/core.h>

#include "base/clock.h"
#include "bus/frame_place.h"

namespace tandem::bus {
namespace {

RECT ToRect(const color::BlitRect& rect) {
  return {static_cast<LONG>(rect.left), static_cast<LONG>(rect.top), static_cast<LONG>(rect.right),
          static_cast<LONG>(rect.bottom)};
}

}  // namespace

DriverOutput::DriverOutput(std::unique_ptr<DisplayDevice> device, std::unique_ptr<kernel::DisplayOnlyAdapter> adapter,
                           ShownPart part)
    : device_(std::move(device)), adapter_(std::move(adapter)), part_(part) {
  const outputs::OutputInfo& shown_by = screen().info();
  info_.kind = "driver";
  info_.name = fmt::format("{} on {}", adapter_->name(), shown_by.name);
  info_.refresh_period_ns = shown_by.refresh_period_ns;
}

Result<std::unique_ptr<DriverOutput>> DriverOutput::Create(DRIVER_INITIALIZE* entry, const std::string& driver_name,
                                                           std::unique_ptr<DisplayDevice> device, ShownPart part) {
  const kernel::DisplayOnlyDevice plugged{driver_name, device->extension(), &device->bus()};
  auto adapter = kernel::StartDisplayOnlyAdapter(entry, driver_name, plugged, kernel::TdrSettings{}, MonotonicClock());
  if (!adapter.ok()) {
    if (adapter.error().kind == ErrorKind::kTimeout) static_cast<void>(device.release());  // the driver is still in a call
    return std::move(adapter).error();
  }
  std::unique_ptr<DriverOutput> output(new DriverOutput(std::move(device), *std::move(adapter), part));
  if (auto started = output->Start(driver_name); !started.ok()) {
    const bool stopped = output->Stop();
    return stopped ? std::move(started).error() : Fail(ErrorKind::kTimeout, "{}", started.error().message);
  }
  return output;
}

Result<void> DriverOutput::Start(const std::string& driver_name) {
  const auto connected = adapter_->IsConnected();
  if (!connected.ok()) return connected.error();
  if (!*connected) return Fail(ErrorKind::kNotFound, "Driver {} says that no monitor is connected.", driver_name);
  return SetMode();
}

Result<void> DriverOutput::SetMode() {
  const auto mode = adapter_->SetMode(device_->width(), device_->height());
  if (!mode.ok()) return mode.error();
  if (mode->width > device_->width() || mode->height > device_->height()) {
    return Fail(ErrorKind::kUnsupported, "Driver {} has a mode of {} x {} on a display of {} x {} pixels.", adapter_->name(),
                mode->width, mode->height, device_->width(), device_->height());
  }
  const MutexLock lock(mode_mutex_);
  mode_ = *mode;
  return {};
}

bool DriverOutput::Stop() {
  if (adapter_->Stop()) return true;
  static_cast<void>(device_.release());
  static_cast<void>(new std::vector<std::byte>(std::move(picture_)));
  return false;
}

outputs::OutputStatus DriverOutput::Status() const { return WithLoss(screen().Status()); }
outputs::OutputStatus DriverOutput::AskStatus() const { return WithLoss(screen().AskStatus()); }

outputs::OutputStatus DriverOutput::WithLoss(outputs::OutputStatus status) const {
  if (lost_.load(std::memory_order_acquire)) status.state = outputs::OutputState::kLost;
  return status;
}

kernel::DisplayOnlyMode DriverOutput::mode() const {
  const MutexLock lock(mode_mutex_);
  return mode_;
}

Result<void> DriverOutput::ShowScreen() {
  const kernel::DisplayOnlyMode mode = this->mode();
  return device_->Show({0, 0, mode.width, mode.height});
}

Result<void> DriverOutput::FollowMonitor() {
  plugged_ = adapter_->monitor().connected;
  if (!plugged_) return adapter_->TakeOff();
  if (auto set = SetMode(); !set.ok()) return set;
  composed_ = shown_ = {};  // the driver's picture begins anew
  return {};
}

Result<void> DriverOutput::Show(const outputs::Surface& surface) {
  if (surface.pixels == nullptr) return Fail(ErrorKind::kUnsupported, "The processor cannot read the surface.");
  if (!CanDrawFrame(surface.format)) {
    return Fail(ErrorKind::kUnsupported, "A display-only driver shows no surface of format {}.",
                static_cast<int>(surface.format));
  }
  copied_bytes_ = 0;
  if (adapter_->TakeMonitorChange()) {
    if (auto followed = FollowMonitor(); !followed.ok()) return followed;
  }
  if (!plugged_) return {};
  const kernel::DisplayOnlyMode mode = this->mode();
  const color::BlitRect place = PlaceOf(surface, mode.width, mode.height), whole{0, 0, mode.width, mode.height};
  const RECT dirty = ToRect(place == shown_ ? place : whole);
  device_->BeginFrame();
  Result<void> presented;
  if (place == whole && surface.width == mode.width && surface.height == mode.height &&
      color::SameBits(surface.format, kScreenFormat)) {
    presented = adapter_->Present(surface.pixels, surface.pitch, {&dirty, 1});
  } else {
    Compose(surface, place);
    presented = adapter_->Present(picture_.data(), mode.width * kScreenPixelBytes, {&dirty, 1});
  }
  if (!presented.ok()) {
    if (!adapter_->violation().empty()) lost_.store(true, std::memory_order_release);
    return Fail(ErrorKind::kSurfaceLost, "{}", presented.error().message);
  }
  copied_bytes_ += ScreenBytesOf(place == shown_ ? place : whole);  // by the driver
  shown_ = place;
  auto arrived = device_->Show(part_ == ShownPart::kFrame ? place : whole);
  copied_bytes_ += device_->LastShowCopiedBytes() + screen().LastShowCopiedBytes();
  return arrived;
}

void DriverOutput::Compose(const outputs::Surface& surface, const color::BlitRect& place) {
  const kernel::DisplayOnlyMode mode = this->mode();
  if (!(place == composed_)) picture_.assign(std::size_t{mode.width} * mode.height * kScreenPixelBytes, std::byte{});
  composed_ = place;
  DrawFrame(surface, place, picture_.data(), mode.width * kScreenPixelBytes);
  copied_bytes_ = ScreenBytesOf(place);
}

}  // namespace tandem::bus
