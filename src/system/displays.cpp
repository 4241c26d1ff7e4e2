#include "system/displays.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "config/card_selector.h"

namespace tandem::system {

namespace {

// A software adapter that follows a full driver shows its own frames.
config::Settings WithoutDriver(config::Settings settings) {
  settings.display_driver.clear();
  return settings;
}

bool MakesSurfaces(const DriverLibrary* full_driver) { return full_driver != nullptr && full_driver->open_adapter() != nullptr; }

}  // namespace

Displays::Displays(Graphics& graphics, const AdapterList& list, const config::AdapterPair& pair, const config::Settings& settings,
                   const DriverLibrary* full_driver)
    : graphics_(graphics),
      list_(list),
      render_(pair.render),
      settings_(MakesSurfaces(full_driver) ? WithoutDriver(settings) : settings),
      may_choose_again_(settings.display.empty() && settings.display_driver.empty()),
      full_driver_(full_driver == nullptr ? nullptr : std::make_unique<FullDriver>(graphics, *full_driver)) {
  const MutexLock lock(mutex_);
  if (!MakesSurfaces(full_driver)) {
    Show(pair.display);
    return;
  }
  full_driver_adapter_ = list_.adapters[pair.display];
  full_driver_adapter_.name = full_driver->name();
  full_driver_display_ = MakeFullDriverDisplay(*full_driver_, settings);
  shown_ = {full_driver_display_.get(), &full_driver_adapter_, pair.display, 0};
}

std::unique_ptr<Display> Displays::Make(std::size_t position) const {
  const config::AdapterInfo& adapter = list_.adapters[position];
  if (position == list_.soft()) {
    return MakeSoftDisplay(graphics_, adapter, settings_, settings_.display_driver.empty() ? nullptr : full_driver_.get());
  }
  if (adapter.driver == config::kCardKind) return MakeKmsDisplay(graphics_, adapter, settings_);
  return MakeVulkanDisplay(graphics_, adapter, settings_.link_engine, settings_.display_layers);
}

// A display that was lost starts its adapter again, and counts its files on.
void Displays::Show(std::size_t position) {
  auto made = std::ranges::find(displays_, position, &Made::position);
  if (made == displays_.end()) made = displays_.insert(made, {position, Make(position)});
  shown_ = {made->display.get(), &list_.adapters[position], position, shown_.turn + 1};
}

const config::AdapterInfo& Displays::adapter() const {
  const MutexLock lock(mutex_);
  return *shown_.adapter;
}

std::optional<std::size_t> Displays::Substitute(SurfaceTarget::Kind kind) const {
  if (!may_choose_again_ || kind != SurfaceTarget::Kind::kWayland) return std::nullopt;
  return config::FindDisplayWith("wsi-wayland", list_.adapters, render_);
}

bool Displays::CanShowOn(SurfaceTarget::Kind kind) const {
  const MutexLock lock(mutex_);
  return shown_.display->CanShowOn(kind) || Substitute(kind).has_value();
}

Displays::Shown Displays::ShownFor(SurfaceTarget::Kind kind) {
  const MutexLock lock(mutex_);
  if (shown_.display->CanShowOn(kind)) return shown_;
  const auto substitute = Substitute(kind);
  if (!substitute) return shown_;
  const std::string before = shown_.adapter->name;
  Show(*substitute);
  Log(LogLevel::kInfo, "Display adapter {} takes over, because {} has no output for this window.", shown_.adapter->name, before);
  return shown_;
}

Result<OpenedWindow> Displays::Open(const SurfaceTarget& target) {
  const Shown shown = ShownFor(target.kind);
  auto window = shown.display->Open(target);
  if (!window.ok()) return std::move(window).error();
  return OpenedWindow{*std::move(window), shown.turn};
}

Result<Displays::Shown> Displays::Follow(std::uint64_t lost_turn) {
  const MutexLock lock(mutex_);
  if (shown_.turn != lost_turn) return shown_;
  // A full driver stands in the software adapter's place.
  if (shown_.adapter != &full_driver_adapter_) lost_.push_back(shown_.position);
  auto next = config::FindNextDisplay(settings_.output.kind, list_.adapters, render_, lost_);
  // Nothing takes the software adapter away for good: it is started again, once.
  if (!next && std::ranges::count(lost_, list_.soft()) == 1) next = list_.soft();
  if (!next) return Fail(ErrorKind::kNotFound, "No other adapter can show on output '{}'.", ToString(settings_.output));
  Show(*next);
  return shown_;
}

Result<NextOutput> Displays::TakeNextOutput(const SurfaceTarget& target, std::uint64_t lost_turn) {
  const bool waits = settings_.on_lost == config::OnLost::kWait;
  for (;;) {
    auto shown = waits ? Result<Shown>(ShownFor(target.kind)) : Follow(lost_turn);
    if (!shown.ok()) return std::move(shown).error();
    lost_turn = shown->turn;
    if (!waits && !shown->display->CanShowOn(target.kind)) continue;
    auto window = shown->display->Open(target);
    auto output = window.ok() ? (*window)->TakeOutput() : Result<std::unique_ptr<DisplaySurface>>(window.error());
    if (output.ok()) return NextOutput{{*std::move(window), shown->turn}, *std::move(output)};
    Error error = std::move(output).error();
    if (error.kind == ErrorKind::kSurfaceLost) return error;
    if (waits) return Error{ErrorKind::kTimeout, std::move(error.message)};
    Log(LogLevel::kWarn, "Display adapter {} cannot follow. {}", shown->adapter->name, error.message);
  }
}

ImportAbilities Displays::imports() const {
  const MutexLock lock(mutex_);
  return shown_.display->imports();
}

std::shared_ptr<DmaBufSource> Displays::ExportMemory() const {
  const MutexLock lock(mutex_);
  return shown_.display->ExportMemory();
}

}  // namespace tandem::system
