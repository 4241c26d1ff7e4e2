// Memory that the driver allocates and frees.
#pragma once

#include <ntddk.h>
#include <tandem_driver_host.h>

#include <cstddef>
#include <cstdint>

namespace tandem::drivers::host {

enum class PoolKind : std::uint8_t { kPool, kContiguous };

struct TagText {
  char letters[5];
};
// The tag's letters in memory order; a dot for each that cannot be printed.
[[nodiscard]] TagText TextOf(ULONG tag);

inline constexpr std::uint64_t kAnyAddress = ~std::uint64_t{0};

// Blocks of a page and more are page-aligned. NULL when there is no memory below `highest`.
[[nodiscard]] void* Allocate(PoolKind kind, std::size_t size, ULONG tag, bool zeroed, std::uint64_t highest = kAnyAddress);

// `tag` 0 fits any block.
void Free(PoolKind kind, void* bytes, ULONG tag);

// Whether blocks have guard pages (pool_guard.h), as the kernel's table says; `kernel` may be an older, smaller one.
void BeginPool(const TANDEM_DRIVER_KERNEL& kernel);

// Reports the block whose guard page, or whose pages after it was freed, `address` is in. In a handler of the fault of the
// driver's own access.
void ReportPoolFault(const void* address);

}  // namespace tandem::drivers::host
