// SAMPLE, the feature that drivers test the query with: version 3 has no interface, 4 adds, 5 adds and subtracts the kernel's
// value.
#include "drivers/processor/kmd/device.h"
#include "drivers/processor/kmd/feature_query.h"

namespace tandem::processor {
namespace {

// STATUS_INVALID_PARAMETER for a function that the negotiated version has not.
NTSTATUS KernelValue(HANDLE adapter, DXGK_FEATURE_VERSION since, UINT& value) {
  const FeatureClient& features = static_cast<Device*>(adapter)->features();
  return features.sample_version() < since ? STATUS_INVALID_PARAMETER : features.GetSampleValue(value);
}

}  // namespace

NTSTATUS ProcessorSampleAddValue(HANDLE adapter, DXGKARG_FEATURE_SAMPLE_ADDVALUE* args) {
  UINT value = 0;
  const NTSTATUS status = KernelValue(adapter, 4, value);
  if (NT_SUCCESS(status)) args->OutputValue = args->InputValue + value;
  return status;
}

NTSTATUS ProcessorSampleSubtractValue(HANDLE adapter, DXGKARG_FEATURE_SAMPLE_SUBTRACTVALUE* args) {
  UINT value = 0;
  const NTSTATUS status = KernelValue(adapter, 5, value);
  if (NT_SUCCESS(status)) args->OutputValue = args->InputValue - value;
  return status;
}

}  // namespace tandem::processor
