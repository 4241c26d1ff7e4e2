#include "outputs/wayland/protocols.h"

#include <protocols/built.h>

namespace tandem::outputs {

WaylandProtocols BuiltWaylandProtocols() { return {TANDEM_WAYLAND_BUILT, TANDEM_WAYLAND_LEFT_OUT}; }

}  // namespace tandem::outputs
