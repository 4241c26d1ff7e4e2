#include "system/driver_report.h"

#include <memory>
#include <optional>

#include "bus/display_device.h"
#include "bus/driver_output.h"
#include "conform/rig.h"
#include "conform/rule.h"
#include "outputs/output.h"
#include "system/conformance_drivers.h"
#include "system/display_only_driver.h"
#include "system/full_driver.h"

namespace tandem::system {
namespace {

Result<DriverReport> ReportOnDisplayOnly(const conform::DriverUnderTest& loaded) {
  const auto kind = DeviceOf(loaded.entry, loaded.name);
  if (!kind.ok()) return kind.error();
  const auto screen = StartOn(*kind, loaded.entry, loaded.name, std::make_shared<conform::RecordingOutput>(kScreenPeriodNs));
  if (!screen.ok()) return screen.error();
  DriverReport report;
  report.display_only = true;
  report.device = bus::NameOf(*kind);
  report.adapter.name = report.adapter.driver_name = loaded.name;
  report.adapter.wddm_version = (*screen)->wddm_version();
  report.adapter.vidpn_sources = report.adapter.targets = 1;
  report.mode_width = (*screen)->mode().width;
  report.mode_height = (*screen)->mode().height;
  return report;
}

}  // namespace

Result<DriverReport> ReportOn(const conform::DriverUnderTest& loaded) {
  if (loaded.display_only) return ReportOnDisplayOnly(loaded);
  try {
    // Before there is a kernel here, which would be the child's, too.
    const std::optional<bus::PciInterrupts> gpu = GpuInterruptsOf(loaded);
    const conform::DriverUnderTest driver = FullUnderTest(loaded);
    const conform::Rig rig({&driver, driver.shows_outputs ? &driver : &SoftUnderTest()});
    DriverReport report;
    using enum bus::DisplayDeviceKind;
    report.device = gpu ? bus::NameOf(*gpu == bus::PciInterrupts::kLine ? kVirtioGpuOnLine : kVirtioGpu) : "bus of Tandem";
    report.adapter = rig.Description(driver.shows_outputs ? rig.display() : rig.render());
    return report;
  } catch (const conform::RuleBroken& broken) {
    return Fail(ErrorKind::kUnsupported, "{}", broken.what());
  }
}

}  // namespace tandem::system
