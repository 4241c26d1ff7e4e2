// The cursor planes of real DRM drivers, in scripts/vm.sh.
#include "drivers/kms/kmd/cursor.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "base/thread.h"
#include "drivers/kms/card/drm.h"
#include "drivers/kms/card/testing/lit_card_test.h"
#include "drivers/kms/card/writeback.h"

namespace tandem::kms {
namespace {

constexpr std::int64_t kLongestCaptureNs = 60'000'000'000;
constexpr std::uint32_t kBelow = 0x00406080;
constexpr std::uint32_t kShapeWidth = 5, kShapeHeight = 3;
// Rounding of the card's and of the shape's multiplication.
constexpr int kMostError = 1;

std::uint32_t ShapeAt(std::uint32_t x, std::uint32_t y) {
  constexpr std::array<std::uint32_t, 4> kAlphas{0, 85, 170, 255};
  return kAlphas[(x + y) % 4] << 24 | (x * 50) << 16 | (y * 80) << 8 | 0xF0;
}

class KmsCursor : public LitCardTest {
 protected:
  void SetUp() override {
    LitCardTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (lit_->resources().FindPlane(PlaneType::kCursor, lit_->crtc()) == nullptr) GTEST_SKIP() << "The card has no cursor plane.";
    for (LitBuffer& screen : screens_) {
      screen = *lit_->MakeScreen(DRM_FORMAT_XRGB8888);
      for (std::size_t at = 0; at + 4 <= screen.map.size_bytes(); at += 4) std::memcpy(screen.map.data() + at, &kBelow, 4);
    }
    ASSERT_TRUE(lit_->Light(screens_[0].framebuffer.id()).done());
    cursor_ = std::make_unique<Cursor>(lit_->card(), lit_->crtc().id);
  }
  void TearDown() override {
    cursor_.reset();
    LitCardTest::TearDown();
  }

  void SetShape() {
    std::array<std::uint32_t, kShapeWidth * kShapeHeight> pixels{};
    for (std::uint32_t y = 0; y < kShapeHeight; ++y) {
      for (std::uint32_t x = 0; x < kShapeWidth; ++x) pixels[y * kShapeWidth + x] = ShapeAt(x, y);
    }
    DXGKARG_SETPOINTERSHAPE shape{};
    shape.Flags.Color = 1;
    shape.Width = kShapeWidth;
    shape.Height = kShapeHeight;
    shape.Pitch = kShapeWidth * 4;
    shape.pPixels = pixels.data();
    shape.XHot = 1;
    cursor_->SetShape(shape);
  }
  // The whole mode's picture is the frame.
  [[nodiscard]] PicturePlace Whole() const {
    return {{0, 0, lit_->mode().width, lit_->mode().height}, lit_->mode().width, lit_->mode().height, color::Rotation::kIdentity};
  }
  // The pixels of the screen that differ from the picture with the shape at (left, top), turned upside down or not.
  void ExpectOnScreen(const std::optional<ScreenPoint>& at, bool turned = false) {
    const Mode& mode = lit_->mode();
    auto writeback =
        Writeback::Create(lit_->card(), lit_->resources(), lit_->crtc(), mode.width, mode.height, DRM_FORMAT_XRGB8888);
    if (!writeback.ok()) return;  // nobody sees what the card shows
    const auto captured = writeback->Capture(kLongestCaptureNs);
    ASSERT_TRUE(captured.ok()) << captured.error().message;
    for (std::int32_t y = 0; y < mode.height; ++y) {
      for (std::int32_t x = 0; x < mode.width; ++x) {
        std::uint32_t seen = 0;
        std::memcpy(&seen, writeback->pixels() + static_cast<std::size_t>(y) * writeback->pitch_bytes() + std::size_t(x) * 4, 4);
        const std::int32_t in_x = at ? x - at->x : -1, in_y = at ? y - at->y : -1;
        const bool over = in_x >= 0 && in_y >= 0 && in_x < std::int32_t{kShapeWidth} && in_y < std::int32_t{kShapeHeight};
        const std::uint32_t shape =
            over ? ShapeAt(turned ? kShapeWidth - 1 - static_cast<std::uint32_t>(in_x) : static_cast<std::uint32_t>(in_x),
                           turned ? kShapeHeight - 1 - static_cast<std::uint32_t>(in_y) : static_cast<std::uint32_t>(in_y))
                 : 0;
        for (const unsigned shift : {0U, 8U, 16U}) {
          const std::uint32_t alpha = shape >> 24;
          const std::uint32_t due = ((shape >> shift & 255) * alpha + (kBelow >> shift & 255) * (255 - alpha) + 127) / 255;
          ASSERT_LE(std::abs(static_cast<int>(seen >> shift & 255) - static_cast<int>(due)), kMostError)
              << "(" << x << ", " << y << "): " << std::hex << seen << " over " << shape;
        }
      }
    }
  }

