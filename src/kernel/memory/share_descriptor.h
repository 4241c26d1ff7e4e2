// A cross-adapter resource as one file descriptor: the memfd of its pages, with what it is in one more page behind them. Any
// process that gets the descriptor can open the resource on its own adapters.
#pragma once

#include <memory>

#include "base/result.h"
#include "base/unique_fd.h"
#include "kernel/memory/shared_resource.h"

namespace tandem::kernel {

// Bytes of runtime data that go along.
inline constexpr std::size_t kMaxSharedRuntimeBytes = 2048;

// The caller owns the descriptor. kUnsupported for anonymous pages, or for a resource that is not described as a surface; kLimit,
// kIo.
[[nodiscard]] Result<UniqueFd> ExportShare(const SharedResource& share);

// Believes nothing that it has not checked: the descriptor comes from anywhere. kInvalidArgument, kLimit, kOutOfMemory, kIo.
[[nodiscard]] Result<std::shared_ptr<SharedResource>> ImportShare(const UniqueFd& fd);

}  // namespace tandem::kernel
