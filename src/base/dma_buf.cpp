#include "base/dma_buf.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>

namespace tandem {
namespace {

constexpr char kDevice[] = "/dev/udmabuf";
constexpr char kLimitFile[] = "/sys/module/udmabuf/parameters/size_limit_mb";
constexpr std::uint64_t kKernelsLimitMib = 64;

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

}  // namespace tandem