  LitBuffer screens_[2];
  std::unique_ptr<Cursor> cursor_;
};
INSTANTIATE_TEST_SUITE_P(Drivers, KmsCursor, testing::ValuesIn(kDrivers), DriverOfTest);

TEST_P(KmsCursor, Shape_BlendsWhereItIsPut_WhileAFrameIsShown) {
  SetShape();
  cursor_->SetPosition(20, 30, true);
  ExpectOnScreen(std::nullopt);
  cursor_->SetPlace(Whole());
  ExpectOnScreen(ScreenPoint{20, 30});
  cursor_->SetPosition(-2, 31, true);
  ExpectOnScreen(ScreenPoint{-2, 31});
  cursor_->SetPosition(40, 31, false);
  ExpectOnScreen(std::nullopt);
  cursor_->SetPosition(40, 31, true);
  ExpectOnScreen(ScreenPoint{40, 31});
  cursor_->SetPlace(std::nullopt);
  ExpectOnScreen(std::nullopt);
}

TEST_P(KmsCursor, FrameUpsideDown_TurnsTheShape) {
  SetShape();
  cursor_->SetPosition(20, 30, true);
  PicturePlace place = Whole();
  place.rotation = color::Rotation::k180;
  cursor_->SetPlace(place);
  const Mode& mode = lit_->mode();
  ExpectOnScreen(ScreenPoint{mode.width - 20 - std::int32_t{kShapeWidth}, mode.height - 30 - std::int32_t{kShapeHeight}}, true);
  cursor_->SetPlace(Whole());
  ExpectOnScreen(ScreenPoint{20, 30});
}

TEST_P(KmsCursor, MovesAllTheTime_NoFlipFindsTheCrtcBusy) {
  KeptEvents kept;
  auto events = CardEvents::Start(lit_->card(), kept);
  ASSERT_TRUE(events.ok()) << events.error().message;
  SetShape();
  cursor_->SetPlace(Whole());
  std::atomic<bool> stop{false};
  std::atomic<std::int32_t> moves{0};
  auto mover = Thread::Start("mover", [&] {
    while (!stop) {
      const std::int32_t place = ++moves % 300;
      cursor_->SetPosition(place, place / 2, true);
    }
  });
  ASSERT_TRUE(mover.ok()) << mover.error().message;
  for (std::uint64_t flip = 1; flip <= 60; ++flip) {
    cursor_->Hold();
    const CommitResult committed = lit_->Flip(screens_[flip % 2].framebuffer.id(), {.nonblocking = true, .event = true}, flip);
    EXPECT_TRUE(committed.done()) << ToError(committed, "The flip").message;
    const auto event = kept.WaitForFlip();
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->user_data, flip);
    cursor_->Release();
  }
  stop = true;
  mover->Join();
  cursor_->SetPosition(7, 9, true);
  ExpectOnScreen(ScreenPoint{7, 9});
}

}  // namespace
}  // namespace tandem::kms
