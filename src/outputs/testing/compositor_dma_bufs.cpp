#include "outputs/testing/compositor_dma_bufs.h"

#include <memory>
#include <utility>

#include "base/unique_fd.h"
#include "outputs/testing/compositor_surface.h"
#include "protocols/linux-dmabuf-unstable-v1-server.h"

namespace tandem::outputs::testing {
namespace {

constexpr std::uint32_t kXrgb8888 = 0x34325258;

struct Params {
  std::atomic<bool>* refuses = nullptr;
  UniqueFd fd;
  std::uint32_t pitch = 0;
};

void DestroyResource(wl_client*, wl_resource* resource) { wl_resource_destroy(resource); }

const struct wl_buffer_interface kBuffer = {.destroy = &DestroyResource};

Params& ParamsOf(wl_resource* resource) { return *static_cast<Params*>(wl_resource_get_user_data(resource)); }

void Create(wl_client* client, wl_resource* self, std::int32_t width, std::int32_t height, std::uint32_t format, std::uint32_t) {
  Params& params = ParamsOf(self);
  auto buffer = std::make_unique<MappedDmaBuf>();
  buffer->width = static_cast<std::uint32_t>(width);
  buffer->height = static_cast<std::uint32_t>(height);
  buffer->pitch = params.pitch;
  buffer->format = format;
  const auto bytes = RoundUpToPages(std::size_t{buffer->pitch} * buffer->height);
  auto pages = bytes.ok() ? MemoryMap::MapShared(params.fd, 0, *bytes, MapAccess::kReadOnly) : bytes.error();
  if (*params.refuses || format != kXrgb8888 || !pages.ok()) return zwp_linux_buffer_params_v1_send_failed(self);
  buffer->pages = *std::move(pages);
  wl_resource* resource = wl_resource_create(client, &wl_buffer_interface, 1, 0);
  wl_resource_set_implementation(resource, &kBuffer, buffer.release(), [](wl_resource* gone) { delete DmaBufOf(gone); });
  zwp_linux_buffer_params_v1_send_created(self, resource);
}

const struct zwp_linux_buffer_params_v1_interface kParams = {
    .destroy = &DestroyResource,
    .add =
        [](wl_client*, wl_resource* self, std::int32_t fd, std::uint32_t, std::uint32_t, std::uint32_t stride, std::uint32_t,
           std::uint32_t) {
          ParamsOf(self).fd = UniqueFd(fd);
          ParamsOf(self).pitch = stride;
        },
    .create = &Create,
    // A client that uses this form takes a refusal for the end of its connection.
    .create_immed =
        [](wl_client*, wl_resource* self, std::uint32_t, std::int32_t, std::int32_t, std::uint32_t, std::uint32_t) {
          wl_resource_post_error(self, ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INVALID_WL_BUFFER, "not asked for");
        },
};

const struct zwp_linux_dmabuf_v1_interface kDmaBuf = {
    .destroy = &DestroyResource,
    .create_params =
        [](wl_client* client, wl_resource* self, std::uint32_t id) {
          wl_resource* params = wl_resource_create(client, &zwp_linux_buffer_params_v1_interface, 3, id);
          auto* state = new Params;
          state->refuses = static_cast<std::atomic<bool>*>(wl_resource_get_user_data(self));
          wl_resource_set_implementation(params, &kParams, state, [](wl_resource* gone) { delete &ParamsOf(gone); });
        },
    .get_default_feedback = [](wl_client*, wl_resource*, std::uint32_t) {},
    .get_surface_feedback = [](wl_client*, wl_resource*, std::uint32_t, wl_resource*) {},
};

}  // namespace

void AddDmaBufGlobal(wl_display* display, std::atomic<bool>& refuses) {
  wl_global_create(display, &zwp_linux_dmabuf_v1_interface, 3, &refuses,
                   [](wl_client* client, void* data, std::uint32_t version, std::uint32_t id) {
                     wl_resource* dmabuf =
                         wl_resource_create(client, &zwp_linux_dmabuf_v1_interface, static_cast<int>(version), id);
                     wl_resource_set_implementation(dmabuf, &kDmaBuf, data, nullptr);
                     zwp_linux_dmabuf_v1_send_format(dmabuf, kXrgb8888);
                     if (version >= 3) zwp_linux_dmabuf_v1_send_modifier(dmabuf, kXrgb8888, 0, 0);
                   });
}

const MappedDmaBuf* DmaBufOf(wl_resource* buffer) {
  if (wl_resource_instance_of(buffer, &wl_buffer_interface, &kBuffer) == 0) return nullptr;
  return static_cast<const MappedDmaBuf*>(wl_resource_get_user_data(buffer));
}

}  // namespace tandem::outputs::testing
