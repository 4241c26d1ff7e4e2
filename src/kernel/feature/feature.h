// One feature of the kernel, and its changes by a host or a user. Public page: "WDDM feature support and enablement".
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include <d3dkmddi.h>

namespace tandem::kernel {

// Both ends belong to it; 0, 0 is "no version". Real versions start at 1.
struct VersionRange {
  DXGK_FEATURE_VERSION min = 0;
  DXGK_FEATURE_VERSION max = 0;

  [[nodiscard]] bool empty() const { return min == 0 || max < min; }
  [[nodiscard]] bool Has(DXGK_FEATURE_VERSION version) const { return !empty() && version >= min && version <= max; }
};

// The versions that both have; empty when there is none.
[[nodiscard]] inline VersionRange Common(VersionRange a, VersionRange b) {
  const VersionRange common{std::max(a.min, b.min), std::min(a.max, b.max)};
  return a.empty() || b.empty() || common.empty() ? VersionRange{} : common;
}

// Use of a feature by a guest's kernel.
enum class FeatureVirtualization : std::uint8_t {
  kNegotiate,    // on when guest and host both have it, at the highest version of both
  kHostOnly,     // never in a guest
  kDeferToHost,  // as the host has it
  kNone,         // the guest's own business
};

// Bytes of one version's interfaces; 0 for a side that has none.
struct FeatureInterfaceSize {
  DXGK_FEATURE_VERSION version = 0;
  std::uint16_t driver_bytes = 0;  // size of the driver's interface (DXGKDDI_QUERYFEATUREINTERFACE): function pointers only
  std::uint16_t kernel_bytes = 0;  // size of the kernel's interface (DXGKCB_QUERYFEATUREINTERFACE)
};

// The largest interface of any feature, in bytes.
inline constexpr std::uint16_t kMaxFeatureInterfaceBytes = 256;

// One row of the registry. Static storage.
struct Feature {
  DXGK_FEATURE_ID id{};
  const char* name = "";   // without DXGK_FEATURE_
  bool supported = false;  // the kernel's own half is there
  VersionRange versions;   // the kernel's half; no override widens it
  FeatureVirtualization virtualization = FeatureVirtualization::kNone;
  bool global = false;                 // asked without an adapter
  bool driver = false;                 // needs the driver's support
  bool before_initialization = false;  // DxgkIsFeatureEnabled2 answers it from DriverEntry
  bool allow_experimental = false;     // a driver may offer an experimental version
  std::span<const DXGK_FEATURE_ID> depends_on;
  std::span<const FeatureInterfaceSize> interfaces;
};

// Settings of a user for tests, in place of the registry keys Features\<id> of an adapter. An empty setting keeps the default.
struct FeatureOverride {
  DXGK_FEATURE_ID id{};
  std::optional<bool> enabled;                      // the kernel's half only; the driver is asked all the same
  std::optional<DXGK_FEATURE_VERSION> min_version;  // the two come together and only narrow the range
  std::optional<DXGK_FEATURE_VERSION> max_version;
  std::optional<bool> allow_experimental;
};

// The state of a feature on one adapter.
struct FeatureState {
  DXGK_FEATURE_ID id{};
  bool queried = false;  // false: nobody asked yet and `result` says nothing
  DXGK_ISFEATUREENABLED_RESULT result{};
};

}  // namespace tandem::kernel
