// The handles by which drivers name VidPNs and what is in them. A handle is a number, never an address: one that is stale, forged
// or of another kind is found to be so.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "kernel/adapter/vidpn.h"

namespace tandem::kernel {

enum class VidPnObject : std::uint8_t { kVidPn, kTopology, kSourceModes, kTargetModes };

// Which statuses and functions belong to the mode sets of sources, and which to those of targets.
struct SourceKind {
  using Set = SourceModeSet;
  using Handle = D3DKMDT_HVIDPNSOURCEMODESET;
  using Functions = DXGK_VIDPNSOURCEMODESET_INTERFACE;
  static constexpr VidPnObject kObject = VidPnObject::kSourceModes;
  static constexpr NTSTATUS kInvalidSet = STATUS_GRAPHICS_INVALID_VIDPN_SOURCEMODESET;
  static constexpr NTSTATUS kInvalidMode = STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE_MODE;
  static constexpr NTSTATUS kInvalidOwner = STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  static std::deque<Set>& Sets(VidPnState& vidpn) { return vidpn.sources; }
  static std::optional<UINT> Pivot(const VidPnState& vidpn) { return vidpn.pivot.source; }
  static bool MeetsDemands(const VidPnDemands& /*demands*/, const Set::Mode& /*mode*/) { return true; }
};
struct TargetKind {
  using Set = TargetModeSet;
  using Handle = D3DKMDT_HVIDPNTARGETMODESET;
  using Functions = DXGK_VIDPNTARGETMODESET_INTERFACE;
  static constexpr VidPnObject kObject = VidPnObject::kTargetModes;
  static constexpr NTSTATUS kInvalidSet = STATUS_GRAPHICS_INVALID_VIDPN_TARGETMODESET;
  static constexpr NTSTATUS kInvalidMode = STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET_MODE;
  static constexpr NTSTATUS kInvalidOwner = STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET;
  static std::deque<Set>& Sets(VidPnState& vidpn) { return vidpn.targets; }
  static std::optional<UINT> Pivot(const VidPnState& vidpn) { return vidpn.pivot.target; }
  static bool MeetsDemands(const VidPnDemands& demands, const Set::Mode& mode) {
    switch (demands.frequencies) {
      case VidPnDemands::Frequencies::kSpecified: return HasFrequencies(mode.VideoSignalInfo);
      case VidPnDemands::Frequencies::kLeftOpen: return LeavesFrequenciesOpen(mode.VideoSignalInfo);
      default: return true;
    }
  }
};

// One call of a driver with a handle. It holds the lock of all VidPNs, which nothing waits under.
class VidPnCall {
 public:
  explicit VidPnCall(const void* handle);

  [[nodiscard]] bool known() const { return vidpn_ != nullptr; }
  // Null: no DDI has such a VidPN, or the handle names something else.
  [[nodiscard]] VidPnState* VidPn() const { return object_ == VidPnObject::kVidPn ? vidpn_ : nullptr; }
  [[nodiscard]] VidPnState* Topology() const { return object_ == VidPnObject::kTopology ? vidpn_ : nullptr; }
  // Null for a set that was released or replaced, too.
  template <class Kind>
  [[nodiscard]] typename Kind::Set* Set() const {
    if (vidpn_ == nullptr || object_ != Kind::kObject || index_ >= Kind::Sets(*vidpn_).size()) return nullptr;
    typename Kind::Set& set = Kind::Sets(*vidpn_)[index_];
    return set.state == ElementState::kGone && set.acquired == 0 ? nullptr : &set;
  }
  // The VidPN that the handle is of or in.
  [[nodiscard]] VidPnState& state() const { return *vidpn_; }

 private:
  std::unique_lock<std::mutex> lock_;
  VidPnState* vidpn_ = nullptr;
  VidPnObject object_ = VidPnObject::kVidPn;
  std::size_t index_ = 0;
};

[[nodiscard]] std::uintptr_t VidPnHandle(const VidPnState& vidpn, VidPnObject object, std::size_t index);

// The tables of functions.
[[nodiscard]] const DXGK_VIDPNTOPOLOGY_INTERFACE& TopologyFunctions();
template <class Kind>
[[nodiscard]] const typename Kind::Functions& ModeSetFunctions();

}  // namespace tandem::kernel
