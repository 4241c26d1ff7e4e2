// The names of the rules that a driver can break while features are negotiated; ReportViolation says them.
#pragma once

namespace tandem::kernel::rules {

// The answer to DxgkDdiQueryInterface with GUID_WDDM_INTERFACE_FEATURE.
inline constexpr char kQueryInterfaceHead[] = "QueryInterface.Head";            // Size and Version are those that were asked for
inline constexpr char kQueryInterfaceFunctions[] = "QueryInterface.Functions";  // none of the four is null
inline constexpr char kQueryInterfaceOverrun[] = "QueryInterface.Overrun";      // nothing is written behind QUERY_INTERFACE::Size

// DXGKDDI_QUERYFEATURESUPPORT, and DxgkCbQueryFeatureSupport, by which an older driver says the same.
inline constexpr char kFeatureSupportInput[] = "QueryFeatureSupport.Input";        // FeatureId and AllowExperimental stay
inline constexpr char kFeatureSupportVersions[] = "QueryFeatureSupport.Versions";  // 1 <= Min <= Max when supported
inline constexpr char kFeatureSupportReentered[] =
    "QueryFeatureSupport.Reentered";  // asks not for the feature that it is asked for
inline constexpr char kFeatureSupportChanged[] = "QueryFeatureSupport.AnswerChanged";

// DXGKDDI_QUERYFEATUREINTERFACE.
inline constexpr char kFeatureInterfaceRefused[] = "QueryFeatureInterface.Refused";  // an offered version has its interface
inline constexpr char kFeatureInterfaceInput[] = "QueryFeatureInterface.Input";      // FeatureId, Version and Interface stay
inline constexpr char kFeatureInterfaceSize[] = "QueryFeatureInterface.Size";        // the version's own size comes back
inline constexpr char kFeatureInterfaceTail[] = "QueryFeatureInterface.Tail";        // the rest of a larger buffer is zeroed
inline constexpr char kFeatureInterfaceOverrun[] = "QueryFeatureInterface.Overrun";
inline constexpr char kFeatureInterfaceFunctions[] = "QueryFeatureInterface.Functions";  // none is null

// The driver's caps against what was negotiated.
inline constexpr char kNativeFenceFeature[] = "NativeGpuFence.Feature";  // the cap only with NATIVE_FENCE enabled

}  // namespace tandem::kernel::rules
