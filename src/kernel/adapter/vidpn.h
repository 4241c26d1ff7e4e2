// A VidPN: the paths from sources to targets, and the modes that each of them has. The kernel lends it to a driver for one DDI.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "kernel/adapter/mode_set.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

// The parts of a VidPN that the driver may change while it has it.
enum class VidPnAccess : std::uint8_t { kRead, kModes, kTopology };

// The mode set that a driver must leave as it is; nothing for pivots that name none.
struct VidPnPivot {
  std::optional<UINT> source;
  std::optional<UINT> target;
};

// How a driver has to describe frequencies and rotations. None: as it likes.
struct VidPnDemands {
  enum class Frequencies : std::uint8_t { kAny, kSpecified, kLeftOpen } frequencies = Frequencies::kAny;
  bool offset_of_primary = false;  // the primary path supports Offset0
};

// Faults of a driver while it had a VidPN.
struct VidPnFaults {
  std::uint32_t kept = 0;         // objects that it acquired or made, and did not release, add or assign
  std::uint32_t pivots = 0;       // sets that it assigned in place of the pivot's
  std::uint32_t unpinned = 0;     // sets that it assigned without the pinned mode
  std::uint32_t frequencies = 0;  // target modes that it added against the demands
  std::uint32_t offsets = 0;      // supports of a primary path without Offset0
};

using SourceModeSet = ModeSet<D3DKMDT_VIDPN_SOURCE_MODE>;
using TargetModeSet = ModeSet<D3DKMDT_VIDPN_TARGET_MODE>;

// The objects behind the functions of DXGK_VIDPN_INTERFACE, under the lock of vidpn_handles.h.
struct VidPnState {
  std::uint64_t serial = 0;  // of the loan; 0: the kernel has it
  VidPnAccess access = VidPnAccess::kRead;
  VidPnPivot pivot;
  VidPnDemands demands;
  AcquirableList<D3DKMDT_VIDPN_PRESENT_PATH> paths;
  std::deque<SourceModeSet> sources;
  std::deque<TargetModeSet> targets;
  UINT next_mode = 1;  // the id of the next mode
  VidPnFaults faults;

  // Empty mode sets for a source and a target that have none. False: the VidPN has too many.
  bool MakeSets(UINT source, UINT target);
};

// Threads: the one that made it; the driver's, which may be many, between Lend() and Return().
class VidPn {
 public:
  VidPn() = default;
  ~VidPn() { static_cast<void>(Return()); }
  VidPn(const VidPn&) = delete;
  VidPn& operator=(const VidPn&) = delete;

  // None of these between Lend() and Return(). A path brings empty mode sets for its source and its target.
  void AddPath(const D3DKMDT_VIDPN_PRESENT_PATH& path);
  void SetDemands(const VidPnDemands& demands) { state_.demands = demands; }
  void ReversePaths() { std::reverse(state_.paths.begin(), state_.paths.end()); }
  // The path exists. The mode's new id is returned.
  UINT Offer(UINT source, const D3DKMDT_VIDPN_SOURCE_MODE& mode);
  UINT Offer(UINT target, const D3DKMDT_VIDPN_TARGET_MODE& mode);
  // False for an id that is not in the set.
  bool PinSource(UINT source, UINT id);
  bool PinTarget(UINT target, UINT id);
  void PinTransformation(UINT source, UINT target, D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling,
                         D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation);
  // Paths and modes as the driver left them.
  [[nodiscard]] std::vector<D3DKMDT_VIDPN_PRESENT_PATH> Paths() const;
  [[nodiscard]] std::vector<D3DKMDT_VIDPN_SOURCE_MODE> SourceModes(UINT source) const;
  [[nodiscard]] std::vector<D3DKMDT_VIDPN_TARGET_MODE> TargetModes(UINT target) const;

  [[nodiscard]] std::optional<D3DKMDT_VIDPN_SOURCE_MODE> PinnedSource(UINT source) const;
  [[nodiscard]] std::optional<D3DKMDT_VIDPN_TARGET_MODE> PinnedTarget(UINT target) const;

  // From here to Return() DxgkCbQueryVidPnInterface knows the handle, on every thread; afterwards it never does again.
  [[nodiscard]] D3DKMDT_HVIDPN Lend(VidPnAccess access, const VidPnPivot& pivot = {});
  [[nodiscard]] VidPnFaults Return();

 private:
  VidPnState state_;
};

// DxgkCbQueryVidPnInterface. STATUS_GRAPHICS_INVALID_VIDPN for a handle that no DDI has, STATUS_NOT_SUPPORTED for an unknown
// version.
NTSTATUS APIENTRY QueryVidPnInterface(D3DKMDT_HVIDPN vidpn, DXGK_VIDPN_INTERFACE_VERSION version,
                                      CONST DXGK_VIDPN_INTERFACE** functions);

}  // namespace tandem::kernel
