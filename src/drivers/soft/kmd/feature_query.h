// What the soft adapter offers to the kernel's feature query.
#pragma once

#include <dispmprt.h>

namespace tandem::soft {

// What DXGKDDI_FEATURE_INTERFACE consists of; hAdapter is the Device.
DXGKDDI_QUERYFEATURESUPPORT SoftQueryFeatureSupport;
DXGKDDI_QUERYFEATUREINTERFACE SoftQueryFeatureInterface;

// feature_sample.cpp: the interface of SAMPLE.
DXGKDDI_FEATURE_SAMPLE_ADDVALUE SoftSampleAddValue;
DXGKDDI_FEATURE_SAMPLE_SUBTRACTVALUE SoftSampleSubtractValue;

}  // namespace tandem::soft
