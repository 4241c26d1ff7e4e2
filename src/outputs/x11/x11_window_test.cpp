#include "outputs/x11/x11_window.h"

#include <cstdlib>
#include <vector>

#include <xcb/xcb.h>

#include <gtest/gtest.h>

#include "color/format.h"
#include "outputs/testing/x_server.h"

namespace tandem::outputs {
namespace {

struct Seen {
  int windows = 0;  // mapped windows
  std::uint32_t width = 0, height = 0;
  std::uint32_t pixel = 0;  // at the lower right corner
};

Seen Look(const std::string& display) {
  Seen seen;
  xcb_connection_t* x = xcb_connect(display.c_str(), nullptr);
  const xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(x)).data->root;
  auto* tree = xcb_query_tree_reply(x, xcb_query_tree(x, root), nullptr);
  for (int i = 0; tree != nullptr && i < xcb_query_tree_children_length(tree); ++i) {
    const xcb_window_t window = xcb_query_tree_children(tree)[i];
    auto* attributes = xcb_get_window_attributes_reply(x, xcb_get_window_attributes(x, window), nullptr);
    auto* geometry = xcb_get_geometry_reply(x, xcb_get_geometry(x, window), nullptr);
    if (attributes != nullptr && geometry != nullptr && attributes->map_state == XCB_MAP_STATE_VIEWABLE) {
      ++seen.windows;
      seen.width = geometry->width;
      seen.height = geometry->height;
      const auto last_x = static_cast<std::int16_t>(geometry->width - 1);
      const auto last_y = static_cast<std::int16_t>(geometry->height - 1);
      auto* image =
          xcb_get_image_reply(x, xcb_get_image(x, XCB_IMAGE_FORMAT_Z_PIXMAP, window, last_x, last_y, 1, 1, ~0U), nullptr);
      if (image != nullptr) seen.pixel = *reinterpret_cast<const std::uint32_t*>(xcb_get_image_data(image)) & 0xFFFFFF;
      std::free(image);
    }
    std::free(attributes);
    std::free(geometry);
  }
  std::free(tree);
  xcb_disconnect(x);
  return seen;
}

TEST(X11WindowTest, Show_OpensTheWindowAndFollowsTheFramesSize) {
  const auto server = testing::XServer::StartXvfb({});
  if (!server) GTEST_SKIP() << "Xvfb is not installed.";
  auto output = CreateX11WindowOutput(server->display(), "test");
  ASSERT_TRUE(output.ok()) << output.error().message;
  EXPECT_EQ(Look(server->display()).windows, 0);
  const std::vector<std::uint32_t> pixels(64 * 64, 0xFF336699);
  Surface surface;
  surface.id = 1;
  surface.pixels = reinterpret_cast<const std::byte*>(pixels.data());
  surface.width = 40;
  surface.height = 30;
  surface.pitch = 256;
  surface.format = color::Format::kB8G8R8A8Unorm;
  ASSERT_TRUE((*output)->Show(surface).ok());
  Seen seen = Look(server->display());
  EXPECT_EQ(seen.windows, 1);
  EXPECT_EQ(seen.width, 40U);
  EXPECT_EQ(seen.pixel, 0x336699U);
  surface.width = 64;
  surface.height = 50;
  ASSERT_TRUE((*output)->Show(surface).ok());
  seen = Look(server->display());
  EXPECT_EQ(seen.width, 64U);
  EXPECT_EQ(seen.height, 50U);
  EXPECT_EQ(seen.pixel, 0x336699U);
  EXPECT_EQ((*output)->Status().width, 0U);
  output->reset();
  EXPECT_EQ(Look(server->display()).windows, 0);
}

TEST(X11WindowTest, NoServer_IsSurfaceLost) {
  EXPECT_EQ(CreateX11WindowOutput(":987654", "test").error().kind, ErrorKind::kSurfaceLost);
}

}  // namespace
}  // namespace tandem::outputs
