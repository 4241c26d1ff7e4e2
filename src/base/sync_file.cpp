#include "base/sync_file.h"

#include <cerrno>
#include <cstring>

#include <linux/dma-buf.h>
#include <poll.h>
#include <sys/ioctl.h>

namespace tandem {
namespace {

Error Refused(const char* call, int error) {
  return Fail(error == ENOTTY ? ErrorKind::kUnsupported : ErrorKind::kIo, "{} of a dma-buf failed: {}.", call,
              std::strerror(error));
}

}  // namespace

Result<UniqueFd> ExportSyncFile(int dma_buf) {
  dma_buf_export_sync_file request{};
  request.flags = DMA_BUF_SYNC_RW;
  request.fd = -1;
  if (ioctl(dma_buf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &request) != 0) return Refused("DMA_BUF_IOCTL_EXPORT_SYNC_FILE", errno);
  return UniqueFd(request.fd);
}

Result<void> ImportSyncFile(int dma_buf, const UniqueFd& sync_file, DmaBufUse use) {
  dma_buf_import_sync_file request{};
  request.flags = use == DmaBufUse::kWrite ? DMA_BUF_SYNC_WRITE : DMA_BUF_SYNC_READ;
  request.fd = sync_file.get();
  if (ioctl(dma_buf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &request) != 0) return Refused("DMA_BUF_IOCTL_IMPORT_SYNC_FILE", errno);
  return {};
}

bool IsSignalled(const UniqueFd& sync_file) {
  pollfd asked{sync_file.get(), POLLIN, 0};
  return poll(&asked, 1, 0) == 1 && (asked.revents & POLLIN) != 0;
}

// POLLOUT waits for readers and writers.
bool IsIdle(int dma_buf, int timeout_ms) {
  pollfd asked{dma_buf, POLLOUT, 0};
  return poll(&asked, 1, timeout_ms) == 1 && (asked.revents & POLLOUT) != 0;
}

}  // namespace tandem
