// Names, modes and flags: the public page's listing of the debugger extension. Ids above 37, and those of the operating-system
// category above 0, are of headers newer than 26100; no public source tells their modes and versions.
#include "kernel/feature/feature_rows.h"

namespace tandem::kernel {
namespace {

using enum FeatureVirtualization;

// The public page says that USER_MODE_SUBMISSION, HWSCH and NATIVE_FENCE have dependencies and gives no edges; this is the one
// reading under which the list makes sense.
constexpr DXGK_FEATURE_ID kUserModeSubmissionNeeds[] = {DXGK_FEATURE_HWSCH, DXGK_FEATURE_NATIVE_FENCE};

constexpr FeatureInterfaceSize kSampleInterfaces[] = {
    {3, 0, 0},
    {4, sizeof(DXGKDDIINT_FEATURE_SAMPLE_4), sizeof(DXGKCBINT_FEATURE_SAMPLE_4)},
    {5, sizeof(DXGKDDIINT_FEATURE_SAMPLE_5), sizeof(DXGKCBINT_FEATURE_SAMPLE_4)},
};

// Needs a driver. `supported`: this kernel has its half.
constexpr Feature OfDriver(DXGK_FEATURE_ID id, const char* name, bool supported, FeatureVirtualization virtualization) {
  Feature feature;
  feature.id = id;
  feature.name = name;
  feature.supported = supported;
  feature.versions = {1, 1};
  feature.virtualization = virtualization;
  feature.driver = true;
  return feature;
}

constexpr Feature OfKernel(DXGK_FEATURE_ID id, const char* name, FeatureVirtualization virtualization) {
  Feature feature = OfDriver(id, name, false, virtualization);
  feature.driver = false;
  return feature;
}

// Known by name only.
constexpr Feature Named(UINT id, const char* name) {
  Feature feature;
  feature.id = static_cast<DXGK_FEATURE_ID>(id);
  feature.name = name;
  return feature;
}

constexpr Feature OfOs(UINT sub_id, const char* name) {
  return Named(UINT{DXGK_FEATURE_CATEGORY_OS} << DXGK_FEATURE_ID_CATEGORY_SHIFT | sub_id, name);
}

constexpr Feature UserModeSubmission() {
  Feature feature = OfDriver(DXGK_FEATURE_USER_MODE_SUBMISSION, "USER_MODE_SUBMISSION", false, kNegotiate);
  feature.depends_on = kUserModeSubmissionNeeds;
  return feature;
}

constexpr Feature Sample() {
  Feature feature = OfDriver(DXGK_FEATURE_SAMPLE, "SAMPLE", true, kNegotiate);
  feature.versions = {3, 5};
  feature.interfaces = kSampleInterfaces;
  return feature;
}

constexpr Feature GpuVaIommu() {
  Feature feature = OfKernel(DXGK_FEATURE_GPUVAIOMMU, "GPUVAIOMMU", kNone);
  feature.global = true;
  feature.before_initialization = true;
  return feature;
}

constexpr Feature kFeatures[] = {
    OfDriver(DXGK_FEATURE_HWSCH, "HWSCH", false, kNegotiate),
    OfDriver(DXGK_FEATURE_HWFLIPQUEUE, "HWFLIPQUEUE", false, kNegotiate),
    OfDriver(DXGK_FEATURE_LDA_GPUPV, "LDA_GPUPV", false, kNegotiate),
    OfDriver(DXGK_FEATURE_KMD_SIGNAL_CPU_EVENT, "KMD_SIGNAL_CPU_EVENT", false, kNegotiate),
    UserModeSubmission(),
    OfDriver(DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD, "SHARE_BACKING_STORE_WITH_KMD", true, kHostOnly),
    Sample(),
    OfDriver(DXGK_FEATURE_PAGE_BASED_MEMORY_MANAGER, "PAGE_BASED_MEMORY_MANAGER", false, kNegotiate),
    OfDriver(DXGK_FEATURE_KERNEL_MODE_TESTING, "KERNEL_MODE_TESTING", false, kNegotiate),
    OfKernel(DXGK_FEATURE_64K_PT_DEMOTION_FIX, "64K_PT_DEMOTION_FIX", kDeferToHost),
    OfKernel(DXGK_FEATURE_GPUPV_PRESENT_HWQUEUE, "GPUPV_PRESENT_HWQUEUE", kDeferToHost),
    GpuVaIommu(),
    OfDriver(DXGK_FEATURE_NATIVE_FENCE, "NATIVE_FENCE", false, kNegotiate),
    Named(38, "EXTENDED_SEGMENT_FLAGS"),
    Named(39, "FAULT_AND_STALL"),
    Named(40, "SINGLE_ADAPTER_HYBRID_MODE"),
    Named(41, "SYNC_PRESENT_RENDER_HWQ_ONLY"),
    Named(42, "UNIFIED_SCHEDULING_MODEL"),
    Named(43, "NOTIFY_RESIDENCY2"),
    Named(44, "P2P_FENCE_SIGNAL"),
    Named(45, "PROCESS_DEBUG_BLOB_COLLECTION"),
    Named(46, "PANEL_BUFFER_CONTROL"),
    OfOs(0, "QUERYSTATISTICS_EXTENSIONS"),
    OfOs(1, "RESERVE_GPUVA_ZERO_BASE_ADDRESS"),
    OfOs(2, "PER_PTE_PAGE_SIZE"),
    OfOs(3, "FENCE_SIGNAL_FROM_SWS_NODE"),
    OfOs(4, "SUPPRESSVSYNC_INTERRUPTS"),
    OfOs(5, "FEATURE_INTERFACE_EXTENSIONS"),
    OfOs(6, "READONLY_EXISTINGSYSMEM"),
    OfOs(7, "OPPORTUNISTIC_64KB_PAGES"),
};

}  // namespace

std::span<const Feature> BuiltInFeatures() { return kFeatures; }

}  // namespace tandem::kernel
