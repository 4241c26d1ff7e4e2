// Sources with two targets: each window shows its primary, rotated by the offset of its path.
#include "color/blit.h"
#include "color/format.h"
#include "drivers/vulkan/testing/primary_fixture.h"

namespace tandem::vulkan::testing {
namespace {

TEST_P(CloneTest, EachTargetOfASource_ShowsItsPrimary) {
  DXGKARG_PRESENT args = Whole();
  args.Flags.Blt = 1;
  Present(source_.get(), *primary_, args);
  std::vector<std::uint32_t> picture(std::size_t{kWidth} * kHeight);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) picture[std::size_t{y} * kWidth + x] = SourcePixel(x, y);
  }
  ExpectShown(picture);
  EXPECT_TRUE(Shows(*second_, picture)) << "the second window shows another picture";
}

TEST_P(CloneTest, TargetWithAnOffset_ShowsItTurned) {
  for (const color::Rotation offset : {color::Rotation::k180, color::Rotation::k90}) {
    Connect(offset);
    // The window is no larger than the unrotated picture, so it shows only the upper part after a quarter turn.
    const bool quarter = offset == color::Rotation::k90;
    DXGKARG_PRESENT args = Whole();
    args.Flags.Blt = 1;
    Present(source_.get(), *primary_, args);
    std::vector<std::uint32_t> picture(std::size_t{kWidth} * kHeight), turned(std::size_t{kWidth} * kHeight, 0xFF000000);
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      for (std::uint32_t x = 0; x < kWidth; ++x) {
        picture[std::size_t{y} * kWidth + x] = SourcePixel(x, y);
        const std::uint32_t column = quarter ? y : kWidth - 1 - x, row = quarter ? kWidth - 1 - x : kHeight - 1 - y;
        if (row < kHeight) turned[std::size_t{row} * kWidth + column] = SourcePixel(x, y);
      }
    }
    ExpectShown(picture);
    EXPECT_TRUE(Shows(*second_, turned)) << "offset " << static_cast<int>(offset);
  }
}

// The copy rotates with its path; the second window shows the result rotated by its own offset as well.
TEST_P(CloneTest, Rotate_TurnsTheCopyOnce_AndEachTargetByItsOffset) {
  auto& miniport = *static_cast<Miniport*>(kernel_->adapter());
  for (const color::Rotation rotation : {color::Rotation::k90, color::Rotation::k180, color::Rotation::k270}) {
    SCOPED_TRACE(static_cast<int>(rotation));
    miniport.Rotate(0, rotation);
    Connect(color::Rotation::k180);
    const bool quarter = rotation != color::Rotation::k180;
    // In a quarter turn programs see kHeight x kWidth; the source has the size of a part of it.
    const LONG seen_width = quarter ? kHeight : kWidth;
    DXGKARG_PRESENT args = Whole();
    args.Flags.ColorFill = 1;
    args.Color = 0xFF000000;
    Present(nullptr, *primary_, args);
    args = Whole();
    args.Flags.Blt = args.Flags.Rotate = 1;
    args.SrcRect = args.DstRect = {0, 0, seen_width, kHeight};
    Present(source_.get(), *primary_, args);
    std::vector<std::uint32_t> picture(std::size_t{kWidth} * kHeight, 0xFF000000), turned = picture;
    const color::BlitRect all{0, 0, static_cast<std::uint32_t>(seen_width), kHeight};
    for (std::uint32_t y = 0; y < all.bottom; ++y) {
      for (std::uint32_t x = 0; x < all.right; ++x) {
        const color::BlitRect at = color::RotatedRect({x, y, x + 1, y + 1}, all.right, quarter ? kWidth : kHeight, rotation);
        picture[std::size_t{at.top} * kWidth + at.left] = SourcePixel(x, y);
        turned[std::size_t{kHeight - 1 - at.top} * kWidth + kWidth - 1 - at.left] = SourcePixel(x, y);
      }
    }
    ExpectShown(picture);
    EXPECT_TRUE(Shows(*second_, turned)) << "the second window shows another picture";
  }
}

TEST_P(CloneTest, UpdatedPath_TurnsItsTargetAlone) {
  DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH update{};
  update.VidPnPresentPathInfo.VidPnTargetId = 1;
  update.VidPnPresentPathInfo.GammaRamp.Type = D3DDDI_GAMMARAMP_DEFAULT;
  update.VidPnPresentPathInfo.ContentTransformation.Rotation = D3DKMDT_VPPR_IDENTITY_OFFSET180;
  ASSERT_EQ(kernel_->ddi().DxgkDdiUpdateActiveVidPnPresentPath(kernel_->adapter(), &update), STATUS_SUCCESS);
  DXGKARG_PRESENT args = Whole();
  args.Flags.Blt = 1;
  Present(source_.get(), *primary_, args);
  std::vector<std::uint32_t> picture(std::size_t{kWidth} * kHeight), turned = picture;
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      picture[std::size_t{y} * kWidth + x] = SourcePixel(x, y);
      turned[std::size_t{kHeight - 1 - y} * kWidth + kWidth - 1 - x] = SourcePixel(x, y);
    }
  }
  ExpectShown(picture);
  EXPECT_TRUE(Shows(*second_, turned)) << "the second window shows another picture";
}

