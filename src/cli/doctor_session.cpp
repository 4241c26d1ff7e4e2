// Checks of the session's X server and Wayland compositor.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/env.h"
#include "base/printable.h"
#include "cli/doctor_checks.h"
#include "system/machine_probes.h"

namespace tandem::cli {
namespace {

struct Need {
  const char* name;
  const char* without;  // a sentence: the cost
};

constexpr Need kX11Needs[] = {
    {"DRI3", "The server takes no dma-bufs, so frames reach it as shared memory."},
    {"Present", "The server does not pace frames by the screen's vertical blank."},
    {"MIT-SHM", "Frames are sent through the connection, which is slow."},
};
constexpr Need kWaylandNeeds[] = {
    {"zwp_linux_dmabuf_v1", "The compositor takes no dma-bufs, so frames reach it as shared memory."},
    {"wp_presentation", "The compositor does not report when frames were shown."},
    {"wp_tearing_control_manager_v1", "The present mode immediate may wait for the vertical blank."},
    {"wp_fifo_manager_v1", "The compositor may drop a frame of the present mode fifo for the next one."},
};

bool HasFact(const system::ProbeAnswer& answer, std::string_view name) {
  return std::ranges::find(answer.facts, name) != answer.facts.end();
}

Findings CheckX11(const std::string& display) {
  const system::ProbeAnswer answer = system::ProbeX11();
  if (!answer.works) {
    return {{"x11", FindingState::kBroken, fmt::format("The X server of DISPLAY={} is not reached. {}", display, answer.sentence),
             "Correct or unset DISPLAY; look at XAUTHORITY and 'xhost' if the server refuses this user."}};
  }
  Findings findings{{"x11", FindingState::kOk, fmt::format("The X server of DISPLAY={} answers.", display)}};
  for (const Need& need : kX11Needs) {
    const std::string id = std::string("x11.") + need.name;
    if (HasFact(answer, need.name)) {
      findings.push_back({id, FindingState::kOk, fmt::format("The X server has {}.", need.name)});
    } else {
      findings.push_back({id, FindingState::kWarning, fmt::format("Without {}: {}", need.name, need.without),
                          fmt::format("Use a local X server with {}, and its xcb library.", need.name)});
    }
  }
  return findings;
}

Findings CheckWayland(const std::string& display) {
  const system::ProbeAnswer answer = system::ProbeWayland();
  if (!answer.works) {
    return {{"wayland", FindingState::kBroken,
             fmt::format("The compositor of WAYLAND_DISPLAY={} is not reached. {}", display, answer.sentence),
             "Correct or unset WAYLAND_DISPLAY; its socket is in XDG_RUNTIME_DIR unless it is a path."}};
  }
  Findings findings{{"wayland", FindingState::kOk, fmt::format("The compositor of WAYLAND_DISPLAY={} answers.", display)}};
  for (const Need& need : kWaylandNeeds) {
    const std::string id = std::string("wayland.") + need.name;
    if (HasFact(answer, need.name)) {
      findings.push_back({id, FindingState::kOk, fmt::format("The compositor has {}.", need.name)});
    } else if (!system::UsesWaylandInterface(need.name)) {
      findings.push_back({id, FindingState::kWarning, fmt::format("This build does not use {}: {}", need.name, need.without),
                          "Build Tandem with a newer wayland-protocols."});
    } else {
      findings.push_back({id, FindingState::kWarning, fmt::format("The compositor lacks {}: {}", need.name, need.without),
                          "Use a newer compositor if that matters."});
    }
  }
  return findings;
}

}  // namespace

Findings CheckSession() {
  const auto x11 = EnvString("DISPLAY");
  const auto wayland = EnvString("WAYLAND_DISPLAY");
  if (!x11 && !wayland) {
    return {{"session", FindingState::kWarning, "This is no graphical session: neither DISPLAY nor WAYLAND_DISPLAY is set.",
             "Start the command in a session, or use --output headless, a file, or '--display kms'."}};
  }
  Findings findings{{"session", FindingState::kOk,
                     wayland && x11 ? "The session has Wayland, and X11 too."
                     : wayland      ? "The session is Wayland's."
                                    : "The session is X11's."}};
  const auto add = [&findings](Findings more) { std::ranges::move(more, std::back_inserter(findings)); };
  if (wayland) add(CheckWayland(Printable(*wayland)));
  if (x11) add(CheckX11(Printable(*x11)));
  return findings;
}

}  // namespace tandem::cli
