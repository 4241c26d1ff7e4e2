// D3DKMT*: shared objects, opened by file descriptor.
#include "base/log.h"
#include "kernel/memory/no_memory.h"
#include "kernel/memory/share_descriptor.h"
#include "kernel/thunk/keyed_mutex_object.h"
#include "kernel/thunk/private_data.h"
#include "kernel/thunk/resource_open.h"
#include "kernel/thunk/share_open.h"
#include "kernel/thunk/sync_object.h"

namespace tandem::kernel {
namespace {

NTSTATUS ToStatus(const Error& error) {
  Log(LogLevel::kWarn, "{}", error.message);
  switch (error.kind) {
    case ErrorKind::kUnsupported: return STATUS_NOT_SUPPORTED;
    case ErrorKind::kOutOfMemory: return STATUS_NO_MEMORY;
    case ErrorKind::kIo: return STATUS_INVALID_HANDLE;
    default: return STATUS_INVALID_PARAMETER;
  }
}

int ToFd(HANDLE handle) { return static_cast<int>(reinterpret_cast<std::intptr_t>(handle)); }

Result<std::shared_ptr<SharedResource>> ImportPages(HANDLE handle) {
  UniqueFd borrowed(ToFd(handle));
  auto imported = ImportShare(borrowed);
  static_cast<void>(borrowed.Release());
  return imported;
}

// A resource that the descriptor names. `object` has its partners, and is null for pages that any process may have sent.
NTSTATUS FindResource(System& system, HANDLE handle, std::shared_ptr<const NtObject>& object,
                      std::shared_ptr<SharedResource>& share) {
  object = system.nt_objects().Find(ToFd(handle));
  if (object != nullptr) {
    share = object->resource();
    return share != nullptr ? STATUS_SUCCESS : STATUS_OBJECT_TYPE_MISMATCH;
  }
  auto imported = ImportPages(handle);
  if (!imported.ok()) return ToStatus(imported.error());
  share = *std::move(imported);
  return STATUS_SUCCESS;
}

NTSTATUS QueryInfo(System& system, D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE& data) {
  std::shared_ptr<const NtObject> object;
  std::shared_ptr<SharedResource> share;
  if (const NTSTATUS status = FindResource(system, data.hNtHandle, object, share); !NT_SUCCESS(status)) return status;
  D3DKMT_QUERYRESOURCEINFO query{};
  query.hDevice = data.hDevice;
  query.pPrivateRuntimeData = data.pPrivateRuntimeData;
  query.PrivateRuntimeDataSize = data.PrivateRuntimeDataSize;
  const NTSTATUS status = QueryShare(system, share, query);
  data.PrivateRuntimeDataSize = query.PrivateRuntimeDataSize;
  data.TotalPrivateDriverDataSize = query.TotalPrivateDriverDataSize;
  data.ResourcePrivateDriverDataSize = query.ResourcePrivateDriverDataSize;
  data.NumAllocations = query.NumAllocations;
  return status;
}

NTSTATUS OpenMutex(System& system, const std::shared_ptr<KeyedMutex>& mutex, D3DKMT_OPENRESOURCEFROMNTHANDLE& data) {
  const auto* const bytes = static_cast<const std::byte*>(data.pKeyedMutexPrivateRuntimeData);
  if (!mutex->Open({bytes, data.KeyedMutexPrivateRuntimeDataSize})) return STATUS_INVALID_PARAMETER;
  return AddKeyedMutex(system, mutex, KeyedMutexSharing::kByDescriptor, 0, data.hKeyedMutex);
}

// A handle on the device, or with null on none.
NTSTATUS OpenSync(System& system, const std::shared_ptr<DeviceObject>& device, const NtObject& from, D3DKMT_HANDLE& handle) {
  auto object = std::make_shared<SyncObject>();
  if (!from.fence()->AddName()) return STATUS_DEVICE_REMOVED;
  object->fence = from.fence();
  object->type = from.type();
  object->nt_sharing = device != nullptr;  // Windows shares only those of a device again
  return AddSyncObject(system, device, std::move(object), handle);
}

NTSTATUS OpenSyncOnDevice(System& system, D3DKMT_HANDLE device_handle, const NtObject& from, D3DKMT_HANDLE& handle) {
  const HandleRef<DeviceObject> device(system.handles(), device_handle);
  if (!device) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*device->unit);
  if (!guard.alive() || device->device == nullptr) return STATUS_DEVICE_REMOVED;
  if (const NTSTATUS lost = device->device->condition().status(); !NT_SUCCESS(lost)) return lost;
  return OpenSync(system, device.Share(), from, handle);
}

NTSTATUS OpenPartners(System& system, const NtObject& object, D3DKMT_OPENRESOURCEFROMNTHANDLE& data) {
  if (const NTSTATUS status = OpenMutex(system, object.mutex(), data); !NT_SUCCESS(status)) return status;
  const NTSTATUS status = OrNoMemory([&] { return OpenSyncOnDevice(system, data.hDevice, object, data.hSyncObject); });
  if (!NT_SUCCESS(status)) static_cast<void>(DestroyKeyedMutex(system, data.hKeyedMutex));
  return status;
}

NTSTATUS OpenResource(System& system, D3DKMT_OPENRESOURCEFROMNTHANDLE& data) {
  if (!IsPrivateData(data.pKeyedMutexPrivateRuntimeData, data.KeyedMutexPrivateRuntimeDataSize)) return STATUS_INVALID_PARAMETER;
  std::shared_ptr<const NtObject> object;
  std::shared_ptr<SharedResource> share;
  if (const NTSTATUS status = FindResource(system, data.hNtHandle, object, share); !NT_SUCCESS(status)) return status;
  D3DKMT_OPENRESOURCE open{};
  open.hDevice = data.hDevice;
  open.NumAllocations = data.NumAllocations;
  open.pOpenAllocationInfo2 = data.pOpenAllocationInfo2;
  open.pPrivateRuntimeData = data.pPrivateRuntimeData;
  open.PrivateRuntimeDataSize = data.PrivateRuntimeDataSize;
  open.pResourcePrivateDriverData = data.pResourcePrivateDriverData;
  open.ResourcePrivateDriverDataSize = data.ResourcePrivateDriverDataSize;
  open.pTotalPrivateDriverDataBuffer = data.pTotalPrivateDriverDataBuffer;
  open.TotalPrivateDriverDataBufferSize = data.TotalPrivateDriverDataBufferSize;
  if (const NTSTATUS status = OpenShare(system, share, open, OpenForm::kSecond); !NT_SUCCESS(status)) return status;
  if (object != nullptr && object->mutex() != nullptr) {
    const NTSTATUS status = OrNoMemory([&] { return OpenPartners(system, *object, data); });
    if (!NT_SUCCESS(status)) {
      static_cast<void>(DestroyOpened(system, open.hResource));
      return status;
    }
  } else {
    data.hKeyedMutex = data.hSyncObject = 0;
    data.KeyedMutexPrivateRuntimeDataSize = 0;
  }
  data.PrivateRuntimeDataSize = open.PrivateRuntimeDataSize;
  data.ResourcePrivateDriverDataSize = open.ResourcePrivateDriverDataSize;
  data.TotalPrivateDriverDataBufferSize = open.TotalPrivateDriverDataBufferSize;
  data.hResource = open.hResource;
  return STATUS_SUCCESS;
}

// STATUS_OBJECT_TYPE_MISMATCH for a resource, STATUS_INVALID_HANDLE for what is no shared object.
NTSTATUS FindSync(System& system, HANDLE handle, std::shared_ptr<const NtObject>& object) {
  object = system.nt_objects().Find(ToFd(handle));
  if (object != nullptr) return object->resource() == nullptr ? STATUS_SUCCESS : STATUS_OBJECT_TYPE_MISMATCH;
  return ImportPages(handle).ok() ? STATUS_OBJECT_TYPE_MISMATCH : STATUS_INVALID_HANDLE;
}

// A monitored fence has an address on each device, and needs one.
NTSTATUS OpenSyncOnNone(System& system, D3DKMT_OPENSYNCOBJECTFROMNTHANDLE& data) {
  std::shared_ptr<const NtObject> object;
  if (const NTSTATUS status = FindSync(system, data.hNtHandle, object); !NT_SUCCESS(status)) return status;
  if (object->type() == D3DDDI_MONITORED_FENCE) return STATUS_INVALID_PARAMETER;
  return OpenSync(system, nullptr, *object, data.hSyncObject);
}

NTSTATUS OpenSync2(System& system, D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2& data) {
  if (!HandleRef<DeviceObject>(system.handles(), data.hDevice)) return STATUS_INVALID_PARAMETER;
  std::shared_ptr<const NtObject> object;
  if (const NTSTATUS status = FindSync(system, data.hNtHandle, object); !NT_SUCCESS(status)) return status;
  if (const NTSTATUS status = OpenSyncOnDevice(system, data.hDevice, *object, data.hSyncObject); !NT_SUCCESS(status))
    return status;
  if (object->type() != D3DDDI_MONITORED_FENCE) return STATUS_SUCCESS;
  data.MonitoredFence.FenceValueCPUVirtualAddress = object->fence()->cpu_address();
  data.MonitoredFence.FenceValueGPUVirtualAddress = 0;
  return STATUS_SUCCESS;
}

// A keyed mutex has no descriptor of its own.
NTSTATUS OpenMutexAlone(System& system, HANDLE handle) {
  const bool shared = system.nt_objects().Find(ToFd(handle)) != nullptr || ImportPages(handle).ok();
  return shared ? STATUS_OBJECT_TYPE_MISMATCH : STATUS_INVALID_HANDLE;
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTQueryResourceInfoFromNtHandle(D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE* data) {
  return InThunk(data, [&](System& system) { return QueryInfo(system, *data); });
}

NTSTATUS APIENTRY D3DKMTOpenResourceFromNtHandle(D3DKMT_OPENRESOURCEFROMNTHANDLE* data) {
  return InThunk(data, [&](System& system) { return OpenResource(system, *data); });
}

NTSTATUS APIENTRY D3DKMTOpenSyncObjectFromNtHandle(D3DKMT_OPENSYNCOBJECTFROMNTHANDLE* data) {
  return InThunk(data, [&](System& system) { return OpenSyncOnNone(system, *data); });
}

NTSTATUS APIENTRY D3DKMTOpenSyncObjectFromNtHandle2(D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2* data) {
  return InThunk(data, [&](System& system) { return OpenSync2(system, *data); });
}

NTSTATUS APIENTRY D3DKMTOpenKeyedMutexFromNtHandle(D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE* data) {
  return InThunk(data, [&](System& system) { return OpenMutexAlone(system, data->hNtHandle); });
}
