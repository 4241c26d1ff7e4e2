// Named limits of submission.
#pragma once

#include <cstdint>

namespace tandem::kernel {

// VidPn sources whose flips the kernel orders.
inline constexpr std::uint32_t kMaxFlipSources = 16;
// DMA buffers that one node holds submitted and not complete: what a context of higher priority cannot overtake but by
// preemption. A driver whose engines go on before a buffer counts as complete asks for more, up to kMaxInFlight
// (DXGK_VIDSCHCAPS.HwQueuePacketCap, four bits).
inline constexpr std::uint32_t kInFlightUnlessTold = 4;
inline constexpr std::uint32_t kMaxInFlight = 15;
// DMA buffers of one context; a caller that needs one more waits.
inline constexpr std::uint32_t kPacketsPerContext = 32;
// Operations (packets, signals, waits, flips) of one context that wait for their turn.
inline constexpr std::uint32_t kMaxQueuedOperations = 128;
// Flips of one VidPn source that are not on the screen yet. The flip queue behind has room for as many.
inline constexpr std::uint32_t kMaxPendingFlips = 8;
// Largest sizes that a driver may ask for a context.
inline constexpr std::uint32_t kMaxDmaBufferBytes = 4u << 20;
inline constexpr std::uint32_t kMaxDmaPrivateDataBytes = 1u << 20;
inline constexpr std::uint32_t kMaxAllocationListSize = 4096;
inline constexpr std::uint32_t kMaxPatchLocationListSize = 16384;
// Time that a submission, a flip or a lock waits until others unpin the memory that it needs.
inline constexpr std::int64_t kMemoryWaitNs = 5'000'000'000;
// D3DKMTSetContextSchedulingPriority, and D3DKMTSetContextInProcessSchedulingPriority among equals.
inline constexpr std::int32_t kLowestPriority = -7;
inline constexpr std::int32_t kHighestPriority = 7;
// Both as one number that orders contexts; paging goes before every context.
inline constexpr std::int32_t kPriorityLevels = kHighestPriority - kLowestPriority + 1;
constexpr std::int32_t OrderOf(std::int32_t priority, std::int32_t in_process) { return priority * kPriorityLevels + in_process; }
inline constexpr std::int32_t kPagingOrder = OrderOf(kHighestPriority, kHighestPriority) + 1;
// DMA buffers of one node that were preempted and wait to be submitted again: kMaxInFlight of each order.
inline constexpr std::uint32_t kMaxPreempted = kMaxInFlight * (kPriorityLevels * kPriorityLevels + 1);
// Time that a DMA buffer runs undisturbed while one of higher priority waits.
inline constexpr std::int64_t kPreemptionQuantumNs = 10'000'000;
// A mode change waits so long for buffers of the mode before it, and a DDI of level 2 for an idle GPU. Both are longer than an
// engine may hang.
inline constexpr std::int64_t kModeTimeoutNs = 5'000'000'000;
inline constexpr std::int64_t kIdleTimeoutNs = 10'000'000'000;
// Time in which a surface on the screen, or on its way there, is to be replaced.
inline constexpr std::int64_t kReplaceTimeoutNs = 1'000'000'000;
// Time that the flips of an allocation that is destroyed may take once no engine works.
inline constexpr std::int64_t kFlipTimeoutNs = 10'000'000'000;
// Bytes that DxgkDdiCollectDbgInfo may write, and timeouts that are kept.
inline constexpr std::uint32_t kDebugInfoBytes = 16u << 10;
inline constexpr std::uint32_t kMaxTimeoutReports = 8;

}  // namespace tandem::kernel
