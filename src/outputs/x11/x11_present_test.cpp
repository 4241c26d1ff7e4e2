#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>
#include <xcb/present.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>

#include <gtest/gtest.h>

#include "base/memory_map.h"
#include "color/format.h"
#include "outputs/testing/x_proxy.h"
#include "outputs/testing/x_server.h"
#include "outputs/x11/x11_output.h"

namespace tandem::outputs {
namespace {

constexpr std::uint32_t kWidth = 64, kHeight = 21;
constexpr int kWaitMs = 20'000;

// A surface's pages, whose every byte follows from `seed`.
struct Frame {
  Frame(std::uint64_t id, int seed, std::uint32_t pitch = kWidth * 4) {
    const std::size_t bytes = std::size_t{pitch} * kHeight;
    fd = *CreateSharedPages("x11-present-test", bytes);
    pages = *MemoryMap::MapShared(fd, 0, *RoundUpToPages(bytes), MapAccess::kReadWrite);
    for (std::size_t i = 0; i < bytes; ++i) pages.data()[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(seed));
    surface.id = id;
    surface.width = kWidth;
    surface.height = kHeight;
    surface.pitch = pitch;
    surface.format = color::Format::kB8G8R8A8Unorm;
    surface.pixels = pages.data();
    surface.backing_fd = fd.get();
    surface.backing_size = pages.size_bytes();
  }
  // B, G, R of each pixel.
  [[nodiscard]] std::vector<int> Colors() const {
    std::vector<int> colors;
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      for (std::uint32_t i = 0; i < kWidth * 4; ++i) {
        if (i % 4 != 3) colors.push_back(std::to_integer<int>(pages.data()[y * surface.pitch + i]));
      }
    }
    return colors;
  }

  UniqueFd fd;
  MemoryMap pages;
  Surface surface;
};

// A server with one window, behind a proxy that may spoil what it says.
class X11PresentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = testing::XServer::StartXvfb({});
    if (!server_) GTEST_SKIP() << "Xvfb is not installed.";
    proxy_ = testing::XProxy::Start(server_->display(), faults_);
    ASSERT_TRUE(proxy_);
    x_ = xcb_connect(server_->display().c_str(), nullptr);
    ASSERT_EQ(xcb_connection_has_error(x_), 0);
    const xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(x_)).data;
    window_ = xcb_generate_id(x_);
    xcb_create_window(x_, XCB_COPY_FROM_PARENT, window_, screen->root, 0, 0, kWidth, kHeight, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
                      screen->root_visual, 0, nullptr);
    xcb_map_window(x_, window_);
    Sync();
  }
  void TearDown() override {
    output_.reset();
    if (x_ != nullptr) xcb_disconnect(x_);
  }

  void Open(X11Way way) {
    auto output = CreateX11Output({proxy_->display(), window_, way});
    ASSERT_TRUE(output.ok()) << output.error().message;
    output_ = *std::move(output);
  }
  void Sync() { std::free(xcb_get_input_focus_reply(x_, xcb_get_input_focus(x_), nullptr)); }
  void AwaitBeat() {
    for (int i = 0; i < kWaitMs && output_->report().pending != 0; ++i) usleep(1000);
    EXPECT_EQ(output_->report().pending, 0u);
  }
  // Shows frames until the display leads.
  void AwaitTime(const Frame& frame) {
    for (int i = 0; i < kWaitMs && !output_->KeepsTime(); ++i, usleep(1000)) ASSERT_TRUE(output_->Show(frame.surface).ok());
    ASSERT_TRUE(output_->KeepsTime());
  }
  [[nodiscard]] std::vector<int> WindowColors() {
    auto* image =
        xcb_get_image_reply(x_, xcb_get_image(x_, XCB_IMAGE_FORMAT_Z_PIXMAP, window_, 0, 0, kWidth, kHeight, ~0U), nullptr);
    std::vector<int> colors;
    for (int i = 0; image != nullptr && i < xcb_get_image_data_length(image); ++i) {
      if (i % 4 != 3) colors.push_back(xcb_get_image_data(image)[i]);
    }
    std::free(image);
    return colors;
  }
  void AwaitColors(const Frame& frame) {
    for (int i = 0; i < kWaitMs && WindowColors() != frame.Colors(); ++i) usleep(1000);
    EXPECT_EQ(WindowColors(), frame.Colors());
  }

  testing::XFaults faults_;
  std::unique_ptr<testing::XServer> server_;
  std::unique_ptr<testing::XProxy> proxy_;
  xcb_connection_t* x_ = nullptr;
  xcb_window_t window_ = 0;
  std::unique_ptr<Output> output_;
};

