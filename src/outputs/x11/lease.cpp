#include "outputs/x11/lease.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/stat.h>
#include <xcb/randr.h>
#include <xcb/xcbext.h>

#include "base/clock.h"
#include "outputs/x11/connection.h"

namespace tandem::outputs {
namespace {

constexpr std::uint32_t kLeasesMinor = 6;  // of RandR 1

// Xorg's modesetting driver tells the kernel's number of an output by this property.
constexpr std::string_view kConnectorProperty = "CONNECTOR_ID";

// A server that does not answer gets its connector back by the end of the descriptor.
constexpr std::int64_t kMostEndNs = 1'000'000'000;

using OutputInfo = Reply<xcb_randr_get_output_info_reply_t>;

struct LeasedParts {
  xcb_randr_output_t output = XCB_NONE;
  xcb_randr_crtc_t crtc = XCB_NONE;
};

bool HasLeases(xcb_connection_t* connection) {
  const xcb_query_extension_reply_t* extension = xcb_get_extension_data(connection, &xcb_randr_id);
  if (extension == nullptr || extension->present == 0) return false;
  const Reply<xcb_randr_query_version_reply_t> version(
      xcb_randr_query_version_reply(connection, xcb_randr_query_version(connection, 1, kLeasesMinor), nullptr));
  return version && version->major_version == 1 && version->minor_version >= kLeasesMinor;
}

xcb_atom_t AtomOf(xcb_connection_t* connection, std::string_view name) {
  const auto cookie = xcb_intern_atom(connection, 1, static_cast<std::uint16_t>(name.size()), name.data());
  const Reply<xcb_intern_atom_reply_t> atom(xcb_intern_atom_reply(connection, cookie, nullptr));
  return atom ? atom->atom : static_cast<xcb_atom_t>(XCB_NONE);
}

std::uint32_t ConnectorOf(xcb_connection_t* connection, xcb_randr_output_t output, xcb_atom_t property) {
  const auto cookie = xcb_randr_get_output_property(connection, output, property, XCB_ATOM_INTEGER, 0, 1, 0, 0);
  const Reply<xcb_randr_get_output_property_reply_t> value(xcb_randr_get_output_property_reply(connection, cookie, nullptr));
  if (!value || value->format != 32 || value->num_items != 1) return 0;
  return *reinterpret_cast<const std::uint32_t*>(xcb_randr_get_output_property_data(value.get()));
}

// The CRTC that the output has, else one that no output has.
xcb_randr_crtc_t CrtcFor(xcb_connection_t* connection, const xcb_randr_get_output_info_reply_t& output) {
  if (output.crtc != XCB_NONE) return output.crtc;
  const std::span usable(xcb_randr_get_output_info_crtcs(&output), output.num_crtcs);
  const auto is_free = [&](xcb_randr_crtc_t crtc) {
    using Info = xcb_randr_get_crtc_info_reply_t;
    const auto cookie = xcb_randr_get_crtc_info(connection, crtc, XCB_CURRENT_TIME);
    const Reply<Info> info(xcb_randr_get_crtc_info_reply(connection, cookie, nullptr));
    return info && info->num_outputs == 0;
  };
  const auto found = std::ranges::find_if(usable, is_free);
  return found == usable.end() ? static_cast<xcb_randr_crtc_t>(XCB_NONE) : *found;
}

// Outputs of all cards of the server: numbers of connectors are a card's own.
std::vector<LeasedParts> FindParts(xcb_connection_t* connection, xcb_window_t root, std::uint32_t connector_id) {
  using Resources = xcb_randr_get_screen_resources_current_reply_t;
  const auto cookie = xcb_randr_get_screen_resources_current(connection, root);
  const Reply<Resources> resources(xcb_randr_get_screen_resources_current_reply(connection, cookie, nullptr));
  const xcb_atom_t property = AtomOf(connection, kConnectorProperty);
  std::vector<LeasedParts> found;
  if (!resources || property == XCB_NONE) return found;
  const std::span outputs(xcb_randr_get_screen_resources_current_outputs(resources.get()), resources->num_outputs);
  for (const xcb_randr_output_t output : outputs) {
    if (ConnectorOf(connection, output, property) != connector_id) continue;
    const auto asked = xcb_randr_get_output_info(connection, output, XCB_CURRENT_TIME);
    const OutputInfo info(xcb_randr_get_output_info_reply(connection, asked, nullptr));
    const xcb_randr_crtc_t crtc = info ? CrtcFor(connection, *info) : static_cast<xcb_randr_crtc_t>(XCB_NONE);
    if (crtc != XCB_NONE) found.push_back({output, crtc});
  }
  return found;
}

// Returns when the server has done what it was asked for, or after kMostEndNs.
void AwaitServer(xcb_connection_t* connection) {
  const unsigned sequence = xcb_get_input_focus(connection).sequence;
  xcb_flush(connection);
  const std::int64_t deadline_ns = MonotonicClock().NowNs() + kMostEndNs;
  void* answer = nullptr;
  xcb_generic_error_t* error = nullptr;
  while (xcb_poll_for_reply(connection, sequence, &answer, &error) == 0) {
    const std::int64_t left_ns = deadline_ns - MonotonicClock().NowNs();
    if (left_ns <= 0) return;
    pollfd readable{xcb_get_file_descriptor(connection), POLLIN, 0};
    poll(&readable, 1, static_cast<int>(left_ns / 1'000'000) + 1);
  }
  std::free(answer);
  std::free(error);
}

bool IsNodeOf(const UniqueFd& fd, dev_t card) {
  struct stat status {};
  return fstat(fd.get(), &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == card;
}

}  // namespace

Result<std::unique_ptr<X11Lease>> X11Lease::Take(const std::string& display, dev_t card, std::uint32_t connector_id) {
  std::unique_ptr<X11Lease> lease(new X11Lease(ConnectToX11(display)));
  if (xcb_connection_has_error(lease->connection_) != 0) return NotConnectedToX11(display);
  if (auto requested = lease->Request(card, connector_id); !requested.ok()) return std::move(requested).error();
  return lease;
}

Result<void> X11Lease::Request(dev_t card, std::uint32_t connector_id) {
  if (!HasLeases(connection_)) return Fail(ErrorKind::kUnsupported, "The X server lends no displays: it lacks RandR 1.6.");
  const xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(connection_));
  if (screens.rem == 0) return Fail(ErrorKind::kUnsupported, "The X server has no screen.");
  const xcb_window_t root = screens.data->root;
  std::uint8_t refusal = 0;
  for (const LeasedParts& parts : FindParts(connection_, root, connector_id)) {
    const std::uint32_t lease = xcb_generate_id(connection_);
    const auto cookie = xcb_randr_create_lease(connection_, root, lease, 1, 1, &parts.crtc, &parts.output);
    xcb_generic_error_t* raw = nullptr;
    const Reply<xcb_randr_create_lease_reply_t> reply(xcb_randr_create_lease_reply(connection_, cookie, &raw));
    const Reply<xcb_generic_error_t> error(raw);
    if (error) refusal = error->error_code;
    if (!reply || reply->nfd != 1) continue;
    card_ = UniqueFd(xcb_randr_create_lease_reply_fds(connection_, reply.get())[0]);
    lease_ = lease;
    if (IsNodeOf(card_, card)) return {};
    End();
  }
  if (refusal != 0) {
    return Fail(ErrorKind::kIo, "The X server does not lend connector {} (X error {}).", connector_id, refusal);
  }
  return Fail(ErrorKind::kNotFound, "The X server has no output with a free CRTC for connector {} of the card.", connector_id);
}

void X11Lease::End() {
  if (lease_ != 0) {
    xcb_randr_free_lease(connection_, lease_, 1);
    // The server cannot revoke a lease whose descriptors are closed. It then keeps the connector, unless udev tells it.
    AwaitServer(connection_);
  }
  lease_ = 0;
  card_.Reset();
}

X11Lease::~X11Lease() {
  End();
  xcb_disconnect(connection_);
}

}  // namespace tandem::outputs
