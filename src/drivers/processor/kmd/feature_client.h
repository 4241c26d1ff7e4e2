// Features that the kernel enabled for one adapter.
#pragma once

#include <dispmprt.h>

namespace tandem::processor {

// Which features the kernel enabled for one adapter. Asks a kernel that has the feature interface by it, an older one by
// DxgkCbQueryFeatureSupport, which knows version 1 only.
// Threads: Start() before any other call; the rest any, at PASSIVE_LEVEL.
class FeatureClient {
 public:
  // Inside StartDevice; asks for the features that the driver acts on.
  void Start(const DXGKRNL_INTERFACE& kernel);

  // Zeros when the kernel cannot be asked.
  [[nodiscard]] DXGK_ISFEATUREENABLED_RESULT Query(DXGK_FEATURE_ID id) const;

  // 0 while SAMPLE is off.
  [[nodiscard]] DXGK_FEATURE_VERSION sample_version() const { return sample_version_; }
  // The kernel's side of SAMPLE; STATUS_INVALID_PARAMETER below version 4, which has none.
  [[nodiscard]] NTSTATUS GetSampleValue(UINT& value) const;

 private:
  void StartSample();

  DXGKRNL_INTERFACE kernel_{};
  DXGK_FEATURE_INTERFACE interface_{};  // IsFeatureEnabled is null on a kernel without it
  DXGK_FEATURE_VERSION sample_version_ = 0;
  DXGKCBINT_FEATURE_SAMPLE_4 sample_{};
};

}  // namespace tandem::processor
