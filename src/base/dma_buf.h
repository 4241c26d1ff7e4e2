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

// True if this user may open /dev/udmabuf, and the kernel has it.
[[nodiscard]] bool CanMakeDmaBufs();

// True for the descriptor of a dma-buf, whoever exported it. Nobody can shrink one.
[[nodiscard]] bool IsDmaBuf(int fd);

// Memory for the pages of surfaces, as dma-bufs. Thread-safe; may block for some milliseconds.
class DmaBufSource {
 public:
  virtual ~DmaBufSource() = default;
  // At least `size_bytes`, whole pages, which the processor can map. kUnsupported, kOutOfMemory, kDeviceLost.
  [[nodiscard]] virtual Result<UniqueFd> Make(std::uint64_t size_bytes) = 0;
};

// The processor reads and writes a dma-buf's pages between begin and end (DMA_BUF_IOCTL_SYNC): what devices wrote is seen, and
// devices see what the processor wrote. The begin waits for the dma-buf's fences.
// Both do nothing for -1. Thread-safe.
void BeginDmaBufAccess(int dma_buf);
void EndDmaBufAccess(int dma_buf);
class DmaBufAccess {
 public:
  explicit DmaBufAccess(int dma_buf) : dma_buf_(dma_buf) { BeginDmaBufAccess(dma_buf_); }
  ~DmaBufAccess() { EndDmaBufAccess(dma_buf_); }
  DmaBufAccess(const DmaBufAccess&) = delete;
  DmaBufAccess& operator=(const DmaBufAccess&) = delete;

 private:
  const int dma_buf_;
};

// Succeeds if the dma-buf holds at least `size_bytes`, as the kernel says; an exporter may say otherwise. kInvalidArgument with
// both numbers, kIo.
[[nodiscard]] Result<void> CheckDmaBufSize(const UniqueFd& dma_buf, std::uint64_t size_bytes);

}  // namespace tandem
