#include "tests/integration/x_server.h"

#include <csignal>
#include <cstdlib>
#include <cstring>

#include <xcb/xcb.h>

namespace tandem::test {

std::unique_ptr<XServer> XServer::Start(Glx glx) {
  auto server = std::make_unique<XServer>();
  // The server chooses the first free number and prints it to standard output. Without -noreset it restarts when its last
  // client leaves, and refuses a client that connects meanwhile.
  std::vector<std::string> words{"Xvfb", "-displayfd", "1", "-noreset", "-screen", "0", "2048x1280x24", "-nolisten", "tcp"};
  if (glx == Glx::kWithout) words.insert(words.end(), {"-extension", "GLX"});
  server->process_ = std::make_unique<Process>(words, Environment{});
  if (!server->process_->WaitForOutput("\n", 20000)) return nullptr;
  const std::string number = server->process_->output();
  server->display_ = ":" + number.substr(0, number.find('\n'));
  return server;
}

XServer::~XServer() { Stop(); }

void XServer::Stop() {
  if (process_ == nullptr) return;
  process_->Kill(SIGTERM);
  process_->Wait(5000);
  process_.reset();
}

namespace {

xcb_window_t FindWindow(xcb_connection_t* connection, std::uint32_t width, std::uint32_t height) {
  const xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(connection)).data->root;
  xcb_query_tree_reply_t* tree = xcb_query_tree_reply(connection, xcb_query_tree(connection, root), nullptr);
  xcb_window_t found = 0;
  for (int i = 0; tree != nullptr && i < xcb_query_tree_children_length(tree); ++i) {
    const xcb_window_t window = xcb_query_tree_children(tree)[i];
    xcb_get_geometry_reply_t* geometry = xcb_get_geometry_reply(connection, xcb_get_geometry(connection, window), nullptr);
    if (geometry != nullptr && geometry->width == width && geometry->height == height) found = window;
    std::free(geometry);
  }
  std::free(tree);
  return found;
}

}  // namespace

std::vector<std::uint32_t> Screenshot(const std::string& display, std::uint32_t width, std::uint32_t height) {
  std::vector<std::uint32_t> pixels;
  xcb_connection_t* connection = xcb_connect(display.c_str(), nullptr);
  if (xcb_connection_has_error(connection) == 0) {
    const xcb_window_t window = FindWindow(connection, width, height);
    const auto cookie = xcb_get_image(connection, XCB_IMAGE_FORMAT_Z_PIXMAP, window, 0, 0, static_cast<std::uint16_t>(width),
                                      static_cast<std::uint16_t>(height), ~0U);
    xcb_get_image_reply_t* image = window != 0 ? xcb_get_image_reply(connection, cookie, nullptr) : nullptr;
    if (image != nullptr && static_cast<std::size_t>(xcb_get_image_data_length(image)) == std::size_t{width} * height * 4) {
      pixels.resize(std::size_t{width} * height);
      std::memcpy(pixels.data(), xcb_get_image_data(image), pixels.size() * 4);
    }
    std::free(image);
  }
  xcb_disconnect(connection);
  return pixels;
}

}  // namespace tandem::test
