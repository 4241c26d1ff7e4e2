// Data of `tandem features`: an adapter's overrides and the features that its driver and the kernel negotiated.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "config/adapter_info.h"
#include "kernel/kernel.h"

namespace tandem::system {

struct FeatureReport {
  config::AdapterInfo adapter;
  std::vector<kernel::FeatureOverride> overrides;
  std::vector<kernel::FeatureState> states;  // in the order of Kernel::Features()
};

// kStates starts the adapters one after the other to see their negotiated features; with kOverrides `states` is empty.
enum class FeatureDepth { kOverrides, kStates };

// Reports on the adapter that `selector` names, or on every adapter when it is empty. Errors: those of FindAdapter and of the
// feature file, and an adapter's failure to start.
[[nodiscard]] Result<std::vector<FeatureReport>> ReportFeatures(std::string_view selector, FeatureDepth depth);

// Reports one adapter's states, like ReportFeatures with kStates; the adapter starts as a guest's. `host`: a connected stream
// socket, whose other end is the host. Also kDeviceLost: the host gives no welcome.
[[nodiscard]] Result<FeatureReport> ReportGuestFeatures(std::string_view selector, UniqueFd host);

// An adapter of this machine that answers guests for its features while the object lives.
class FeatureService {
 public:
  virtual ~FeatureService() = default;
  // Errors: those of ReportFeatures.
  [[nodiscard]] static Result<std::unique_ptr<FeatureService>> Create(std::string_view selector);

  [[nodiscard]] virtual const config::AdapterInfo& adapter() const = 0;
  // Answers the guest at the other end of `guest`, a connected stream socket, until it goes. kLimit: too many guests.
  [[nodiscard]] virtual Result<void> Serve(UniqueFd guest) = 0;
};

// Changes the entry of `feature` in the feature file for the adapter that `selector` names, or for every adapter when it is
// empty. First checks that the whole file then applies. An empty value removes its key. Returns the file's path.
[[nodiscard]] Result<std::string> ChangeFeature(std::string_view selector, const kernel::Feature& feature,
                                                const std::vector<std::pair<std::string, std::string>>& values);
// Removes `keys` from the entry, or the whole entry when `keys` is empty. kNotFound when there is no such entry.
[[nodiscard]] Result<std::string> ResetFeature(std::string_view selector, const kernel::Feature& feature,
                                               const std::vector<std::string>& keys);

}  // namespace tandem::system
