#include "kernel/thunk/keyed_mutex_object.h"

#include <utility>

#include "kernel/memory/no_memory.h"

namespace tandem::kernel {

NTSTATUS AddKeyedMutex(System& system, const std::shared_ptr<KeyedMutex>& mutex, KeyedMutexSharing sharing, D3DKMT_HANDLE share,
                       D3DKMT_HANDLE& handle) {
  const NTSTATUS status = OrNoMemory([&] {
    auto object = std::make_shared<KeyedMutexObject>();
    object->mutex = mutex;
    object->nt_sharing = sharing == KeyedMutexSharing::kByDescriptor;
    object->share = share;
    const D3DKMT_HANDLE reserved = system.handles().Reserve(HandleType::kKeyedMutex);
    if (reserved == 0) return STATUS_INSUFFICIENT_RESOURCES;
    system.handles().Publish(reserved, std::move(object));
    handle = reserved;
    return STATUS_SUCCESS;
  });
  if (NT_SUCCESS(status)) return status;
  KeyedMutexHandle unpublished;
  if (mutex->Close(unpublished) && share != 0) static_cast<void>(system.handles().Close(share, HandleType::kKeyedMutexShare));
  return status;
}

NTSTATUS DestroyKeyedMutex(System& system, D3DKMT_HANDLE handle) {
  const auto closed = system.handles().Close(handle, HandleType::kKeyedMutex);
  if (closed == nullptr) return STATUS_INVALID_PARAMETER;
  const auto object = std::static_pointer_cast<KeyedMutexObject>(closed);
  if (object->mutex->Close(object->own) && object->share != 0)
    static_cast<void>(system.handles().Close(object->share, HandleType::kKeyedMutexShare));
  system.nt_objects().DropClosed();
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
