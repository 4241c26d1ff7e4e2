// Primaries that are drawn into, read and turned: what the window shows is what was drawn.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "base/clock.h"
#include "codec/link_surface.h"
#include "color/blit.h"
#include "drivers/vulkan/display/testing/test_gpu.h"
#include "drivers/vulkan/display/testing/x_window.h"
#include "drivers/vulkan/kmd/miniport.h"
#include "drivers/vulkan/testing/fake_kernel.h"

namespace tandem::vulkan::testing {
namespace {

constexpr std::uint32_t kWidth = 120;
constexpr std::uint32_t kHeight = 80;
constexpr std::int64_t kPatienceNs = 10'000'000'000;

class PrimaryTest : public ::testing::TestWithParam<Driver> {
 protected:
  void SetUp() override {
    std::string why_not;
    description_.own = FindDevice(GetParam(), why_not);
    if (!description_.own) GTEST_SKIP() << why_not;
    window_ = XWindow::Create(kWidth, kHeight);
    if (window_ == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
    description_.connector = CreateWsiConnector(sockets_);
    kernel_ = FakeKernel::Start(description_, Pages::kAnonymous);
    ASSERT_NE(kernel_, nullptr);
    const auto socket = description_.connector->Plug(window_->target());
    ASSERT_TRUE(socket.ok()) << socket.error().message;
    kernel_->SetVisible(0, true);
    primary_ = Make(AllocationKind::kPrimary);
    source_ = Make(AllocationKind::kLinear);
    for (std::uint64_t i = 0; i < source_->data.size; ++i) source_->pages[i] = static_cast<std::byte>(i * 11 >> 2);
  }
  void TearDown() override {
    if (kernel_ == nullptr) return;
    kernel_->Destroy(std::move(source_));
    kernel_->Destroy(std::move(primary_));
    description_.connector->Unplug(0);
    kernel_.reset();
  }

  std::unique_ptr<TestResource> Make(AllocationKind kind) {
    const auto data = DescribeSurface(kind, kWidth, kHeight, color::Format::kB8G8R8A8Unorm, 0);
    return kernel_->CreateRaw(*data);
  }
  static DXGKARG_PRESENT Whole() {
    DXGKARG_PRESENT args{};
    args.SrcRect = args.DstRect = {0, 0, kWidth, kHeight};
    return args;
  }
  void Present(TestResource* source, TestResource& destination, const DXGKARG_PRESENT& args) {
    const UINT fence = kernel_->Present(source, destination, args);
    ASSERT_NE(fence, 0u) << std::hex << kernel_->last_status();
    ASSERT_TRUE(kernel_->WaitFence(fence));
  }
  // Waits until it does.
  static bool Shows(XWindow& window, const std::vector<std::uint32_t>& picture) {
    bool same = false;
    const std::int64_t deadline_ns = MonotonicClock().NowNs() + kPatienceNs;
    while (!same && MonotonicClock().NowNs() < deadline_ns) {
      const auto shot = window.Screenshot(kWidth, kHeight);
      same = shot.size() == picture.size();
      for (std::size_t i = 0; same && i < picture.size(); ++i) same = (shot[i] & 0xFFFFFF) == (picture[i] & 0xFFFFFF);
    }
    return same;
  }
  // Flips to the primary until the window shows `picture` (rows of kWidth pixels), and reads the primary.
  void ExpectShown(const std::vector<std::uint32_t>& picture) {
    kernel_->Flip(*primary_, false);
    EXPECT_TRUE(Shows(*window_, picture)) << "the window shows another picture";
    auto seen = Make(AllocationKind::kLinear);
    DXGKARG_PRESENT args = Whole();
    args.Flags.Blt = 1;
    Present(primary_.get(), *seen, args);
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      EXPECT_EQ(
          std::memcmp(seen->pages + std::size_t{y} * seen->data.pitch, picture.data() + std::size_t{y} * kWidth, kWidth * 4), 0)
          << "row " << y;
    }
    kernel_->Destroy(std::move(seen));
  }
  std::uint32_t SourcePixel(std::uint32_t x, std::uint32_t y) {
    std::uint32_t pixel = 0;
    std::memcpy(&pixel, source_->pages + std::size_t{y} * source_->data.pitch + std::size_t{x} * 4, 4);
    return pixel;
  }

