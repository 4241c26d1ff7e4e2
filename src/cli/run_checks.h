// Checks before the program starts: requests that the machine cannot fulfil.
#pragma once

#include <optional>

#include "base/result.h"
#include "config/adapter_info.h"
#include "config/settings.h"
#include "swapchain/decision.h"

namespace tandem::cli {

// The window systems that a program of this environment finds.
struct WindowSystems {
  bool x11 = false;      // DISPLAY is set
  bool wayland = false;  // WAYLAND_DISPLAY is set
};
[[nodiscard]] WindowSystems WindowSystemsHere();

// A pair for PathCandidates, of which everything that is not known yet speaks for the path.
[[nodiscard]] swapchain::PairFacts FactsOf(const config::Settings& settings, const config::AdapterInfo& render,
                                           const config::AdapterInfo& display);

// The pair as the settings chose it, with the kernel's tiers where a path is asked for. kUnsupported: that path needs another
// pair, or the display adapter that was named has no output for any window system that is here.
[[nodiscard]] std::optional<Error> RefusedBeforeStart(const config::Settings& settings, const config::AdapterInfo& render,
                                                      const config::AdapterInfo& display, const WindowSystems& here);

}  // namespace tandem::cli
