#include "kernel/adapter/feature_callbacks.h"

#include "kernel/adapter/callbacks.h"

namespace tandem::kernel {
namespace {

// WDDM 2.6. Of a feature of any kind: the handle names the kernel too.
NTSTATUS IsFeatureEnabled(DXGKARGCB_ISFEATUREENABLED* args) {
  if (args == nullptr || args->DeviceHandle == nullptr) return STATUS_INVALID_PARAMETER;
  AdapterImpl& adapter = AdapterOf(args->DeviceHandle);
  if (!CallbackAllowed(adapter, "DxgkCbIsFeatureEnabled", PASSIVE_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  args->Enabled = adapter.features().Query(args->FeatureId).Enabled != 0 ? TRUE : FALSE;
  return STATUS_SUCCESS;
}

// WDDM 2.9.
NTSTATUS QueryFeatureSupport(DXGKARGCB_QUERYFEATURESUPPORT* args) {
  if (args == nullptr || args->DeviceHandle == nullptr) return STATUS_INVALID_PARAMETER;
  AdapterImpl& adapter = AdapterOf(args->DeviceHandle);
  if (!CallbackAllowed(adapter, "DxgkCbQueryFeatureSupport", PASSIVE_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  if (args->DriverSupportState > DXGK_FEATURE_SUPPORT_ALWAYS_ON) return STATUS_INVALID_PARAMETER;
  args->Enabled = adapter.features().Declare(args->FeatureId, args->DriverSupportState) ? TRUE : FALSE;
  return STATUS_SUCCESS;
}

// WDDM 3.2. Without an adapter: a global feature. With one: any, as the published sample asks with its device's handle.
NTSTATUS APIENTRY IsFeatureEnabled2(HANDLE device, DXGKARGCB_ISFEATUREENABLED2* args) {
  if (args == nullptr) return STATUS_INVALID_PARAMETER;
  args->Result = {};
  AdapterImpl* const adapter = device != nullptr ? &AdapterOf(device) : CurrentAdapter();
  if (adapter != nullptr && !CallbackAllowed(*adapter, "DXGKCB_ISFEATUREENABLED2", PASSIVE_LEVEL)) {
    return STATUS_INVALID_DEVICE_STATE;
  }
  if (args->Flags.Value != 0) return STATUS_INVALID_PARAMETER;
  if (device != nullptr) {
    args->Result = adapter->features().Query(args->FeatureId);
    return STATUS_SUCCESS;
  }
  KernelFeatures* const kernel = KernelFeatures::OfProcess();
  return kernel == nullptr ? STATUS_INVALID_DEVICE_STATE : kernel->QueryWithoutAdapter(args->FeatureId, args->Result);
}

NTSTATUS APIENTRY QueryFeatureInterface(HANDLE device, DXGKARGCB_QUERYFEATUREINTERFACE* args) {
  if (device == nullptr || args == nullptr) return STATUS_INVALID_PARAMETER;
  if (!CallbackAllowed(AdapterOf(device), "DXGKCB_QUERYFEATUREINTERFACE", PASSIVE_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  return AdapterOf(device).features().QueryKernelInterface(*args);
}

NTSTATUS APIENTRY SampleGetValue(HANDLE device, DXGKARGCB_FEATURE_SAMPLE_GETVALUE* args) {
  if (device == nullptr || args == nullptr) return STATUS_INVALID_PARAMETER;
  if (!CallbackAllowed(AdapterOf(device), "DXGKCB_FEATURE_SAMPLE_GETVALUE", PASSIVE_LEVEL)) return STATUS_INVALID_DEVICE_STATE;
  args->Value = kFeatureSampleValue;
  return STATUS_SUCCESS;
}

constexpr DXGKCBINT_FEATURE_SAMPLE_4 kSampleInterface = {&SampleGetValue};

// The kernel's interfaces live as long as the process.
VOID NoReference(PVOID /*context*/) {}

}  // namespace

void FillFeatureCallbacks(DXGKRNL_INTERFACE& callbacks) {
  callbacks.DxgkCbIsFeatureEnabled = &IsFeatureEnabled;
  callbacks.DxgkCbQueryFeatureSupport = &QueryFeatureSupport;
}

NTSTATUS QueryFeatureService(HANDLE device, PINTERFACE interface) {
  if (interface == nullptr) return STATUS_INVALID_PARAMETER;
  if (interface->Version != DXGK_FEATURE_INTERFACE_VERSION_1) return STATUS_NOT_SUPPORTED;
  if (interface->Size < sizeof(DXGK_FEATURE_INTERFACE)) return STATUS_BUFFER_TOO_SMALL;
  auto& out = *reinterpret_cast<DXGK_FEATURE_INTERFACE*>(interface);
  out.Size = sizeof(out);
  out.Context = device;
  out.InterfaceReference = &NoReference;
  out.InterfaceDereference = &NoReference;
  out.IsFeatureEnabled = &IsFeatureEnabled2;
  out.QueryFeatureInterface = &QueryFeatureInterface;
  return STATUS_SUCCESS;
}

// Version 5 of SAMPLE has the kernel's side of version 4.
std::span<const std::byte> KernelFeatureInterface(DXGK_FEATURE_ID id, DXGK_FEATURE_VERSION version) {
  if (id != DXGK_FEATURE_SAMPLE || version < 4) return {};
  return std::as_bytes(std::span(&kSampleInterface, 1));
}

}  // namespace tandem::kernel
