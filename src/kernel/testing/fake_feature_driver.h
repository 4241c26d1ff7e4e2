// The driver's half of features for tests of the negotiation alone.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernel/feature/adapter_features.h"

namespace tandem::kernel {

// Threads: the negotiating one; set up and read by the test's.
class FakeFeatureDriver final : public AdapterFeatures::Driver {
 public:
  struct Support {
    VersionRange versions;
    bool on_config = true;
    bool experimental = false;
  };

  [[nodiscard]] bool has_interface() const override { return with_interface; }
  NTSTATUS QueryFeatureSupport(DXGKARG_QUERYFEATURESUPPORT& args) override {
    ++asked[args.FeatureId];
    if (on_query) on_query(args);
    const auto found = supports.find(args.FeatureId);
    if (found == supports.end()) return STATUS_INVALID_PARAMETER;
    if (found->second.experimental && args.AllowExperimental == FALSE) return STATUS_SUCCESS;
    args.SupportedByDriver = TRUE;
    args.SupportedOnCurrentConfig = found->second.on_config ? TRUE : FALSE;
    args.MinSupportedVersion = found->second.versions.min;
    args.MaxSupportedVersion = found->second.versions.max;
    return STATUS_SUCCESS;
  }
  NTSTATUS QueryFeatureInterface(DXGKARG_QUERYFEATUREINTERFACE& args) override {
    ++interfaces_asked;
    return on_interface ? on_interface(args) : STATUS_NOT_SUPPORTED;
  }
  [[nodiscard]] std::span<const std::byte> KernelInterface(DXGK_FEATURE_ID, DXGK_FEATURE_VERSION) const override {
    return kernel_interface;
  }
  void ReportViolation(const char* rule, const std::string& seen) override {
    violations.emplace_back(rule);
    sentences.push_back(seen);
  }

  bool with_interface = true;
  std::map<DXGK_FEATURE_ID, Support> supports;
  std::function<void(DXGKARG_QUERYFEATURESUPPORT&)> on_query;
  std::function<NTSTATUS(DXGKARG_QUERYFEATUREINTERFACE&)> on_interface;
  std::vector<std::byte> kernel_interface;
  std::map<DXGK_FEATURE_ID, int> asked;
  int interfaces_asked = 0;
  std::vector<std::string> violations, sentences;
};

}  // namespace tandem::kernel
