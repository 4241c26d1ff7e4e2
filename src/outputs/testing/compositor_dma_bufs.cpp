#include "outputs/testing/compositor_dma_bufs.h"

#include <memory>
#include <utility>

#include "base/unique_fd.h"
#include "outputs/testing/compositor_feedback.h"
#include "outputs/testing/compositor_surface.h"
#include "protocols/linux-dmabuf-server.h"

namespace tandem::outputs::testing {
namespace {

constexpr std::uint32_t kXrgb8888 = 0x34325258;

struct Params {
  const CompositorDmaBufs* host = nullptr;
  UniqueFd fd;
  std::uint32_t pitch = 0;
  std::uint32_t offset = 0;  // bytes
  std::uint64_t modifier = 0;
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
  buffer->offset = params.offset;
  buffer->modifier = params.modifier;
  const auto bytes = RoundUpToPages(params.offset + std::size_t{buffer->pitch} * buffer->height);
  auto pages = bytes.ok() ? MemoryMap::MapShared(params.fd, 0, *bytes, MapAccess::kReadOnly) : bytes.error();
  const bool reads = format == kXrgb8888 && params.modifier == params.host->modifier() && pages.ok();
  if (params.host->refuses || !reads) return zwp_linux_buffer_params_v1_send_failed(self);
  buffer->pages = *std::move(pages);
  wl_resource* resource = wl_resource_create(client, &wl_buffer_interface, 1, 0);
  wl_resource_set_implementation(resource, &kBuffer, buffer.release(), [](wl_resource* gone) { delete DmaBufOf(gone); });
  zwp_linux_buffer_params_v1_send_created(self, resource);
}

const struct zwp_linux_buffer_params_v1_interface kParams = {
    .destroy = &DestroyResource,
    .add =
        [](wl_client*, wl_resource* self, std::int32_t fd, std::uint32_t, std::uint32_t offset, std::uint32_t stride,
           std::uint32_t modifier_high, std::uint32_t modifier_low) {
          Params& params = ParamsOf(self);
          params.fd = UniqueFd(fd);
          params.pitch = stride;
          params.offset = offset;
          params.modifier = std::uint64_t{modifier_high} << 32 | modifier_low;
        },
    .create = &Create,
    // A client that uses this form takes a refusal for the end of its connection.
    .create_immed =
        [](wl_client*, wl_resource* self, std::uint32_t, std::int32_t, std::int32_t, std::uint32_t, std::uint32_t) {
          wl_resource_post_error(self, ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INVALID_WL_BUFFER, "not asked for");
        },
};

const CompositorDmaBufs& HostOf(wl_resource* dmabuf) {
  return *static_cast<const CompositorDmaBufs*>(wl_resource_get_user_data(dmabuf));
}

const struct zwp_linux_dmabuf_feedback_v1_interface kFeedback = {.destroy = &DestroyResource};

void AddFeedback(wl_client* client, wl_resource* dmabuf, std::uint32_t id) {
  wl_resource* feedback =
      wl_resource_create(client, &zwp_linux_dmabuf_feedback_v1_interface, wl_resource_get_version(dmabuf), id);
  wl_resource_set_implementation(feedback, &kFeedback, nullptr, nullptr);
  SendFeedback(feedback, HostOf(dmabuf).modifier(), HostOf(dmabuf).manners.feedback_fault);
}

const struct zwp_linux_dmabuf_v1_interface kDmaBuf = {
    .destroy = &DestroyResource,
    .create_params =
        [](wl_client* client, wl_resource* self, std::uint32_t id) {
          wl_resource* params =
              wl_resource_create(client, &zwp_linux_buffer_params_v1_interface, wl_resource_get_version(self), id);
          auto* state = new Params;
          state->host = &HostOf(self);
          wl_resource_set_implementation(params, &kParams, state, [](wl_resource* gone) { delete &ParamsOf(gone); });
        },
    .get_default_feedback = &AddFeedback,
    .get_surface_feedback = [](wl_client* client, wl_resource* self, std::uint32_t id,
                               wl_resource*) { AddFeedback(client, self, id); },
};

}  // namespace

void CompositorDmaBufs::AddGlobal(wl_display* display) {
  wl_global_create(display, &zwp_linux_dmabuf_v1_interface, manners.dma_buf_version, this,
                   [](wl_client* client, void* data, std::uint32_t version, std::uint32_t id) {
                     BindGlobal<&zwp_linux_dmabuf_v1_interface, &kDmaBuf>(client, data, version, id);
                     if (version >= ZWP_LINUX_DMABUF_V1_GET_DEFAULT_FEEDBACK_SINCE_VERSION) return;
                     wl_resource* dmabuf = wl_client_get_object(client, id);
                     const std::uint64_t modifier = static_cast<CompositorDmaBufs*>(data)->modifier();
                     zwp_linux_dmabuf_v1_send_format(dmabuf, kXrgb8888);
                     zwp_linux_dmabuf_v1_send_modifier(dmabuf, kXrgb8888, static_cast<std::uint32_t>(modifier >> 32),
                                                       static_cast<std::uint32_t>(modifier));
                   });
}

const MappedDmaBuf* DmaBufOf(wl_resource* buffer) {
  if (wl_resource_instance_of(buffer, &wl_buffer_interface, &kBuffer) == 0) return nullptr;
  return static_cast<const MappedDmaBuf*>(wl_resource_get_user_data(buffer));
}

}  // namespace tandem::outputs::testing