  std::uint32_t sockets_ = 1;
  DeviceDescription description_;
  std::unique_ptr<XWindow> window_;
  std::unique_ptr<FakeKernel> kernel_;
  std::unique_ptr<TestResource> primary_;
  std::unique_ptr<TestResource> source_;
};

class LinkedPrimaryTest : public PrimaryTest {
 protected:
  LinkedPrimaryTest() { description_.links = BlitEngine::kShader; }
};

// Over a link surface, by shaders both ways: what stayed the same does not cross, and is shown all the same.
TEST_P(LinkedPrimaryTest, FramesOverALink_AreShownAndRead) {
  auto surface = kernel_->CreateRaw(*DescribeSurface(AllocationKind::kLinear, kWidth, kHeight, codec::kLinkFormat, 0));
  ASSERT_NE(surface, nullptr);
  const std::span<std::byte> bytes(surface->pages, surface->data.size);
  codec::InitializeLinkSurface(bytes, codec::LinkSliceRows(kHeight, 2));
  DXGKARG_PRESENT args = Whole();
  args.Flags.Blt = 1;
  for (std::uint32_t frame = 1; frame <= 3; ++frame) {
    source_->pages[source_->data.pitch * std::size_t{20} * frame + 44] ^= std::byte{0x55};
    codec::WishLinkFrame(bytes, frame, codec::LinkEncoding::kLossless);
    Present(source_.get(), *surface, args);
    Present(surface.get(), *primary_, args);
    std::vector<std::uint32_t> picture;
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      for (std::uint32_t x = 0; x < kWidth; ++x) picture.push_back(SourcePixel(x, y) | 0xFF000000);
    }
    ExpectShown(picture);
    if (frame > 1) {
      EXPECT_GT(codec::ReadLinkSlice(bytes, 0).unchanged + codec::ReadLinkSlice(bytes, 1).unchanged, 1900);
    }
  }
  const Blitter::Counters counters = static_cast<Miniport*>(kernel_->adapter())->blitter(kernel_->node()).counters();
  EXPECT_EQ(counters.by_shader, 6U);
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

  // A part, copied; another one, stretched.
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

  // The screen onto itself, overlapping.
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

  // Clients see kHeight x kWidth then.
  miniport.Rotate(0, color::Rotation::k90);
  args.SrcRect = args.DstRect = {0, 0, kHeight, kHeight};
  Present(source_.get(), *primary_, args);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kHeight; ++x) picture[std::size_t{kHeight - 1 - x} * kWidth + y] = SourcePixel(x, y);
  }
  ExpectShown(picture);
  // Without the flag nothing is turned.
  args = Whole();
  args.Flags.Blt = 1;
  Present(source_.get(), *primary_, args);
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) picture[std::size_t{y} * kWidth + x] = SourcePixel(x, y);
  }
  ExpectShown(picture);
}

class CloneTest : public PrimaryTest {
 protected:
  void SetUp() override {
    sockets_ = 2;
    PrimaryTest::SetUp();
    if (kernel_ == nullptr) return;
    second_ = XWindow::Create(kWidth, kHeight);
    ASSERT_NE(second_, nullptr);
    kernel_->SetVisible(0, false);
    Connect(color::Rotation::kIdentity);
    kernel_->SetVisible(0, true);
    ASSERT_TRUE(description_.connector->Plug(second_->target()).ok());
  }
  void TearDown() override {
    if (kernel_ != nullptr) description_.connector->Unplug(1);
    PrimaryTest::TearDown();
  }
  void Connect(color::Rotation offset) {
    const std::array<Display::Target, 2> targets{{{0, color::Rotation::kIdentity}, {1, offset}}};
    static_cast<Miniport*>(kernel_->adapter())->display()->Connect(0, targets);
  }
  std::unique_ptr<XWindow> second_;
};

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
    // The window is no larger than the first picture: of a quarter turn its upper part is seen.
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

// Of a swap chain: it keeps no pixels, but what writes all of them needs none.
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

  args.DstRect = {0, 0, kWidth - 1, kHeight};  // what is right of it is nobody's
  EXPECT_EQ(kernel_->Present(source_.get(), *frames, args), 0u);
  EXPECT_EQ(kernel_->last_status(), STATUS_ILLEGAL_INSTRUCTION);
  kernel_->Destroy(std::move(frames));
}

TEST_P(PrimaryTest, GetScanLine_OfAKnownTarget_IsAnswered) {
  DXGKARG_GETSCANLINE args{};
  EXPECT_EQ(kernel_->ddi().DxgkDdiGetScanLine(kernel_->adapter(), &args), STATUS_SUCCESS);
  EXPECT_EQ(args.InVerticalBlank, TRUE);  // nothing was ever flipped
  args.VidPnTargetId = 1;
  EXPECT_EQ(kernel_->ddi().DxgkDdiGetScanLine(kernel_->adapter(), &args), STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET);
}

INSTANTIATE_TEST_SUITE_P(SoftwareDrivers, CloneTest, ::testing::Values(Driver::kLavapipe, Driver::kSwiftShader),
                         [](const auto& each) { return NameOf(each.param); });
INSTANTIATE_TEST_SUITE_P(SoftwareDrivers, PrimaryTest, ::testing::Values(Driver::kLavapipe, Driver::kSwiftShader),
                         [](const auto& each) { return NameOf(each.param); });

}  // namespace
}  // namespace tandem::vulkan::testing