// Both ways keep the display's time.
class X11TimeTest : public X11PresentTest, public ::testing::WithParamInterface<X11Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, X11TimeTest, ::testing::Values(X11Way::kImages, X11Way::kPixmaps),
                         [](const auto& way) { return way.param == X11Way::kImages ? "Images" : "Pixmaps"; });

TEST_P(X11TimeTest, EveryFrame_IsSeenOrReplaced) {
  Open(GetParam());
  EXPECT_FALSE(output_->KeepsTime());
  const Frame first(1, 3), second(2, 90);
  std::uint64_t shown = 0;
  for (; shown < 10; ++shown) {
    ASSERT_TRUE(output_->Show((shown % 2 == 0 ? first : second).surface).ok());
    EXPECT_EQ(output_->LastShowCopiedBytes(), 0u);
    AwaitBeat();
  }
  EXPECT_TRUE(output_->KeepsTime());
  EXPECT_FALSE(output_->last_beat().awaited);
  EXPECT_GT(output_->last_beat().at_ns, 0);
  EXPECT_EQ(output_->report().seen, shown);
  EXPECT_EQ(output_->report().replaced, 0u);
  for (; shown < 200; ++shown) ASSERT_TRUE(output_->Show((shown % 2 == 0 ? first : second).surface).ok());
  AwaitBeat();
  const DisplayReport report = output_->report();
  EXPECT_TRUE(report.reports);
  EXPECT_EQ(report.seen + report.replaced, shown);
  EXPECT_EQ(WindowColors(), second.Colors());
}

TEST_P(X11TimeTest, SeenFrame_HasTheServersTime) {
  Open(GetParam());
  const Frame first(1, 3), second(2, 90);
  AwaitTime(first);
  AwaitBeat();
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(output_->Show((i % 2 == 0 ? second : first).surface).ok());
    const std::int64_t shown_ns = output_->last_shown_ns();
    EXPECT_GT(shown_ns, 0);
    AwaitBeat();
    const Seen seen = output_->SeenAt(shown_ns);
    EXPECT_EQ(seen.fate, Fate::kSeen);
    EXPECT_EQ(seen.at_ns, static_cast<std::int64_t>(faults_.last_us) * 1000);
  }
  faults_.has_no_time = true;
  ASSERT_TRUE(output_->Show(second.surface).ok());
  AwaitBeat();
  EXPECT_EQ(output_->SeenAt(output_->last_shown_ns()).fate, Fate::kUnknown);
}

TEST_P(X11TimeTest, ServerThatCountsNoVerticalBlanks_LeavesTheClock) {
  Open(GetParam());
  const Frame frame(1, 3);
  AwaitTime(frame);
  faults_.counts_nothing = true;
  for (int i = 0; i < kWaitMs && output_->KeepsTime(); ++i, usleep(1000)) ASSERT_TRUE(output_->Show(frame.surface).ok());
  EXPECT_FALSE(output_->KeepsTime());
  EXPECT_EQ(output_->last_beat().period_ns, output_->info().refresh_period_ns);
  faults_.counts_nothing = false;
  AwaitTime(frame);
}

TEST_P(X11TimeTest, ServerWithoutTimeStamps_IsTimedByItsEvents) {
  faults_.has_no_time = true;
  Open(GetParam());
  AwaitTime(Frame(1, 3));
  EXPECT_GT(output_->last_beat().at_ns, 0);
}

TEST_P(X11TimeTest, ServerThatNeverCompletes_IsShownTo) {
  Open(GetParam());
  faults_.drops_completions = true;
  const Frame first(1, 3), second(2, 90);
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(output_->Show((i % 2 == 0 ? first : second).surface).ok());
  EXPECT_FALSE(output_->KeepsTime());
  AwaitColors(second);
  faults_.drops_completions = false;
  AwaitTime(second);
}

TEST_P(X11TimeTest, MuteServer_IsLost) {
  Open(GetParam());
  const Frame first(1, 3), second(2, 90);
  ASSERT_TRUE(output_->Show(first.surface).ok());
  faults_.is_mute = true;
  Result<void> shown = output_->Show(first.surface);
  // A pixmap that is kept for a second is followed by an image, which is waited for.
  proxy_->Stop();
  for (int i = 0; i < 3 && shown.ok(); ++i) shown = output_->Show(first.surface);
  ASSERT_FALSE(shown.ok());
  EXPECT_EQ(shown.error().kind, ErrorKind::kSurfaceLost);
  EXPECT_EQ(output_->Status().state, OutputState::kLost);
}

