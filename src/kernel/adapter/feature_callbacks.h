// Callbacks of DXGKRNL_INTERFACE and DXGK_FEATURE_INTERFACE by which a driver asks for features.
#pragma once

#include <cstddef>
#include <span>

#include <dispmprt.h>

namespace tandem::kernel {

void FillFeatureCallbacks(DXGKRNL_INTERFACE& callbacks);

// DxgkCbQueryServices(DxgkServicesFeature). Size and Version are the driver's; Size becomes the interface's own.
[[nodiscard]] NTSTATUS QueryFeatureService(HANDLE device, PINTERFACE interface);

// The kernel's functions of one version of a feature; empty when there are none.
[[nodiscard]] std::span<const std::byte> KernelFeatureInterface(DXGK_FEATURE_ID id, DXGK_FEATURE_VERSION version);

// Answer of DXGKCBINT_FEATURE_SAMPLE_4::GetValue.
inline constexpr UINT kFeatureSampleValue = 7;

}  // namespace tandem::kernel
