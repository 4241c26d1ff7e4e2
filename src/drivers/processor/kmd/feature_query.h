// The processor's answers to the kernel's feature query.
#pragma once

#include <dispmprt.h>

namespace tandem::processor {

// The functions of DXGKDDI_FEATURE_INTERFACE; hAdapter is the Device.
DXGKDDI_QUERYFEATURESUPPORT ProcessorQueryFeatureSupport;
DXGKDDI_QUERYFEATUREINTERFACE ProcessorQueryFeatureInterface;

// feature_sample.cpp: the interface of SAMPLE.
DXGKDDI_FEATURE_SAMPLE_ADDVALUE ProcessorSampleAddValue;
DXGKDDI_FEATURE_SAMPLE_SUBTRACTVALUE ProcessorSampleSubtractValue;

}  // namespace tandem::processor