TEST_P(X11TimeTest, ServerThatHangsUpAnywhere_IsLost) {
  const Frame first(1, 3), second(2, 90);
  bool finished = false;
  for (int messages = 0; !finished && messages < 200; ++messages) {
    faults_.messages_left = messages;
    auto output = CreateX11Output({proxy_->display(), window_, GetParam()});
    Result<void> shown = output.ok() ? Result<void>{} : output.error();
    for (int i = 0; i < 4 && shown.ok(); ++i) shown = (*output)->Show((i % 2 == 0 ? first : second).surface);
    finished = shown.ok();
    if (!finished) {
      EXPECT_EQ(shown.error().kind, ErrorKind::kSurfaceLost) << messages << ": " << shown.error().message;
    }
    faults_.messages_left = -1;
  }
  EXPECT_TRUE(finished);
}

TEST_P(X11TimeTest, EightWindowsOnEightThreads_ShowTheirFrames) {
  constexpr std::uint32_t kWindows = 8;
  static constexpr std::uint64_t kFrames = 60;
  const xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(x_)).data;
  std::vector<xcb_window_t> windows;
  for (std::uint32_t i = 0; i < kWindows; ++i) {
    windows.push_back(xcb_generate_id(x_));
    xcb_create_window(x_, XCB_COPY_FROM_PARENT, windows[i], screen->root, static_cast<std::int16_t>(i * kWidth), 0, kWidth,
                      kHeight, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, nullptr);
    xcb_map_window(x_, windows[i]);
  }
  Sync();
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < kWindows; ++i) {
    threads.emplace_back([this, window = windows[i], way = GetParam()] {
      auto output = CreateX11Output({proxy_->display(), window, way});
      ASSERT_TRUE(output.ok()) << output.error().message;
      std::atomic<bool> done{false};
      std::thread asker([&] {
        while (!done) {
          static_cast<void>((*output)->AskStatus());
          static_cast<void>((*output)->last_beat());
        }
      });
      const Frame first(1, 3), second(2, 90);
      for (std::uint64_t frame = 0; frame < kFrames; ++frame) {
        EXPECT_TRUE((*output)->Show((frame % 2 == 0 ? first : second).surface).ok());
      }
      for (int wait = 0; wait < kWaitMs && (*output)->report().pending != 0; ++wait) usleep(1000);
      done = true;
      asker.join();
      EXPECT_EQ((*output)->report().seen + (*output)->report().replaced, kFrames);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Frame last(2, 90);
  for (const xcb_window_t window : windows) {
    window_ = window;
    EXPECT_EQ(WindowColors(), last.Colors());
  }
}

TEST_P(X11TimeTest, UnmappedAndResizedWindow_GoesOn) {
  Open(GetParam());
  const Frame first(1, 3), second(2, 90);
  for (int i = 0; i < 30; ++i) {
    if (i == 5) xcb_unmap_window(x_, window_);
    if (i == 20) xcb_map_window(x_, window_);
    const std::uint32_t size[] = {kWidth + static_cast<std::uint32_t>(i % 3), kHeight};
    xcb_configure_window(x_, window_, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
    Sync();
    ASSERT_TRUE(output_->Show((i % 2 == 0 ? first : second).surface).ok());
  }
  AwaitBeat();
  EXPECT_EQ(WindowColors(), second.Colors());
}

TEST_P(X11TimeTest, WindowThatIsDestroyed_IsLost) {
  Open(GetParam());
  const Frame first(1, 3), second(2, 90);
  ASSERT_TRUE(output_->Show(first.surface).ok());
  xcb_destroy_window(x_, window_);
  Sync();
  Result<void> shown = output_->Show(second.surface);
  for (int i = 0; i < kWaitMs && shown.ok(); ++i, usleep(1000)) shown = output_->Show(first.surface);
  ASSERT_FALSE(shown.ok());
  EXPECT_EQ(shown.error().kind, ErrorKind::kSurfaceLost);
}

TEST_P(X11TimeTest, Listener_HearsOfBeats) {
  Open(GetParam());
  std::atomic<int> heard{0};
  output_->Listen([&heard] { ++heard; });
  const Frame frame(1, 3);
  for (int i = 0; i < kWaitMs && heard < 3; ++i, usleep(1000)) ASSERT_TRUE(output_->Show(frame.surface).ok());
  EXPECT_GE(heard, 3);
  output_->Listen({});
  const int before = heard;
  ASSERT_TRUE(output_->Show(frame.surface).ok());
  AwaitBeat();
  EXPECT_EQ(heard, before);
}

TEST_F(X11PresentTest, SoftwareServer_GetsImages) {
  Open(X11Way::kBest);
  EXPECT_NE(output_->info().name.find("MIT-SHM"), std::string::npos) << output_->info().name;
}

TEST_F(X11PresentTest, Pixmaps_AreReadWhereTheyAre) {
  Open(X11Way::kPixmaps);
  EXPECT_NE(output_->info().name.find("Present"), std::string::npos) << output_->info().name;
  const Frame frame(1, 3);
  ASSERT_TRUE(output_->Show(frame.surface).ok());
  AwaitBeat();
  EXPECT_EQ(WindowColors(), frame.Colors());
  frame.pages.data()[0] ^= std::byte{0xFF};
  ASSERT_TRUE(output_->Show(frame.surface).ok());
  AwaitBeat();
  EXPECT_EQ(WindowColors(), frame.Colors());
}

TEST_F(X11PresentTest, PaddedRows_AreShownByAnImageBehindThePixmapBefore) {
  Open(X11Way::kPixmaps);
  const Frame tight(1, 3), padded(2, 90, 512);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(output_->Show(tight.surface).ok());
    ASSERT_TRUE(output_->Show(padded.surface).ok());
    EXPECT_EQ(output_->LastShowCopiedBytes(), 0u);
    AwaitBeat();
    EXPECT_EQ(WindowColors(), padded.Colors());
  }
}

TEST_F(X11PresentTest, ServerThatKeepsPixmaps_GetsImages) {
  Open(X11Way::kPixmaps);
  faults_.drops_idles = true;
  const Frame first(1, 3), second(2, 90);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(output_->Show(first.surface).ok());
    ASSERT_TRUE(output_->Show(second.surface).ok());
  }
  AwaitBeat();
  EXPECT_EQ(WindowColors(), second.Colors());
}

TEST_F(X11PresentTest, ServerThatRefusesPixmaps_GetsImages) {
  const auto* shm = xcb_get_extension_data(x_, &xcb_shm_id);
  ASSERT_NE(shm->present, 0);
  faults_.refused_minor = XCB_SHM_CREATE_PIXMAP;
  faults_.refused_major = shm->major_opcode;
  const Frame frame(1, 3), other(2, 90);
  Open(X11Way::kPixmaps);
  EXPECT_NE(output_->info().name.find("MIT-SHM"), std::string::npos) << output_->info().name;
  ASSERT_TRUE(output_->Show(frame.surface).ok());
  EXPECT_EQ(WindowColors(), frame.Colors());
  // One that refuses later, after frames that it took.
  output_.reset();
  faults_.refused_major = 0;
  Open(X11Way::kPixmaps);
  ASSERT_TRUE(output_->Show(frame.surface).ok());
  faults_.refused_major = shm->major_opcode;
  ASSERT_TRUE(output_->Show(other.surface).ok());
  AwaitBeat();
  EXPECT_EQ(WindowColors(), other.Colors());
}

TEST_F(X11PresentTest, AnotherSizeOfASurface_GetsAPixmapOfItsOwn) {
  Open(X11Way::kPixmaps);
  Frame frame(1, 3);
  ASSERT_TRUE(output_->Show(frame.surface).ok());
  AwaitBeat();
  frame.surface.height = kHeight - 1;
  frame.pages.data()[0] ^= std::byte{0xFF};
  frame.pages.data()[(kHeight - 1) * kWidth * 4] ^= std::byte{0xFF};
  ASSERT_TRUE(output_->Show(frame.surface).ok());
  AwaitBeat();
  frame.pages.data()[(kHeight - 1) * kWidth * 4] ^= std::byte{0xFF};  // of the last row, which was not shown again
  EXPECT_EQ(WindowColors(), frame.Colors());
  output_->Forget(1);
  const Frame other(1, 90);
  ASSERT_TRUE(output_->Show(other.surface).ok());
  AwaitBeat();
  EXPECT_EQ(WindowColors(), other.Colors());
}

}  // namespace
}  // namespace tandem::outputs
