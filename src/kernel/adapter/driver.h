// A loaded miniport: the DRIVER_OBJECT it was entered with and its copy of DRIVER_INITIALIZATION_DATA. A display-only driver's
// table stands in the same slots.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/result.h"
#include "kernel/feature/kernel_features.h"

#include <dispmprt.h>

namespace tandem::kernel {

// Threads: one at a time (LoadDriver, then the adapters only read). Stays where it is: the DRIVER_OBJECT points back to it.
class Driver {
 public:
  Driver(std::string name, KernelFeatures& features);
  // Calls DxgkDdiUnload when the driver registered one. Every adapter of the driver is gone by then.
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] KernelFeatures& features() { return features_; }
  [[nodiscard]] DRIVER_OBJECT& object() { return object_; }
  // Slots beyond what the driver's Version knows are null.
  [[nodiscard]] const DRIVER_INITIALIZATION_DATA& ddi() const { return ddi_; }
  // Null for a full driver.
  [[nodiscard]] PDXGKDDI_PRESENTDISPLAYONLY present_display_only() const { return present_display_only_; }

  // DriverEntry, and that it registered a table.
  [[nodiscard]] Result<void> Enter(DRIVER_INITIALIZE* entry);
  // DxgkInitialize: STATUS_SUCCESS, STATUS_REVISION_MISMATCH for an unknown version, STATUS_INVALID_PARAMETER for a DDI that is
  // missing.
  [[nodiscard]] NTSTATUS Register(const DRIVER_INITIALIZATION_DATA& table);
  // DxgkInitializeDisplayOnlyDriver; answers as Register().
  [[nodiscard]] NTSTATUS RegisterDisplayOnly(const KMDDOD_INITIALIZATION_DATA& table);
  // DxgkUnInitialize.
  void Unregister() { registered_ = false; }

 private:
  std::string name_;
  KernelFeatures& features_;
  DRIVER_OBJECT object_{};
  DRIVER_INITIALIZATION_DATA ddi_{};
  PDXGKDDI_PRESENTDISPLAYONLY present_display_only_ = nullptr;
  bool registered_ = false;
  std::string refusal_;  // why Register said no
};

// Bytes of DRIVER_INITIALIZATION_DATA that a driver of this Version fills; kUnsupported for a version that is not known.
[[nodiscard]] Result<std::size_t> ValidTableBytes(ULONG version);

// A slot of a driver's table.
struct DdiSlot {
  bool present;
  const char* name;
};
// kInvalidArgument names the first slot that is empty.
[[nodiscard]] Result<void> RequireSlots(std::span<const DdiSlot> slots);

// kInvalidArgument names the first DDI that every driver must have and this one has not.
[[nodiscard]] Result<void> CheckMandatoryDdis(const DRIVER_INITIALIZATION_DATA& table);

// The slots of a full driver's table that a display-only driver fills, too. kUnsupported for a version that is unknown or below
// Windows 8, kInvalidArgument for the first DDI that is missing.
[[nodiscard]] Result<DRIVER_INITIALIZATION_DATA> WidenTable(const KMDDOD_INITIALIZATION_DATA& table);

}  // namespace tandem::kernel
