// Protocols that a compositor may have, may lack, and may break.
#include <memory>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "outputs/testing/wayland_compositor.h"
#include "outputs/testing/wayland_window.h"
#include "outputs/wayland/client.h"
#include "outputs/wayland/dma_buf_feedback.h"

namespace tandem::outputs {
namespace {

using testing::CompositorManners;
using testing::FeedbackFault;
using testing::HasUdmabuf;
using testing::kHeight;
using testing::kPitch;
using testing::kTiledModifier;
using testing::kWidth;
using testing::Picture;

class WaylandProtocols : public testing::WaylandWindow {
 protected:
  // A dma-buf of a device, as far as the test's compositor can tell: its rows start at `offset`, a multiple of the pitch.
  static Surface DeviceBuffer(const Picture& picture, std::uint64_t modifier, std::uint64_t offset = 0) {
    Surface surface = picture.surface;
    surface.backing_is_dma_buf = true;
    surface.modifier = modifier;
    surface.backing_offset = offset;
    surface.height -= static_cast<std::uint32_t>(offset / kPitch);
    surface.pixels += offset;
    return surface;
  }
};

TEST_F(WaylandProtocols, FrameAtOnce_MayTear) {
  Begin({});
  Picture first(1, 3), second(2, 5);
  first.surface.at_once = true;
  ASSERT_TRUE(output_->Show(first.surface).ok());
  ASSERT_TRUE(output_->Show(second.surface).ok());
  ASSERT_TRUE(output_->Show(first.surface).ok());
  ASSERT_TRUE(compositor_->AwaitFrames(3));
  const auto frames = compositor_->frames();
  EXPECT_TRUE(frames[0].tears);
  EXPECT_FALSE(frames[1].tears);
  EXPECT_TRUE(frames[2].tears);
  EXPECT_EQ(compositor_->errors(), 0u);
}

TEST_F(WaylandProtocols, FramesOfBlanksAlone_LeaveTearingControlToTheProgram) {
  Begin({});
  const Picture picture(1, 3);
  ASSERT_TRUE(output_->Show(picture.surface).ok());
  ASSERT_TRUE(compositor_->AwaitFrames(1));
  EXPECT_FALSE(compositor_->requests().contains("wp_tearing_control_manager_v1.get_tearing_control"));
}

TEST_F(WaylandProtocols, CompositorWithoutTearingControl_ShowsFramesAtOnceAllTheSame) {
  CompositorManners manners;
  manners.tears = false;
  Begin(manners);
  Picture picture(1, 3);
  picture.surface.at_once = true;
  ASSERT_TRUE(output_->Show(picture.surface).ok());
  ASSERT_TRUE(compositor_->AwaitFrames(1));
  EXPECT_FALSE(compositor_->frames()[0].tears);
  EXPECT_EQ(compositor_->frames()[0].pixels, picture.Packed());
}

#ifdef TANDEM_WAYLAND_FIFO
TEST_F(WaylandProtocols, FrameThatTheCompositorAskedFor_WaitsForTheBarrier) {
  Begin({});
  Picture first(1, 3), second(2, 5);
  first.surface.at_once = true;
  ASSERT_TRUE(output_->Show(first.surface).ok());
  AwaitBeat();
  EXPECT_FALSE(compositor_->requests().contains("wp_fifo_manager_v1.get_fifo"));
  ASSERT_TRUE(output_->Show(second.surface).ok());
  AwaitBeat();
  EXPECT_TRUE(compositor_->requests().contains("wp_fifo_v1.wait_barrier"));
  EXPECT_TRUE(compositor_->requests().contains("wp_fifo_v1.set_barrier"));
  EXPECT_EQ(compositor_->errors(), 0u);
}

TEST_F(WaylandProtocols, FramesThatTheCompositorDidNotAskFor_DoNotPileUpBehindTheBarrier) {
  CompositorManners manners;
  manners.asks_for_frames = false;
  Begin(manners);
  Picture first(1, 3), second(2, 5);
  first.surface.at_once = true;
  ASSERT_TRUE(output_->Show(first.surface).ok());
  ASSERT_TRUE(output_->Show(second.surface).ok());
  ASSERT_TRUE(compositor_->AwaitFrames(2));
  EXPECT_FALSE(compositor_->requests().contains("wp_fifo_v1.wait_barrier"));
}
#endif

// A program with a scale of 1.5 draws 33 x 21 pixels for 22 x 14 units of the surface.
TEST_F(WaylandProtocols, ProgramWithItsOwnViewport_SeesItsPixelsOneToOne) {
  Connect({});
  ASSERT_NE(viewporter_, nullptr);
  wp_viewport* viewport = wp_viewporter_get_viewport(viewporter_, surface_);
  wp_viewport_set_destination(viewport, 22, 14);
  output_ = *CreateWaylandOutput({display_, surface_});
  const Picture picture(1, 3);
  ASSERT_TRUE(output_->Show(picture.surface).ok());
  ASSERT_TRUE(compositor_->AwaitFrames(1));
  EXPECT_EQ(compositor_->frames()[0].width, kWidth);
  EXPECT_EQ(compositor_->frames()[0].seen_width, 22);
  EXPECT_EQ(compositor_->frames()[0].seen_height, 14);
  wp_viewport_destroy(viewport);
  viewport = wp_viewporter_get_viewport(viewporter_, surface_);  // the output made none, so the program may again
  ASSERT_GE(wl_display_roundtrip(display_), 0);
  EXPECT_EQ(compositor_->errors(), 0u);
  wp_viewport_destroy(viewport);
}

TEST_F(WaylandProtocols, DmaBufOfADevice_IsHandedOnWithItsOffset) {
  Begin({});
  const Picture picture(1, 3);
  constexpr std::uint64_t kOffset = 2 * kPitch;
  ASSERT_TRUE(output_->Show(DeviceBuffer(picture, kLinearModifier, kOffset)).ok());
  EXPECT_EQ(output_->LastShowCopiedBytes(), 0u);
  ASSERT_TRUE(compositor_->AwaitFrames(1));
  const auto frame = compositor_->frames()[0];
  EXPECT_TRUE(frame.dma_buf);
  EXPECT_EQ(frame.height, kHeight - 2);
  const auto whole = picture.Packed();
  EXPECT_EQ(frame.pixels, std::vector<std::byte>(whole.begin() + 2 * kWidth * 4, whole.end()));
}

TEST_F(WaylandProtocols, ModifierThatTheCompositorTakes_IsHandedOn) {
  CompositorManners manners;
  manners.reads_linear = false;
  for (const int version : {3, 4}) {
    SCOPED_TRACE(version);
    manners.dma_buf_version = version;
    Begin(manners);
    const Picture picture(1, 3);
    ASSERT_TRUE(output_->Show(DeviceBuffer(picture, kTiledModifier)).ok());
    EXPECT_EQ(output_->LastShowCopiedBytes(), 0u);
    ASSERT_TRUE(compositor_->AwaitFrames(1));
    EXPECT_EQ(compositor_->frames()[0].modifier, kTiledModifier);
    EXPECT_EQ(compositor_->frames()[0].pixels, picture.Packed());
    TearDown();
  }
}

TEST_F(WaylandProtocols, ModifierThatTheCompositorDoesNotTake_IsCopiedWhereTheProcessorCan) {
  Begin({});
  const Picture picture(1, 3);
  Surface tiled = DeviceBuffer(picture, kTiledModifier);
  ASSERT_TRUE(output_->Show(tiled).ok());
  EXPECT_EQ(output_->LastShowCopiedBytes(), kWidth * kHeight * 4);
  ASSERT_TRUE(compositor_->AwaitFrames(1));
  EXPECT_FALSE(compositor_->frames()[0].dma_buf);
  EXPECT_EQ(compositor_->frames()[0].pixels, picture.Packed());
  tiled.pixels = nullptr;
  EXPECT_EQ(output_->Show(tiled).error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(output_->Status().state, OutputState::kOk);
}

TEST_F(WaylandProtocols, DmaBufOfADeviceThatIsRefused_IsCopiedWhereTheProcessorCan) {
  CompositorManners manners;
  manners.refuses_dma_bufs = true;
  Begin(manners);
  const Picture picture(1, 3);
  ASSERT_TRUE(output_->Show(DeviceBuffer(picture, kLinearModifier)).ok());
  EXPECT_EQ(output_->LastShowCopiedBytes(), kWidth * kHeight * 4);
  ASSERT_TRUE(compositor_->AwaitFrames(1));
  EXPECT_EQ(compositor_->frames()[0].pixels, picture.Packed());
  EXPECT_EQ(compositor_->errors(), 0u);
}

TEST_F(WaylandProtocols, DmaBufProtocolWithoutFeedback_IsUsedToo) {
  CompositorManners manners;
  manners.dma_buf_version = 3;
  Begin(manners);
  const Picture picture(1, 3);
  ASSERT_TRUE(output_->Show(picture.surface).ok());
  ASSERT_TRUE(compositor_->AwaitFrames(1));
  EXPECT_EQ(compositor_->frames()[0].dma_buf, HasUdmabuf());
  EXPECT_FALSE(compositor_->requests().contains("zwp_linux_dmabuf_v1.get_default_feedback"));
}

class WaylandFeedback : public testing::WaylandWindow, public ::testing::WithParamInterface<std::pair<FeedbackFault, bool>> {};

TEST_P(WaylandFeedback, ThatBreaksTheProtocol_LeavesWhatItSaysForSure) {
  CompositorManners manners;
  manners.feedback_fault = GetParam().first;
  Begin(manners);
  const Picture picture(1, 3);
  Surface of_device = picture.surface;
  of_device.backing_is_dma_buf = true;
  ASSERT_TRUE(output_->Show(of_device).ok());
  ASSERT_TRUE(compositor_->AwaitFrames(1));
  EXPECT_EQ(compositor_->frames()[0].dma_buf, GetParam().second);
  EXPECT_EQ(compositor_->frames()[0].pixels, picture.Packed());
  EXPECT_EQ(compositor_->errors(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Faults, WaylandFeedback,
                         ::testing::Values(std::pair{FeedbackFault::kNone, true}, std::pair{FeedbackFault::kCutTable, false},
                                           std::pair{FeedbackFault::kEmptyTable, false},
                                           std::pair{FeedbackFault::kFarPositions, false},
                                           std::pair{FeedbackFault::kNoFile, false}, std::pair{FeedbackFault::kShortDevice, true},
                                           std::pair{FeedbackFault::kEndless, true},
                                           std::pair{FeedbackFault::kNeverDone, false}));

// Each request of a sound run is the last one that the compositor reads in a run of its own.
TEST_F(WaylandProtocols, CompositorThatDiesAtAnyRequest_IsALostSurface) {
  Picture first(1, 3), second(2, 5);
  const Picture third(3, 7);
  second.surface.at_once = true;
  const Surface of_device = DeviceBuffer(third, kLinearModifier);
  Begin({});
  for (const Surface& surface : {first.surface, second.surface, of_device}) ASSERT_TRUE(output_->Show(surface).ok());
  ASSERT_TRUE(compositor_->AwaitFrames(3));
  std::set<std::string> stages = compositor_->requests();
  TearDown();
  // The fixture needs these to have a surface at all.
  for (const char* needed : {"wl_display.get_registry", "wl_registry.bind", "wl_display.sync", "wl_compositor.create_surface"}) {
    stages.erase(needed);
  }
  std::erase_if(stages, [](const std::string& stage) { return stage.ends_with(".destroy"); });
  EXPECT_GE(stages.size(), 12u);
  EXPECT_TRUE(stages.contains("wl_surface.commit"));
  EXPECT_TRUE(stages.contains("zwp_linux_dmabuf_v1.get_default_feedback"));
  for (const std::string& stage : stages) {
    SCOPED_TRACE(stage);
    CompositorManners manners;
    manners.dies_at = stage;
    ASSERT_NO_FATAL_FAILURE(Connect(manners));
    auto output = CreateWaylandOutput({display_, surface_});
    if (output.ok()) {
      output_ = *std::move(output);
      std::optional<ErrorKind> failure;
      for (int i = 0; i < 20'000 && !failure; ++i, usleep(1000)) {
        const auto shown = output_->Show(i % 3 == 0 ? first.surface : i % 3 == 1 ? second.surface : of_device);
        if (!shown.ok()) failure = shown.error().kind;
      }
      EXPECT_EQ(failure, ErrorKind::kSurfaceLost);
      EXPECT_EQ(output_->Status().state, OutputState::kLost);
    } else {
      EXPECT_EQ(output.error().kind, ErrorKind::kSurfaceLost) << output.error().message;
    }
    TearDown();
  }
}

}  // namespace
}  // namespace tandem::outputs
