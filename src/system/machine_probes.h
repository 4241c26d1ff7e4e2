// Probes of what Tandem needs on a machine; AskContained() holds each of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "system/contained_probe.h"

namespace tandem::system {

inline constexpr std::int64_t kProbeLimitMs = 5'000;

// libvulkan.so.1. Facts: its version, "1.3.239".
[[nodiscard]] ProbeAnswer ProbeVulkanLoader();
// A layer's library. Facts: the version of Tandem that it reports; none for a library of another kind.
[[nodiscard]] ProbeAnswer ProbeLayerLibrary(const std::string& path);

// Paths of the manifests that Tandem reads.
[[nodiscard]] std::vector<std::string> VulkanManifests();
// The manifest, its library and, with `devices`, which wakes GPUs, an instance. Facts: the library, then three for each device:
// its name, its driver's name and the driver's own words on its version.
[[nodiscard]] ProbeAnswer ProbeVulkanDriver(const std::string& manifest, bool devices);

// The server of DISPLAY. Facts: the names of the extensions among DRI3, Present and MIT-SHM that Tandem can use.
[[nodiscard]] ProbeAnswer ProbeX11();
// The compositor of WAYLAND_DISPLAY. Facts: the names of its interfaces that Tandem uses.
[[nodiscard]] ProbeAnswer ProbeWayland();
// True if this build uses the interface: an old wayland-protocols leaves some out.
[[nodiscard]] bool UsesWaylandInterface(const std::string& name);

// Any library, by a path or a name that dlopen() searches. No facts.
[[nodiscard]] ProbeAnswer ProbeLibrary(const std::string& name);

}  // namespace tandem::system
