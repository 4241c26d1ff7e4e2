// D3DKMT*: shared resources as file descriptors, which other processes may be given, and shared fences.
#include "base/log.h"
#include "kernel/memory/share_descriptor.h"
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

NTSTATUS Give(Result<UniqueFd> fd, HANDLE& shared) {
  if (!fd.ok()) return ToStatus(fd.error());
  shared = reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(fd->Release()));
  return STATUS_SUCCESS;
}

NTSTATUS Export(System& system, D3DKMT_HANDLE handle, HANDLE& shared) {
  if (const HandleRef<SyncObject> fence(system.handles(), handle); fence) {
    return fence->nt_sharing ? Give(system.fence_shares().Export(fence->fence), shared) : STATUS_INVALID_PARAMETER;
  }
  const HandleRef<ResourceObject> object(system.handles(), handle);
  if (!object) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*object->device->unit);
  if (!guard.alive() || object->resource == nullptr) return STATUS_DEVICE_REMOVED;
  const std::shared_ptr<SharedResource> share = object->resource->share;
  if (share == nullptr || !share->nt_sharing) return STATUS_INVALID_PARAMETER;
  return Give(ExportShare(*share), shared);
}

NTSTATUS Import(HANDLE handle, std::shared_ptr<SharedResource>& share) {
  UniqueFd borrowed(ToFd(handle));
  auto imported = ImportShare(borrowed);
  static_cast<void>(borrowed.Release());
  if (!imported.ok()) return ToStatus(imported.error());
  share = *std::move(imported);
  return STATUS_SUCCESS;
}

NTSTATUS QueryInfo(System& system, D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE& data) {
  std::shared_ptr<SharedResource> share;
  if (const NTSTATUS status = Import(data.hNtHandle, share); !NT_SUCCESS(status)) return status;
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

NTSTATUS OpenResource(System& system, D3DKMT_OPENRESOURCEFROMNTHANDLE& data) {
  std::shared_ptr<SharedResource> share;
  if (const NTSTATUS status = Import(data.hNtHandle, share); !NT_SUCCESS(status)) return status;
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
  const NTSTATUS status = OpenShare(system, share, open, OpenForm::kSecond);
  data.PrivateRuntimeDataSize = open.PrivateRuntimeDataSize;
  data.ResourcePrivateDriverDataSize = open.ResourcePrivateDriverDataSize;
  data.TotalPrivateDriverDataBufferSize = open.TotalPrivateDriverDataBufferSize;
  data.hResource = open.hResource;
  data.hKeyedMutex = data.hSyncObject = 0;
  return status;
}

NTSTATUS OpenFence(System& system, D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2& data) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*device->unit);
  if (!guard.alive() || device->device == nullptr) return STATUS_DEVICE_REMOVED;
  if (const NTSTATUS lost = device->device->condition().status(); !NT_SUCCESS(lost)) return lost;
  const std::shared_ptr<Fence> fence = system.fence_shares().Open(ToFd(data.hNtHandle));
  if (fence == nullptr) return STATUS_INVALID_HANDLE;
  const NTSTATUS status = AddSyncObject(system, device.Share(), fence, FenceSharing::kByDescriptor, data.hSyncObject);
  if (!NT_SUCCESS(status)) {
    fence->DropName();
    return status;
  }
  data.MonitoredFence.FenceValueCPUVirtualAddress = fence->cpu_address();
  data.MonitoredFence.FenceValueGPUVirtualAddress = 0;
  return STATUS_SUCCESS;
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTShareObjects(UINT count, CONST D3DKMT_HANDLE* objects, POBJECT_ATTRIBUTES /*attributes*/,
                                     DWORD /*access*/, HANDLE* shared) {
  return InThunk(shared, [&](System& system) {
    if (objects == nullptr || count == 0) return STATUS_INVALID_PARAMETER;
    // One descriptor carries one resource or one fence; fences do not cross processes yet.
    return count == 1 ? Export(system, objects[0], *shared) : STATUS_NOT_SUPPORTED;
  });
}

NTSTATUS APIENTRY D3DKMTQueryResourceInfoFromNtHandle(D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE* data) {
  return InThunk(data, [&](System& system) { return QueryInfo(system, *data); });
}

NTSTATUS APIENTRY D3DKMTOpenResourceFromNtHandle(D3DKMT_OPENRESOURCEFROMNTHANDLE* data) {
  return InThunk(data, [&](System& system) { return OpenResource(system, *data); });
}

NTSTATUS APIENTRY D3DKMTOpenSyncObjectFromNtHandle2(D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2* data) {
  return InThunk(data, [&](System& system) { return OpenFence(system, *data); });
}
