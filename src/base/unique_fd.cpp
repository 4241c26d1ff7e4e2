#include "base/unique_fd.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tandem {

void UniqueFd::Reset() {
  if (fd_ < 0) return;
  const int saved_errno = errno;
  close(std::exchange(fd_, -1));  // on EINTR Linux has closed it all the same
  errno = saved_errno;
}

Result<UniqueFd> UniqueFd::Duplicate() const { return DuplicateFd(fd_); }

Result<UniqueFd> DuplicateFd(int fd) {
  if (fd < 0) return Fail(ErrorKind::kInvalidArgument, "There is no descriptor to duplicate.");
  UniqueFd copy(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!copy.valid()) {
    const std::string reason = std::generic_category().message(errno);
    return Fail(ErrorKind::kIo, "Descriptor {} cannot be duplicated: {}.", fd, reason);
  }
  return copy;
}

}  // namespace tandem
