#include "outputs/testing/compositor_extras.h"

#include "outputs/testing/compositor_surface.h"
#include "protocols/built.h"
#include "protocols/fractional-scale-server.h"
#include "protocols/tearing-control-server.h"
#include "protocols/viewporter-server.h"
#ifdef TANDEM_WAYLAND_FIFO
#include "protocols/fifo-server.h"
#endif

namespace tandem::outputs::testing {
namespace {

constexpr std::uint32_t kPreferredScale = 180;  // 1.5, in 120ths

// An object that a surface has one of. Its user data is the surface's resource, null after that one was destroyed.
struct Extra {
  const wl_interface* interface;
  const void* functions;
  bool CompositorSurface::*taken;
  std::uint32_t exists_error;
};

struct ExtraState {
  wl_listener surface_gone;
  wl_resource* surface;
  const Extra* kind;
};

ExtraState& StateOfExtra(wl_resource* extra) { return *static_cast<ExtraState*>(wl_resource_get_user_data(extra)); }

CompositorSurface* SurfaceOf(wl_resource* extra) {
  wl_resource* surface = StateOfExtra(extra).surface;
  return surface == nullptr ? nullptr : &CompositorSurface::Of(surface);
}

void AddExtra(const Extra& kind, wl_client* client, wl_resource* manager, wl_resource* surface, std::uint32_t id) {
  bool& taken = CompositorSurface::Of(surface).*kind.taken;
  if (taken) return wl_resource_post_error(manager, kind.exists_error, "the surface has one");
  taken = true;
  wl_resource* extra = wl_resource_create(client, kind.interface, 1, id);
  const auto forget = [](wl_listener* listener, void*) { reinterpret_cast<ExtraState*>(listener)->surface = nullptr; };
  auto* state = new ExtraState{{{}, forget}, surface, &kind};
  wl_resource_add_destroy_listener(surface, &state->surface_gone);
  wl_resource_set_implementation(extra, kind.functions, state, [](wl_resource* gone) {
    ExtraState* before = &StateOfExtra(gone);
    if (CompositorSurface* of = SurfaceOf(gone)) {
      of->*before->kind->taken = false;
      wl_list_remove(&before->surface_gone.link);
    }
    delete before;
  });
}

void DestroyExtra(wl_client*, wl_resource* resource) { wl_resource_destroy(resource); }

const struct wp_tearing_control_v1_interface kTearingControl = {
    .set_presentation_hint =
        [](wl_client*, wl_resource* self, std::uint32_t hint) {
          if (auto* surface = SurfaceOf(self)) surface->pending.tears = hint == WP_TEARING_CONTROL_V1_PRESENTATION_HINT_ASYNC;
        },
    .destroy =
        [](wl_client*, wl_resource* self) {
          if (auto* surface = SurfaceOf(self)) surface->pending.tears = false;
          wl_resource_destroy(self);
        },
};
const Extra kTearing{&wp_tearing_control_v1_interface, &kTearingControl, &CompositorSurface::has_tearing_control,
                     WP_TEARING_CONTROL_MANAGER_V1_ERROR_TEARING_CONTROL_EXISTS};
const struct wp_tearing_control_manager_v1_interface kTearingManager = {
    .destroy = &DestroyExtra,
    .get_tearing_control = [](wl_client* client, wl_resource* self, std::uint32_t id,
                              wl_resource* surface) { AddExtra(kTearing, client, self, surface, id); },
};

const struct wp_viewport_interface kViewportFunctions = {
    .destroy =
        [](wl_client*, wl_resource* self) {
          if (auto* surface = SurfaceOf(self)) surface->pending.width = surface->pending.height = 0;
          wl_resource_destroy(self);
        },
    .set_source = [](wl_client*, wl_resource*, wl_fixed_t, wl_fixed_t, wl_fixed_t, wl_fixed_t) {},
    .set_destination =
        [](wl_client*, wl_resource* self, std::int32_t width, std::int32_t height) {
          if (auto* surface = SurfaceOf(self)) {
            surface->pending.width = width;
            surface->pending.height = height;
          }
        },
};
const Extra kViewport{&wp_viewport_interface, &kViewportFunctions, &CompositorSurface::has_viewport,
                      WP_VIEWPORTER_ERROR_VIEWPORT_EXISTS};
const struct wp_viewporter_interface kViewporter = {
    .destroy = &DestroyExtra,
    .get_viewport = [](wl_client* client, wl_resource* self, std::uint32_t id,
                       wl_resource* surface) { AddExtra(kViewport, client, self, surface, id); },
};

const struct wp_fractional_scale_v1_interface kScaleFunctions = {.destroy = &DestroyExtra};
const Extra kScale{&wp_fractional_scale_v1_interface, &kScaleFunctions, &CompositorSurface::has_scale,
                   WP_FRACTIONAL_SCALE_MANAGER_V1_ERROR_FRACTIONAL_SCALE_EXISTS};
const struct wp_fractional_scale_manager_v1_interface kScaleManager = {
    .destroy = &DestroyExtra,
    .get_fractional_scale =
        [](wl_client* client, wl_resource* self, std::uint32_t id, wl_resource* surface) {
          AddExtra(kScale, client, self, surface, id);
          if (wl_resource* scale = wl_client_get_object(client, id))
            wp_fractional_scale_v1_send_preferred_scale(scale, kPreferredScale);
        },
};

#ifdef TANDEM_WAYLAND_FIFO
const struct wp_fifo_v1_interface kFifoFunctions = {
    .set_barrier = [](wl_client*, wl_resource*) {},
    .wait_barrier = [](wl_client*, wl_resource*) {},
    .destroy = &DestroyExtra,
};
const Extra kFifo{&wp_fifo_v1_interface, &kFifoFunctions, &CompositorSurface::has_fifo, WP_FIFO_MANAGER_V1_ERROR_ALREADY_EXISTS};
const struct wp_fifo_manager_v1_interface kFifoManager = {
    .destroy = &DestroyExtra,
    .get_fifo = [](wl_client* client, wl_resource* self, std::uint32_t id,
                   wl_resource* surface) { AddExtra(kFifo, client, self, surface, id); },
};
#endif

}  // namespace

void AddTearingGlobal(wl_display* display) {
  wl_global_create(display, &wp_tearing_control_manager_v1_interface, 1, nullptr,
                   &BindGlobal<&wp_tearing_control_manager_v1_interface, &kTearingManager>);
}

void AddFifoGlobal([[maybe_unused]] wl_display* display) {
#ifdef TANDEM_WAYLAND_FIFO
  wl_global_create(display, &wp_fifo_manager_v1_interface, 1, nullptr, &BindGlobal<&wp_fifo_manager_v1_interface, &kFifoManager>);
#endif
}

void AddScaleGlobals(wl_display* display) {
  wl_global_create(display, &wp_viewporter_interface, 1, nullptr, &BindGlobal<&wp_viewporter_interface, &kViewporter>);
  wl_global_create(display, &wp_fractional_scale_manager_v1_interface, 1, nullptr,
                   &BindGlobal<&wp_fractional_scale_manager_v1_interface, &kScaleManager>);
}

}  // namespace tandem::outputs::testing
