#include "system/desktop_output.h"

#include <cstring>

#include <fmt/core.h>

#include "bus/frame_place.h"
#include "system/output_factory.h"

namespace tandem::system {
namespace {

constexpr color::BlitRect kNothing{};

}  // namespace

Result<std::shared_ptr<DesktopOutput>> DesktopOutput::Create(FullDriver& driver, std::shared_ptr<outputs::Output> screen) {
  const ScreenExtent extent = MonitorExtentOf(*screen);
  auto adapter = FullDriverAdapter::Start(driver, extent, screen);
  if (!adapter.ok()) return std::move(adapter).error();
  // Nobody sees what the driver shows before the first frame.
  (*adapter)->gpu().SetFlushedPart(kNothing);
  auto desktop = DesktopScreen::Create(driver.graphics().kernel(), (*adapter)->luid(), extent.width, extent.height);
  if (!desktop.ok()) return std::move(desktop).error();
  if (auto flipped = (*desktop)->Show(); !flipped.ok()) return std::move(flipped).error();
  return std::shared_ptr<DesktopOutput>(
      new DesktopOutput(std::move(screen), *std::move(adapter), *std::move(desktop), driver.name()));
}

DesktopOutput::DesktopOutput(std::shared_ptr<outputs::Output> output, std::unique_ptr<FullDriverAdapter> adapter,
                             std::unique_ptr<DesktopScreen> screen, const std::string& driver_name)
    : output_(std::move(output)), adapter_(std::move(adapter)), screen_(std::move(screen)) {
  info_.kind = "driver";
  info_.name = fmt::format("{} on {}", driver_name, output_->info().name);
  info_.refresh_period_ns = output_->info().refresh_period_ns;
}

// A driver may show black when it stops.
DesktopOutput::~DesktopOutput() {
  static_cast<void>(screen_->AwaitShown());
  adapter_->gpu().SetFlushedPart(kNothing);
}

outputs::OutputStatus DesktopOutput::WithLoss(outputs::OutputStatus status) const {
  if (lost_.load(std::memory_order_acquire)) status.state = outputs::OutputState::kLost;
  return status;
}

Result<void> DesktopOutput::Show(const outputs::Surface& surface) {
  if (surface.pixels == nullptr) return Fail(ErrorKind::kUnsupported, "The processor cannot read the surface.");
  if (!bus::CanDrawFrame(surface.format)) {
    return Fail(ErrorKind::kUnsupported, "A full driver without a user-mode half shows no surface of format {}.",
                static_cast<int>(surface.format));
  }
  const color::BlitRect place = bus::PlaceOf(surface, screen_->width(), screen_->height());
  Result<void> shown = Draw(surface, place);
  if (shown.ok()) shown = ShowDrawn(place);
  if (shown.ok()) return {};
  lost_.store(true, std::memory_order_release);
  return Fail(ErrorKind::kSurfaceLost, "{}", shown.error().message);
}

Result<void> DesktopOutput::Draw(const outputs::Surface& surface, const color::BlitRect& place) {
  const auto picture = screen_->Lock();
  if (!picture.ok()) return picture.error();
  if (!(place == place_)) {
    std::memset(*picture, 0, std::size_t{screen_->pitch()} * screen_->height());
    place_ = place;
  }
  bus::DrawFrame(surface, place, *picture, screen_->pitch());
  screen_->Unlock();
  return {};
}

// Drivers that copy whole surfaces rightly may not do so with parts.
Result<void> DesktopOutput::ShowDrawn(const color::BlitRect& place) {
  adapter_->gpu().SetFlushedPart(place);
  if (auto shown = screen_->Show(); !shown.ok()) return shown;
  const std::uint64_t gpu_bytes = adapter_->gpu().copied_bytes();
  copied_bytes_ = bus::ScreenBytesOf(place) + bus::ScreenBytesOf({0, 0, screen_->width(), screen_->height()}) + gpu_bytes -
                  std::exchange(gpu_bytes_, gpu_bytes);
  return {};
}

}  // namespace tandem::system
