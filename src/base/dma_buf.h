// dma-bufs over shared pages: devices and compositors read the pages where they are.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem {

// A dma-buf of `size_bytes` of the memfd from `offset_bytes` on, by /dev/udmabuf. The memfd must be sealed against shrinking, as
// CreateSharedPages seals it; the pages live as long as either descriptor. Offset and size are multiples of the page size.
// kUnsupported when the kernel has no udmabuf or the user may not open it, kLimit beyond the kernel's limit for one dma-buf
// (64 MiB unless the udmabuf module was given another), kInvalidArgument, kIo. Thread-safe.
[[nodiscard]] Result<UniqueFd> CreateDmaBuf(int memfd, std::uint64_t offset_bytes, std::uint64_t size_bytes);

}  // namespace tandem
