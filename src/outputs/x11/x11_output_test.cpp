#include "outputs/x11/x11_output.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>
#include <xcb/xcb.h>

#include <gtest/gtest.h>

#include "base/log.h"
#include "base/memory_map.h"
#include "color/format.h"
#include "outputs/testing/x_server.h"
#include "outputs/x11/window_watch.h"

namespace tandem::outputs {
namespace {

// Starts the test's own Xvfb with one window.
class X11OutputTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kWidth = 33;
  static constexpr std::uint32_t kHeight = 21;

  void SetUp() override {
    server_ = testing::XServer::StartXvfb(ServerOptions());
    if (!server_) GTEST_SKIP() << "Xvfb is not installed.";
    connection_ = xcb_connect(server_->display().c_str(), nullptr);
    ASSERT_EQ(xcb_connection_has_error(connection_), 0);
    const xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(connection_)).data;
    window_ = xcb_generate_id(connection_);
    xcb_create_window(connection_, XCB_COPY_FROM_PARENT, window_, screen->root, 0, 0, kWidth, kHeight, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, nullptr);
    xcb_map_window(connection_, window_);
    Sync();
    auto output = CreateX11Output({server_->display(), window_});
    ASSERT_TRUE(output.ok()) << output.error().message;
    output_ = *std::move(output);
  }

  void TearDown() override {
    output_.reset();
    if (connection_ != nullptr) xcb_disconnect(connection_);
    server_.reset();
  }

  [[nodiscard]] virtual std::vector<std::string> ServerOptions() const { return {}; }

  // Returns when the output knows the size.
  void ResizeWindow(std::uint32_t width, std::uint32_t height) {
    const std::uint32_t size[] = {width, height};
    xcb_configure_window(connection_, window_, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
    Sync();
    ASSERT_EQ(output_->AskStatus().width, width);
  }

  void Sync() { std::free(xcb_get_input_focus_reply(connection_, xcb_get_input_focus(connection_), nullptr)); }

  // Distinct pixels, with padding after each row.
  Surface MakeSurface(color::Format format) {
    const std::uint32_t bytes_per_pixel = color::BytesPerPixel(format);
    Surface surface;
    surface.id = 7;
    surface.width = kWidth;
    surface.height = kHeight;
    surface.pitch = 512;
    surface.format = format;
    const std::size_t bytes = std::size_t{surface.pitch} * kHeight;
    fd_ = *CreateSharedPages("x11-output-test", bytes);
    pages_ = *MemoryMap::MapShared(fd_, 0, *RoundUpToPages(bytes), MapAccess::kReadWrite);
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      for (std::uint32_t i = 0; i < kWidth * bytes_per_pixel; ++i) {
        pages_.data()[y * surface.pitch + i] = static_cast<std::byte>(i * 7 + y * 13);
      }
    }
    surface.pixels = pages_.data();
    surface.backing_fd = fd_.get();
    surface.backing_size = bytes;
    return surface;
  }

  // The window's pixel in the order B, G, R.
  std::vector<int> WindowPixel(std::uint32_t x, std::uint32_t y) {
    xcb_get_image_reply_t* image =
        xcb_get_image_reply(connection_,
                            xcb_get_image(connection_, XCB_IMAGE_FORMAT_Z_PIXMAP, window_, static_cast<std::int16_t>(x),
                                          static_cast<std::int16_t>(y), 1, 1, ~0U),
                            nullptr);
    if (image == nullptr) return {};
    const std::uint8_t* data = xcb_get_image_data(image);
    std::vector<int> pixel{data[0], data[1], data[2]};
    std::free(image);
    return pixel;
  }

  int Byte(const Surface& surface, std::uint32_t x, std::uint32_t y, std::uint32_t channel) const {
    return std::to_integer<int>(surface.pixels[y * surface.pitch + x * 4 + channel]);
  }

  std::unique_ptr<testing::XServer> server_;
  xcb_connection_t* connection_ = nullptr;
  xcb_window_t window_ = 0;
  std::unique_ptr<Output> output_;
  UniqueFd fd_;
  MemoryMap pages_;
};

TEST_F(X11OutputTest, Show_SharedPagesInBgr_AreReadByTheServerWithoutACopy) {
  const Surface surface = MakeSurface(color::Format::kB8G8R8A8Unorm);
  ASSERT_TRUE(output_->Show(surface).ok());
  EXPECT_EQ(output_->LastShowCopiedBytes(), 0u);
  for (const auto& [x, y] : {std::pair{0U, 0U}, std::pair{kWidth - 1, kHeight - 1}, std::pair{5U, 17U}}) {
    EXPECT_EQ(WindowPixel(x, y), (std::vector<int>{Byte(surface, x, y, 0), Byte(surface, x, y, 1), Byte(surface, x, y, 2)}));
  }
}

