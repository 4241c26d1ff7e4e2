// The functions of libvirglrenderer.so.1, which is loaded with the first driver that uses 3D.
#pragma once

#include <virglrenderer.h>

#include "base/result.h"

namespace tandem::bus {

struct VirglLibrary {
  decltype(&virgl_renderer_init) init = nullptr;
  decltype(&virgl_renderer_cleanup) cleanup = nullptr;
  decltype(&virgl_set_debug_callback) set_debug_callback = nullptr;
  decltype(&virgl_renderer_get_cap_set) get_cap_set = nullptr;
  decltype(&virgl_renderer_fill_caps) fill_caps = nullptr;
  decltype(&virgl_renderer_context_create) context_create = nullptr;
  decltype(&virgl_renderer_context_destroy) context_destroy = nullptr;
  decltype(&virgl_renderer_ctx_attach_resource) ctx_attach_resource = nullptr;
  decltype(&virgl_renderer_ctx_detach_resource) ctx_detach_resource = nullptr;
  decltype(&virgl_renderer_submit_cmd) submit_cmd = nullptr;
  decltype(&virgl_renderer_resource_create) resource_create = nullptr;
  decltype(&virgl_renderer_resource_unref) resource_unref = nullptr;
  decltype(&virgl_renderer_transfer_write_iov) transfer_write_iov = nullptr;
  decltype(&virgl_renderer_transfer_read_iov) transfer_read_iov = nullptr;
  decltype(&virgl_renderer_create_fence) create_fence = nullptr;
  decltype(&virgl_renderer_poll) poll = nullptr;
};

// True if a file of that name is in a folder that dlopen() searches without its cache. Nothing is loaded.
[[nodiscard]] bool VirglIsInstalled();

// Loads the library once for the process. kUnsupported: it, EGL, OpenGL or a function is missing. Any thread.
[[nodiscard]] Result<VirglLibrary> LoadVirgl();

}  // namespace tandem::bus
