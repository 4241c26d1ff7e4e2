#include "bus/driver_output.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/clock.h"

namespace tandem::bus {
namespace {

constexpr std::uint32_t kPixelBytes = 4;
constexpr color::Format kScreenFormat = color::Format::kB8G8R8X8Unorm;

// A picture of width x height in the middle of the screen, shrunk where it does not fit.
color::BlitRect PlaceOf(std::uint32_t width, std::uint32_t height, const kernel::DisplayOnlyMode& mode) {
  if (width > mode.width || height > mode.height) {
    const std::uint64_t by_width = std::uint64_t{height} * mode.width / width;
    const bool wide = by_width <= mode.height;
    const auto shrunk_width = wide ? mode.width : static_cast<std::uint32_t>(std::uint64_t{width} * mode.height / height);
    const auto shrunk_height = wide ? static_cast<std::uint32_t>(by_width) : mode.height;
    width = std::max(shrunk_width, 1u);
    height = std::max(shrunk_height, 1u);
  }
  const std::uint32_t left = (mode.width - width) / 2, top = (mode.height - height) / 2;
  return {left, top, left + width, top + height};
}

std::uint64_t BytesOf(const color::BlitRect& rect) { return std::uint64_t{rect.width()} * rect.height() * kPixelBytes; }

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
  if (!color::CanBlit(surface.format, kScreenFormat, color::Transfer::kPassThrough)) {
    return Fail(ErrorKind::kUnsupported, "A display-only driver shows no surface of format {}.",
                static_cast<int>(surface.format));
  }
  copied_bytes_ = 0;
  if (adapter_->TakeMonitorChange()) {
    if (auto followed = FollowMonitor(); !followed.ok()) return followed;
  }
  if (!plugged_) return {};
  const kernel::DisplayOnlyMode mode = this->mode();
  const color::BlitRect place = PlaceOf(surface.width, surface.height, mode), whole{0, 0, mode.width, mode.height};
  const RECT dirty = ToRect(place == shown_ ? place : whole);
  Result<void> presented;
  if (place == whole && surface.width == mode.width && surface.height == mode.height &&
      color::SameBits(surface.format, kScreenFormat)) {
    presented = adapter_->Present(surface.pixels, surface.pitch, {&dirty, 1});
  } else {
    Compose(surface, place);
    presented = adapter_->Present(picture_.data(), mode.width * kPixelBytes, {&dirty, 1});
  }
  if (!presented.ok()) {
    if (!adapter_->violation().empty()) lost_.store(true, std::memory_order_release);
    return Fail(ErrorKind::kSurfaceLost, "{}", presented.error().message);
  }
  copied_bytes_ += BytesOf(place == shown_ ? place : whole);  // by the driver
  shown_ = place;
  auto arrived = device_->Show(part_ == ShownPart::kFrame ? place : whole);
  copied_bytes_ += device_->LastShowCopiedBytes() + screen().LastShowCopiedBytes();
  return arrived;
}

void DriverOutput::Compose(const outputs::Surface& surface, const color::BlitRect& place) {
  const kernel::DisplayOnlyMode mode = this->mode();
  if (!(place == composed_)) picture_.assign(std::size_t{mode.width} * mode.height * kPixelBytes, std::byte{});
  composed_ = place;
  color::BlitRequest request;
  request.source = surface.pixels;
  request.source_pitch = surface.pitch;
  request.source_format = surface.format;
  request.source_width = surface.width;
  request.source_height = surface.height;
  request.destination_pitch = std::uint64_t{mode.width} * kPixelBytes;
  request.destination = picture_.data() + place.top * request.destination_pitch + std::uint64_t{place.left} * kPixelBytes;
  request.destination_format = kScreenFormat;
  request.destination_width = place.width();
  request.destination_height = place.height();
  request.part = {0, 0, place.width(), place.height()};
  request.dither = surface.dithers;
  color::Blit(request);
  copied_bytes_ = BytesOf(place);
}

}  // namespace tandem::bus
