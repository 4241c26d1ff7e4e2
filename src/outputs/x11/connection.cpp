#include "outputs/x11/connection.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <sys/socket.h>
#include <xcb/randr.h>
#include <xcb/shm.h>

#include "base/timed_lock.h"
#include "base/unique_fd.h"

namespace tandem::outputs {
namespace {

// Only a Unix socket carries descriptors; xcb closes any other connection when asked to send one.
bool CarriesDescriptors(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  return getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0 && address.ss_family == AF_UNIX;
}

}  // namespace

void FreeReply::operator()(void* reply) const { std::free(reply); }

// libXau keeps the name of its file in one buffer for all threads.
xcb_connection_t* ConnectToX11(const std::string& display) {
  static std::mutex connecting;
  const auto lock = TimedLock(connecting);
  return xcb_connect(display.empty() ? nullptr : display.c_str(), nullptr);
}

Error NotConnectedToX11(const std::string& display) {
  const std::string server = display.empty() ? "$DISPLAY" : display;
  const UniqueFd trial(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (trial.valid()) return Fail(ErrorKind::kSurfaceLost, "No X server answers on display '{}'.", server);
  return Fail(ErrorKind::kSurfaceLost, "Display '{}' is out of reach. The process may open no socket: {}.", server,
              std::strerror(errno));
}

Result<std::unique_ptr<X11Connection>> X11Connection::Open(const std::string& display) {
  xcb_connection_t* raw = ConnectToX11(display);
  std::unique_ptr<X11Connection> connection(new X11Connection(raw));
  if (connection->broken()) return NotConnectedToX11(display);
  connection->QueryShm();
  connection->QueryPresent();
  connection->QueryDri3();
  connection->QueryRefresh();
  return connection;
}

X11Connection::~X11Connection() { xcb_disconnect(connection_); }

bool X11Connection::broken() const { return xcb_connection_has_error(connection_) != 0; }

void X11Connection::QueryShm() {
  const xcb_query_extension_reply_t* extension = xcb_get_extension_data(connection_, &xcb_shm_id);
  if (extension == nullptr || extension->present == 0 || !CarriesDescriptors(xcb_get_file_descriptor(connection_))) return;
  const Reply<xcb_shm_query_version_reply_t> version(
      xcb_shm_query_version_reply(connection_, xcb_shm_query_version(connection_), nullptr));
  if (!version) return;
  passes_segments_ = version->major_version > 1 || (version->major_version == 1 && version->minor_version >= 2);
  shares_pixmaps_ = passes_segments_ && version->shared_pixmaps != 0 && version->pixmap_format == XCB_IMAGE_FORMAT_Z_PIXMAP;
  shm_completion_event_ = static_cast<std::uint8_t>(extension->first_event + XCB_SHM_COMPLETION);
}

void X11Connection::QueryPresent() {
  const XcbPresent* present = LoadXcbPresent();
  if (present == nullptr) return;
  const xcb_query_extension_reply_t* extension = xcb_get_extension_data(connection_, present->id);
  if (extension == nullptr || extension->present == 0) return;
  const auto cookie = present->query_version(connection_, XCB_PRESENT_MAJOR_VERSION, XCB_PRESENT_MINOR_VERSION);
  const Reply<xcb_present_query_version_reply_t> version(present->query_version_reply(connection_, cookie, nullptr));
  if (!version) return;
  present_ = present;
  present_opcode_ = extension->major_opcode;
}

void X11Connection::QueryDri3() {
  const XcbDri3* dri3 = LoadXcbDri3();
  if (dri3 == nullptr || !CarriesDescriptors(xcb_get_file_descriptor(connection_))) return;
  const xcb_query_extension_reply_t* extension = xcb_get_extension_data(connection_, dri3->id);
  if (extension == nullptr || extension->present == 0) return;
  const auto cookie = dri3->query_version(connection_, XCB_DRI3_MAJOR_VERSION, XCB_DRI3_MINOR_VERSION);
  const Reply<xcb_dri3_query_version_reply_t> version(dri3->query_version_reply(connection_, cookie, nullptr));
  if (!version) return;
  dri3_ = dri3;
  names_modifiers_ = version->major_version > 1 || version->minor_version >= 2;
}

void X11Connection::QueryRefresh() {
  const xcb_query_extension_reply_t* extension = xcb_get_extension_data(connection_, &xcb_randr_id);
  if (extension == nullptr || extension->present == 0) return;
  const xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(connection_)).data->root;
  using Resources = xcb_randr_get_screen_resources_current_reply_t;
  const Reply<Resources> resources(xcb_randr_get_screen_resources_current_reply(
      connection_, xcb_randr_get_screen_resources_current(connection_, root), nullptr));
  if (!resources) return;
  const xcb_randr_crtc_t* crtcs = xcb_randr_get_screen_resources_current_crtcs(resources.get());
  const int crtc_count = xcb_randr_get_screen_resources_current_crtcs_length(resources.get());
  for (int i = 0; i < crtc_count; ++i) {
    const Reply<xcb_randr_get_crtc_info_reply_t> crtc(
        xcb_randr_get_crtc_info_reply(connection_, xcb_randr_get_crtc_info(connection_, crtcs[i], XCB_CURRENT_TIME), nullptr));
    if (!crtc || crtc->mode == XCB_NONE) continue;
    auto mode = xcb_randr_get_screen_resources_current_modes_iterator(resources.get());
    for (; mode.rem > 0; xcb_randr_mode_info_next(&mode)) {
      const std::uint64_t pixels = std::uint64_t{mode.data->htotal} * mode.data->vtotal;
      if (mode.data->id != crtc->mode || mode.data->dot_clock == 0 || pixels == 0) continue;
      const auto period_ns = static_cast<std::int64_t>(pixels * 1'000'000'000ULL / mode.data->dot_clock);
      // A virtual server may report any clock; rates that no display has are ignored.
      if (period_ns >= 1'000'000 && period_ns <= 1'000'000'000) refresh_period_ns_ = period_ns;
      return;
    }
  }
}

}  // namespace tandem::outputs