TEST_F(X11OutputTest, Show_AnonymousPages_AreCopiedAndCounted) {
  Surface surface = MakeSurface(color::Format::kB8G8R8A8Unorm);
  surface.backing_fd = -1;
  ASSERT_TRUE(output_->Show(surface).ok());
  EXPECT_EQ(output_->LastShowCopiedBytes(), kWidth * kHeight * 4);
  EXPECT_EQ(WindowPixel(5, 17), (std::vector<int>{Byte(surface, 5, 17, 0), Byte(surface, 5, 17, 1), Byte(surface, 5, 17, 2)}));
}

TEST_F(X11OutputTest, Show_Rgba_IsConverted) {
  const Surface surface = MakeSurface(color::Format::kR8G8B8A8Unorm);
  ASSERT_TRUE(output_->Show(surface).ok());
  EXPECT_EQ(WindowPixel(5, 17), (std::vector<int>{Byte(surface, 5, 17, 2), Byte(surface, 5, 17, 1), Byte(surface, 5, 17, 0)}));
}

TEST_F(X11OutputTest, Forget_ThenAnotherSurfaceOfTheSameId_ShowsTheNewPages) {
  ASSERT_TRUE(output_->Show(MakeSurface(color::Format::kB8G8R8A8Unorm)).ok());
  output_->Forget(7);
  const Surface surface = MakeSurface(color::Format::kB8G8R8A8Unorm);
  pages_.data()[0] = std::byte{0xAB};
  ASSERT_TRUE(output_->Show(surface).ok());
  EXPECT_EQ(WindowPixel(0, 0)[0], 0xAB);
}

