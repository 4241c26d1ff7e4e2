#include "cli/run_checks.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "base/env.h"
#include "config/card_selector.h"
#include "system/display_layers.h"
#include "system/driver_file.h"
#include "system/pair_report.h"

namespace tandem::cli {
namespace {

bool Has(const config::AdapterInfo& adapter, std::string_view output) {
  return std::ranges::find(adapter.outputs, output) != adapter.outputs.end();
}

bool ShowsOn(const config::AdapterInfo& display, const WindowSystems& here) {
  const bool x11 = here.x11 && (Has(display, "x11") || Has(display, "wsi-xcb"));
  const bool wayland = here.wayland && (Has(display, "wayland") || Has(display, "wsi-wayland"));
  return x11 || wayland;
}

}  // namespace

swapchain::PairFacts FactsOf(const config::Settings& settings, const config::AdapterInfo& render,
                             const config::AdapterInfo& display) {
  swapchain::PairFacts facts = system::FactsOf(render, display);
  facts.has_encodings = !settings.encodings.off();
  facts.emulated_link = settings.link_limit;
  facts.hud = settings.hud;
  if (settings.path == swapchain::PathRequest::kCpuCopy) facts.render_bounce_reason = "the processor copies";
  return facts;
}

WindowSystems WindowSystemsHere() { return {EnvString("DISPLAY").has_value(), EnvString("WAYLAND_DISPLAY").has_value()}; }

std::optional<Error> RefusedBeforeStart(const config::Settings& settings, const config::AdapterInfo& render,
                                        const config::AdapterInfo& display, const WindowSystems& here) {
  using Kind = config::OutputSpec::Kind;
  const bool window = settings.output.kind == Kind::kAuto || settings.output.kind == Kind::kWindow;
  const bool named = !settings.display.empty();
  const bool card = display.driver == config::kCardKind;  // it shows full screen, whatever the window
  if (window && named && !card && (here.x11 || here.wayland) && !ShowsOn(display, here)) {
    return Fail(ErrorKind::kUnsupported, "{} shows no windows of {}; name another adapter with --display, or an --output.",
                display.name, here.wayland && !here.x11 ? "Wayland, and DISPLAY names no X server" : "X11");
  }
  if (const std::string& driver = settings.display_driver; !driver.empty() && access(driver.c_str(), R_OK) != 0) {
    return Fail(ErrorKind::kNotFound, "Display driver {} cannot be read: {}.", driver, std::strerror(errno));
  }
  if (!settings.registry.empty()) {
    if (auto read = system::ReadDriverFile(settings.registry); !read.ok()) return std::move(read).error();
  }
  if (auto checked = system::CheckDisplayLayers(settings, display); !checked.ok()) return std::move(checked).error();
  if (settings.path == swapchain::PathRequest::kAuto) return std::nullopt;
  // On Wayland another display adapter may take the place of one that nobody named.
  if (!named && here.wayland) return std::nullopt;
  const swapchain::PathCandidates candidates(settings.path, FactsOf(settings, render, display));
  return candidates.current() ? std::nullopt : std::optional(candidates.Failure());
}

}  // namespace tandem::cli
