#include "outputs/wayland/refresh.h"

#include <string_view>

#include <sys/socket.h>
#include <sys/un.h>

#include "base/unique_fd.h"
#include "outputs/wayland/events.h"

namespace tandem::outputs {
namespace {

constexpr std::int64_t kMillihertzPeriodsNs = 1'000'000'000'000;

// Another connection to the peer of `socket`; null if the peer has no name, as of a socket that the program inherited.
wl_display* ConnectToPeerOf(int socket) {
  sockaddr_un peer{};
  socklen_t size = sizeof(peer);
  auto* const address = reinterpret_cast<sockaddr*>(&peer);
  if (getpeername(socket, address, &size) != 0 || peer.sun_family != AF_UNIX || size <= sizeof(sa_family_t)) return nullptr;
  // A compositor that accepts nobody would hold a connect that waits.
  UniqueFd own(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!own.valid() || connect(own.get(), address, size) != 0) return nullptr;
  return Wayland().display_connect_to_fd(own.Release());  // closes the descriptor if it fails
}

class FirstOutput {
 public:
  explicit FirstOutput(wl_display* display) : display_(display) {}
  ~FirstOutput();
  FirstOutput(const FirstOutput&) = delete;
  FirstOutput& operator=(const FirstOutput&) = delete;
  std::optional<std::int64_t> PeriodNs();

 private:
  static const wl_registry_listener kRegistry;
  static const wl_output_listener kOutput;

  wl_display* const display_;
  std::unique_ptr<WaylandEvents> events_;
  wl_registry* registry_ = nullptr;
  wl_output* output_ = nullptr;
  std::optional<std::int64_t> period_ns_;
};

const wl_registry_listener FirstOutput::kRegistry{
    [](void* data, wl_registry* registry, std::uint32_t name, const char* interface, std::uint32_t) {
      auto* self = static_cast<FirstOutput*>(data);
      if (std::string_view(interface) != wl_output_interface.name || self->output_ != nullptr) return;
      self->output_ = static_cast<wl_output*>(wl_registry_bind(registry, name, &wl_output_interface, 1));
      if (self->output_ != nullptr) wl_output_add_listener(self->output_, &kOutput, self);
    },
    [](void*, wl_registry*, std::uint32_t) {},
};

const wl_output_listener FirstOutput::kOutput{
    [](void*, wl_output*, std::int32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t, const char*, const char*,
       std::int32_t) {},
    [](void* data, wl_output*, std::uint32_t flags, std::int32_t, std::int32_t, std::int32_t refresh_mhz) {
      if ((flags & WL_OUTPUT_MODE_CURRENT) == 0 || refresh_mhz <= 0) return;
      static_cast<FirstOutput*>(data)->period_ns_ = kMillihertzPeriodsNs / refresh_mhz;
    },
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

std::optional<std::int64_t> FirstOutput::PeriodNs() {
  auto events = WaylandEvents::Start(display_, [] {});
  if (!events.ok()) return std::nullopt;
  events_ = *std::move(events);
  wl_display* const display = events_->StandIn(events_->display());
  if (display == nullptr) return std::nullopt;
  {
    const MutexLock lock(events_->mutex());
    registry_ = wl_display_get_registry(display);
    if (registry_ != nullptr) wl_registry_add_listener(registry_, &kRegistry, this);
  }
  WaylandEvents::ReleaseStandIn(display);
  // The first answer names the output, the second one reports its mode.
  for (int answer = 0; answer < 2; ++answer) {
    if (!events_->RoundTrip().ok()) return std::nullopt;
  }
  const MutexLock lock(events_->mutex());
  return period_ns_;
}

FirstOutput::~FirstOutput() {
  if (events_ != nullptr) {
    events_->Stop();
    const MutexLock lock(events_->mutex());
    if (output_ != nullptr) wl_output_destroy(output_);
    if (registry_ != nullptr) wl_registry_destroy(registry_);
  }
  events_.reset();
  Wayland().display_disconnect(display_);
}

}  // namespace

std::optional<std::int64_t> RefreshPeriodNs(wl_display* program) {
  wl_display* const display = ConnectToPeerOf(Wayland().display_get_fd(program));
  return display == nullptr ? std::nullopt : FirstOutput(display).PeriodNs();
}

}  // namespace tandem::outputs
