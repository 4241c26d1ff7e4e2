#include "kernel/driver_host.h"

#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/thread.h"
#include "kernel/adapter/device_registers.h"
#include "kernel/adapter/irql.h"
#include "kernel/service_faults.h"

namespace tandem::kernel {
namespace {

constexpr std::size_t kMostBytes = 8192;  // of reports; later ones are logged alone

struct Reports {
  Mutex mutex;
  std::string text TANDEM_GUARDED_BY(mutex);
};

// The host knows one function to report to, without a context.
Reports& ReportsOfProcess() {
  static Reports reports;
  return reports;
}

std::string TakeReports() {
  Reports& reports = ReportsOfProcess();
  const MutexLock lock(reports.mutex);
  return std::exchange(reports.text, {});
}

void Report(const char* rule, const char* text) {
  const std::string report = fmt::format("{}: {}", rule, text);
  Log(LogLevel::kWarn, "{}", report);
  Reports& reports = ReportsOfProcess();
  const MutexLock lock(reports.mutex);
  if (reports.text.size() + report.size() < kMostBytes) reports.text += (reports.text.empty() ? "" : " ") + report;
}

constexpr TANDEM_DRIVER_KERNEL kTable{
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
};

}  // namespace

DriverHost::DriverHost(PFNTANDEM_ATTACH_KERNEL attach) : attach_(attach) {
  if (attach_ == nullptr) return;
  static_cast<void>(TakeReports());
  attach_(&kTable);
}

std::string DriverHost::violations() const {
  Reports& reports = ReportsOfProcess();
  const MutexLock lock(reports.mutex);
  return reports.text;
}

std::string DriverHost::Detach() {
  if (attach_ == nullptr) return {};
  static_cast<void>(TakeReports());
  std::exchange(attach_, nullptr)(nullptr);
  return TakeReports();
}

}  // namespace tandem::kernel
