// Primaries that are drawn to, read and rotated: the window shows the drawn picture.
#include "color/blit.h"
#include "color/format.h"
#include "drivers/vulkan/testing/primary_fixture.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan::testing {
namespace {

class LinkedPrimaryTest : public PrimaryTest {
 protected:
  LinkedPrimaryTest() { description_.links = BlitEngine::kShader; }
};

// Crosses a link surface with shaders on both ends. Unchanged parts do not cross, and are still shown.
TEST_P(LinkedPrimaryTest, FramesOverALink_AreShownAndRead) {
  auto surface = MakeLinkSurface(2);
  ASSERT_NE(surface, nullptr);
  for (std::uint32_t frame = 1; frame <= 3; ++frame) {
    source_->pages[source_->data.pitch * std::size_t{20} * frame + 44] ^= std::byte{0x55};
    const std::vector<std::uint32_t> picture = CrossLink(*surface, frame);
    ExpectShown(picture);
    if (frame > 1) {
      const auto unchanged = [&](std::uint32_t slice) { return link::ReadLinkSlice(BytesOf(*surface), slice).unchanged; };
      EXPECT_GT(unchanged(0) + unchanged(1), 1900);
    }
  }
  const Blitter::Counters counters = static_cast<Miniport*>(kernel_->adapter())->blitter(kernel_->node()).counters();
  EXPECT_EQ(counters.by_shader, 6U);
  EXPECT_EQ(reinterpret_cast<Allocation*>(primary_->data.object)->pictures().shadow_place(), RowsPlace::kDevice);
  kernel_->Destroy(std::move(surface));
}

INSTANTIATE_TEST_SUITE_P(Drivers, LinkedPrimaryTest, ::testing::Values(Driver::kLavapipe, Driver::kSwiftShader));

TEST_P(PrimaryTest, FillCopyStretchAndMove_AreShownAndRead) {
  std::vector<std::uint32_t> picture(std::size_t{kWidth} * kHeight, 0xFF203040);
  DXGKARG_PRESENT args = Whole();
  args.Flags.ColorFill = 1;
  args.Color = 0xFF203040;
  Present(nullptr, *primary_, args);
  ExpectShown(picture);

  // Copies one part and stretches another.
  args = Whole();
  args.Flags.Blt = 1;
  args.SrcRect = {5, 6, 45, 26};
  args.DstRect = {70, 50, 110, 70};
  Present(source_.get(), *primary_, args);
  for (std::uint32_t y = 0; y < 20; ++y) {
    for (std::uint32_t x = 0; x < 40; ++x) picture[std::size_t{50 + y} * kWidth + 70 + x] = SourcePixel(5 + x, 6 + y);
  }
  args.SrcRect = {0, 0, 10, 10};
  args.DstRect = {3, 2, 33, 22};
  Present(source_.get(), *primary_, args);
  for (std::uint32_t y = 0; y < 20; ++y) {
    for (std::uint32_t x = 0; x < 30; ++x) {
      picture[std::size_t{2 + y} * kWidth + 3 + x] =
          SourcePixel(color::StretchedPosition(x, 10, 30), color::StretchedPosition(y, 10, 20));
    }
  }
  ExpectShown(picture);

  // Copies the screen onto itself with overlap.
  args.SrcRect = {0, 0, 110, 70};
  args.DstRect = {7, 9, 117, 79};
  Present(primary_.get(), *primary_, args);
  const std::vector<std::uint32_t> before = picture;
  for (std::uint32_t y = 0; y < 70; ++y) {
    for (std::uint32_t x = 0; x < 110; ++x) {
      picture[std::size_t{9 + y} * kWidth + 7 + x] = before[std::size_t{y} * kWidth + x];
    }
  }
  ExpectShown(picture);
}

// Draws a frame in two halves, the lower one first, then the upper half of another frame.
TEST_P(PrimaryTest, PartsOfAFrame_EachPixelReachesTheWindowOnce) {
  constexpr std::uint64_t kFrameBytes = std::uint64_t{kWidth} * kHeight * 4;
  const auto written = [&] { return description_.connectors->CountersOf(0).written_bytes; };
  const auto draw = [&](LONG top, LONG bottom) {
    DXGKARG_PRESENT args = Whole();
    args.Flags.Blt = 1;
    args.SrcRect = args.DstRect = {0, top, kWidth, bottom};
    Present(source_.get(), *primary_, args);
  };
  std::vector<std::uint32_t> picture(std::size_t{kWidth} * kHeight);
  const auto see = [&](std::uint32_t top, std::uint32_t bottom) {
    for (std::uint32_t y = top; y < bottom; ++y) {
      for (std::uint32_t x = 0; x < kWidth; ++x) picture[std::size_t{y} * kWidth + x] = SourcePixel(x, y) | 0xFF000000;
    }
  };
  for (std::uint64_t i = 3; i < source_->data.size; i += 4) source_->pages[i] = std::byte{0xFF};
  draw(kHeight / 2, kHeight);
  draw(0, kHeight / 2);
  EXPECT_EQ(written(), kFrameBytes);
  see(0, kHeight);
  ExpectShown(picture);
  EXPECT_EQ(written(), kFrameBytes);

  for (std::uint64_t i = 0; i < source_->data.size; ++i) source_->pages[i] ^= static_cast<std::byte>(i % 4 == 3 ? 0 : 0x5A);
  draw(0, kHeight / 2);
  EXPECT_EQ(written(), kFrameBytes * 3 / 2);
  see(0, kHeight / 2);
  ExpectShown(picture);
  EXPECT_EQ(written(), kFrameBytes * 2);
}

// The flip copies rows out of a picture that is being destroyed.
TEST_P(PrimaryTest, PartOfAFrame_PrimaryDestroyedBehindItsFlip_LeavesNothing) {
  DXGKARG_PRESENT args = Whole();
  args.Flags.Blt = 1;
  args.SrcRect = args.DstRect = {0, 0, kWidth, kHeight / 2};
  for (int round = 0; round < 30; ++round) {
    auto primary = Make(AllocationKind::kPrimary);
    Present(source_.get(), *primary, args);
    kernel_->Flip(*primary, true);
    kernel_->Destroy(std::move(primary));
  }
  EXPECT_FALSE(static_cast<Miniport*>(kernel_->adapter())->lost());
}

TEST_P(PrimaryTest, Rotate_TurnsTheCopyAsThePathIs) {
  auto& miniport = *static_cast<Miniport*>(kernel_->adapter());
  std::vector<std::uint32_t> picture(std::size_t{kWidth} * kHeight);
  DXGKARG_PRESENT args = Whole();
  args.Flags.Blt = args.Flags.Rotate = 1;
  miniport.Rotate(0, color::Rotation::k180);
  Present(source_.get(), *primary_, args);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      picture[std::size_t{kHeight - 1 - y} * kWidth + kWidth - 1 - x] = SourcePixel(x, y);
    }
  }
  ExpectShown(picture);

  // Programs now see kHeight x kWidth.
  miniport.Rotate(0, color::Rotation::k90);
  args.SrcRect = args.DstRect = {0, 0, kHeight, kHeight};
  Present(source_.get(), *primary_, args);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kHeight; ++x) picture[std::size_t{kHeight - 1 - x} * kWidth + y] = SourcePixel(x, y);
  }
  ExpectShown(picture);
  // Without the flag nothing is rotated.
  args = Whole();
  args.Flags.Blt = 1;
  Present(source_.get(), *primary_, args);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) picture[std::size_t{y} * kWidth + x] = SourcePixel(x, y);
  }
  ExpectShown(picture);
}

