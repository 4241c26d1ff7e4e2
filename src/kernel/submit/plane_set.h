// The planes of one flip, from D3DKMTPresentMultiPlaneOverlay3 until another flip has replaced them on the screen.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "kernel/adapter/adapter.h"
#include "kernel/memory/allocation.h"

namespace tandem::kernel {

// Layers are numbered below it.
inline constexpr std::uint32_t kMaxFlipPlanes = kMaxOverlayLayers;

// Filled by who took it, constant from its flip on. The allocations are pinned and in use as long as it is taken; that of the top
// plane, whose layer has the smallest index, is first.
struct PlaneSet {
  std::uint32_t count = 0;
  std::uint32_t off = 0;  // bit N: the present turns layer N off
  std::array<Allocation*, kMaxFlipPlanes> allocations{};
  // The driver's arguments; planes[i] shows allocations[i].
  std::array<DXGK_MULTIPLANE_OVERLAY_PLANE3, kMaxFlipPlanes> planes{};
  std::array<DXGK_MULTIPLANE_OVERLAY_PLANE3*, kMaxFlipPlanes> plane_pointers{};
  std::array<DXGK_PRIMARYCONTEXTDATA, kMaxFlipPlanes> contexts{};
  std::array<DXGK_PRIMARYCONTEXTDATA*, kMaxFlipPlanes> context_pointers{};
  DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION post_composition{};
  bool has_post_composition = false;
  std::atomic<bool> taken{false};

  [[nodiscard]] bool Names(const Allocation& allocation) const {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (allocations[i] == &allocation) return true;
    }
    return false;
  }
};

}  // namespace tandem::kernel
