#include "conform/painted_screen.h"

#include "conform/rule.h"

namespace tandem::conform {
namespace {

constexpr kernel::DisplayOnlyMode kPicture{48, 32};
constexpr std::uint32_t kSeed = 0x31000000;

}  // namespace

PaintedScreen::PaintedScreen(Rig& rig) : rig_(rig), size_(ScreenDriver(rig).ScreenOr(kPicture)), user_(rig.OpenDisplay()) {
  static_cast<void>(rig.output());
  for (Surface& surface : surfaces_) {
    surface = user_.Create({size_.width, size_.height, SurfaceUse::kCrossAdapter});
    user_.Paint(surface, kSeed);
  }
  Show();
}

void PaintedScreen::Show() {
  const std::size_t before = rig_.output().shown().size();
  shown_ = (shown_ + 1) % surfaces_.size();
  RequireSuccess(user_.Flip(surfaces_[shown_], D3DDDI_FLIPINTERVAL_ONE), "D3DKMTPresent of a flip");
  user_.Finish();
  Require(rig_.output().AwaitShown(before + 1), "A flip is not shown.");
}

std::uint32_t PaintedScreen::Painted(std::uint32_t x, std::uint32_t y) { return UserDevice::Painted(kSeed, x, y) & kColors; }

void PaintedScreen::RequireShown(const std::function<std::uint32_t(std::uint32_t x, std::uint32_t y)>& due,
                                 const std::string& circumstance) {
  const ShownPicture picture = rig_.output().shown().back();
  Require(picture.width == size_.width && picture.height == size_.height, "A picture of {} x {} is shown; {} x {} was due.",
          picture.width, picture.height, size_.width, size_.height);
  for (std::uint32_t y = 0; y < size_.height; ++y) {
    for (std::uint32_t x = 0; x < size_.width; ++x) {
      const std::uint32_t color = due(x, y);
      Require(picture.Shows(x, y, color), "Pixel ({}, {}) is 0x{:06X}; 0x{:06X} was due with {}.", x, y,
              picture.At(x, y) & kColors, color, circumstance);
    }
  }
}

}  // namespace tandem::conform
