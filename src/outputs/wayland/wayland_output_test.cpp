#include "outputs/wayland/wayland_output.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <poll.h>
#include <unistd.h>

#include <drm_fourcc.h>
#include <gtest/gtest.h>

#include "base/memory_map.h"
#include "color/format.h"
#include "outputs/testing/wayland_compositor.h"
#include "outputs/testing/wayland_window.h"
#include "outputs/wayland/client.h"

namespace tandem::outputs {
namespace {

using testing::HasUdmabuf;
using testing::kHeight;
using testing::kWidth;
using testing::Picture;

using WaylandOutputTest = testing::WaylandWindow;

TEST_F(WaylandOutputTest, Show_SharedPages_AreReadByTheCompositorWhereTheyAre) {
  Begin({});
  const Picture first(1, 3), second(2, 90);
  ASSERT_TRUE(output_->Show(first.surface).ok());
  EXPECT_EQ(output_->LastShowCopiedBytes(), 0u);
  ASSERT_TRUE(compositor_->AwaitFrames(1));
  first.pages.data()[0] ^= std::byte{0xFF};  // seen by a compositor that copied nothing
  ASSERT_TRUE(output_->Show(second.surface).ok());
  EXPECT_EQ(output_->LastShowCopiedBytes(), 0u);
  ASSERT_TRUE(compositor_->AwaitFrames(2));
  const auto frames = compositor_->frames();
  EXPECT_EQ(frames[0].width, kWidth);
  EXPECT_EQ(frames[0].height, kHeight);
  // The test compositor maps dma-bufs, which this kernel may not have; see scripts/vm.sh.
  EXPECT_EQ(frames[0].dma_buf, HasUdmabuf());
  EXPECT_NE(output_->info().name.find(HasUdmabuf() ? "dma-buf" : "wl_shm"), std::string::npos) << output_->info().name;
  EXPECT_EQ(frames[0].at_next, first.Packed());
  EXPECT_NE(frames[0].pixels, first.Packed());
  EXPECT_EQ(frames[1].pixels, second.Packed());
}

TEST_F(WaylandOutputTest, CompositorWithoutDmaBufs_ReadsSharedMemory) {
  testing::CompositorManners manners;
  manners.takes_dma_bufs = false;
  Begin(manners);
  const Picture picture(1, 3);
  ASSERT_TRUE(output_->Show(picture.surface).ok());
  EXPECT_EQ(output_->LastShowCopiedBytes(), 0u);
  ASSERT_TRUE(compositor_->AwaitFrames(1));
  EXPECT_FALSE(compositor_->frames()[0].dma_buf);
  EXPECT_EQ(compositor_->frames()[0].format, static_cast<std::uint32_t>(WL_SHM_FORMAT_XRGB8888));
  EXPECT_EQ(compositor_->frames()[0].pixels, picture.Packed());
}

TEST_F(WaylandOutputTest, CompositorThatRefusesDmaBufs_ReadsSharedMemory) {
  testing::CompositorManners manners;
  manners.refuses_dma_bufs = true;
  Begin(manners);
  EXPECT_NE(output_->info().name.find("wl_shm"), std::string::npos) << output_->info().name;
  const Picture picture(1, 3);
  ASSERT_TRUE(output_->Show(picture.surface).ok());
  ASSERT_TRUE(compositor_->AwaitFrames(1));
  EXPECT_EQ(compositor_->frames()[0].pixels, picture.Packed());
}

TEST_F(WaylandOutputTest, CompositorThatRefusesOneDmaBuf_ReadsThatOneFromSharedMemory) {
  Begin({});
  manners_.refuses_dma_bufs = true;
  compositor_->Behave(manners_);
  const Picture picture(1, 3);
  ASSERT_TRUE(output_->Show(picture.surface).ok());
  EXPECT_EQ(output_->LastShowCopiedBytes(), 0u);
  ASSERT_TRUE(compositor_->AwaitFrames(1));
  EXPECT_FALSE(compositor_->frames()[0].dma_buf);
  EXPECT_EQ(compositor_->frames()[0].pixels, picture.Packed());
}

TEST_F(WaylandOutputTest, Show_RgbaThatTheCompositorKnows_IsNotCopiedEither) {
  Begin({});
  const Picture picture(1, 3, color::Format::kR8G8B8A8Unorm);
  ASSERT_TRUE(output_->Show(picture.surface).ok());
  EXPECT_EQ(output_->LastShowCopiedBytes(), 0u);
  ASSERT_TRUE(compositor_->AwaitFrames(1));
  EXPECT_EQ(compositor_->frames()[0].format, static_cast<std::uint32_t>(WL_SHM_FORMAT_XBGR8888));
  EXPECT_EQ(compositor_->frames()[0].pixels, picture.Packed());
}

TEST_F(WaylandOutputTest, BlendedFrames_HaveAlphaAndOpaqueOnesHaveNone) {
  Begin({});
  for (const bool copied : {false, true}) {
    for (const bool blends : {true, false}) {
      const std::size_t before = compositor_->frames().size();
      Picture picture(1, 3);
      if (copied) picture.surface.backing_fd = -1;
      EXPECT_TRUE(output_->SetBlending(blends));
      ASSERT_TRUE(output_->Show(picture.surface).ok());
      ASSERT_TRUE(compositor_->AwaitFrames(before + 1));
      const auto frame = compositor_->frames().back();
      const std::uint32_t of_memory = blends ? WL_SHM_FORMAT_ARGB8888 : WL_SHM_FORMAT_XRGB8888;
      const std::uint32_t of_dma_bufs = blends ? DRM_FORMAT_ARGB8888 : DRM_FORMAT_XRGB8888;
      EXPECT_EQ(frame.format, frame.dma_buf ? of_dma_bufs : of_memory) << copied;
      EXPECT_EQ(frame.pixels, picture.Packed());
    }
  }
}

TEST_F(WaylandOutputTest, Show_AnonymousPages_AreCopiedAndCounted) {
  Begin({});
  Picture picture(1, 3);
  picture.surface.backing_fd = -1;
  for (std::size_t frame = 1; frame <= 5; ++frame) {
    ASSERT_TRUE(output_->Show(picture.surface).ok());
    EXPECT_EQ(output_->LastShowCopiedBytes(), kWidth * kHeight * 4);
    ASSERT_TRUE(compositor_->AwaitFrames(frame));
    EXPECT_EQ(compositor_->frames().back().pixels, picture.Packed());
    picture.pages.data()[7] ^= std::byte{0xFF};
  }
  EXPECT_LE(compositor_->buffers(), 3u);
}

TEST_F(WaylandOutputTest, Commits_EnterNoOutputThatTheProgramDidNotBind) {
  Connect({});
  int entered = 0;
  wl_surface_listener listener{};
  listener.enter = [](void* count, wl_surface*, wl_output*) { ++*static_cast<int*>(count); };
  wl_surface_add_listener(surface_, &listener, &entered);
  auto output = CreateWaylandOutput({display_, surface_});
  ASSERT_TRUE(output.ok()) << output.error().message;
  output_ = *std::move(output);
  const Picture picture(1, 3);
  ASSERT_TRUE(output_->Show(picture.surface).ok());
  ASSERT_GE(wl_display_roundtrip(display_), 0);
  EXPECT_EQ(entered, 0);
}

TEST_F(WaylandOutputTest, SocketWithoutAName_BeginsWithSixtyHertz) {
  Begin({});
  EXPECT_EQ(output_->last_beat().period_ns, 16'666'667);
}

TEST_F(WaylandOutputTest, Beat_FollowsTheCompositor) {
  char folder[] = "/tmp/tandem-beat-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  setenv("XDG_RUNTIME_DIR", folder, 1);
  testing::CompositorManners manners;
  manners.socket = "wayland-beat";
  Begin(manners);
  EXPECT_TRUE(output_->KeepsTime());
  EXPECT_EQ(output_->last_beat().period_ns, 5'000'000);
  EXPECT_EQ(output_->last_beat().at_ns, 0);
  std::atomic<int> beats{0};
  output_->Listen([&beats] { ++beats; });
  const Picture picture(1, 3);
  for (int frame = 1; frame <= 3; ++frame) {
    ASSERT_TRUE(output_->Show(picture.surface).ok());
    AwaitBeat();
    EXPECT_GT(output_->last_beat().at_ns, 0);
  }
  output_->Listen({});
  EXPECT_EQ(beats, 3);
  std::filesystem::remove_all(folder);
}

// A turn of a program that polls its connection without wl_display_prepare_read, and reads afterwards. False when no event wakes
// the program for two seconds.
bool PollAndDispatch(wl_display* display) {
  constexpr int kStalledMs = 2000;
  pollfd connection{wl_display_get_fd(display), POLLIN, 0};
  if (wl_display_flush(display) < 0 || poll(&connection, 1, kStalledMs) != 1) return false;
  // The rest is wl_display_dispatch, which has no time limit.
  if (wl_display_prepare_read(display) != 0) return wl_display_dispatch_pending(display) >= 0;
  if (poll(&connection, 1, kStalledMs) != 1) {
    wl_display_cancel_read(display);
    return false;
  }
  return wl_display_read_events(display) == 0 && wl_display_dispatch_pending(display) >= 0;
}

TEST_F(WaylandOutputTest, ProgramThatPollsWithoutPrepareRead_IsWokenByEachFrame) {
  Begin({});
  const Picture picture(1, 3);
  for (int frame = 0; frame < 100; ++frame) {
    ASSERT_TRUE(output_->Show(picture.surface).ok());
    ASSERT_TRUE(PollAndDispatch(display_)) << frame;
    AwaitBeat();
  }
}

TEST_F(WaylandOutputTest, ProgramThatPollsLate_IsWoken) {
  Begin({});
  const Picture picture(1, 3);
  ASSERT_TRUE(output_->Show(picture.surface).ok());
  AwaitBeat();
  EXPECT_EQ(AwaitSeen(output_->last_shown_ns()).fate, Fate::kSeen);
  EXPECT_TRUE(PollAndDispatch(display_));
}

// A frame that another one replaces before a refresh has shown it.
class WaylandReplacedFrame : public WaylandOutputTest {
 protected:
  void SetUp() override {
    testing::CompositorManners manners;
    manners.asks_for_frames = false;
    Begin(manners);
    ASSERT_TRUE(output_->Show(first_.surface).ok());
    const std::int64_t shown_ns = output_->last_shown_ns();
    EXPECT_EQ(output_->SeenAt(shown_ns).fate, Fate::kPending);
    ASSERT_TRUE(output_->Show(second_.surface).ok());
    replaced_ = AwaitSeen(shown_ns);
  }

