#include "outputs/testing/compositor_lease.h"

#include <fcntl.h>
#include <unistd.h>

#include "protocols/built.h"
#ifdef TANDEM_WAYLAND_DRM_LEASE
#include "protocols/drm-lease-server.h"
#endif

namespace tandem::outputs::testing {

#ifdef TANDEM_WAYLAND_DRM_LEASE

namespace {

void Destroy(wl_client*, wl_resource* self) { wl_resource_destroy(self); }

const LeaseManners& MannersOf(wl_resource* resource) {
  return *static_cast<const LeaseManners*>(wl_resource_get_user_data(resource));
}

wl_resource* Create(wl_client* client, const wl_interface& kind, std::uint32_t id, const void* functions, wl_resource* parent) {
  wl_resource* const made = wl_resource_create(client, &kind, 1, id);
  wl_resource_set_implementation(made, functions, wl_resource_get_user_data(parent), nullptr);
  return made;
}

const struct wp_drm_lease_connector_v1_interface kConnector = {.destroy = &Destroy};
const struct wp_drm_lease_v1_interface kLease = {.destroy = &Destroy};

const struct wp_drm_lease_request_v1_interface kRequest = {
    .request_connector = [](wl_client*, wl_resource*, wl_resource*) {},
    .submit =
        [](wl_client* client, wl_resource* self, std::uint32_t id) {
          wl_resource* const lease = Create(client, wp_drm_lease_v1_interface, id, &kLease, self);
          const int leased = MannersOf(self).lend();
          wl_resource_destroy(self);
          if (leased < 0) return wp_drm_lease_v1_send_finished(lease);
          wp_drm_lease_v1_send_lease_fd(lease, leased);
          close(leased);
        },
};

const struct wp_drm_lease_device_v1_interface kDevice = {
    .create_lease_request = [](wl_client* client, wl_resource* self,
                               std::uint32_t id) { Create(client, wp_drm_lease_request_v1_interface, id, &kRequest, self); },
    .release =
        [](wl_client*, wl_resource* self) {
          wp_drm_lease_device_v1_send_released(self);
          wl_resource_destroy(self);
        },
};

void Bind(wl_client* client, void* data, std::uint32_t /*version*/, std::uint32_t id) {
  const auto& manners = *static_cast<const LeaseManners*>(data);
  wl_resource* const device = wl_resource_create(client, &wp_drm_lease_device_v1_interface, 1, id);
  wl_resource_set_implementation(device, &kDevice, data, nullptr);
  const int node = open(manners.node.c_str(), O_RDWR | O_CLOEXEC);
  wp_drm_lease_device_v1_send_drm_fd(device, node);
  close(node);
  wl_resource* const connector = Create(client, wp_drm_lease_connector_v1_interface, 0, &kConnector, device);
  wp_drm_lease_device_v1_send_connector(device, connector);
  wp_drm_lease_connector_v1_send_name(connector, "HMD-1");
  wp_drm_lease_connector_v1_send_connector_id(connector, manners.connector);
  wp_drm_lease_connector_v1_send_done(connector);
  if (manners.done) wp_drm_lease_device_v1_send_done(device);
}

}  // namespace

void AddLeaseGlobal(wl_display* display, const LeaseManners& manners) {
  wl_global_create(display, &wp_drm_lease_device_v1_interface, 1, const_cast<LeaseManners*>(&manners), &Bind);
}

#else

void AddLeaseGlobal(wl_display* /*display*/, const LeaseManners& /*manners*/) {}

#endif

}  // namespace tandem::outputs::testing
