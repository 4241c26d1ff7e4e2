#include "kernel/submit/cpu_event.h"

#include <cstdint>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

namespace tandem::kernel {

// An eventfd has no type of file. The other descriptors without one refuse a write at once.
NTSTATUS CpuEvent::Open(HANDLE handle, CpuEvent& event) {
  auto duplicate = DuplicateFd(static_cast<int>(reinterpret_cast<std::intptr_t>(handle)));
  struct stat status {};
  if (!duplicate.ok() || fstat(duplicate->get(), &status) != 0) return STATUS_INVALID_HANDLE;
  if ((status.st_mode & S_IFMT) != 0) return STATUS_OBJECT_TYPE_MISMATCH;
  event.fd_ = *std::move(duplicate);
  return STATUS_SUCCESS;
}

void CpuEvent::Set() const {
  pollfd room{fd_.get(), POLLOUT, 0};
  if (poll(&room, 1, 0) == 1) static_cast<void>(eventfd_write(fd_.get(), 1));
}

}  // namespace tandem::kernel