  const Picture first_{1, 3}, second_{2, 5};
  Seen replaced_;
};

TEST_F(WaylandReplacedFrame, WasNotSeen) { EXPECT_EQ(replaced_.fate, Fate::kReplaced); }

TEST_F(WaylandReplacedFrame, ProgramThatPollsLateWhileTheOtherIsAwaited_IsWoken) {
  EXPECT_EQ(replaced_.fate, Fate::kReplaced);
  EXPECT_TRUE(output_->last_beat().awaited);
  EXPECT_TRUE(PollAndDispatch(display_));
}

TEST_F(WaylandOutputTest, Report_IsTheCompositors) {
  Begin({});
  const Picture first(1, 3), second(2, 5);
  ASSERT_TRUE(output_->Show(first.surface).ok());
  AwaitBeat();
  manners_.asks_for_frames = false;
  compositor_->Behave(manners_);
  ASSERT_TRUE(output_->Show(second.surface).ok());
  ASSERT_TRUE(output_->Show(first.surface).ok());  // replaces the one before
  manners_.asks_for_frames = true;
  compositor_->Behave(manners_);
  AwaitBeat();
  for (int i = 0; i < 20'000 && output_->report().seen < 2; ++i) usleep(1000);
  const DisplayReport report = output_->report();
  EXPECT_TRUE(report.reports);
  EXPECT_EQ(report.seen, compositor_->seen());
  EXPECT_EQ(report.replaced, compositor_->replaced());
  EXPECT_EQ(report.seen, 2u);
  EXPECT_EQ(report.replaced, 1u);
}

// A test machine may stop the compositor between its two readings of the clocks.
constexpr std::int64_t kBetweenReadingsNs = 50'000'000;

class WaylandClockTest : public WaylandOutputTest, public ::testing::WithParamInterface<clockid_t> {};
INSTANTIATE_TEST_SUITE_P(Clocks, WaylandClockTest,
                         ::testing::Values(CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_COARSE, CLOCK_REALTIME));

TEST_P(WaylandClockTest, SeenFrame_HasTheCompositorsTime) {
  testing::CompositorManners manners;
  manners.clock = GetParam();
  manners.late_ns = 400'000'000;
  Begin(manners);
  const Picture picture(1, 3);
  ASSERT_TRUE(output_->Show(picture.surface).ok());
  const std::int64_t shown_ns = output_->last_shown_ns();
  EXPECT_GT(shown_ns, 0);
  AwaitBeat();
  const Seen seen = AwaitSeen(shown_ns);
  EXPECT_EQ(seen.fate, Fate::kSeen);
  EXPECT_NEAR(static_cast<double>(seen.at_ns), static_cast<double>(compositor_->frames()[0].seen_at_ns), kBetweenReadingsNs);
  EXPECT_EQ(output_->SeenAt(shown_ns + 1).fate, Fate::kUnknown);
}

TEST_F(WaylandOutputTest, TimeOfAnotherAge_IsNone) {
  testing::CompositorManners manners;
  manners.of_another_age = true;
  Begin(manners);
  const Picture picture(1, 3);
  ASSERT_TRUE(output_->Show(picture.surface).ok());
  const std::int64_t shown_ns = output_->last_shown_ns();
  AwaitBeat();
  for (int i = 0; i < 20'000 && output_->report().seen == 0; ++i) usleep(1000);
  EXPECT_EQ(output_->SeenAt(shown_ns).fate, Fate::kUnknown);
}

TEST_F(WaylandOutputTest, CompositorWithoutPresentationTime_ReportsNothing) {
  testing::CompositorManners manners;
  manners.tells_presentation = false;
  Begin(manners);
  const Picture picture(1, 3);
  ASSERT_TRUE(output_->Show(picture.surface).ok());
  AwaitBeat();
  EXPECT_FALSE(output_->report().reports);
  EXPECT_EQ(output_->last_shown_ns(), 0);
}

TEST_F(WaylandOutputTest, BuffersThatAreNeverGivenBack_FramesAreCopiedAndGoOn) {
  testing::CompositorManners manners;
  manners.gives_back = false;
  Begin(manners);
  const Picture first(1, 3), second(2, 5);
  for (int frame = 0; frame < 6; ++frame) ASSERT_TRUE(output_->Show((frame % 2 == 0 ? first : second).surface).ok());
  EXPECT_EQ(output_->LastShowCopiedBytes(), kWidth * kHeight * 4);
  ASSERT_TRUE(compositor_->AwaitFrames(6));
  EXPECT_EQ(compositor_->frames().back().pixels, second.Packed());
}

TEST_F(WaylandOutputTest, BuffersThatAreGivenBackLate_AreCopiedMeanwhile) {
  testing::CompositorManners manners;
  manners.gives_back = false;
  Begin(manners);
  const Picture first(1, 3), second(2, 5);
  ASSERT_TRUE(output_->Show(first.surface).ok());
  ASSERT_TRUE(output_->Show(second.surface).ok());  // the first one is kept
  ASSERT_TRUE(output_->Show(second.surface).ok());
  EXPECT_GT(output_->LastShowCopiedBytes(), 0u);
  manners.gives_back = true;
  compositor_->Behave(manners);
  compositor_->GiveBack();
  Result<void> shown = output_->Show(first.surface);
  for (int i = 0; i < 20'000 && shown.ok() && output_->LastShowCopiedBytes() != 0; ++i, usleep(1000)) {
    shown = output_->Show(first.surface);
  }
  ASSERT_TRUE(shown.ok());
  EXPECT_EQ(output_->LastShowCopiedBytes(), 0u);
}

TEST_F(WaylandOutputTest, Forget_DestroysTheBuffer) {
  Begin({});
  const Picture first(1, 3), second(2, 5);
  ASSERT_TRUE(output_->Show(first.surface).ok());
  ASSERT_TRUE(output_->Show(second.surface).ok());
  EXPECT_EQ(compositor_->buffers(), 2u);
  output_->Forget(1);
  wl_display_roundtrip(display_);
  EXPECT_EQ(compositor_->buffers(), 1u);
}

// Surfaces of an adapter's own memory lie beside each other under one id.
TEST_F(WaylandOutputTest, SurfacesInOneMemory_AreEachReadUntilTheyAreReplaced) {
  testing::CompositorManners manners;
  manners.scans_out = true;
  manners.takes_dma_bufs = false;
  manners.refreshes_per_frame = 20;
  Begin(manners);
  const std::size_t bytes = *RoundUpToPages(std::size_t{testing::kPitch} * kHeight);
  UniqueFd fd = *CreateSharedPages("wayland-output-test", 3 * bytes);
  const MemoryMap pages = *MemoryMap::MapShared(fd, 0, 3 * bytes, MapAccess::kReadWrite);
  std::vector<Surface> surfaces;
  for (std::size_t i = 0; i < 3; ++i) {
    Surface surface = Picture(1, 0).surface;
    surface.backing_fd = fd.get();
    surface.backing_offset = i * bytes;
    surface.backing_size = 3 * bytes;
    surface.pixels = pages.data() + i * bytes;
    surfaces.push_back(surface);
  }
  constexpr std::size_t kFrames = 12;
  for (std::size_t frame = 0; frame < kFrames; ++frame) {
    // The surface that was shown before the last one is free; its pixels become those of the next frame.
    std::fill_n(pages.data() + frame % 3 * bytes, bytes, static_cast<std::byte>(frame));
    ASSERT_TRUE(output_->Show(surfaces[frame % 3]).ok());
    EXPECT_EQ(output_->LastShowCopiedBytes(), 0u);
  }
  ASSERT_TRUE(compositor_->AwaitFrames(kFrames));
  const auto frames = compositor_->frames();
  for (std::size_t frame = 0; frame < kFrames; ++frame) {
    const std::vector<std::byte> expected(std::size_t{kWidth} * kHeight * 4, static_cast<std::byte>(frame));
    EXPECT_EQ(frames[frame].pixels, expected) << frame;
    if (frame + 1 < kFrames) {
      EXPECT_EQ(frames[frame].at_next, expected) << frame;
    }
  }
  EXPECT_EQ(compositor_->buffers(), 3u);
  output_->Forget(1);
  wl_display_roundtrip(display_);
  EXPECT_EQ(compositor_->buffers(), 0u);
}

TEST_F(WaylandOutputTest, OtherPagesUnderTheSameId_AreShown) {
  Begin({});
  const Picture first(1, 3), second(1, 5);
  ASSERT_TRUE(output_->Show(first.surface).ok());
  output_->Forget(1);
  ASSERT_TRUE(output_->Show(second.surface).ok());
  ASSERT_TRUE(compositor_->AwaitFrames(2));
  EXPECT_EQ(compositor_->frames().back().pixels, second.Packed());
}

TEST_F(WaylandOutputTest, CompositorThatThrowsTheProgramOut_IsALostSurface) {
  Begin({});
  const Picture picture(1, 3);
  ASSERT_TRUE(output_->Show(picture.surface).ok());
  AwaitBeat();
  compositor_->Refuse();
  EXPECT_EQ(ShowUntilItFails(picture), ErrorKind::kSurfaceLost);
  EXPECT_EQ(output_->Status().state, OutputState::kLost);
}

TEST_F(WaylandOutputTest, CompositorEnds_IsALostSurface) {
  Begin({});
  const Picture picture(1, 3);
  ASSERT_TRUE(output_->Show(picture.surface).ok());
  compositor_->Disconnect();
  EXPECT_EQ(ShowUntilItFails(picture), ErrorKind::kSurfaceLost);
}

// Objects of a connection that was closed cannot be destroyed any more, neither the program's nor ours: a process of its own
// leaves them behind.
TEST_F(WaylandOutputTest, ProgramThatClosesItsConnectionFirst_LosesItsWindowAlone) {
  const auto program = [this] {
    Begin({});
    const Picture picture(1, 3);
    const bool shown_before = output_->Show(picture.surface).ok();
    AwaitBeat();
    wl_display_disconnect(std::exchange(display_, nullptr));
    const Picture unknown(1, 4);
    Picture anonymous(1, 5);
    anonymous.surface.backing_fd = -1;
    bool lost = true;
    for (const Picture* next : {&picture, &unknown, &std::as_const(anonymous)}) {
      const auto shown = output_->Show(next->surface);
      lost = lost && !shown.ok() && shown.error().kind == ErrorKind::kSurfaceLost;
    }
    output_.reset();
    _exit(shown_before && lost && !HasFailure() ? 0 : 1);
  };
  EXPECT_EXIT(program(), ::testing::ExitedWithCode(0), "");
}

TEST_F(WaylandOutputTest, ProgramThatReadsEventsItself_GetsItsOwn) {
  Begin({});
  const Picture picture(1, 3);
  for (int frame = 0; frame < 20; ++frame) {
    ASSERT_TRUE(output_->Show(picture.surface).ok());
    ASSERT_GE(wl_display_roundtrip(display_), 0);
  }
  AwaitBeat();
  EXPECT_EQ(output_->Status().state, OutputState::kOk);
}

TEST(CreateWaylandOutput, Nothing_IsRefused) { EXPECT_EQ(CreateWaylandOutput({}).error().kind, ErrorKind::kInvalidArgument); }

}  // namespace
}  // namespace tandem::outputs
