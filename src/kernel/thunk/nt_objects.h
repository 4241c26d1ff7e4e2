// Shared objects as file descriptors, for devices of this process. A descriptor is the writing end of a pipe whose reading end
// stays here, so the kernel sees when its last duplicate is closed. In another process it names nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "base/thread.h"
#include "base/unique_fd.h"
#include "kernel/memory/shared_resource.h"
#include "kernel/submit/fence.h"
#include "kernel/thunk/keyed_mutex.h"

#include <d3dkmthk.h>

namespace tandem::kernel {

// A synchronization object alone, a resource alone, or a resource with both others. Each counts as held by a handle.
class NtObject {
 public:
  NtObject() = default;
  ~NtObject();
  NtObject(const NtObject&) = delete;
  NtObject& operator=(const NtObject&) = delete;

  // False for an object that its last handle has left. Once each.
  [[nodiscard]] bool Hold(const std::shared_ptr<Fence>& fence, D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type);
  [[nodiscard]] bool Hold(const std::shared_ptr<KeyedMutex>& mutex);
  void Hold(std::shared_ptr<SharedResource> resource) { resource_ = std::move(resource); }

  // Null for what the descriptor does not name.
  [[nodiscard]] const std::shared_ptr<SharedResource>& resource() const { return resource_; }
  [[nodiscard]] const std::shared_ptr<KeyedMutex>& mutex() const { return mutex_; }
  [[nodiscard]] const std::shared_ptr<Fence>& fence() const { return fence_; }
  [[nodiscard]] D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type() const { return type_; }  // of the fence

 private:
  std::shared_ptr<SharedResource> resource_;
  std::shared_ptr<KeyedMutex> mutex_;
  KeyedMutexHandle mutex_handle_;
  std::shared_ptr<Fence> fence_;
  D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type_{};
};

// Threads: any. An object whose descriptors are closed goes with the next call of DropClosed, Export or OpenName.
class NtObjects {
 public:
  // The caller owns the descriptor. The name ends with the last descriptor; empty: none. STATUS_OBJECT_NAME_COLLISION,
  // STATUS_INSUFFICIENT_RESOURCES when the system has no descriptors left.
  [[nodiscard]] NTSTATUS Export(std::shared_ptr<const NtObject> object, std::u16string name, UniqueFd& fd);
  // Null for a descriptor of anything else.
  [[nodiscard]] std::shared_ptr<const NtObject> Find(int fd);
  // One more descriptor of the named object. STATUS_OBJECT_NAME_NOT_FOUND, STATUS_INSUFFICIENT_RESOURCES.
  [[nodiscard]] NTSTATUS OpenName(const std::u16string& name, std::shared_ptr<const NtObject>& object, UniqueFd& fd);
  // Called when a program lets go of objects.
  void DropClosed();

 private:
  struct Entry {
    UniqueFd reading_end;
    dev_t device = 0;  // of the pipe
    ino_t inode = 0;
    std::u16string name;
    std::shared_ptr<const NtObject> object;
  };
  // Entries that no descriptor names any more; they go without the lock.
  [[nodiscard]] std::vector<Entry> TakeClosed() TANDEM_REQUIRES(mutex_);
  [[nodiscard]] const Entry* FindName(const std::u16string& name) const TANDEM_REQUIRES(mutex_);

  Mutex mutex_;
  std::vector<Entry> entries_ TANDEM_GUARDED_BY(mutex_);
};

}  // namespace tandem::kernel
