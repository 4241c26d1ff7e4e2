// Named limits of what user mode may ask of the memory room.
#pragma once

#include <cstdint>

namespace tandem::kernel {

inline constexpr std::uint32_t kMaxAllocationsPerCall = 1024;
// Bytes of one piece of private driver or runtime data.
inline constexpr std::uint32_t kMaxPrivateDataBytes = 64 * 1024;
// Bytes of one allocation; a driver that asks for more is not believed.
inline constexpr std::uint64_t kMaxAllocationBytes = 1ULL << 40;
// Locks of one allocation that are not unlocked.
inline constexpr std::int64_t kMaxLocks = 65536;

// D3DKMTRegisterTrimNotification, of one adapter.
inline constexpr std::size_t kMaxTrimRegistrations = 256;

}  // namespace tandem::kernel