TEST_P(CloneTest, ChildStatus_OfAnotherType_IsRefused) {
  DXGK_CHILD_STATUS status{};
  status.ChildUid = 1;
  status.Type = StatusConnection;
  EXPECT_EQ(kernel_->ddi().DxgkDdiQueryChildStatus(kernel_->adapter(), &status, TRUE), STATUS_SUCCESS);
  EXPECT_EQ(status.HotPlug.Connected, TRUE);
  status.Type = StatusRotation;
  EXPECT_EQ(kernel_->ddi().DxgkDdiQueryChildStatus(kernel_->adapter(), &status, TRUE), STATUS_NOT_SUPPORTED);
}

// Each target has its own source again, and each window shows only its own primary.
TEST_P(CloneTest, TwoSources_ShowTheirOwnPrimaries) {
  kernel_->SetVisible(0, false);
  Display& display = *static_cast<Miniport*>(kernel_->adapter())->display();
  const drivers::PathTarget first{0, color::Rotation::kIdentity}, other{1, color::Rotation::kIdentity};
  display.Connect(0, {&first, 1});
  display.Connect(1, {&other, 1});
  kernel_->SetVisible(0, true);
  kernel_->SetVisible(1, true);
  auto data = *DescribeSurface(AllocationKind::kPrimary, kWidth, kHeight, color::Format::kB8G8R8A8Unorm, 0);
  data.vidpn_source = 1;
  std::unique_ptr<TestResource> second = kernel_->CreateRaw(data);
  ASSERT_NE(second, nullptr);
  std::vector<std::uint32_t> picture(std::size_t{kWidth} * kHeight);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) picture[std::size_t{y} * kWidth + x] = SourcePixel(x, y);
  }
  DXGKARG_PRESENT args = Whole();
  args.Flags.Blt = 1;
  Present(source_.get(), *primary_, args);
  args = Whole();
  args.Flags.ColorFill = 1;
  args.Color = 0xFF306090;
  Present(nullptr, *second, args);
  kernel_->Flip(*second, false);
  ExpectShown(picture);
  EXPECT_TRUE(Shows(*second_, std::vector<std::uint32_t>(picture.size(), 0xFF306090)));
  // Copies from one primary to the other.
  args = Whole();
  args.Flags.Blt = 1;
  Present(primary_.get(), *second, args);
  kernel_->Flip(*second, false);
  EXPECT_TRUE(Shows(*second_, picture));
  kernel_->Destroy(std::move(second));
}

class LinkedCloneTest : public CloneTest {
 protected:
  LinkedCloneTest() { description_.links = BlitEngine::kShader; }
};

// The processor rotates the second window's picture, so it must see the picture even if shaders decode it.
TEST_P(LinkedCloneTest, AFrameOverALink_IsTurnedForTheSecondWindow) {
  auto surface = MakeLinkSurface(1);
  ASSERT_NE(surface, nullptr);
  const auto& primary = *reinterpret_cast<Allocation*>(primary_->data.object);
  for (std::uint32_t frame = 1; frame <= 3; ++frame) {
    const bool turns = frame == 2;
    Connect(turns ? color::Rotation::k180 : color::Rotation::kIdentity);
    source_->pages[source_->data.pitch * std::size_t{9} * frame + 20] ^= std::byte{0x33};
    const std::vector<std::uint32_t> picture = CrossLink(*surface, frame);
    const std::vector<std::uint32_t> turned(picture.rbegin(), picture.rend());
    ExpectShown(picture);
    EXPECT_TRUE(Shows(*second_, turns ? turned : picture)) << "the second window shows another picture";
    EXPECT_EQ(primary.pictures().shadow_place(), turns ? RowsPlace::kSystem : RowsPlace::kDevice);
  }
  kernel_->Destroy(std::move(surface));
}

INSTANTIATE_TEST_SUITE_P(SoftwareDrivers, LinkedCloneTest, ::testing::Values(Driver::kLavapipe, Driver::kSwiftShader),
                         [](const auto& each) { return NameOf(each.param); });

INSTANTIATE_TEST_SUITE_P(SoftwareDrivers, CloneTest, ::testing::Values(Driver::kLavapipe, Driver::kSwiftShader),
                         [](const auto& each) { return NameOf(each.param); });

}  // namespace
}  // namespace tandem::vulkan::testing
