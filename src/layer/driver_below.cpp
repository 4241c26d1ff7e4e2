#include "layer/driver_below.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/env.h"
#include "base/log.h"
#include "config/layer_location.h"
#include "config/session_file.h"
#include "layer/process.h"
#include "layer/sleeping_driver.h"
#include "system/driver_record_file.h"
#include "system/plain_driver.h"
#include "system/system.h"

namespace tandem::layer {
namespace {

using OpenDriver = std::function<Result<system::RenderDriver>()>;

// Opens the driver at once unless a record of it fits. `name` stands in messages.
Result<system::RenderDriver> OpenWhenNeeded(const std::string& name, const std::string& manifest, const OpenDriver& open) {
  auto record = system::ReadDriverRecord(manifest);
  if (!record.ok()) {
    Log(LogLevel::kInfo, "The driver of {} is opened at once: {}", name, record.error().message);
    auto opened = open();
    if (opened.ok()) system::KeepDriverRecord(manifest);
    return opened;
  }
  auto driver = std::make_unique<SleepingDriver>();
  driver->name = name;
  driver->record = *std::move(record);
  driver->open = open;
  driver->woken = [name, manifest](const char* command, bool holds) {
    Log(LogLevel::kInfo, "{} opens the driver of {}.", command, name);
    Process::Get().stats().SetOpenedBy(command);
    if (holds) return;
    Log(LogLevel::kWarn, "The driver of {} answers otherwise than its record, which is made anew.", name);
    system::KeepDriverRecord(manifest);
  };
  driver->failed = [](const Error& error) { Process::Get().stats().StepAside(error.message, LogLevel::kError); };
  return MakeSleepingDriver(std::move(driver));
}

Result<system::RenderDriver> OpenBelow(const Result<config::Settings>& settings, const system::RenderLosses& losses) {
  if (!settings.ok()) return settings.error();
  const auto chosen = system::System::Check(*settings, system::AdapterSource::kKept, losses);
  if (!chosen.ok()) return chosen.error();
  const config::AdapterInfo& render = chosen->render;
  return OpenWhenNeeded(render.name, render.icd_manifest, [render] { return system::OpenRenderDriver(render); });
}

Result<system::RenderDriver> OpenPlain() {
  const auto shown = EnvString(config::kShownAsleepVariable);
  if (!shown || config::IsSwitchedOff()) return system::OpenPlainDriver();
  return OpenWhenNeeded(*shown, *shown, [path = *shown] { return system::OpenDriverOf(path); });
}

// Never destroyed: instances of an earlier driver may live.
struct OpenedDriver {
  system::RenderDriver driver;
  std::size_t gone = 0;  // lost adapters at that time
};

std::atomic<const OpenedDriver*>& Opened() {
  static std::atomic<const OpenedDriver*> opened{nullptr};
  return opened;
}

}  // namespace

Result<const system::RenderDriver*> DriverBelow(const Result<config::Settings>& settings, const system::RenderLosses& losses) {
  const auto* const known = Opened().load(std::memory_order_acquire);
  const std::size_t gone = losses.gone();
  if (known != nullptr && known->gone == gone) return &known->driver;
  auto opened = OpenBelow(settings, losses);
  if (!opened.ok()) return std::move(opened).error();
  const auto* const made = new OpenedDriver{*opened, gone};
  Opened().store(made, std::memory_order_release);
  return &made->driver;
}

const system::RenderDriver* DriverBelow() {
  if (const auto* const known = Opened().load(std::memory_order_acquire)) return &known->driver;
  const auto below = DriverBelow(SettingsOfProcess({}), system::RenderLosses());
  return below.ok() ? *below : nullptr;
}

const system::RenderDriver* PlainDriver() {
  static const Result<system::RenderDriver> plain = OpenPlain();
  return plain.ok() ? &*plain : nullptr;
}

}  // namespace tandem::layer
