// Named limits. Every queue, count and product stops at one of them with an error that names it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem {

// Width or height of a surface in pixels. Current GPUs can render to this size, and pitch * height fits 64 bits in every
// format.
inline constexpr std::uint32_t kMaxSurfaceExtent = 16384;
// Images that the application may request for one swap chain; equals DXGI_MAX_SWAP_CHAIN_BUFFERS.
inline constexpr std::uint32_t kMaxAppImages = 16;
// Shared buffers between the render and the display adapter of one swap chain; more only add latency.
inline constexpr std::uint32_t kMaxRingBuffers = 8;
// Semaphores that one present may wait on.
inline constexpr std::uint32_t kMaxWaitSemaphores = 64;
// Rectangles of one present; a present with more is refused. The DDI's SubRectCnt is 32 bits wide.
inline constexpr std::uint32_t kMaxSubRects = 65536;
// Adapters registered at once, software adapters included.
inline constexpr std::uint32_t kMaxAdapters = 64;
// Video present sources (and outputs) of one adapter; D3DKMDT has the same limit on real hardware.
inline constexpr std::uint32_t kMaxVidPnSources = 16;

}  // namespace tandem
