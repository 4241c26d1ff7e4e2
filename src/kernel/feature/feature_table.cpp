#include "kernel/feature/feature_table.h"

namespace tandem::kernel {
namespace {

constexpr Feature kFeatures[] = {
    {DXGK_FEATURE_HWSCH, "HWSCH", false},
    {DXGK_FEATURE_HWFLIPQUEUE, "HWFLIPQUEUE", false},
    {DXGK_FEATURE_LDA_GPUPV, "LDA_GPUPV", false},
    {DXGK_FEATURE_KMD_SIGNAL_CPU_EVENT, "KMD_SIGNAL_CPU_EVENT", false},
    {DXGK_FEATURE_USER_MODE_SUBMISSION, "USER_MODE_SUBMISSION", false},
    {DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD, "SHARE_BACKING_STORE_WITH_KMD", true},
    {DXGK_FEATURE_SAMPLE, "SAMPLE", false},
    {DXGK_FEATURE_PAGE_BASED_MEMORY_MANAGER, "PAGE_BASED_MEMORY_MANAGER", false},
    {DXGK_FEATURE_KERNEL_MODE_TESTING, "KERNEL_MODE_TESTING", false},
    {DXGK_FEATURE_64K_PT_DEMOTION_FIX, "64K_PT_DEMOTION_FIX", false},
    {DXGK_FEATURE_GPUPV_PRESENT_HWQUEUE, "GPUPV_PRESENT_HWQUEUE", false},
    {DXGK_FEATURE_GPUVAIOMMU, "GPUVAIOMMU", false},
    {DXGK_FEATURE_NATIVE_FENCE, "NATIVE_FENCE", false},
};

}  // namespace

const Feature* FindFeature(DXGK_FEATURE_ID id) {
  for (const Feature& feature : kFeatures) {
    if (feature.id == id) return &feature;
  }
  return nullptr;
}

bool FeatureStarts(const Feature& feature, UINT driver_support_state) {
  return feature.offered &&
         (driver_support_state == DXGK_FEATURE_SUPPORT_STABLE || driver_support_state == DXGK_FEATURE_SUPPORT_ALWAYS_ON);
}

}  // namespace tandem::kernel
