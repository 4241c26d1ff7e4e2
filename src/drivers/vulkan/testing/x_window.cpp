#include "drivers/vulkan/testing/x_window.h"

#include <sys/wait.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tandem::vulkan::testing {
namespace {

// Empty if no server starts. The server writes its number to the given descriptor.
std::string StartServer(pid_t& server) {
  int pipe_fds[2];
  if (pipe(pipe_fds) != 0) return {};
  server = fork();
  if (server == 0) {
    dup2(pipe_fds[1], STDOUT_FILENO);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
    // For GLX the server would load Mesa's driver.
    execlp("Xvfb", "Xvfb", "-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-extension", "GLX",
           static_cast<char*>(nullptr));
    _exit(127);
  }
  close(pipe_fds[1]);
  // The number and the end of its line arrive separately; a server that cannot write the second exits.
  std::string text;
  for (char letter = 0; letter != '\n' && read(pipe_fds[0], &letter, 1) == 1;) text += letter;
  close(pipe_fds[0]);
  return text.empty() ? std::string() : ":" + text.substr(0, text.find('\n'));
}

}  // namespace

std::unique_ptr<XWindow> XWindow::Create(std::uint32_t width, std::uint32_t height) {
  auto self = std::make_unique<XWindow>();
  const std::string display = StartServer(self->server_);
  if (display.empty()) return nullptr;
  self->connection_ = xcb_connect(display.c_str(), nullptr);
  if (xcb_connection_has_error(self->connection_) != 0) return nullptr;
  const xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(self->connection_)).data;
  self->window_ = xcb_generate_id(self->connection_);
  xcb_create_window(self->connection_, XCB_COPY_FROM_PARENT, self->window_, screen->root, 0, 0, static_cast<std::uint16_t>(width),
                    static_cast<std::uint16_t>(height), 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, nullptr);
  xcb_map_window(self->connection_, self->window_);
  self->Sync();
  return self;
}

XWindow::~XWindow() {
  if (connection_ != nullptr) xcb_disconnect(connection_);
  if (server_ <= 0) return;
  kill(server_, SIGTERM);
  waitpid(server_, nullptr, 0);
}

WsiTarget XWindow::target() const {
  WsiTarget target;
  target.kind = WsiTarget::Kind::kXcb;
  target.connection = connection_;
  target.window = window_;
  return target;
}

void XWindow::Sync() const { std::free(xcb_get_input_focus_reply(connection_, xcb_get_input_focus(connection_), nullptr)); }

void XWindow::Resize(std::uint32_t width, std::uint32_t height) {
  const std::uint32_t values[] = {width, height};
  xcb_configure_window(connection_, window_, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, values);
  Sync();
}

void XWindow::Destroy() {
  xcb_destroy_window(connection_, window_);
  Sync();
}

std::vector<std::uint32_t> XWindow::Screenshot(std::uint32_t width, std::uint32_t height) const {
  std::vector<std::uint32_t> pixels(std::size_t{width} * height);
  const auto cookie = xcb_get_image(connection_, XCB_IMAGE_FORMAT_Z_PIXMAP, window_, 0, 0, static_cast<std::uint16_t>(width),
                                    static_cast<std::uint16_t>(height), ~0U);
  xcb_get_image_reply_t* image = xcb_get_image_reply(connection_, cookie, nullptr);
  if (image == nullptr || static_cast<std::size_t>(xcb_get_image_data_length(image)) != pixels.size() * 4) pixels.clear();
  if (!pixels.empty()) std::memcpy(pixels.data(), xcb_get_image_data(image), pixels.size() * 4);
  std::free(image);
  for (std::uint32_t& pixel : pixels) pixel &= 0xFFFFFFU;
  return pixels;
}

}  // namespace tandem::vulkan::testing
