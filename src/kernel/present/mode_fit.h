// Which of the modes that a driver offers is pinned.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <d3dkmddi.h>

namespace tandem::kernel {

// The id of the mode whose primary is `width` x `height` in `format`, all of it visible; A8R8G8B8 and X8R8G8B8 are one format
// on a screen. Nothing when none is.
[[nodiscard]] std::optional<UINT> FitSourceMode(std::span<const D3DKMDT_VIDPN_SOURCE_MODE> modes, std::uint32_t width,
                                                std::uint32_t height, D3DDDIFORMAT format);

// The id of the mode of this format whose primary is `width` x `height`; else of the smallest that holds it, else of the largest.
[[nodiscard]] std::optional<UINT> ClosestSourceMode(std::span<const D3DKMDT_VIDPN_SOURCE_MODE> modes, std::uint32_t width,
                                                    std::uint32_t height, D3DDDIFORMAT format);

// The id of the target mode that shows `width` x `height`: of that active size before larger and smaller ones, progressive before
// interlaced, preferred before others, then the highest refresh. Nothing when there is none.
[[nodiscard]] std::optional<UINT> FitTargetMode(std::span<const D3DKMDT_VIDPN_TARGET_MODE> modes, std::uint32_t width,
                                                std::uint32_t height);

}  // namespace tandem::kernel
