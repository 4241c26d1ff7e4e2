// The display after the system has stopped.
#include <array>
#include <vector>

#include "base/clock.h"
#include "base/sleep.h"
#include "conform/rig.h"
#include "conform/rules.h"
#include "conform/screen_driver.h"
#include "kernel/kernel.h"

namespace tandem::conform {
namespace {

constexpr std::uint32_t kWidth = 24, kHeight = 10, kLeft = 37, kTop = 21;
constexpr std::uint32_t kSeed = 0x52000000;
constexpr std::int64_t kLookNs = 1'000'000;

// The first pixel of the block that the picture does not show; nothing when it shows all.
std::string WrongIn(const ShownPicture& picture) {
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      const std::uint32_t due = UserDevice::Painted(kSeed, x, y);
      if (picture.Shows(kLeft + x, kTop + y, due)) continue;
      return fmt::format("Pixel ({}, {}) is 0x{:08X}; 0x{:08X} was written.", kLeft + x, kTop + y,
                         picture.At(kLeft + x, kTop + y), due);
    }
  }
  return {};
}

// Fault of the last picture; empty if it shows the block on the whole display.
std::string WrongIn(const std::vector<ShownPicture>& shown, std::size_t shown_before, const kernel::SystemDisplay& display) {
  const ShownPicture& picture = shown.back();
  if (picture.width == display.width && picture.height == display.height) return WrongIn(picture);
  if (shown.size() == shown_before)
    return fmt::format("Nothing is shown after DxgkDdiSystemDisplayWrite; the picture of {} x {} before it stays.", picture.width,
                       picture.height);
  return fmt::format("A picture of {} x {} is shown; the display has {} x {} pixels.", picture.width, picture.height,
                     display.width, display.height);
}

// The system stops while a program shows a picture of its own.
void LastWordsAreShown(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  const Surface surface = user.Create({48, 32, SurfaceUse::kCrossAdapter});
  user.Paint(surface, 0x31000000);
  RequireSuccess(user.Flip(surface, D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip");
  user.Finish();
  ScreenDriver driver(rig);
  const auto display = driver.EnableSystemDisplay();
  if (!display.ok()) throw NotApplicable(display.error().message);
  Require(display->width >= kLeft + kWidth && display->height >= kTop + kHeight,
          "The system's display has {} x {} pixels, which is too few for a message.", display->width, display->height);
  const std::size_t shown_before = rig.output().shown().size();
  std::vector<std::uint32_t> pixels;
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) pixels.push_back(UserDevice::Painted(kSeed, x, y));
  }
  const auto written =
      driver.WriteSystemDisplay({reinterpret_cast<const std::byte*>(pixels.data()), kWidth, kHeight, kWidth * 4, kLeft, kTop});
  Require(written.ok(), "{}", written.ok() ? "" : written.error().message);
  driver.ShowScreen();
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + rig.display_driver().patience_ns;
  for (;;) {
    const std::vector<ShownPicture> shown = rig.output().shown();
    const std::string wrong = WrongIn(shown, shown_before, *display);
    if (wrong.empty()) return;
    Require(MonotonicClock().NowNs() < deadline_ns, "{}", wrong);
    SleepFor(MonotonicClock(), kLookNs);
  }
}

constexpr std::array kSystemDisplayRules{
    Rule{"SystemDisplay.Shows",
         "A block that DxgkDdiSystemDisplayWrite gets is shown at its place, in the mode that the driver set.",
         "DXGKDDI_SYSTEM_DISPLAY_ENABLE; DXGKDDI_SYSTEM_DISPLAY_WRITE", Needs::kDisplay, &LastWordsAreShown,
         "A driver may refuse the display; the rule then does not apply."},
};

}  // namespace

std::span<const Rule> SystemDisplayRules() { return kSystemDisplayRules; }

}  // namespace tandem::conform
