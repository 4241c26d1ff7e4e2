// The Wayland protocols that the build found the files of.
#pragma once

namespace tandem::outputs {

// Names, separated by commas; empty if there is none.
struct WaylandProtocols {
  const char* built_in = "";
  const char* left_out = "";  // the installed wayland-protocols lacks their files
};

[[nodiscard]] WaylandProtocols BuiltWaylandProtocols();

}  // namespace tandem::outputs