TEST_P(PrimaryTest, Rotate_TurnsWhatComesOutOfALink) {
  auto surface = MakeLinkSurface(2);
  ASSERT_NE(surface, nullptr);
  link::RequestLinkFrame(BytesOf(*surface), 1, link::LinkEncoding::kPacked);
  DXGKARG_PRESENT args = Whole();
  args.Flags.Blt = 1;
  Present(source_.get(), *surface, args);
  args.Flags.Rotate = 1;
  EXPECT_EQ(kernel_->Present(source_.get(), *surface, args), 0U);
  EXPECT_EQ(kernel_->last_status(), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  static_cast<Miniport*>(kernel_->adapter())->Rotate(0, color::Rotation::k180);
  Present(surface.get(), *primary_, args);
  std::vector<std::uint32_t> picture(std::size_t{kWidth} * kHeight);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x)
      picture[std::size_t{kHeight - 1 - y} * kWidth + kWidth - 1 - x] = SourcePixel(x, y) | 0xFF000000;
  }
  ExpectShown(picture);
  // A quarter turn needs a primary of the other extent.
  static_cast<Miniport*>(kernel_->adapter())->Rotate(0, color::Rotation::k90);
  EXPECT_EQ(kernel_->Present(surface.get(), *primary_, args), 0U);
  EXPECT_EQ(kernel_->last_status(), STATUS_PRIVILEGED_INSTRUCTION);
  kernel_->Destroy(std::move(surface));
}

