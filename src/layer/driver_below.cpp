#include "layer/driver_below.h"

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "base/log.h"
#include "layer/process.h"
#include "layer/sleeping_driver.h"
#include "system/driver_record_file.h"
#include "system/plain_driver.h"
#include "system/system.h"

namespace tandem::layer {
namespace {

system::RenderDriver Sleeping(const config::AdapterInfo& adapter, system::DriverRecord record) {
  auto driver = std::make_unique<SleepingDriver>();
  driver->name = adapter.name;
  driver->record = std::move(record);
  driver->open = [adapter] { return system::OpenRenderDriver(adapter); };
  driver->woken = [adapter](const char* command, bool holds) {
    Log(LogLevel::kInfo, "{} opens the driver of {}.", command, adapter.name);
    Process::Get().stats().SetOpenedBy(command);
    if (holds) return;
    Log(LogLevel::kWarn, "The driver of {} answers otherwise than its record, which is made anew.", adapter.name);
    system::KeepDriverRecord(adapter.icd_manifest);
  };
  driver->failed = [](const Error& error) { Process::Get().stats().StepAside(error.message, LogLevel::kError); };
  return MakeSleepingDriver(std::move(driver));
}

Result<system::RenderDriver> OpenBelow(const Result<config::Settings>& settings) {
  if (!settings.ok()) return settings.error();
  const auto adapter = system::System::Check(*settings, system::AdapterSource::kKept);
  if (!adapter.ok()) return adapter.error();
  auto record = system::ReadDriverRecord(adapter->icd_manifest);
  if (record.ok()) return Sleeping(*adapter, *std::move(record));
  Log(LogLevel::kInfo, "The driver of {} is opened at once: {}", adapter->name, record.error().message);
  auto opened = system::OpenRenderDriver(*adapter);
  if (opened.ok()) system::KeepDriverRecord(adapter->icd_manifest);
  return opened;
}

std::atomic<const system::RenderDriver*>& Opened() {
  static std::atomic<const system::RenderDriver*> opened{nullptr};
  return opened;
}

}  // namespace

Result<const system::RenderDriver*> DriverBelow(const Result<config::Settings>& settings) {
  if (const auto* const known = Opened().load(std::memory_order_acquire)) return known;
  auto opened = OpenBelow(settings);
  if (!opened.ok()) return std::move(opened).error();
  Opened().store(new system::RenderDriver(*opened), std::memory_order_release);
  return Opened().load(std::memory_order_acquire);
}

const system::RenderDriver* DriverBelow() {
  if (const auto* const known = Opened().load(std::memory_order_acquire)) return known;
  const auto below = DriverBelow(SettingsOfProcess({}));
  return below.ok() ? *below : nullptr;
}

const system::RenderDriver* PlainDriver() {
  static const Result<system::RenderDriver> plain = system::OpenPlainDriver();
  return plain.ok() ? &*plain : nullptr;
}

}  // namespace tandem::layer
