// D3DKMT*: synchronization objects, made, opened by global handle and destroyed.
#include <memory>
#include <utility>

#include "kernel/submit/counting_fence.h"
#include "kernel/thunk/sync_object.h"
#include "kernel/thunk/teardown.h"

namespace tandem::kernel {
namespace {

// A semaphore of one. TRUE in `owned`: somebody has it until the first signal.
std::shared_ptr<Fence> MakeMutex(BOOL owned) { return std::make_shared<CountingFence>(owned ? 0 : kOneCount, kOneCount); }

NTSTATUS MakeSemaphore(UINT initial, UINT most, std::shared_ptr<Fence>& fence) {
  if (initial > most) return STATUS_INVALID_PARAMETER;
  fence = std::make_shared<CountingFence>(initial, most);
  return STATUS_SUCCESS;
}

NTSTATUS MakeNotification(HANDLE event, std::shared_ptr<Fence>& fence) {
  if (event == nullptr) return STATUS_INVALID_HANDLE;
  CpuEvent opened;
  if (const NTSTATUS status = CpuEvent::Open(event, opened); !NT_SUCCESS(status)) return status;
  fence = std::make_shared<CpuNotification>(std::move(opened));
  return STATUS_SUCCESS;
}

NTSTATUS MakeFence(const D3DDDI_SYNCHRONIZATIONOBJECTINFO& info, std::shared_ptr<Fence>& fence) {
  switch (info.Type) {
    case D3DDDI_SYNCHRONIZATION_MUTEX: fence = MakeMutex(info.SynchronizationMutex.InitialState); return STATUS_SUCCESS;
    case D3DDDI_SEMAPHORE: return MakeSemaphore(info.Semaphore.InitialCount, info.Semaphore.MaxCount, fence);
    default: return STATUS_INVALID_PARAMETER;
  }
}

NTSTATUS MakeFence(const D3DDDI_SYNCHRONIZATIONOBJECTINFO2& info, std::shared_ptr<Fence>& fence) {
  switch (info.Type) {
    case D3DDDI_SYNCHRONIZATION_MUTEX: fence = MakeMutex(info.SynchronizationMutex.InitialState); return STATUS_SUCCESS;
    case D3DDDI_SEMAPHORE: return MakeSemaphore(info.Semaphore.InitialCount, info.Semaphore.MaxCount, fence);
    case D3DDDI_FENCE: fence = std::make_shared<Fence>(info.Fence.FenceValue); return STATUS_SUCCESS;
    case D3DDDI_CPU_NOTIFICATION: return MakeNotification(info.CPUNotification.Event, fence);
    case D3DDDI_MONITORED_FENCE: fence = std::make_shared<Fence>(info.MonitoredFence.InitialFenceValue); return STATUS_SUCCESS;
    case D3DDDI_PERIODIC_MONITORED_FENCE: return STATUS_NOT_SUPPORTED;  // nobody signals it at a vertical blank
    default: return STATUS_INVALID_PARAMETER;                           // D3DKMTCreateNativeFence makes native ones
  }
}

NTSTATUS Check(System& system, const D3DDDI_SYNCHRONIZATIONOBJECTINFO2& info) {
  if (info.Flags.NtSecuritySharing && !info.Flags.Shared) return STATUS_INVALID_PARAMETER;
  if (info.Flags.NoSignal && info.Flags.NoWait) return STATUS_INVALID_PARAMETER;
  // Windows shares a monitored fence by NT handle alone, and a notification never.
  const bool global = info.Flags.Shared && !info.Flags.NtSecuritySharing;
  if (global && info.Type == D3DDDI_MONITORED_FENCE) return STATUS_INVALID_PARAMETER;
  if (info.Flags.Shared && info.Type == D3DDDI_CPU_NOTIFICATION) return STATUS_INVALID_PARAMETER;
  if (info.Type != D3DDDI_PERIODIC_MONITORED_FENCE) return STATUS_SUCCESS;
  return HandleRef<AdapterObject>(system.handles(), info.PeriodicMonitoredFence.hAdapter) ? STATUS_SUCCESS
                                                                                          : STATUS_INVALID_PARAMETER;
}

// The global handle is there before the first handle counts as a name.
NTSTATUS AddShare(System& system, SyncObject& object) {
  auto share = std::make_shared<SyncShareObject>();
  share->fence = object.fence;
  share->type = object.type;
  object.share = system.handles().Reserve(HandleType::kSyncShare, HandleSpace::kGlobal);
  if (object.share == 0) return STATUS_INSUFFICIENT_RESOURCES;
  system.handles().Publish(object.share, std::move(share));
  return STATUS_SUCCESS;
}

// Runs `make` with the new object where the device and its adapter are there.
template <class Make>
NTSTATUS OnDevice(System& system, D3DKMT_HANDLE device_handle, D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type, D3DKMT_HANDLE& handle,
                  Make make) {
  const HandleRef<DeviceObject> device(system.handles(), device_handle);
  if (!device) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*device->unit);
  if (!guard.alive() || device->device == nullptr) return STATUS_DEVICE_REMOVED;
  if (const NTSTATUS lost = device->device->condition().status(); !NT_SUCCESS(lost)) return lost;
  auto object = std::make_shared<SyncObject>();
  object->type = type;
  if (const NTSTATUS status = make(*object); !NT_SUCCESS(status)) return status;
  return AddSyncObject(system, device.Share(), std::move(object), handle);
}

NTSTATUS Create(System& system, D3DKMT_CREATESYNCHRONIZATIONOBJECT& data) {
  return OnDevice(system, data.hDevice, data.Info.Type, data.hSyncObject,
                  [&](SyncObject& object) { return MakeFence(data.Info, object.fence); });
}

NTSTATUS Create2(System& system, D3DKMT_CREATESYNCHRONIZATIONOBJECT2& data) {
  auto& info = data.Info;
  D3DKMT_HANDLE share = 0;
  void* cpu_address = nullptr;
  const NTSTATUS status = OnDevice(system, data.hDevice, info.Type, data.hSyncObject, [&](SyncObject& object) {
    if (const NTSTATUS wrong = Check(system, info); !NT_SUCCESS(wrong)) return wrong;
    if (const NTSTATUS made = MakeFence(info, object.fence); !NT_SUCCESS(made)) return made;
    cpu_address = object.fence->cpu_address();
    object.nt_sharing = info.Flags.NtSecuritySharing != 0;
    if (!info.Flags.Shared || object.nt_sharing) return STATUS_SUCCESS;
    const NTSTATUS shared = AddShare(system, object);
    share = object.share;
    return shared;
  });
  if (!NT_SUCCESS(status)) return status;
  if (info.Flags.Shared) info.SharedHandle = share;
  if (info.Type != D3DDDI_MONITORED_FENCE) return STATUS_SUCCESS;
  info.MonitoredFence.FenceValueCPUVirtualAddress = cpu_address;
  info.MonitoredFence.FenceValueGPUVirtualAddress = 0;
  return STATUS_SUCCESS;
}

NTSTATUS Open(System& system, D3DKMT_OPENSYNCHRONIZATIONOBJECT& data) {
  auto object = std::make_shared<SyncObject>();
  {
    const HandleRef<SyncShareObject> share(system.handles(), data.hSharedHandle);
    if (!share || !share->fence->AddName()) return STATUS_INVALID_PARAMETER;
    object->fence = share->fence;
    object->type = share->type;
    object->share = data.hSharedHandle;
  }
  return AddSyncObject(system, nullptr, std::move(object), data.hSyncObject);
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTCreateSynchronizationObject(D3DKMT_CREATESYNCHRONIZATIONOBJECT* data) {
  return InThunk(data, [&](System& system) { return Create(system, *data); });
}

NTSTATUS APIENTRY D3DKMTCreateSynchronizationObject2(D3DKMT_CREATESYNCHRONIZATIONOBJECT2* data) {
  return InThunk(data, [&](System& system) { return Create2(system, *data); });
}

NTSTATUS APIENTRY D3DKMTOpenSynchronizationObject(D3DKMT_OPENSYNCHRONIZATIONOBJECT* data) {
  return InThunk(data, [&](System& system) { return Open(system, *data); });
}

NTSTATUS APIENTRY D3DKMTDestroySynchronizationObject(CONST D3DKMT_DESTROYSYNCHRONIZATIONOBJECT* data) {
  return InThunk(data, [&](System& system) { return DestroySyncObject(system, data->hSyncObject); });
}