// A swap chain's primary keeps no pixels, so only operations that write all of them are accepted.
TEST_P(PrimaryTest, FramesOnly_TakesWholeFramesOfAnyKind_AndNothingElse) {
  auto data = *DescribeSurface(AllocationKind::kPrimary, kWidth, kHeight, color::Format::kB8G8R8A8Unorm, 0);
  data.flags = kFramesOnly;
  std::unique_ptr<TestResource> frames = kernel_->CreateRaw(data);
  std::vector<std::uint32_t> picture(std::size_t{kWidth} * kHeight, 0xFF405060);
  DXGKARG_PRESENT args = Whole();
  args.Flags.ColorFill = 1;
  args.Color = 0xFF405060;
  Present(nullptr, *frames, args);
  kernel_->Flip(*frames, false);
  EXPECT_TRUE(Shows(*window_, picture));

  args = Whole();
  args.Flags.Blt = 1;
  args.SrcRect = {0, 0, kWidth / 2, kHeight / 2};
  Present(source_.get(), *frames, args);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      picture[std::size_t{y} * kWidth + x] =
          SourcePixel(color::StretchedPosition(x, kWidth / 2, kWidth), color::StretchedPosition(y, kHeight / 2, kHeight));
    }
  }
  kernel_->Flip(*frames, false);
  EXPECT_TRUE(Shows(*window_, picture));

  // The column to the right is never defined, so every kind of copy that leaves it out is refused.
  args.DstRect = {0, 0, kWidth - 1, kHeight};
  EXPECT_EQ(kernel_->Present(source_.get(), *frames, args), 0u);
  EXPECT_EQ(kernel_->last_status(), STATUS_ILLEGAL_INSTRUCTION);
  args.SrcRect = args.DstRect;
  EXPECT_EQ(kernel_->Present(source_.get(), *frames, args), 0u);
  EXPECT_EQ(kernel_->last_status(), STATUS_ILLEGAL_INSTRUCTION);
  args = Whole();
  args.Flags.Blt = 1;
  const std::array<RECT, 2> parts{RECT{0, 0, kWidth, kHeight / 2}, RECT{0, kHeight / 2, kWidth, kHeight - 1}};
  args.SubRectCnt = 2;
  args.pDstSubRects = parts.data();
  EXPECT_EQ(kernel_->Present(source_.get(), *frames, args), 0u);
  EXPECT_EQ(kernel_->last_status(), STATUS_ILLEGAL_INSTRUCTION);
  // The refusals leave the window's picture unchanged.
  kernel_->Flip(*frames, false);
  EXPECT_TRUE(Shows(*window_, picture));
  kernel_->Destroy(std::move(frames));
}

TEST_P(PrimaryTest, GetScanLine_OfAKnownTarget_IsAnswered) {
  DXGKARG_GETSCANLINE args{};
  EXPECT_EQ(kernel_->ddi().DxgkDdiGetScanLine(kernel_->adapter(), &args), STATUS_SUCCESS);
  EXPECT_EQ(args.InVerticalBlank, TRUE);  // no flip ever happened
  args.VidPnTargetId = 1;
  EXPECT_EQ(kernel_->ddi().DxgkDdiGetScanLine(kernel_->adapter(), &args), STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET);
}

INSTANTIATE_TEST_SUITE_P(SoftwareDrivers, PrimaryTest, ::testing::Values(Driver::kLavapipe, Driver::kSwiftShader),
                         [](const auto& each) { return NameOf(each.param); });

}  // namespace
}  // namespace tandem::vulkan::testing
