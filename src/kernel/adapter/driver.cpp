#include "kernel/adapter/driver.h"

#include <cstring>
#include <memory>
#include <utility>

#include "base/status_name.h"
#include "kernel/adapter/adapter.h"

namespace tandem::kernel {

Driver::Driver(std::string name, KernelFeatures& features) : name_(std::move(name)), features_(features) {
  object_.KernelContext = this;
  object_.Name = name_.c_str();
}

Driver::~Driver() {
  if (registered_ && ddi_.DxgkDdiUnload != nullptr) ddi_.DxgkDdiUnload();
}

Result<void> Driver::Enter(DRIVER_INITIALIZE* entry) {
  UNICODE_STRING registry_path{};
  const NTSTATUS status = entry(&object_, &registry_path);
  if (!refusal_.empty()) return Fail(ErrorKind::kInvalidArgument, "Driver {}: {}", name_, refusal_);
  if (!NT_SUCCESS(status)) {
    registered_ = false;  // as on Windows, DxgkDdiUnload is not called for a driver whose DriverEntry failed
    return Fail(ErrorKind::kInternal, "Driver {}: DriverEntry returned {}.", name_, StatusText(status));
  }
  if (!registered_) {
    return Fail(ErrorKind::kInvalidArgument,
                "Driver {}: DriverEntry did not call DxgkInitialize or DxgkInitializeDisplayOnlyDriver.", name_);
  }
  return {};
}

NTSTATUS Driver::Register(const DRIVER_INITIALIZATION_DATA& table) {
  const Result<std::size_t> bytes = ValidTableBytes(table.Version);
  if (!bytes.ok()) {
    refusal_ = bytes.error().message;
    return STATUS_REVISION_MISMATCH;
  }
  std::memcpy(&ddi_, &table, *bytes);
  if (const Result<void> complete = CheckMandatoryDdis(ddi_); !complete.ok()) {
    refusal_ = complete.error().message;
    return STATUS_INVALID_PARAMETER;
  }
  registered_ = true;
  return STATUS_SUCCESS;
}

NTSTATUS Driver::RegisterDisplayOnly(const KMDDOD_INITIALIZATION_DATA& table) {
  const auto wide = WidenTable(table);
  if (!wide.ok()) {
    refusal_ = wide.error().message;
    return wide.error().kind == ErrorKind::kUnsupported ? STATUS_REVISION_MISMATCH : STATUS_INVALID_PARAMETER;
  }
  ddi_ = *wide;
  present_display_only_ = table.DxgkDdiPresentDisplayOnly;
  registered_ = true;
  return STATUS_SUCCESS;
}

Result<std::unique_ptr<Driver>> LoadDriver(DRIVER_INITIALIZE* entry, std::string name, KernelFeatures& features) {
  auto driver = std::make_unique<Driver>(std::move(name), features);
  if (Result<void> entered = driver->Enter(entry); !entered.ok()) return std::move(entered).error();
  return driver;
}

}  // namespace tandem::kernel

// Visible: a driver in a shared object of its own calls them by name.
EXTERN_C __attribute__((visibility("default"))) NTSTATUS NTAPI DxgkInitialize(
    PDRIVER_OBJECT DriverObject, PUNICODE_STRING /*RegistryPath*/, DRIVER_INITIALIZATION_DATA* DriverInitializationData) {
  if (DriverObject == nullptr || DriverObject->KernelContext == nullptr || DriverInitializationData == nullptr) {
    return STATUS_INVALID_PARAMETER;
  }
  return static_cast<tandem::kernel::Driver*>(DriverObject->KernelContext)->Register(*DriverInitializationData);
}

EXTERN_C __attribute__((visibility("default"))) NTSTATUS NTAPI DxgkInitializeDisplayOnlyDriver(
    PDRIVER_OBJECT DriverObject, PUNICODE_STRING /*RegistryPath*/, KMDDOD_INITIALIZATION_DATA* KmdDodInitializationData) {
  if (DriverObject == nullptr || DriverObject->KernelContext == nullptr || KmdDodInitializationData == nullptr) {
    return STATUS_INVALID_PARAMETER;
  }
  return static_cast<tandem::kernel::Driver*>(DriverObject->KernelContext)->RegisterDisplayOnly(*KmdDodInitializationData);
}

EXTERN_C __attribute__((visibility("default"))) NTSTATUS NTAPI DxgkUnInitialize(PDRIVER_OBJECT DriverObject) {
  if (DriverObject == nullptr || DriverObject->KernelContext == nullptr) return STATUS_INVALID_PARAMETER;
  static_cast<tandem::kernel::Driver*>(DriverObject->KernelContext)->Unregister();
  return STATUS_SUCCESS;
}

EXTERN_C __attribute__((visibility("default"))) NTSTATUS NTAPI DxgkIsFeatureEnabled2(PDRIVER_OBJECT DriverObject,
                                                                                     DXGKARGCB_ISFEATUREENABLED2* pArgs) {
  if (DriverObject == nullptr || DriverObject->KernelContext == nullptr || pArgs == nullptr) return STATUS_INVALID_PARAMETER;
  return static_cast<tandem::kernel::Driver*>(DriverObject->KernelContext)->features().QueryBeforeInitialization(*pArgs);
}
