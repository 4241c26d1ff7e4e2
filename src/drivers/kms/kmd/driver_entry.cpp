// DriverEntry and AddDevice: the processor's engines with a card's display side.
#include <memory>
#include <utility>

#include "drivers/kms/card/card_name.h"
#include "drivers/kms/kmd/kms_display.h"
#include "drivers/kms/kms_device.h"
#include "drivers/processor/kmd/ddi.h"
#include "drivers/processor/kmd/device.h"

namespace tandem::kms {
namespace {

// kInvalidArgument for a name that means no card, or screens that CreateScreens() did not make.
Result<std::unique_ptr<processor::Device>> CreateDevice(DEVICE_OBJECT& physical_device) {
  const auto* description = static_cast<const DeviceDescription*>(physical_device.DeviceExtension);
  if (description == nullptr) return Fail(ErrorKind::kInvalidArgument, "The card's bus description is missing.");
  auto name = ParseCardName(description->card);
  if (!name.ok()) return std::move(name).error();
  auto screens = std::dynamic_pointer_cast<ScreensImpl>(description->screens);
  if (!screens) return Fail(ErrorKind::kInvalidArgument, "The card's screens were not made by CreateScreens.");
  const processor::EngineDescription engines{description->aperture_bytes, description->dithers, 0};
  auto display = std::make_unique<KmsDisplay>(*description, *std::move(name), std::move(screens));
  return std::make_unique<processor::Device>(physical_device, engines, std::move(display));
}

NTSTATUS KmsAddDevice(CONST PDEVICE_OBJECT physical_device, PVOID* miniport_context) {
  return processor::AddDevice(physical_device, miniport_context, &CreateDevice);
}

}  // namespace

extern "C" NTSTATUS KmsDriverEntry(DRIVER_OBJECT* driver, UNICODE_STRING* registry_path) {
  DRIVER_INITIALIZATION_DATA table = processor::ProcessorDriverTable();
  table.DxgkDdiAddDevice = KmsAddDevice;
  return DxgkInitialize(driver, registry_path, &table);
}

}  // namespace tandem::kms
