#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include "color/format.h"
#include "drivers/soft/testing/fake_kernel.h"
#include "drivers/soft/testing/fake_output.h"
#include "outputs/output.h"

namespace tandem::soft {
namespace {

using namespace processor;

using testing::FakeAllocation;
using testing::FakeKernel;
using testing::FakeOutput;
using testing::Pages;

constexpr std::int64_t kPeriodNs = 20'000'000;

class ScanOutTest : public ::testing::Test {
 protected:
  ScanOutTest() {
    description_.connectors = CreateConnectors(2);
    description_.local_memory_bytes = 16 << 20;
    description_.aperture_bytes = 64 << 20;
    output_ = std::make_shared<FakeOutput>(kPeriodNs);
    connector_ = *description_.connectors->Plug(output_);
    kernel_ = std::make_unique<FakeKernel>(description_);
  }

  FakeAllocation Surface(std::uint32_t color, std::uint32_t flags = kAllocationPrimary | kAllocationCrossAdapter) {
    auto surface = kernel_->Allocate(*DescribeSurface(64, 32, color::Format::kB8G8R8A8Unorm, flags, 0), Pages::kMemfd);
    std::memcpy(surface.cpu, &color, sizeof(color));
    return surface;
  }

  DeviceDescription description_;
  std::shared_ptr<FakeOutput> output_;
  std::uint32_t connector_ = 99;
  std::unique_ptr<FakeKernel> kernel_;
};

TEST_F(ScanOutTest, Flips_OneAfterAnother_AreShownInOrderAndReported) {
  const FakeAllocation surfaces[] = {Surface(1), Surface(2), Surface(3)};
  for (const auto& surface : surfaces) {
    ASSERT_EQ(kernel_->Flip(connector_, surface, false), STATUS_SUCCESS);
    ASSERT_TRUE(kernel_->AwaitVsync(connector_, surface.address));
  }
  const auto shown = output_->shown();
  ASSERT_EQ(shown.size(), 3U);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(shown[i].first_pixel, i + 1);
  // At most one each period: the first may come right after its programming.
  EXPECT_GE(shown[2].time_ns - shown[0].time_ns, kPeriodNs);
  const auto counters = description_.connectors->CountersOf(connector_);
  EXPECT_EQ(counters.shown, 3U);
  EXPECT_EQ(counters.written_bytes, 21U);
}

TEST_F(ScanOutTest, PaletteSurface_IsFilledByIndex_AndShownInItsColors) {
  const auto surface = kernel_->Allocate(*DescribeSurface(64, 32, drivers::kPaletteFormat, kAllocationPrimary, 0), Pages::kMemfd);
  EXPECT_EQ(surface.data.pitch, 256U);
  DXGKARG_PRESENT fill{};
  fill.Flags.ColorFill = 1;
  fill.Color = 7;
  fill.DstRect = {0, 0, 64, 32};
  std::uint32_t passes = 0;
  ASSERT_EQ(kernel_->Present(nullptr, &surface, fill, 4096, &passes), STATUS_SUCCESS);
  const RECT corner{3, 4, 10, 9};
  fill.Color = 0x12345609;  // the index is its low byte
  fill.SubRectCnt = 1;
  fill.pDstSubRects = &corner;
  ASSERT_EQ(kernel_->Present(nullptr, &surface, fill, 4096, &passes), STATUS_SUCCESS);
  for (std::size_t y = 0; y < 32; ++y) {
    for (std::size_t x = 0; x < 64; ++x) {
      const bool inside = x >= 3 && x < 10 && y >= 4 && y < 9;
      ASSERT_EQ(std::to_integer<int>(surface.cpu[y * 256 + x]), inside ? 9 : 7) << x << ", " << y;
    }
  }
  std::array<D3DKMDT_PALETTEDATA, 2> colors{{{0x11, 0x22, 0x33, 0}, {0x44, 0x55, 0x66, 0}}};
  DXGKARG_SETPALETTE palette{connector_, 7, 2, colors.data()};
  ASSERT_EQ(kernel_->ddi().DxgkDdiSetPalette(kernel_->adapter(), &palette), STATUS_SUCCESS);
  ASSERT_EQ(kernel_->Flip(connector_, surface, false), STATUS_SUCCESS);
  ASSERT_TRUE(output_->AwaitShown(1));
  EXPECT_EQ(output_->shown()[0].first_pixel, 0xFF112233U);
  EXPECT_EQ(output_->shown()[0].width, 64U);
  EXPECT_EQ(output_->shown()[0].pitch, 256U);
  // What is shown changes with its palette.
  colors[0].Blue = 0x77;
  palette.NumEntries = 1;
  ASSERT_EQ(kernel_->ddi().DxgkDdiSetPalette(kernel_->adapter(), &palette), STATUS_SUCCESS);
  ASSERT_TRUE(output_->AwaitShown(2));
  EXPECT_EQ(output_->shown()[1].first_pixel, 0xFF112277U);
  palette.FirstEntry = 256;
  EXPECT_EQ(kernel_->ddi().DxgkDdiSetPalette(kernel_->adapter(), &palette), STATUS_INVALID_PARAMETER);
}

TEST_F(ScanOutTest, PaletteSurface_IsCopiedAsItIs_OrBecomesColors) {
  const auto indexes = kernel_->Allocate(*DescribeSurface(64, 32, drivers::kPaletteFormat, kAllocationPrimary, 0), Pages::kMemfd);
  const auto other = kernel_->Allocate(*DescribeSurface(64, 32, drivers::kPaletteFormat, 0, 0), Pages::kMemfd);
  const auto colors = Surface(0x01020304);
  for (std::size_t i = 0; i < other.data.size; ++i) other.cpu[i] = static_cast<std::byte>(i * 7);
  DXGKARG_PRESENT copy{};
  copy.Flags.Blt = 1;
  copy.SrcRect = copy.DstRect = {0, 0, 64, 32};
  std::uint32_t passes = 0;
  ASSERT_EQ(kernel_->Present(&other, &indexes, copy, 4096, &passes), STATUS_SUCCESS);
  for (std::size_t y = 0; y < 32; ++y) ASSERT_EQ(std::memcmp(indexes.cpu + y * 256, other.cpu + y * 256, 64), 0) << y;
  EXPECT_EQ(kernel_->Present(&colors, &indexes, copy, 4096, &passes), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  std::array<D3DKMDT_PALETTEDATA, 256> palette{};
  for (std::size_t i = 0; i < palette.size(); ++i) palette[i] = {static_cast<UINT8>(i), 1, static_cast<UINT8>(255 - i), 0};
  const DXGKARG_SETPALETTE set{0, 0, 256, palette.data()};
  ASSERT_EQ(kernel_->ddi().DxgkDdiSetPalette(kernel_->adapter(), &set), STATUS_SUCCESS);
  // The lower half of the indexes, stretched over all colours.
  copy.SrcRect = {0, 16, 64, 32};
  ASSERT_EQ(kernel_->Present(&indexes, &colors, copy, 4096, &passes), STATUS_SUCCESS);
  for (std::size_t y = 0; y < 32; ++y) {
    for (std::size_t x = 0; x < 64; ++x) {
      const auto index = std::to_integer<std::uint32_t>(indexes.cpu[(16 + y / 2) * 256 + x]);
      std::uint32_t seen = 0;
      std::memcpy(&seen, colors.cpu + y * colors.data.pitch + x * 4, 4);
      ASSERT_EQ(seen, 0xFF000100 | index << 16 | (255 - index)) << x << ", " << y;
    }
  }
  copy.Flags.SrcColorKey = 1;
  EXPECT_EQ(kernel_->Present(&indexes, &colors, copy, 4096, &passes), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
  copy.Flags.SrcColorKey = 0;
  EXPECT_EQ(kernel_->Present(&other, &indexes, copy, 4096, &passes), STATUS_GRAPHICS_CANNOTCOLORCONVERT);
}

TEST_F(ScanOutTest, Show_CrossAdapterSurface_CarriesItsMemfd) {
  const auto surface = Surface(1);
  ASSERT_EQ(kernel_->Flip(connector_, surface, false), STATUS_SUCCESS);
  ASSERT_TRUE(output_->AwaitShown(1));
  const auto shown = output_->shown()[0];
  EXPECT_GE(shown.backing_fd, 0);
  EXPECT_EQ(shown.backing_offset, 0U);
  EXPECT_EQ(shown.backing_size, surface.data.size);
  EXPECT_EQ(shown.pitch, 256U);
}

TEST_F(ScanOutTest, Show_LocalPrimary_CarriesLocalMemory) {
  Surface(9, kAllocationPrimary);
  const auto second = Surface(10, kAllocationPrimary);
  ASSERT_EQ(kernel_->Flip(connector_, second, false), STATUS_SUCCESS);
  ASSERT_TRUE(output_->AwaitShown(1));
  const auto shown = output_->shown()[0];
  EXPECT_EQ(shown.first_pixel, 10U);
  EXPECT_GE(shown.backing_fd, 0);
  EXPECT_EQ(shown.backing_offset, second.data.size);
  EXPECT_EQ(shown.backing_size, 16U << 20);
}

TEST_F(ScanOutTest, ImmediateFlips_DoNotWaitForTheVerticalBlank) {
  constexpr std::int64_t kNobodyWaitsSoLongNs = 1'000'000'000'000;
  const auto slow_output = std::make_shared<FakeOutput>(kNobodyWaitsSoLongNs);
  const std::uint32_t slow = *description_.connectors->Plug(slow_output);
  const FakeAllocation surfaces[] = {Surface(1), Surface(2)};
  for (int i = 0; i < 20; ++i) {
    kernel_->ClearInterrupts();
    ASSERT_EQ(kernel_->Flip(slow, surfaces[i % 2], true), STATUS_SUCCESS);
    ASSERT_TRUE(kernel_->AwaitVsync(slow, surfaces[i % 2].address));
  }
  EXPECT_EQ(slow_output->shown().size(), 20U);
}

TEST_F(ScanOutTest, EnabledInterrupt_VisibleSource_TicksWithoutFlips) {
  const auto surface = Surface(1);
  ASSERT_EQ(kernel_->Flip(connector_, surface, false), STATUS_SUCCESS);
  ASSERT_TRUE(kernel_->AwaitVsync(connector_, surface.address));
  ASSERT_EQ(kernel_->ddi().DxgkDdiControlInterrupt(kernel_->adapter(), DXGK_INTERRUPT_CRTC_VSYNC, TRUE), STATUS_SUCCESS);
  for (int i = 0; i < 3; ++i) {
    kernel_->ClearInterrupts();
    ASSERT_TRUE(kernel_->AwaitVsync(connector_, surface.address));
  }
  EXPECT_EQ(output_->shown().size(), 1U);
  ASSERT_EQ(kernel_->ddi().DxgkDdiControlInterrupt(kernel_->adapter(), DXGK_INTERRUPT_CRTC_VSYNC, FALSE), STATUS_SUCCESS);
  // One that was on its way has come by then.
  const auto last = Surface(2);
  ASSERT_EQ(kernel_->Flip(connector_, last, false), STATUS_SUCCESS);
  ASSERT_TRUE(kernel_->AwaitVsync(connector_, last.address));
  kernel_->ClearInterrupts();
  std::this_thread::sleep_for(std::chrono::nanoseconds(3 * kPeriodNs));
  EXPECT_TRUE(kernel_->interrupts().empty());
}

// The virtual beam draws every line and then is in the vertical blank.
TEST_F(ScanOutTest, GetScanLine_FollowsTheBeam) {
  DXGKARG_GETSCANLINE args{};
  args.VidPnTargetId = connector_;
  const auto ask = [&] { return kernel_->ddi().DxgkDdiGetScanLine(kernel_->adapter(), &args); };
  ASSERT_EQ(ask(), STATUS_SUCCESS);
  EXPECT_EQ(args.InVerticalBlank, TRUE) << "Nothing was ever shown.";
  const auto surface = Surface(1);
  ASSERT_EQ(kernel_->Flip(connector_, surface, false), STATUS_SUCCESS);
  ASSERT_TRUE(kernel_->AwaitVsync(connector_, surface.address));
  bool drew = false, blanked = false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!(drew && blanked) && std::chrono::steady_clock::now() < end) {
    ASSERT_EQ(ask(), STATUS_SUCCESS);
    (args.InVerticalBlank != FALSE ? blanked : drew) = true;
    if (args.InVerticalBlank == FALSE) {
      ASSERT_LT(args.ScanLine, surface.data.height);
    }
  }
  EXPECT_TRUE(drew && blanked);
  args.VidPnTargetId = 2;
  EXPECT_EQ(ask(), STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET);
}

TEST_F(ScanOutTest, BecomingVisible_ShowsWhatWasProgrammedInTheDark) {
  const auto surface = Surface(1);
  DXGKARG_SETVIDPNSOURCEVISIBILITY visibility{};
  visibility.VidPnSourceId = connector_;
  ASSERT_EQ(kernel_->ddi().DxgkDdiSetVidPnSourceVisibility(kernel_->adapter(), &visibility), STATUS_SUCCESS);
  ASSERT_EQ(kernel_->Flip(connector_, surface, true), STATUS_SUCCESS);
  ASSERT_TRUE(kernel_->AwaitVsync(connector_, surface.address));
  EXPECT_TRUE(output_->shown().empty());
  visibility.Visible = TRUE;
  kernel_->ClearInterrupts();
  ASSERT_EQ(kernel_->ddi().DxgkDdiSetVidPnSourceVisibility(kernel_->adapter(), &visibility), STATUS_SUCCESS);
  ASSERT_TRUE(kernel_->AwaitVsync(connector_, surface.address));
  EXPECT_EQ(output_->shown().size(), 1U);
}

TEST_F(ScanOutTest, FlipToWhatIsBeingShown_IsShownBeforeItIsReported) {
  const auto surface = Surface(1);
  std::size_t shown = 0;
  for (const bool immediate : {false, true}) {
    kernel_->ClearInterrupts();
    output_->Block(true);
    ASSERT_EQ(kernel_->Flip(connector_, surface, immediate), STATUS_SUCCESS);
    ASSERT_TRUE(output_->AwaitInShow());
    ASSERT_EQ(kernel_->Flip(connector_, surface, immediate), STATUS_SUCCESS);
    output_->Block(false);
    ASSERT_TRUE(kernel_->AwaitVsync(connector_, surface.address));
    EXPECT_EQ(output_->shown().size(), shown += 2) << immediate;
  }
}

TEST_F(ScanOutTest, FlipToWhatIsAboutToBeReported_IsShownBeforeItIsReported) {
  const auto surface = Surface(1);
  std::size_t shown = 0;
  for (const bool immediate : {false, true}) {
    kernel_->ClearInterrupts();
    kernel_->BeforeInterrupt([&] { ASSERT_EQ(kernel_->Flip(connector_, surface, immediate), STATUS_SUCCESS); });
    ASSERT_EQ(kernel_->Flip(connector_, surface, immediate), STATUS_SUCCESS);
    ASSERT_TRUE(kernel_->AwaitVsync(connector_, surface.address));
    EXPECT_EQ(output_->shown().size(), shown += 2) << immediate;
  }
}

TEST_F(ScanOutTest, FlipsToWhatIsBeingShown_OneAfterTheOther_AreReportedWhenTheLastIsShown) {
  const auto surface = Surface(1);
  int flips = 1;
  output_->InEachShow([&] {
    if (flips == 4) return;
    ++flips;
    EXPECT_EQ(kernel_->Flip(connector_, surface, true), STATUS_SUCCESS);
  });
  std::size_t shown = 0;
  kernel_->BeforeInterrupt([&] { shown = output_->shown().size(); });
  ASSERT_EQ(kernel_->Flip(connector_, surface, true), STATUS_SUCCESS);
  ASSERT_TRUE(kernel_->AwaitVsync(connector_, surface.address));
  EXPECT_EQ(shown, 4U);
}

TEST_F(ScanOutTest, LostOutput_FlipsAreStillReported) {
  const auto surface = Surface(1);
  output_->MarkLost();
  ASSERT_EQ(kernel_->Flip(connector_, surface, false), STATUS_SUCCESS);
  EXPECT_TRUE(kernel_->AwaitVsync(connector_, surface.address));
  EXPECT_EQ(description_.connectors->Status(connector_).state, outputs::OutputState::kLost);
}

TEST_F(ScanOutTest, EmptySocket_FlipsAreStillReported) {
  const auto surface = Surface(1);
  ASSERT_EQ(kernel_->Flip(1, surface, false), STATUS_SUCCESS);
  EXPECT_TRUE(kernel_->AwaitVsync(1, surface.address));
  EXPECT_EQ(description_.connectors->Status(1).state, outputs::OutputState::kLost);
}

TEST_F(ScanOutTest, Unplug_DuringShow_WaitsForItsEnd) {
  const auto surface = Surface(1);
  output_->Block(true);
  ASSERT_EQ(kernel_->Flip(connector_, surface, false), STATUS_SUCCESS);
  ASSERT_TRUE(output_->AwaitInShow());
  std::atomic<bool> unplugged{false};
  std::thread unplugging([&] {
    description_.connectors->Unplug(connector_);
    unplugged = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_FALSE(unplugged);
  output_->Block(false);
  unplugging.join();
  EXPECT_TRUE(kernel_->AwaitVsync(connector_, surface.address));
}

TEST_F(ScanOutTest, Unmap_DuringShow_WaitsAndThenForgets) {
  auto surface = Surface(1);
  output_->Block(true);
  ASSERT_EQ(kernel_->Flip(connector_, surface, false), STATUS_SUCCESS);
  ASSERT_TRUE(output_->AwaitInShow());
  std::atomic<bool> freed{false};
  std::thread freeing([&] {
    kernel_->Free(surface);
    freed = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_FALSE(freed);
  output_->Block(false);
  freeing.join();
  ASSERT_TRUE(output_->AwaitShown(1));
  EXPECT_TRUE(output_->AwaitForgotten(output_->shown()[0].id));
}

TEST_F(ScanOutTest, Flip_UnmappedSurface_IsReportedAndNotShown) {
  const auto gone = Surface(1);
  kernel_->Unmap(gone);
  ASSERT_EQ(kernel_->Flip(connector_, gone, false), STATUS_SUCCESS);
  EXPECT_TRUE(kernel_->AwaitVsync(connector_, gone.address));
  EXPECT_TRUE(output_->shown().empty());
}

TEST_F(ScanOutTest, Hidden_Source_ReportsAndShowsNothing) {
  const auto surface = Surface(1);
  const DXGKARG_SETVIDPNSOURCEVISIBILITY hide{connector_, FALSE};
  ASSERT_EQ(kernel_->ddi().DxgkDdiSetVidPnSourceVisibility(kernel_->adapter(), &hide), STATUS_SUCCESS);
  ASSERT_EQ(kernel_->Flip(connector_, surface, false), STATUS_SUCCESS);
  EXPECT_TRUE(kernel_->AwaitVsync(connector_, surface.address));
  EXPECT_TRUE(output_->shown().empty());
}

TEST(ConnectorTest, Plug_MoreThanSockets_IsALimit) {
  const auto connectors = CreateConnectors(1);
  ASSERT_TRUE(connectors->Plug(std::make_shared<FakeOutput>(kPeriodNs)).ok());
  const auto second = connectors->Plug(std::make_shared<FakeOutput>(kPeriodNs));
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, ErrorKind::kLimit);
  connectors->Unplug(0);
  EXPECT_TRUE(connectors->Plug(std::make_shared<FakeOutput>(kPeriodNs)).ok());
}

}  // namespace
}  // namespace tandem::soft
