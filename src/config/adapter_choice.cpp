#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "config/card_selector.h"
#include "config/selector.h"

namespace tandem::config {
namespace {

constexpr int kUnfit = -1;

// Higher is better.
int RenderRank(const AdapterInfo& adapter) {
  if (!adapter.can_render || adapter.hidden) return kUnfit;
  if (adapter.kind == "discrete") return 4;
  if (adapter.kind == "integrated") return 3;
  if (adapter.kind == "virtual") return 2;
  if (adapter.kind == "cpu") return 1;
  return 0;
}

bool HasOutput(const AdapterInfo& adapter, std::string_view output) {
  return std::ranges::find(adapter.outputs, output) != adapter.outputs.end();
}

bool HasHeadlessOutput(const AdapterInfo& adapter) { return HasOutput(adapter, "headless"); }

bool NeedsHeadless(OutputSpec::Kind kind) { return kind != OutputSpec::Kind::kAuto && kind != OutputSpec::Kind::kWindow; }

int DisplayRank(const AdapterInfo& adapter, bool is_render, OutputSpec::Kind output) {
  if (!adapter.can_display || (NeedsHeadless(output) && !HasHeadlessOutput(adapter))) return kUnfit;
  if (is_render) return 0;
  if (adapter.kind == kCardKind) return kUnfit;
  if (adapter.kind == "integrated") return 5;
  if (adapter.kind == "discrete") return 4;
  if (adapter.kind == "virtual") return 3;
  return adapter.can_render ? 1 : 2;
}

template <class Rank>
std::optional<std::size_t> Best(std::span<const AdapterInfo> adapters, Rank rank) {
  std::optional<std::size_t> best;
  int best_rank = kUnfit;
  for (std::size_t i = 0; i < adapters.size(); ++i) {
    if (const int value = rank(i); value > best_rank) {
      best = i;
      best_rank = value;
    }
  }
  return best;
}

template <class Rank>
std::optional<std::size_t> BestExcept(std::span<const AdapterInfo> adapters, std::span<const std::size_t> lost, Rank rank) {
  return Best(adapters, [&](std::size_t i) { return std::ranges::find(lost, i) == lost.end() ? rank(i) : kUnfit; });
}

std::string Named(std::string_view role, std::string_view selector) {
  return fmt::format("The {} adapter was asked for as '{}'.", role, selector);
}

// An adapter that is not there may be one whose driver is left out.
Error WithLimits(Error error, const Settings& settings) {
  if (error.kind != ErrorKind::kNotFound || settings.drivers_limited_by.empty()) return error;
  error.message += fmt::format(" Drivers are limited by {}.", settings.drivers_limited_by);
  return error;
}

Result<void> ChooseRender(const Settings& settings, std::span<const AdapterInfo> adapters, AdapterPair& pair) {
  if (!settings.render.empty()) {
    auto found = FindAdapter(settings.render, adapters);
    if (!found.ok()) return WithLimits(std::move(found).error().Context("Render adapter"), settings);
    if (!adapters[*found].can_render) {
      return Fail(ErrorKind::kUnsupported, "'{}' cannot render: it does not run Vulkan programs.", adapters[*found].name);
    }
    pair.render = *found;
    pair.render_reason = Named("render", settings.render);
    return {};
  }
  std::string passed_over;
  if (const auto& inherited = settings.inherited_render) {
    const auto found = FindAdapter(inherited->selector, adapters);
    if (found.ok() && adapters[*found].can_render) {
      pair.render = *found;
      pair.render_reason = fmt::format("{} asks for '{}'.", inherited->variable, inherited->selector);
      return {};
    }
    passed_over = fmt::format(" {} asks for '{}', which no adapter fits.", inherited->variable, inherited->selector);
  }
  const auto best = Best(adapters, [&](std::size_t i) { return RenderRank(adapters[i]); });
  if (!best) return Fail(ErrorKind::kNotFound, "No adapter of this machine runs Vulkan programs.");
  pair.render = *best;
  pair.render_reason = fmt::format("The first {} adapter that runs Vulkan programs, and there is no better kind.{}",
                                   adapters[*best].kind, passed_over);
  return {};
}

// A display-only driver holds no surfaces: the software adapter holds those that it shows. A full driver stands in its place.
Result<void> ChooseForDriver(const Settings& settings, std::span<const AdapterInfo> adapters, AdapterPair& pair) {
  const auto soft = std::ranges::find(adapters, "soft", &AdapterInfo::driver);
  if (soft == adapters.end())
    return Fail(ErrorKind::kNotFound, "A display driver needs the software adapter, which is not here.");
  pair.display = static_cast<std::size_t>(soft - adapters.begin());
  pair.display_reason = fmt::format("Display driver {} is asked for.", settings.display_driver);
  if (settings.display.empty()) return {};
  const auto named = FindAdapter(settings.display, adapters);
  if (named.ok() && *named == pair.display) return {};
  return Fail(ErrorKind::kInvalidArgument,
              "Display adapter '{}' and display driver {} are asked for: the driver shows the software adapter's frames alone.",
              settings.display, settings.display_driver);
}

Result<void> ChooseDisplay(const Settings& settings, std::span<const AdapterInfo> adapters, AdapterPair& pair) {
  if (!settings.display_driver.empty()) return ChooseForDriver(settings, adapters, pair);
  if (!settings.display.empty()) {
    auto found = FindAdapter(settings.display, adapters);
    if (!found.ok()) return WithLimits(std::move(found).error().Context("Display adapter"), settings);
    const AdapterInfo& adapter = adapters[*found];
    if (!adapter.can_display) return Fail(ErrorKind::kUnsupported, "'{}' cannot display.", adapter.name);
    if (NeedsHeadless(settings.output.kind) && !HasHeadlessOutput(adapter)) {
      return Fail(ErrorKind::kUnsupported, "'{}' cannot show on output '{}'; the software adapter can.", adapter.name,
                  ToString(settings.output));
    }
    pair.display = *found;
    pair.display_reason = Named("display", settings.display);
    return {};
  }
  const auto rank = [&](std::size_t i) { return DisplayRank(adapters[i], i == pair.render, settings.output.kind); };
  const auto best = Best(adapters, rank);
  if (!best) {
    return Fail(ErrorKind::kNotFound, "No adapter of this machine can show on output '{}'.", ToString(settings.output));
  }
  pair.display = *best;
  if (*best == pair.render) {
    pair.display_reason = "No other adapter can display: the render adapter shows its own frames.";
  } else if (adapters[*best].can_render) {
    pair.display_reason = fmt::format("The {} adapter that can display, beside the render adapter.", adapters[*best].kind);
  } else {
    pair.display_reason = "No other GPU can display here, so the software adapter shows.";
  }
  return {};
}

}  // namespace

std::optional<std::size_t> FindDisplayWith(std::string_view output, std::span<const AdapterInfo> adapters, std::size_t render) {
  return Best(adapters, [&](std::size_t i) {
    return HasOutput(adapters[i], output) ? DisplayRank(adapters[i], i == render, OutputSpec::Kind::kWindow) : kUnfit;
  });
}

std::optional<std::size_t> FindNextDisplay(OutputSpec::Kind kind, std::span<const AdapterInfo> adapters, std::size_t render,
                                           std::span<const std::size_t> lost) {
  return BestExcept(adapters, lost, [&](std::size_t i) { return DisplayRank(adapters[i], i == render, kind); });
}

std::optional<std::size_t> FindNextRender(std::span<const AdapterInfo> adapters, std::span<const std::size_t> lost) {
  return BestExcept(adapters, lost, [&](std::size_t i) { return RenderRank(adapters[i]); });
}

Result<AdapterPair> ChooseAdapters(const Settings& settings, std::span<const AdapterInfo> adapters) {
  AdapterPair pair;
  if (auto chosen = ChooseRender(settings, adapters, pair); !chosen.ok()) return std::move(chosen).error();
  if (auto chosen = ChooseDisplay(settings, adapters, pair); !chosen.ok()) return std::move(chosen).error();
  return pair;
}

}  // namespace tandem::config
