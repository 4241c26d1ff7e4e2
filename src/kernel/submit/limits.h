// Named limits of submission.
#pragma once

#include <cstdint>

namespace tandem::kernel {

// DMA buffers that one node holds submitted and not complete.
inline constexpr std::uint32_t kMaxInFlight = 4;
// DMA buffers of one context; a caller that needs one more waits.
inline constexpr std::uint32_t kPacketsPerContext = 16;
// Operations (packets, signals, waits, flips) of one context that wait for their turn.
inline constexpr std::uint32_t kMaxQueuedOperations = 128;
// Flips of one VidPn source that are not on the screen yet. The flip queue behind has room for as many.
inline constexpr std::uint32_t kMaxPendingFlips = 8;
// What a driver may ask of a context.
inline constexpr std::uint32_t kMaxDmaBufferBytes = 4u << 20;
inline constexpr std::uint32_t kMaxDmaPrivateDataBytes = 1u << 20;
inline constexpr std::uint32_t kMaxAllocationListSize = 4096;
inline constexpr std::uint32_t kMaxPatchLocationListSize = 16384;
// How long a submission, a flip or a lock waits until others unpin what is in its way.
inline constexpr std::int64_t kMemoryWaitNs = 5'000'000'000;
// How long an engine may take for one paging operation or for what a destruction waits for.
inline constexpr std::int64_t kEngineTimeoutNs = 10'000'000'000;

}  // namespace tandem::kernel
