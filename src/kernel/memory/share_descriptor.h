// A resource of one allocation in system memory as one file descriptor: the memfd of its pages, with what it is in one more page
// behind them. Any process that gets the descriptor can open it on its own adapters: a cross-adapter surface on all that take
// such, another one on those of the same driver.
#pragma once

#include <memory>

#include "base/result.h"
#include "base/unique_fd.h"
#include "kernel/memory/shared_resource.h"

namespace tandem::kernel {

// Bytes of runtime data that go along.
inline constexpr std::size_t kMaxSharedRuntimeBytes = 2048;
// Bytes of the driver's private data, for the resource and for the allocation each.
inline constexpr std::size_t kMaxSharedPrivateBytes = 768;
// Bytes of the driver's name, its end included.
inline constexpr std::size_t kMaxSharedDriverName = 64;

// The caller owns the descriptor. kUnsupported for anonymous pages, several allocations, memory segments, or a cross-adapter
// resource that is not described as a surface; kLimit, kIo.
[[nodiscard]] Result<UniqueFd> ExportShare(const SharedResource& share);

// Believes nothing that it has not checked: the descriptor comes from anywhere. kInvalidArgument, kLimit, kOutOfMemory, kIo.
[[nodiscard]] Result<std::shared_ptr<SharedResource>> ImportShare(const UniqueFd& fd);

}  // namespace tandem::kernel
