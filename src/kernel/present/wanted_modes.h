// Paths and modes as the kernel puts them into a VidPN before it asks the driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernel/present/mode_commit.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

// The wanted modes: a driver replaces them by its own, or leaves those that it can show.
[[nodiscard]] D3DKMDT_VIDPN_SOURCE_MODE WantedSourceMode(std::uint32_t width, std::uint32_t height, D3DDDIFORMAT format);
[[nodiscard]] D3DKMDT_VIDPN_TARGET_MODE WantedTargetMode(std::uint32_t width, std::uint32_t height);
// The path of a source that has `importance` - 1 others. Nothing of its transformation is pinned.
[[nodiscard]] D3DKMDT_VIDPN_PRESENT_PATH WantedPath(std::uint32_t source, std::uint32_t target, std::size_t importance);
// Puts the paths and modes of a source that shows something into a VidPN, pinned.
void Hold(VidPn& vidpn, const PinnedSource& held);

// D3DKMDT_VPPR_* counts the rotation of the content within that of the offset, both from 1.
[[nodiscard]] D3DKMDT_VIDPN_PRESENT_PATH_ROTATION ToPathRotation(D3DDDI_ROTATION content, D3DDDI_ROTATION offset);
[[nodiscard]] D3DDDI_ROTATION OffsetOf(D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation);
// Drivers from before offsets report no Offset0.
[[nodiscard]] bool Supports(const D3DKMDT_VIDPN_PRESENT_PATH_ROTATION_SUPPORT& support,
                            D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation);
// The identity before others, which all show the whole picture.
[[nodiscard]] std::optional<D3DKMDT_VIDPN_PRESENT_PATH_SCALING> FitScaling(
    const D3DKMDT_VIDPN_PRESENT_PATH_SCALING_SUPPORT& support);

}  // namespace tandem::kernel
