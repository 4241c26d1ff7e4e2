// The soft adapter's answers to the kernel's feature query.
#pragma once

#include <dispmprt.h>

namespace tandem::soft {

// The functions of DXGKDDI_FEATURE_INTERFACE; hAdapter is the Device.
DXGKDDI_QUERYFEATURESUPPORT SoftQueryFeatureSupport;
DXGKDDI_QUERYFEATUREINTERFACE SoftQueryFeatureInterface;

// feature_sample.cpp: the interface of SAMPLE.
DXGKDDI_FEATURE_SAMPLE_ADDVALUE SoftSampleAddValue;
DXGKDDI_FEATURE_SAMPLE_SUBTRACTVALUE SoftSampleSubtractValue;

}  // namespace tandem::soft
