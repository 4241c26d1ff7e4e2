#include "kernel/driver_host.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/log.h"
#include "base/thread.h"
#include "kernel/adapter/device_registers.h"
#include "kernel/adapter/irql.h"
#include "kernel/driver_settings.h"
#include "kernel/service_faults.h"
#include "kernel/tolerated.h"

namespace tandem::kernel {
namespace {

constexpr std::size_t kMostBytes = 8192;  // of reports; later ones are logged alone

// Reports behind one another, until they are taken. Any thread.
class Reports {
 public:
  void Append(const std::string& report) {
    const MutexLock lock(mutex_);
    if (text_.size() + report.size() < kMostBytes) text_ += (text_.empty() ? "" : " ") + report;
  }

  std::string Text() {
    const MutexLock lock(mutex_);
    return text_;
  }

  std::string Take() {
    const MutexLock lock(mutex_);
    return std::exchange(text_, {});
  }

 private:
  Mutex mutex_;
  std::string text_ TANDEM_GUARDED_BY(mutex_);
};

// The host knows one function to report to, without a context.
Reports& ReportsOfProcess() {
  static Reports reports;
  return reports;
}

void Report(const char* rule, const char* text) {
  if (std::ranges::find(kToleratedNtRules, rule) != kToleratedNtRules.end()) return ReportTolerated(rule, text);
  const std::string report = fmt::format("{}: {}", rule, text);
  Log(LogLevel::kWarn, "{}", report);
  ReportsOfProcess().Append(report);
}

// The host copies the values when it is attached.
struct Values {
  std::vector<std::string> keys;
  std::vector<TANDEM_REGISTRY_VALUE> values;
};

Values ValuesOf(const DriverSettings& settings) {
  static constexpr const char* kRoots[] = {"driver", "device", "service"};
  Values all;
  for (const RegistryValue& value : settings.registry) {
    const char* const root = kRoots[static_cast<std::size_t>(value.root)];
    all.keys.push_back(value.subkey.empty() ? root : fmt::format("{}\\{}", root, value.subkey));
  }
  for (std::size_t i = 0; i < all.keys.size(); ++i) {
    const RegistryValue& value = settings.registry[i];
    all.values.push_back(
        {all.keys[i].c_str(), value.name.c_str(), value.type, static_cast<ULONG>(value.data.size()), value.data.data()});
  }
  return all;
}

constinit TANDEM_DRIVER_KERNEL table{
    .Size = sizeof(TANDEM_DRIVER_KERNEL),
    .Initialize = &DxgkInitialize,
    .UnInitialize = &DxgkUnInitialize,
    .IsFeatureEnabled2 = &DxgkIsFeatureEnabled2,
    .InitializeDisplayOnlyDriver = &DxgkInitializeDisplayOnlyDriver,
    .GetIrql = &CurrentIrql,
    .SetIrql = [](KIRQL irql) { internal::current_irql = irql; },
    .Report = &Report,
    .HasRegister = &HasRegister,
    .ReadRegister = &ReadRegister,
    .WriteRegister = &WriteRegister,
    .ServiceFails = [](CONST char* name) -> BOOLEAN { return ServiceFails(name) ? TRUE : FALSE; },
    .ReadPort = &ReadPort,
    .WritePort = &WritePort,
    .Registry = nullptr,
    .RegistryCount = 0,
    .GuardPages = FALSE,
};

}  // namespace

DriverHost::DriverHost(PFNTANDEM_ATTACH_KERNEL attach) : attach_(attach) {
  if (attach_ == nullptr) return;
  ReportsOfProcess().Take();
  const Values values = ValuesOf(CurrentDriverSettings());
  table.Registry = values.values.data();
  table.RegistryCount = static_cast<ULONG>(values.values.size());
  table.GuardPages = CurrentDriverSettings().guard_pages ? TRUE : FALSE;
  attach_(&table);
  table.Registry = nullptr;
  table.RegistryCount = 0;
}

std::string DriverHost::violations() const { return ReportsOfProcess().Text(); }

std::string DriverHost::Detach() {
  if (attach_ == nullptr) return {};
  ReportsOfProcess().Take();
  std::exchange(attach_, nullptr)(nullptr);
  return ReportsOfProcess().Take();
}

}  // namespace tandem::kernel
