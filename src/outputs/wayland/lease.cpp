#include "outputs/wayland/lease.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "outputs/wayland/client.h"
#include "outputs/wayland/events.h"

namespace tandem::outputs {

#ifdef TANDEM_WAYLAND_DRM_LEASE

namespace {

constexpr std::int64_t kAnswerNs = 10'000'000'000;
constexpr std::size_t kMostDevices = 64;
constexpr std::size_t kMostConnectors = 256;

struct Offer;

// A card of which the compositor lends connectors.
struct Lender {
  wp_drm_lease_device_v1* proxy = nullptr;
  dev_t card = 0;
  bool done = false;
  std::vector<std::unique_ptr<Offer>> offers;
};

struct Offer {
  wp_drm_lease_connector_v1* proxy = nullptr;
  std::uint32_t connector_id = 0;
  bool withdrawn = false;
};

class Lease final : public WaylandLease {
 public:
  explicit Lease(wl_display* display) : display_(display) {}
  ~Lease() override;
  Result<void> FindLenders();
  Result<void> Request(dev_t card, std::uint32_t connector_id);
  UniqueFd TakeCard() override { return std::move(card_); }

 private:
  void OnGlobal(wl_registry* registry, std::uint32_t name, const char* interface);
  [[nodiscard]] bool IsDone() const {
    return std::ranges::all_of(lenders_, [](const auto& lender) { return lender->done; });
  }
  static const wl_registry_listener kRegistry;
  static const wp_drm_lease_device_v1_listener kDevice;
  static const wp_drm_lease_connector_v1_listener kConnector;
  static const wp_drm_lease_v1_listener kLease;

