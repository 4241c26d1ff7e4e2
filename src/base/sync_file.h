// sync_files in and out of a dma-buf: fences between its users, whichever devices they are (Linux 6.0).
#pragma once

#include "base/result.h"
#include "base/unique_fd.h"

namespace tandem {

// A sync_file that is signalled when all work of the dma-buf's users is done that was known by now, readers' and writers'.
// kUnsupported when the kernel has no such call, kIo.
[[nodiscard]] Result<UniqueFd> ExportSyncFile(int dma_buf);

enum class DmaBufUse { kRead, kWrite };
// Announces the work behind `sync_file`: later writers wait for it, and readers, too, if it writes. kUnsupported, kIo.
[[nodiscard]] Result<void> ImportSyncFile(int dma_buf, const UniqueFd& sync_file, DmaBufUse use);

// True when the work behind the sync_file is done.
[[nodiscard]] bool IsSignalled(const UniqueFd& sync_file);
// True when nobody works on the dma-buf, at the latest after `timeout_ms`; 0: does not block.
[[nodiscard]] bool IsIdle(int dma_buf, int timeout_ms);

}  // namespace tandem
