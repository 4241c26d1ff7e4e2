// The soft driver with a DriverEntry that calls the other functions of the port driver's library.
#include "tests/modules/spoil.h"

#include <cstdlib>

#include <d3dkmddi.h>

namespace {

DRIVER_OBJECT* driver_object;

}  // namespace

namespace tandem::soft {

void Spoil(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiUnload = [] {
    if (!NT_SUCCESS(DxgkUnInitialize(driver_object))) std::abort();
  };
}

}  // namespace tandem::soft

// The DriverEntry of soft_module.cpp under another name.
extern "C" NTSTATUS InnerDriverEntry(DRIVER_OBJECT* driver, UNICODE_STRING* registry_path);

extern "C" __attribute__((visibility("default"))) NTSTATUS DriverEntry(DRIVER_OBJECT* driver, UNICODE_STRING* registry_path) {
  driver_object = driver;
  DXGKARGCB_ISFEATUREENABLED2 args{};
  args.FeatureId = DXGK_FEATURE_GPUVAIOMMU;
  const NTSTATUS status = DxgkIsFeatureEnabled2(driver, &args);
  if (!NT_SUCCESS(status) || args.Result.KnownFeature == 0) return STATUS_UNSUCCESSFUL;
  return InnerDriverEntry(driver, registry_path);
}
