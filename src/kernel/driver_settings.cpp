#include "kernel/driver_settings.h"

#include <utility>

namespace tandem::kernel {
namespace {

DriverSettings& SettingsOfProcess() {
  static DriverSettings settings;
  return settings;
}

}  // namespace

void SetDriverSettings(DriverSettings settings) { SettingsOfProcess() = std::move(settings); }

const DriverSettings& CurrentDriverSettings() { return SettingsOfProcess(); }

}  // namespace tandem::kernel
