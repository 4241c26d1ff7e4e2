// DriverEntry and AddDevice: the processor's engines with a display side of connectors.
#include <memory>
#include <utility>

#include "drivers/processor/kmd/ddi.h"
#include "drivers/processor/kmd/device.h"
#include "drivers/soft/kmd/soft_display.h"
#include "drivers/soft/soft_device.h"

namespace tandem::soft {
namespace {

// kInvalidArgument for a description outside its ranges, or connectors that CreateConnectors() did not make.
Result<std::unique_ptr<processor::Device>> CreateDevice(DEVICE_OBJECT& physical_device) {
  const auto* description = static_cast<const DeviceDescription*>(physical_device.DeviceExtension);
  if (description == nullptr) return Fail(ErrorKind::kInvalidArgument, "The soft adapter's bus description is missing.");
  if (description->tier > 3) {
    return Fail(ErrorKind::kInvalidArgument, "Cross-adapter tier {} is not within 0 and 3.", description->tier);
  }
  if (description->overlay_planes < 1 || description->overlay_planes > processor::kMaxScanOutPlanes) {
    return Fail(ErrorKind::kInvalidArgument, "{} overlay planes are not within 1 and {}.", description->overlay_planes,
                processor::kMaxScanOutPlanes);
  }
  auto connectors = std::dynamic_pointer_cast<ConnectorsImpl>(description->connectors);
  if (description->connectors && !connectors) {
    return Fail(ErrorKind::kInvalidArgument, "The soft adapter's connectors were not made by CreateConnectors.");
  }
  const processor::EngineDescription engines{description->aperture_bytes, description->dithers,
                                             description->link_bytes_per_second};
  auto display = std::make_unique<SoftDisplay>(*description, std::move(connectors));
  return std::make_unique<processor::Device>(physical_device, engines, std::move(display));
}

NTSTATUS SoftAddDevice(CONST PDEVICE_OBJECT physical_device, PVOID* miniport_context) {
  return processor::AddDevice(physical_device, miniport_context, &CreateDevice);
}

}  // namespace

DRIVER_INITIALIZATION_DATA SoftDriverTable() {
  DRIVER_INITIALIZATION_DATA table = processor::ProcessorDriverTable();
  table.DxgkDdiAddDevice = SoftAddDevice;
  return table;
}

extern "C" NTSTATUS SoftDriverEntry(DRIVER_OBJECT* driver, UNICODE_STRING* registry_path) {
  DRIVER_INITIALIZATION_DATA table = SoftDriverTable();
  return DxgkInitialize(driver, registry_path, &table);
}

}  // namespace tandem::soft
