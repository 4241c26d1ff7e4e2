// The driver's half of feature negotiation: its DXGKDDI_FEATURE_INTERFACE behind the gate.
#pragma once

#include "kernel/adapter/ddi_gate.h"
#include "kernel/feature/adapter_features.h"

#include <dispmprt.h>

namespace tandem::kernel {

// Threads: Acquire and Release by whoever starts and ends the adapter; the rest by the negotiating thread.
class FeatureDriver final : public AdapterFeatures::Driver {
 public:
  explicit FeatureDriver(DdiGate& gate) : gate_(gate) {}

  // Asks for the interface, after AddDevice and before StartDevice: a driver that asks for its features while it starts is asked
  // for its own half in turn. A driver that has none goes the older way; one that breaks a rule is reported.
  void Acquire(const DRIVER_INITIALIZATION_DATA& ddi, PVOID miniport_context);
  // Before RemoveDevice.
  void Release();

  [[nodiscard]] bool has_interface() const override { return interface_.QueryFeatureSupport != nullptr; }
  NTSTATUS QueryFeatureSupport(DXGKARG_QUERYFEATURESUPPORT& args) override;
  NTSTATUS QueryFeatureInterface(DXGKARG_QUERYFEATUREINTERFACE& args) override;
  [[nodiscard]] std::span<const std::byte> KernelInterface(DXGK_FEATURE_ID id, DXGK_FEATURE_VERSION version) const override;
  void ReportViolation(const char* rule, const std::string& seen) override { gate_.owner().ReportViolation(rule, seen); }

 private:
  DdiGate& gate_;
  PVOID miniport_context_ = nullptr;
  DXGKDDI_FEATURE_INTERFACE interface_{};
};

}  // namespace tandem::kernel
