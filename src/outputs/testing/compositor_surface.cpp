#include "outputs/testing/compositor_surface.h"

#include <cstdint>
#include <cstring>
#include <utility>

namespace tandem::outputs::testing {
namespace {

struct BufferWatch {
  wl_listener destroyed;
  CompositorSurface::Host* host;
};

void OnBufferDestroyed(wl_listener* listener, void* buffer) {
  const auto* watch = reinterpret_cast<BufferWatch*>(listener);
  for (CompositorSurface* surface : watch->host->surfaces()) {
    if (surface->current == buffer) surface->current = nullptr;
    if (surface->attached == buffer) surface->attached = nullptr;
    if (surface->on_screen == buffer) surface->on_screen = nullptr;
  }
  delete watch;
}

void WatchBuffer(CompositorSurface::Host& host, wl_resource* buffer) {
  if (wl_resource_get_destroy_listener(buffer, &OnBufferDestroyed) != nullptr) return;
  auto* watch = new BufferWatch{{{}, &OnBufferDestroyed}, &host};
  wl_resource_add_destroy_listener(buffer, &watch->destroyed);
}

void AddSurface(CompositorSurface::Host& host, wl_client* client, std::uint32_t version, std::uint32_t id);

CompositorSurface& StateOf(wl_resource* surface) { return CompositorSurface::Of(surface); }

// An object that is answered after the surface's next commit.
template <CompositorSurface::Answers CompositorSurface::*kAnswers>
void AddAnswer(wl_client* client, const wl_interface& type, std::uint32_t id, CompositorSurface& surface) {
  wl_resource* answer = wl_resource_create(client, &type, 1, id);
  (surface.*kAnswers).pending.push_back(answer);
  wl_resource_set_implementation(answer, nullptr, &surface, [](wl_resource* gone) {
    std::erase((StateOf(gone).*kAnswers).pending, gone);
    std::erase((StateOf(gone).*kAnswers).due, gone);
  });
}

void DestroyResource(wl_client*, wl_resource* resource) { wl_resource_destroy(resource); }

// A client hears of the output that its surface is on by each wl_output that it has.
wl_iterator_result Enter(wl_resource* resource, void* surface) {
  if (std::strcmp(wl_resource_get_class(resource), "wl_output") == 0) {
    wl_surface_send_enter(static_cast<wl_resource*>(surface), resource);
  }
  return WL_ITERATOR_CONTINUE;
}

// Interfaces in the order of the protocol; requests that change nothing here do nothing.
const struct wl_surface_interface kSurface = {
    .destroy = &DestroyResource,
    .attach =
        [](wl_client*, wl_resource* self, wl_resource* buffer, std::int32_t, std::int32_t) {
          StateOf(self).attached = buffer;
          StateOf(self).attaches = true;
          if (buffer != nullptr) WatchBuffer(*StateOf(self).host, buffer);
        },
    .damage = [](wl_client*, wl_resource*, std::int32_t, std::int32_t, std::int32_t, std::int32_t) {},
    .frame = [](wl_client* client, wl_resource* self,
                std::uint32_t id) { AddAnswer<&CompositorSurface::callbacks>(client, wl_callback_interface, id, StateOf(self)); },
    .set_opaque_region = [](wl_client*, wl_resource*, wl_resource*) {},
    .set_input_region = [](wl_client*, wl_resource*, wl_resource*) {},
    .commit =
        [](wl_client* client, wl_resource* self) {
          StateOf(self).host->Commit(StateOf(self));
          wl_client_for_each_resource(client, &Enter, self);
        },
    .set_buffer_transform = [](wl_client*, wl_resource*, std::int32_t) {},
    .set_buffer_scale = [](wl_client*, wl_resource*, std::int32_t) {},
    .damage_buffer = [](wl_client*, wl_resource*, std::int32_t, std::int32_t, std::int32_t, std::int32_t) {},
    .offset = [](wl_client*, wl_resource*, std::int32_t, std::int32_t) {},
};

const struct wl_region_interface kRegion = {
    .destroy = &DestroyResource,
    .add = [](wl_client*, wl_resource*, std::int32_t, std::int32_t, std::int32_t, std::int32_t) {},
    .subtract = [](wl_client*, wl_resource*, std::int32_t, std::int32_t, std::int32_t, std::int32_t) {},
};

const struct wl_compositor_interface kCompositor = {
    .create_surface =
        [](wl_client* client, wl_resource* self, std::uint32_t id) {
          AddSurface(*static_cast<CompositorSurface::Host*>(wl_resource_get_user_data(self)), client,
                     static_cast<std::uint32_t>(wl_resource_get_version(self)), id);
        },
    .create_region =
        [](wl_client* client, wl_resource*, std::uint32_t id) {
          wl_resource_set_implementation(wl_resource_create(client, &wl_region_interface, 1, id), &kRegion, nullptr, nullptr);
        },
};

const struct wp_presentation_interface kPresentation = {
    .destroy = &DestroyResource,
    .feedback =
        [](wl_client* client, wl_resource*, wl_resource* surface, std::uint32_t id) {
          AddAnswer<&CompositorSurface::feedbacks>(client, wp_presentation_feedback_interface, id, StateOf(surface));
        },
};

void BindPresentation(wl_client* client, void* data, std::uint32_t version, std::uint32_t id) {
  wl_resource* presentation = wl_resource_create(client, &wp_presentation_interface, static_cast<int>(version), id);
  wl_resource_set_implementation(presentation, &kPresentation, data, nullptr);
  auto* host = static_cast<CompositorSurface::Host*>(data);
  wp_presentation_send_clock_id(presentation, static_cast<std::uint32_t>(host->clock()));
}

void AddSurface(CompositorSurface::Host& host, wl_client* client, std::uint32_t version, std::uint32_t id) {
  wl_resource* surface = wl_resource_create(client, &wl_surface_interface, static_cast<int>(version), id);
  auto* state = new CompositorSurface;
  state->host = &host;
  host.surfaces().push_back(state);
  wl_resource_set_implementation(surface, &kSurface, state, [](wl_resource* self) {
    CompositorSurface* gone = &StateOf(self);
    for (auto* answers : {&gone->callbacks, &gone->feedbacks}) {
      for (auto* list : {&answers->pending, &answers->due}) {
        for (wl_resource* each : std::exchange(*list, {})) wl_resource_set_destructor(each, nullptr);
      }
    }
    std::erase(gone->host->surfaces(), gone);
    delete gone;
  });
}

}  // namespace

void AddSurfaceGlobals(wl_display* display, CompositorSurface::Host& host, bool presentation) {
  wl_global_create(display, &wl_compositor_interface, 5, &host, &BindGlobal<&wl_compositor_interface, &kCompositor>);
  if (!presentation) return;
  wl_global_create(display, &wp_presentation_interface, 1, &host, &BindPresentation);
}

}  // namespace tandem::outputs::testing
