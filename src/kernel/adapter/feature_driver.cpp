#include "kernel/adapter/feature_driver.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/core.h>

#include "base/log.h"
#include "base/status_name.h"
#include "kernel/adapter/feature_callbacks.h"
#include "kernel/feature/feature_rules.h"

namespace tandem::kernel {
namespace {

// The interface with a guard behind it.
struct GuardedInterface {
  DXGKDDI_FEATURE_INTERFACE interface {};
  std::array<std::byte, 64> guard{};
};

}  // namespace

void FeatureDriver::Acquire(const DRIVER_INITIALIZATION_DATA& ddi, PVOID miniport_context) {
  miniport_context_ = miniport_context;
  if (ddi.DxgkDdiQueryInterface == nullptr) return;
  GuardedInterface answer;
  QUERY_INTERFACE query{};
  query.InterfaceType = &GUID_WDDM_INTERFACE_FEATURE;
  query.Size = sizeof(answer.interface);
  query.Version = DXGK_FEATURE_INTERFACE_VERSION_1;
  query.Interface = reinterpret_cast<PINTERFACE>(&answer.interface);
  query.DeviceUid = DISPLAY_ADAPTER_HW_ID;
  const NTSTATUS status = gate_.Call(Ddi::kQueryInterface, ddi.DxgkDdiQueryInterface, miniport_context, &query);
  if (std::ranges::any_of(answer.guard, [](std::byte b) { return b != std::byte{}; })) {
    return ReportViolation(rules::kQueryInterfaceOverrun,
                           fmt::format("Bytes behind the {} of the feature interface were written.", sizeof(answer.interface)));
  }
  if (!NT_SUCCESS(status)) {
    if (status != STATUS_NOT_SUPPORTED) {
      Log(LogLevel::kWarn,
          "DxgkDdiQueryInterface returned {} for the feature interface; a driver without it returns "
          "STATUS_NOT_SUPPORTED.",
          StatusText(status));
    }
    return;
  }
  const DXGKDDI_FEATURE_INTERFACE& got = answer.interface;
  if (got.Size != sizeof(got) || got.Version != DXGK_FEATURE_INTERFACE_VERSION_1) {
    return ReportViolation(rules::kQueryInterfaceHead,
                           fmt::format("Size {} and Version {} came back; asked for were {} and {}.", got.Size, got.Version,
                                       sizeof(got), DXGK_FEATURE_INTERFACE_VERSION_1));
  }
  if (got.InterfaceReference == nullptr || got.InterfaceDereference == nullptr || got.QueryFeatureSupport == nullptr ||
      got.QueryFeatureInterface == nullptr) {
    return ReportViolation(rules::kQueryInterfaceFunctions, "A function of the feature interface is null.");
  }
  interface_ = got;
}

// A provider refers to the interface once before it hands it out (wdm.h, INTERFACE).
void FeatureDriver::Release() {
  if (!has_interface()) return;
  gate_.Call(Ddi::kFeatureFunction, interface_.InterfaceDereference, interface_.Context);
  interface_ = {};
}

NTSTATUS FeatureDriver::QueryFeatureSupport(DXGKARG_QUERYFEATURESUPPORT& args) {
  return gate_.Call(Ddi::kFeatureFunction, interface_.QueryFeatureSupport, miniport_context_, &args);
}

NTSTATUS FeatureDriver::QueryFeatureInterface(DXGKARG_QUERYFEATUREINTERFACE& args) {
  return gate_.Call(Ddi::kFeatureFunction, interface_.QueryFeatureInterface, miniport_context_, &args);
}

std::span<const std::byte> FeatureDriver::KernelInterface(DXGK_FEATURE_ID id, DXGK_FEATURE_VERSION version) const {
  return KernelFeatureInterface(id, version);
}

}  // namespace tandem::kernel