  wl_display* const display_;
  std::unique_ptr<WaylandEvents> events_;
  wl_registry* registry_ = nullptr;
  std::vector<std::unique_ptr<Lender>> lenders_;
  wp_drm_lease_v1* lease_ = nullptr;
  UniqueFd card_;
  bool refused_ = false;
};

const wl_registry_listener Lease::kRegistry{
    [](void* data, wl_registry* registry, std::uint32_t name, const char* interface, std::uint32_t) {
      static_cast<Lease*>(data)->OnGlobal(registry, name, interface);
    },
    [](void*, wl_registry*, std::uint32_t) {},
};

const wp_drm_lease_device_v1_listener Lease::kDevice{
    [](void* data, wp_drm_lease_device_v1*, std::int32_t fd) {
      const UniqueFd node(fd);
      struct stat status {};
      if (fstat(node.get(), &status) == 0 && S_ISCHR(status.st_mode)) static_cast<Lender*>(data)->card = status.st_rdev;
    },
    [](void* data, wp_drm_lease_device_v1*, wp_drm_lease_connector_v1* connector) {
      auto& offers = static_cast<Lender*>(data)->offers;
      if (offers.size() == kMostConnectors) return wp_drm_lease_connector_v1_destroy(connector);
      offers.push_back(std::make_unique<Offer>());
      offers.back()->proxy = connector;
      wp_drm_lease_connector_v1_add_listener(connector, &kConnector, offers.back().get());
    },
    [](void* data, wp_drm_lease_device_v1*) { static_cast<Lender*>(data)->done = true; },
    [](void*, wp_drm_lease_device_v1*) {},
};

const wp_drm_lease_connector_v1_listener Lease::kConnector{
    [](void*, wp_drm_lease_connector_v1*, const char*) {},
    [](void*, wp_drm_lease_connector_v1*, const char*) {},
    [](void* data, wp_drm_lease_connector_v1*, std::uint32_t id) { static_cast<Offer*>(data)->connector_id = id; },
    [](void*, wp_drm_lease_connector_v1*) {},
    [](void* data, wp_drm_lease_connector_v1*) { static_cast<Offer*>(data)->withdrawn = true; },
};

const wp_drm_lease_v1_listener Lease::kLease{
    [](void* data, wp_drm_lease_v1*, std::int32_t fd) { static_cast<Lease*>(data)->card_ = UniqueFd(fd); },
    [](void* data, wp_drm_lease_v1*) { static_cast<Lease*>(data)->refused_ = true; },
};

void Lease::OnGlobal(wl_registry* registry, std::uint32_t name, const char* interface) {
  const std::string_view kind = interface;
  if (kind != wp_drm_lease_device_v1_interface.name || lenders_.size() == kMostDevices) return;
  void* const bound = wl_registry_bind(registry, name, &wp_drm_lease_device_v1_interface, 1);
  if (bound == nullptr) return;
  lenders_.push_back(std::make_unique<Lender>());
  lenders_.back()->proxy = static_cast<wp_drm_lease_device_v1*>(bound);
  wp_drm_lease_device_v1_add_listener(lenders_.back()->proxy, &kDevice, lenders_.back().get());
}

Result<void> Lease::FindLenders() {
  auto events = WaylandEvents::Start(display_, [] {});
  if (!events.ok()) return std::move(events).error();
  events_ = *std::move(events);
  wl_display* const display = events_->StandIn(events_->display());
  if (display == nullptr) return Fail(ErrorKind::kOutOfMemory, "There is no memory for a Wayland request.");
  {
    const MutexLock lock(events_->mutex());
    registry_ = wl_display_get_registry(display);
    if (registry_ != nullptr) wl_registry_add_listener(registry_, &kRegistry, this);
  }
  WaylandEvents::ReleaseStandIn(display);
  if (auto answered = events_->RoundTrip(); !answered.ok()) return answered;
  if (auto sent = events_->Flush(); !sent.ok()) return sent;  // what the answer had bound
  MutexLock lock(events_->mutex());
  if (lenders_.empty())
    return Fail(ErrorKind::kUnsupported, "The Wayland compositor lends no displays (wp_drm_lease_device_v1).");
  if (!events_->WaitFor(lock, kAnswerNs, [this] { return IsDone(); })) {
    return Fail(ErrorKind::kSurfaceLost, "The Wayland compositor does not tell within 10 s which displays it lends.");
  }
  return {};
}

Result<void> Lease::Request(dev_t card, std::uint32_t connector_id) {
  MutexLock lock(events_->mutex());
  const auto is_card = [card](const auto& lender) { return lender->card == card; };
  const auto lender = std::ranges::find_if(lenders_, is_card);
  const Offer* offer = nullptr;
  if (lender != lenders_.end()) {
    for (const auto& one : (*lender)->offers) {
      if (one->connector_id == connector_id && !one->withdrawn) offer = one.get();
    }
  }
  if (offer == nullptr) {
    return Fail(ErrorKind::kNotFound, "The Wayland compositor does not lend connector {}. Most lend headsets alone.",
                connector_id);
  }
  wp_drm_lease_request_v1* const request = wp_drm_lease_device_v1_create_lease_request((*lender)->proxy);
  if (request == nullptr) return Fail(ErrorKind::kOutOfMemory, "There is no memory for a Wayland request.");
  wp_drm_lease_request_v1_request_connector(request, offer->proxy);
  lease_ = wp_drm_lease_request_v1_submit(request);
  if (lease_ == nullptr) return Fail(ErrorKind::kOutOfMemory, "There is no memory for a Wayland request.");
  wp_drm_lease_v1_add_listener(lease_, &kLease, this);
  lock.Unlock();
  if (auto sent = events_->Flush(); !sent.ok()) return sent;
  lock.Lock();
  const bool answered = events_->WaitFor(lock, kAnswerNs, [this] { return card_.valid() || refused_; });
  if (!answered) return Fail(ErrorKind::kSurfaceLost, "The Wayland compositor does not answer within 10 s.");
  if (!card_.valid()) return Fail(ErrorKind::kIo, "The Wayland compositor refuses to lend connector {}.", connector_id);
  return {};
}

Lease::~Lease() {
  if (events_ != nullptr) {
    events_->Stop();
    const MutexLock lock(events_->mutex());
    // wp_drm_lease_device_v1 is destroyed without its release, whose answer would come after the connection.
    if (lease_ != nullptr) wp_drm_lease_v1_destroy(lease_);
    for (const auto& lender : lenders_) {
      for (const auto& offer : lender->offers) wp_drm_lease_connector_v1_destroy(offer->proxy);
      wp_drm_lease_device_v1_destroy(lender->proxy);
    }
    if (registry_ != nullptr) wl_registry_destroy(registry_);
  }
  events_.reset();
  static_cast<void>(Wayland().display_flush(display_));
  Wayland().display_disconnect(display_);
}

}  // namespace

Result<std::unique_ptr<WaylandLease>> WaylandLease::Take(dev_t card, std::uint32_t connector_id) {
  if (auto loaded = LoadWaylandClient(); !loaded.ok()) return std::move(loaded).error();
  // libwayland would take the program's own connection.
  if (std::getenv("WAYLAND_SOCKET") != nullptr) {
    return Fail(ErrorKind::kUnsupported, "$WAYLAND_SOCKET is the program's connection, by which nothing can be borrowed.");
  }
  wl_display* const display = Wayland().display_connect(nullptr);
  if (display == nullptr) return Fail(ErrorKind::kSurfaceLost, "No Wayland compositor answers on $WAYLAND_DISPLAY.");
  auto lease = std::make_unique<Lease>(display);
  if (auto found = lease->FindLenders(); !found.ok()) return std::move(found).error();
  if (auto requested = lease->Request(card, connector_id); !requested.ok()) return std::move(requested).error();
  return std::unique_ptr<WaylandLease>(std::move(lease));
}

#else

Result<std::unique_ptr<WaylandLease>> WaylandLease::Take(dev_t /*card*/, std::uint32_t /*connector_id*/) {
  return Fail(ErrorKind::kUnsupported,
              "This build borrows no displays from Wayland compositors: wayland-protocols lacked drm-lease.");
}

#endif

}  // namespace tandem::outputs
