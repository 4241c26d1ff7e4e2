#include "base/dma_buf.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/memory_map.h"

namespace tandem {
namespace {

constexpr char kDevice[] = "/dev/udmabuf";
constexpr char kLimitFile[] = "/sys/module/udmabuf/parameters/size_limit_mb";
constexpr std::uint64_t kKernelsLimitMib = 64;

constexpr long kDmaBufMagic = 0x444D4142;  // "DMAB", DMA_BUF_MAGIC

// Exporters whose memory is coherent may refuse, and have nothing to do.
void Sync(int dma_buf, std::uint64_t flags) {
  if (dma_buf < 0) return;
  const dma_buf_sync request{flags};
  while (ioctl(dma_buf, DMA_BUF_IOCTL_SYNC, &request) != 0 && (errno == EINTR || errno == EAGAIN)) {
  }
}

std::uint64_t LimitMib() {
  std::uint64_t limit = kKernelsLimitMib;
  std::ifstream(kLimitFile) >> limit;
  return limit;
}

}  // namespace

Result<UniqueFd> CreateDmaBuf(int memfd, std::uint64_t offset_bytes, std::uint64_t size_bytes) {
  const UniqueFd device(open(kDevice, O_RDWR | O_CLOEXEC));
  if (!device.valid()) return Fail(ErrorKind::kUnsupported, "{} cannot be opened: {}.", kDevice, std::strerror(errno));
  udmabuf_create request{};
  request.memfd = static_cast<__u32>(memfd);
  request.flags = UDMABUF_FLAGS_CLOEXEC;
  request.offset = offset_bytes;
  request.size = size_bytes;
  UniqueFd made(ioctl(device.get(), UDMABUF_CREATE, &request));
  if (made.valid()) return made;
  const int error = errno;
  if (const std::uint64_t limit = LimitMib(); size_bytes > limit << 20) {
    return Fail(ErrorKind::kLimit, "A dma-buf of {} bytes is larger than the kernel's limit of {} MiB ({}).", size_bytes, limit,
                kLimitFile);
  }
  return Fail(error == EINVAL ? ErrorKind::kInvalidArgument : ErrorKind::kIo,
              "The kernel makes no dma-buf of {} bytes from byte {} on: {}.", size_bytes, offset_bytes, std::strerror(error));
}

bool CanMakeDmaBufs() { return access(kDevice, R_OK | W_OK) == 0; }

bool IsDmaBuf(int fd) {
  struct statfs found {};
  return fstatfs(fd, &found) == 0 && found.f_type == kDmaBufMagic;
}

void BeginDmaBufAccess(int dma_buf) { Sync(dma_buf, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW); }

void EndDmaBufAccess(int dma_buf) { Sync(dma_buf, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW); }

Result<void> CheckDmaBufSize(const UniqueFd& dma_buf, std::uint64_t size_bytes) {
  const auto held = FileSizeBytes(dma_buf);
  if (!held.ok()) return held.error();
  if (*held >= size_bytes) return {};
  return Fail(ErrorKind::kInvalidArgument, "A dma-buf that shall hold {} bytes holds {}.", size_bytes, *held);
}

}  // namespace tandem
