#include "kernel/thunk/nt_objects.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tandem::kernel {
namespace {

bool IsClosed(const UniqueFd& reading_end) {
  pollfd state{reading_end.get(), 0, 0};
  return poll(&state, 1, 0) == 1 && (state.revents & POLLHUP) != 0;
}

}  // namespace

NtObject::~NtObject() {
  if (fence_ != nullptr) fence_->DropName();
  if (mutex_ != nullptr) static_cast<void>(mutex_->Close(mutex_handle_));
}

bool NtObject::Hold(const std::shared_ptr<Fence>& fence, D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type) {
  if (!fence->AddName()) return false;
  fence_ = fence;
  type_ = type;
  return true;
}

bool NtObject::Hold(const std::shared_ptr<KeyedMutex>& mutex) {
  if (!mutex->Open({})) return false;
  mutex_ = mutex;
  return true;
}

std::vector<NtObjects::Entry> NtObjects::TakeClosed() {
  std::vector<Entry> closed;
  const auto first =
      std::partition(entries_.begin(), entries_.end(), [](const Entry& entry) { return !IsClosed(entry.reading_end); });
  closed.assign(std::make_move_iterator(first), std::make_move_iterator(entries_.end()));
  entries_.erase(first, entries_.end());
  return closed;
}

const NtObjects::Entry* NtObjects::FindName(const std::u16string& name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.name == name; });
  return found != entries_.end() ? &*found : nullptr;
}

void NtObjects::DropClosed() {
  std::vector<Entry> closed;
  const MutexLock lock(mutex_);
  closed = TakeClosed();
}

NTSTATUS NtObjects::Export(std::shared_ptr<const NtObject> object, std::u16string name, UniqueFd& fd) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return STATUS_INSUFFICIENT_RESOURCES;
  UniqueFd reading_end(ends[0]);
  UniqueFd writing_end(ends[1]);
  struct stat status {};
  if (fstat(reading_end.get(), &status) != 0) return STATUS_INSUFFICIENT_RESOURCES;
  std::vector<Entry> closed;
  const MutexLock lock(mutex_);
  closed = TakeClosed();
  if (!name.empty() && FindName(name) != nullptr) return STATUS_OBJECT_NAME_COLLISION;
  entries_.push_back({std::move(reading_end), status.st_dev, status.st_ino, std::move(name), std::move(object)});
  fd = std::move(writing_end);
  return STATUS_SUCCESS;
}

std::shared_ptr<const NtObject> NtObjects::Find(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode)) return nullptr;
  const MutexLock lock(mutex_);
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.device == status.st_dev && entry.inode == status.st_ino;
  });
  return found != entries_.end() ? found->object : nullptr;
}

NTSTATUS NtObjects::OpenName(const std::u16string& name, std::shared_ptr<const NtObject>& object, UniqueFd& fd) {
  std::vector<Entry> closed;
  const MutexLock lock(mutex_);
  closed = TakeClosed();
  const Entry* const found = FindName(name);
  if (found == nullptr) return STATUS_OBJECT_NAME_NOT_FOUND;
  // The pipe's other end.
  const std::string path = fmt::format("/proc/self/fd/{}", found->reading_end.get());
  fd = UniqueFd(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return STATUS_INSUFFICIENT_RESOURCES;
  object = found->object;
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
