#include "outputs/wayland/client.h"

#include <string>

#include <dlfcn.h>

namespace tandem::outputs {
namespace {

struct Loaded {
  WaylandClient functions{};
  std::string missing;  // a sentence; empty: everything is there
};

template <class Function>
void Find(void* library, const char* name, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr && missing.empty()) missing = fmt::format("libwayland-client.so.0 has no {}; 1.20 has.", name);
}

Loaded Load() {
  Loaded loaded;
  void* library = dlopen("libwayland-client.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* why = dlerror();
    loaded.missing = fmt::format("libwayland-client.so.0 is not loaded: {}.", why == nullptr ? "no reason is given" : why);
    return loaded;
  }
  WaylandClient& found = loaded.functions;
#define TANDEM_FIND(name) Find(library, "wl_" #name, found.name, loaded.missing)
  TANDEM_FIND(proxy_marshal_flags);
  TANDEM_FIND(proxy_add_listener);
  TANDEM_FIND(proxy_destroy);
  TANDEM_FIND(proxy_get_version);
  TANDEM_FIND(proxy_set_user_data);
  TANDEM_FIND(proxy_get_user_data);
  TANDEM_FIND(proxy_set_queue);
  TANDEM_FIND(proxy_create_wrapper);
  TANDEM_FIND(proxy_wrapper_destroy);
  TANDEM_FIND(display_connect);
  TANDEM_FIND(display_connect_to_fd);
  TANDEM_FIND(display_disconnect);
  TANDEM_FIND(display_create_queue);
  TANDEM_FIND(event_queue_destroy);
  TANDEM_FIND(display_prepare_read_queue);
  TANDEM_FIND(display_cancel_read);
  TANDEM_FIND(display_read_events);
  TANDEM_FIND(display_dispatch_queue_pending);
  TANDEM_FIND(display_flush);
  TANDEM_FIND(display_get_fd);
  TANDEM_FIND(display_get_error);
#undef TANDEM_FIND
  return loaded;
}

const Loaded& TheClient() {
  static const Loaded client = Load();
  return client;
}

}  // namespace

Result<void> LoadWaylandClient() {
  const std::string& missing = TheClient().missing;
  if (missing.empty()) return {};
  return Fail(ErrorKind::kUnsupported, "{}", missing);
}

const WaylandClient& Wayland() { return TheClient().functions; }

}  // namespace tandem::outputs
