#include "drivers/processor/kmd/feature_client.h"

#include "drivers/processor/kmd/feature_query.h"

namespace tandem::processor {

void FeatureClient::Start(const DXGKRNL_INTERFACE& kernel) {
  kernel_ = kernel;
  interface_ = {};
  interface_.Size = sizeof(interface_);
  interface_.Version = DXGK_FEATURE_INTERFACE_VERSION_1;
  if (kernel_.DxgkCbQueryServices == nullptr ||
      !NT_SUCCESS(
          kernel_.DxgkCbQueryServices(kernel_.DeviceHandle, DxgkServicesFeature, reinterpret_cast<PINTERFACE>(&interface_)))) {
    interface_ = {};
  }
  StartSample();
}

DXGK_ISFEATUREENABLED_RESULT FeatureClient::Query(DXGK_FEATURE_ID id) const {
  if (interface_.IsFeatureEnabled != nullptr) {
    DXGKARGCB_ISFEATUREENABLED2 args{};
    args.FeatureId = id;
    return NT_SUCCESS(interface_.IsFeatureEnabled(kernel_.DeviceHandle, &args)) ? args.Result : DXGK_ISFEATUREENABLED_RESULT{};
  }
  // What this driver offers to an older kernel, which takes it for version 1.
  DXGKARG_QUERYFEATURESUPPORT offered{};
  offered.FeatureId = id;
  DXGK_ISFEATUREENABLED_RESULT result{};
  if (kernel_.DxgkCbQueryFeatureSupport == nullptr || !NT_SUCCESS(ProcessorQueryFeatureSupport(nullptr, &offered)) ||
      offered.SupportedByDriver == FALSE || offered.MinSupportedVersion > 1) {
    return result;
  }
  DXGKARGCB_QUERYFEATURESUPPORT args{};
  args.DeviceHandle = kernel_.DeviceHandle;
  args.FeatureId = id;
  args.DriverSupportState = DXGK_FEATURE_SUPPORT_STABLE;
  if (!NT_SUCCESS(kernel_.DxgkCbQueryFeatureSupport(&args)) || args.Enabled == FALSE) return result;
  result.Version = 1;
  result.Enabled = result.KnownFeature = result.SupportedByDriver = result.SupportedOnCurrentConfig = 1;
  return result;
}

void FeatureClient::StartSample() {
  const DXGK_ISFEATUREENABLED_RESULT state = Query(DXGK_FEATURE_SAMPLE);
  sample_version_ = state.Enabled != 0 ? state.Version : DXGK_FEATURE_VERSION{0};
  sample_ = {};
  if (sample_version_ < 4) return;
  DXGKARGCB_QUERYFEATUREINTERFACE args{DXGK_FEATURE_SAMPLE, sample_version_, sizeof(sample_), &sample_};
  if (!NT_SUCCESS(interface_.QueryFeatureInterface(kernel_.DeviceHandle, &args)) || args.InterfaceSize != sizeof(sample_)) {
    sample_ = {};
  }
}

NTSTATUS FeatureClient::GetSampleValue(UINT& value) const {
  if (sample_.GetValue == nullptr) return STATUS_INVALID_PARAMETER;
  DXGKARGCB_FEATURE_SAMPLE_GETVALUE args{};
  const NTSTATUS status = sample_.GetValue(kernel_.DeviceHandle, &args);
  if (NT_SUCCESS(status)) value = args.Value;
  return status;
}

}  // namespace tandem::processor
