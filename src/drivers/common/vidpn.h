// Display modes out of a VidPN: which targets a source feeds, and how each path turns the picture.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/limits.h"
#include "color/blit.h"

#include <dispmprt.h>

namespace tandem::drivers {

struct PathTarget {
  std::uint32_t id = 0;
  color::Rotation offset = color::Rotation::kIdentity;  // turns the picture of the source further
};

// The paths of one source. The content is drawn once, so all its paths turn it alike.
struct SourceMode {
  std::array<PathTarget, kMaxVidPnSources> list;
  std::uint32_t count = 0;  // 0: the source feeds no target
  color::Rotation rotation = color::Rotation::kIdentity;

  // The target of the primary path comes first.
  [[nodiscard]] std::span<const PathTarget> targets() const { return std::span(list).first(count); }
};
using SourceModes = std::array<SourceMode, kMaxVidPnSources>;

// The DDIs of an adapter with `sources` VidPn sources and as many targets; a source feeds any of the targets, in any rotation.
NTSTATUS IsSupportedVidPn(const DXGKRNL_INTERFACE& kernel, std::uint32_t sources, DXGKARG_ISSUPPORTEDVIDPN& args);
NTSTATUS EnumVidPnCofuncModality(const DXGKRNL_INTERFACE& kernel, const DXGKARG_ENUMVIDPNCOFUNCMODALITY& args);

// Fills `modes` with the paths of the affected source, or of all sources.
[[nodiscard]] NTSTATUS ReadCommit(const DXGKRNL_INTERFACE& kernel, std::uint32_t sources, const DXGKARG_COMMITVIDPN& args,
                                  SourceModes& modes);

// One path of an active VidPN.
struct ActivePath {
  std::uint32_t source = 0;
  color::Rotation rotation = color::Rotation::kIdentity;
  PathTarget target;
};
// The default gamma ramp, or one of 256 values a channel that the caller looks at. STATUS_GRAPHICS_INVALID_VIDPN_PRESENT_PATH,
// STATUS_GRAPHICS_INVALID_GAMMA_RAMP, STATUS_GRAPHICS_GAMMA_RAMP_NOT_SUPPORTED.
[[nodiscard]] NTSTATUS ReadActivePath(std::uint32_t sources, const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH& args, ActivePath& path);

}  // namespace tandem::drivers
