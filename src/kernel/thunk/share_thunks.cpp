// D3DKMT*: NT handles of shared objects, made and found by name.
#include <span>
#include <utility>

#include "base/log.h"
#include "kernel/memory/share_descriptor.h"
#include "kernel/thunk/object_name.h"
#include "kernel/thunk/system.h"

namespace tandem::kernel {
namespace {

constexpr UINT kBundle = 3;  // a resource, a keyed mutex, a synchronization object

HANDLE Give(UniqueFd fd) { return reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(fd.Release())); }

NTSTATUS HoldFence(System& system, D3DKMT_HANDLE handle, NtObject& object) {
  const HandleRef<SyncObject> sync(system.handles(), handle);
  if (!sync || !sync->nt_sharing) return STATUS_INVALID_PARAMETER;
  return object.Hold(sync->fence, sync->type) ? STATUS_SUCCESS : STATUS_DEVICE_REMOVED;
}

NTSTATUS HoldMutex(System& system, D3DKMT_HANDLE handle, NtObject& object) {
  const HandleRef<KeyedMutexObject> mutex(system.handles(), handle);
  if (!mutex || !mutex->nt_sharing) return STATUS_INVALID_PARAMETER;
  return object.Hold(mutex->mutex) ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

NTSTATUS HoldResource(System& system, D3DKMT_HANDLE handle, NtObject& object) {
  const HandleRef<ResourceObject> resource(system.handles(), handle);
  if (!resource) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*resource->device->unit);
  if (!guard.alive() || resource->resource == nullptr) return STATUS_DEVICE_REMOVED;
  const std::shared_ptr<SharedResource> share = resource->resource->share;
  if (share == nullptr || !share->nt_sharing) return STATUS_INVALID_PARAMETER;
  object.Hold(share);
  return STATUS_SUCCESS;
}

NTSTATUS HoldAll(System& system, std::span<const D3DKMT_HANDLE> handles, NtObject& object) {
  if (handles.size() == 1 && HandleRef<SyncObject>(system.handles(), handles[0])) return HoldFence(system, handles[0], object);
  if (handles.size() != 1 && handles.size() != kBundle) return STATUS_INVALID_PARAMETER;
  NTSTATUS status = HoldResource(system, handles[0], object);
  if (handles.size() == 1) return status;
  if (NT_SUCCESS(status)) status = HoldMutex(system, handles[1], object);
  return NT_SUCCESS(status) ? HoldFence(system, handles[2], object) : status;
}

// The descriptor of a resource's own pages, which other processes may be given. The kernel of another process has neither this
// one's names nor its mutexes.
bool GivePages(const SharedResource& resource, HANDLE& shared) {
  auto fd = ExportShare(resource);
  if (!fd.ok()) {
    Log(LogLevel::kInfo, "A resource gets a descriptor for this process alone: {}", fd.error().message);
    return false;
  }
  shared = Give(*std::move(fd));
  return true;
}

NTSTATUS Share(System& system, std::span<const D3DKMT_HANDLE> handles, const OBJECT_ATTRIBUTES* attributes, HANDLE& shared) {
  auto object = std::make_shared<NtObject>();
  std::u16string name;
  if (const NTSTATUS status = HoldAll(system, handles, *object); !NT_SUCCESS(status)) return status;
  if (const NTSTATUS status = ReadObjectName(attributes, name); !NT_SUCCESS(status)) return status;
  const bool alone = object->resource() != nullptr && object->mutex() == nullptr;
  if (alone && name.empty() && GivePages(*object->resource(), shared)) return STATUS_SUCCESS;
  UniqueFd fd;
  const NTSTATUS status = system.nt_objects().Export(std::move(object), std::move(name), fd);
  if (NT_SUCCESS(status)) shared = Give(std::move(fd));
  return status;
}

enum class Named : std::uint8_t { kResource, kSyncObject };

template <class Data>
NTSTATUS OpenName(System& system, Data& data, Named kind) {
  if (data.pObjAttrib == nullptr) return STATUS_INVALID_PARAMETER;
  std::u16string name;
  if (const NTSTATUS status = ReadObjectName(data.pObjAttrib, name); !NT_SUCCESS(status)) return status;
  if (name.empty()) return STATUS_OBJECT_NAME_INVALID;
  std::shared_ptr<const NtObject> object;
  UniqueFd fd;
  if (const NTSTATUS status = system.nt_objects().OpenName(name, object, fd); !NT_SUCCESS(status)) return status;
  if ((object->resource() != nullptr) != (kind == Named::kResource)) return STATUS_OBJECT_TYPE_MISMATCH;
  if (data.dwDesiredAccess == 0) return STATUS_ACCESS_DENIED;
  data.hNtHandle = Give(std::move(fd));
  return STATUS_SUCCESS;
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTShareObjects(UINT count, CONST D3DKMT_HANDLE* objects, POBJECT_ATTRIBUTES attributes, DWORD /*access*/,
                                     HANDLE* shared) {
  return InThunk(shared, [&](System& system) {
    return objects != nullptr && count <= kBundle ? Share(system, {objects, count}, attributes, *shared)
                                                  : STATUS_INVALID_PARAMETER;
  });
}

NTSTATUS APIENTRY D3DKMTOpenNtHandleFromName(D3DKMT_OPENNTHANDLEFROMNAME* data) {
  return InThunk(data, [&](System& system) { return OpenName(system, *data, Named::kResource); });
}

NTSTATUS APIENTRY D3DKMTOpenSyncObjectNtHandleFromName(D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME* data) {
  return InThunk(data, [&](System& system) { return OpenName(system, *data, Named::kSyncObject); });
}