TEST_F(X11OutputTest, Status_FollowsTheWindowsSize) {
  EXPECT_EQ(output_->Status().width, kWidth);
  const std::uint32_t size[] = {100, 60};
  xcb_configure_window(connection_, window_, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
  Sync();
  for (int i = 0; i < 20'000 && output_->Status().width != 100; ++i) usleep(1000);
  EXPECT_EQ(output_->Status().width, 100u);
  EXPECT_EQ(output_->Status().height, 60u);
}

TEST_F(X11OutputTest, Stretch_ShowsEachPixelAsASquareOfTheLargerWindow) {
  ResizeWindow(2 * kWidth, 2 * kHeight);
  output_->SetFit({Scaling::kStretch, Gravity::kMin, Gravity::kMin});
  for (const color::Format format : {color::Format::kB8G8R8A8Unorm, color::Format::kR8G8B8A8Unorm}) {
    const std::uint32_t red = format == color::Format::kB8G8R8A8Unorm ? 2 : 0;
    const Surface surface = MakeSurface(format);
    ASSERT_TRUE(output_->Show(surface).ok());
    for (const auto& [x, y] : {std::pair{0U, 0U}, std::pair{2 * kWidth - 1, 2 * kHeight - 1}, std::pair{11U, 34U}}) {
      EXPECT_EQ(WindowPixel(x, y), (std::vector<int>{Byte(surface, x / 2, y / 2, 2 - red), Byte(surface, x / 2, y / 2, 1),
                                                     Byte(surface, x / 2, y / 2, red)}));
    }
  }
}

TEST_F(X11OutputTest, OneToOneInTheMiddle_IsSurroundedByBlackAndFollowsTheWindow) {
  output_->SetFit({Scaling::kOneToOne, Gravity::kCentered, Gravity::kMax});
  const Surface surface = MakeSurface(color::Format::kB8G8R8A8Unorm);
  for (const std::uint32_t margin : {20U, 8U}) {
    ResizeWindow(kWidth + margin, kHeight + margin);
    ASSERT_TRUE(output_->Show(surface).ok());
    EXPECT_EQ(WindowPixel(0, 0), (std::vector<int>{0, 0, 0}));
    EXPECT_EQ(WindowPixel(margin / 2 - 1, margin), (std::vector<int>{0, 0, 0}));
    for (const auto& [x, y] : {std::pair{0U, 0U}, std::pair{kWidth - 1, kHeight - 1}}) {
      EXPECT_EQ(WindowPixel(margin / 2 + x, margin + y),
                (std::vector<int>{Byte(surface, x, y, 0), Byte(surface, x, y, 1), Byte(surface, x, y, 2)}));
    }
  }
}

TEST_F(X11OutputTest, OneToOneInASmallerWindow_ShowsTheMiddle) {
  output_->SetFit({Scaling::kOneToOne, Gravity::kCentered, Gravity::kCentered});
  ResizeWindow(kWidth - 10, kHeight - 6);
  const Surface surface = MakeSurface(color::Format::kB8G8R8A8Unorm);
  ASSERT_TRUE(output_->Show(surface).ok());
  EXPECT_EQ(WindowPixel(0, 0), (std::vector<int>{Byte(surface, 5, 3, 0), Byte(surface, 5, 3, 1), Byte(surface, 5, 3, 2)}));
}

TEST_F(X11OutputTest, WindowIsDestroyed_ShowAnswersSurfaceLost) {
  const Surface surface = MakeSurface(color::Format::kB8G8R8A8Unorm);
  xcb_destroy_window(connection_, window_);
  Sync();
  const auto shown = output_->Show(surface);
  ASSERT_FALSE(shown.ok());
  EXPECT_EQ(shown.error().kind, ErrorKind::kSurfaceLost);
  EXPECT_EQ(output_->Status().state, OutputState::kLost);
}

TEST_F(X11OutputTest, ServerGoesAway_ShowAnswersSurfaceLost) {
  const Surface surface = MakeSurface(color::Format::kB8G8R8A8Unorm);
  server_->Stop();
  const auto shown = output_->Show(surface);
  ASSERT_FALSE(shown.ok());
  EXPECT_EQ(shown.error().kind, ErrorKind::kSurfaceLost);
}

// A server without shared memory, like a remote one.
class X11OutputWithoutShmTest : public X11OutputTest {
 protected:
  [[nodiscard]] std::vector<std::string> ServerOptions() const override { return {"-extension", "MIT-SHM"}; }
};

TEST_F(X11OutputWithoutShmTest, Show_GoesThroughTheConnectionAndSaysSo) {
  EXPECT_NE(output_->info().name.find("through the connection"), std::string::npos);
  const Surface surface = MakeSurface(color::Format::kB8G8R8A8Unorm);
  ASSERT_TRUE(output_->Show(surface).ok());
  EXPECT_EQ(output_->LastShowCopiedBytes(), kWidth * kHeight * 4);
  EXPECT_EQ(WindowPixel(32, 20),
            (std::vector<int>{Byte(surface, 32, 20, 0), Byte(surface, 32, 20, 1), Byte(surface, 32, 20, 2)}));
}

TEST(X11Output, NoServer_SaysWhichDisplay) {
  const auto output = CreateX11Output({":987654", 1});
  ASSERT_FALSE(output.ok());
  EXPECT_EQ(output.error().kind, ErrorKind::kSurfaceLost);
  EXPECT_NE(output.error().message.find(":987654"), std::string::npos);
}

TEST_F(X11OutputTest, UnknownWindow_IsSurfaceLost) {
  const auto output = CreateX11Output({server_->display(), 0x7FFFFF});
  ASSERT_FALSE(output.ok());
  EXPECT_EQ(output.error().kind, ErrorKind::kSurfaceLost);
}

TEST_F(X11OutputTest, RequestThatFails_EndsTheWindowAndTheLogSaysWhichOne) {
  const std::string path = ::testing::TempDir() + "x11_output_test_" + std::to_string(getpid()) + ".log";
  ASSERT_TRUE(ConfigureLog({LogLevel::kError, path}).ok());
  auto watch = WindowWatch::Open({server_->display(), window_});
  ASSERT_TRUE(watch.ok());
  // MapWindow (request 8) for an id that is no window causes error 3.
  xcb_map_window((*watch)->connection().get(), 0xDEAD);
  EXPECT_EQ((*watch)->Ask().state, OutputState::kLost);
  ASSERT_TRUE(ConfigureLog({}).ok());
  std::ifstream file(path);
  const std::string log{std::istreambuf_iterator<char>(file), {}};
  std::remove(path.c_str());
  EXPECT_NE(log.find("X error 3 of request 8.0 on resource 0xdead"), std::string::npos) << log;
}

TEST_F(X11OutputTest, WindowThatAnotherClientResized_IsAskedForItsNewExtent) {
  auto watch = WindowWatch::Open({server_->display(), window_});
  ASSERT_TRUE(watch.ok());
  for (std::uint32_t width = kWidth + 1; width < kWidth + 50; ++width) {
    const std::uint32_t size[] = {width, kHeight};
    xcb_configure_window(connection_, window_, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
    Sync();
    ASSERT_EQ((*watch)->Ask().width, width);
  }
}

}  // namespace
}  // namespace tandem::outputs
