// The named limits. Whatever queues, counts or multiplies stops at one of these and says so.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem {

// Width or height of a surface in pixels: what current GPUs can render to, and small enough that pitch * height fits 64 bits at
// any format.
inline constexpr std::uint32_t kMaxSurfaceExtent = 16384;
// Images of one swap chain that the application may ask for; DXGI_MAX_SWAP_CHAIN_BUFFERS.
inline constexpr std::uint32_t kMaxAppImages = 16;
// Shared buffers between the render and the display adapter of one swap chain; more only add latency.
inline constexpr std::uint32_t kMaxRingBuffers = 8;
// Semaphores that one present may wait for.
inline constexpr std::uint32_t kMaxWaitSemaphores = 64;
// Rectangles of one present; the DDI's SubRectCnt is 32 bits wide. A present of more is refused.
inline constexpr std::uint32_t kMaxSubRects = 65536;
// Adapters that are registered at once, software ones included.
inline constexpr std::uint32_t kMaxAdapters = 64;
// Video present sources (and outputs) of one adapter; D3DKMDT's limit on real hardware is the same.
inline constexpr std::uint32_t kMaxVidPnSources = 16;

}  // namespace tandem
