// The private data of an escape by which the kernel-mode half touches the backing store of an allocation that it shares
// (kAllocationSharedWithKmd): what a driver would do with counters or rings that user mode polls.
#pragma once

#include <cstdint>

namespace tandem::soft {

inline constexpr std::uint32_t kBackingStoreEscapeMagic = 0x45425354;  // "TSBE"

enum class BackingStoreAccess : std::uint32_t { kRead = 0, kWrite = 1 };

// Plain data without padding.
struct BackingStoreEscape {
  std::uint32_t magic = kBackingStoreEscapeMagic;
  std::uint32_t allocation = 0;  // D3DKMT_HANDLE
  BackingStoreAccess access = BackingStoreAccess::kRead;
  std::uint32_t value = 0;   // written, or what was read
  std::uint64_t offset = 0;  // bytes; the four bytes there lie within the allocation
};
static_assert(sizeof(BackingStoreEscape) == 24);

}  // namespace tandem::soft
