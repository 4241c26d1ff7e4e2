#include "outputs/testing/protocol_log.h"

#include <utility>

#include <wayland-util.h>

namespace tandem::outputs::testing {

ProtocolLog::ProtocolLog(wl_display* display, std::string dies_at)
    : display_(display),
      dies_at_(std::move(dies_at)),
      logger_(wl_display_add_protocol_logger(
          display,
          [](void* self, wl_protocol_logger_type direction, const wl_protocol_logger_message* message) {
            static_cast<ProtocolLog*>(self)->See(direction, *message);
          },
          this)) {}

void ProtocolLog::See(wl_protocol_logger_type direction, const wl_protocol_logger_message& message) {
  const std::string name = std::string(wl_resource_get_class(message.resource)) + "." + message.message->name;
  const std::lock_guard lock(mutex_);
  if (direction == WL_PROTOCOL_LOGGER_EVENT) {
    if (name == "wl_display.error") ++errors_;
    return;
  }
  requests_.insert(name);
  if (name != dies_at_) return;
  // The request's handler still needs the client.
  wl_event_loop_add_idle(
      wl_display_get_event_loop(display_), [](void* display) { wl_display_destroy_clients(static_cast<wl_display*>(display)); },
      display_);
}

}  // namespace tandem::outputs::testing
