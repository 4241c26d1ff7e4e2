// D3DKMT*: devices, contexts, rendering.
#include <algorithm>

#include "kernel/submit/render.h"
#include "kernel/submit/submission_check.h"
#include "kernel/thunk/private_data.h"
#include "kernel/thunk/system.h"
#include "kernel/thunk/teardown.h"

namespace tandem::kernel {
namespace {

NTSTATUS CreateDevice(System& system, D3DKMT_CREATEDEVICE& data) {
  const HandleRef<AdapterObject> adapter(system.handles(), data.hAdapter);
  if (!adapter) return STATUS_INVALID_PARAMETER;
  const std::shared_ptr<AdapterInstance> unit = adapter->unit;
  const AdapterGuard guard(*unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  auto object = std::make_shared<DeviceObject>();
  object->unit = unit;
  object->handle = system.handles().Reserve(HandleType::kDevice);
  if (object->handle == 0) return STATUS_INSUFFICIENT_RESOURCES;
  const NTSTATUS status = Device::Create(unit->scheduler(), object->handle, object->device);
  if (!NT_SUCCESS(status)) {
    system.handles().Abandon(object->handle);
    return status;
  }
  data.hDevice = object->handle;
  unit->AddDevice(object);
  system.handles().Publish(data.hDevice, std::move(object));
  return STATUS_SUCCESS;
}

NTSTATUS DestroyDevice(System& system, D3DKMT_HANDLE handle) {
  std::shared_ptr<AdapterInstance> unit;
  {
    const HandleRef<DeviceObject> device(system.handles(), handle);
    if (!device) return STATUS_INVALID_PARAMETER;
    unit = device->unit;
  }
  const RundownGuard guard(unit->rundown());
  if (!guard.entered()) unit->AwaitRemoval();
  if (unit->hung()) return STATUS_SUCCESS;
  const auto closed = system.handles().Close(handle, HandleType::kDevice);
  if (closed == nullptr) return STATUS_INVALID_PARAMETER;
  const auto device = std::static_pointer_cast<DeviceObject>(closed);
  CloseChildren(system.handles(), *device);
  StopDevice(system.handles(), *device);
  // The unit keeps what a driver that does not come back may use.
  if (device->device == nullptr) unit->RemoveDevice(*device);
  return STATUS_SUCCESS;
}

NTSTATUS CreateContext(System& system, D3DKMT_CREATECONTEXT& data) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*device->unit);
  if (!guard.alive() || device->device == nullptr) return STATUS_DEVICE_REMOVED;
  if (const NTSTATUS lost = device->device->condition().status(); !NT_SUCCESS(lost)) return lost;
  if (!IsPrivateData(data.pPrivateDriverData, data.PrivateDriverDataSize)) return STATUS_INVALID_PARAMETER;
  ContextRequest request;
  request.node = data.NodeOrdinal;
  request.engine_affinity = data.EngineAffinity;
  const auto* const bytes = static_cast<const std::byte*>(data.pPrivateDriverData);
  request.private_data.assign(bytes, bytes + data.PrivateDriverDataSize);

  auto object = std::make_shared<ContextObject>();
  object->device = device.Share();
  const D3DKMT_HANDLE handle = system.handles().Reserve(HandleType::kContext);
  if (handle == 0) return STATUS_INSUFFICIENT_RESOURCES;
  const NTSTATUS status = Context::Create(*device->device, device->unit->scheduler(), handle, request, object->context);
  if (!NT_SUCCESS(status)) {
    system.handles().Abandon(handle);
    return status;
  }
  CommandBuffers& buffers = object->context->command_buffers();
  data.hContext = handle;
  data.pCommandBuffer = buffers.commands.data();
  data.CommandBufferSize = static_cast<UINT>(buffers.commands.size());
  data.pAllocationList = buffers.allocations.data();
  data.AllocationListSize = static_cast<UINT>(buffers.allocations.size());
  data.pPatchLocationList = buffers.patches.data();
  data.PatchLocationListSize = static_cast<UINT>(buffers.patches.size());
  AddChild(*device, &DeviceObject::contexts, handle, object);
  system.handles().Publish(handle, std::move(object));
  return STATUS_SUCCESS;
}

NTSTATUS DestroyContext(System& system, D3DKMT_HANDLE handle) {
  std::shared_ptr<DeviceObject> device;
  {
    const HandleRef<ContextObject> context(system.handles(), handle);
    if (!context) return STATUS_INVALID_PARAMETER;
    device = context->device;
  }
  const RundownGuard guard(device->unit->rundown());
  if (!guard.entered()) device->unit->AwaitRemoval();
  if (device->unit->hung()) return STATUS_SUCCESS;
  const auto closed = system.handles().Close(handle, HandleType::kContext);
  if (closed == nullptr) return STATUS_INVALID_PARAMETER;
  StopContext(*std::static_pointer_cast<ContextObject>(closed));
  ForgetChild(*device, &DeviceObject::contexts, handle);
  return STATUS_SUCCESS;
}

template <class F>
NTSTATUS WithContext(System& system, D3DKMT_HANDLE handle, F function) {
  const HandleRef<ContextObject> context(system.handles(), handle);
  if (!context) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*context->device->unit);
  if (!guard.alive() || context->context == nullptr) return STATUS_DEVICE_REMOVED;
  return function(*context->context);
}

NTSTATUS SetPriority(System& system, D3DKMT_HANDLE handle, Scheduler::PriorityKind kind, INT priority) {
  if (priority < kLowestPriority || priority > kHighestPriority) return STATUS_INVALID_PARAMETER;
  return WithContext(system, handle, [&](Context& context) {
    context.scheduler().SetPriority(context.queue(), kind, priority);
    return STATUS_SUCCESS;
  });
}

NTSTATUS GetPriority(System& system, D3DKMT_HANDLE handle, Scheduler::PriorityKind kind, INT& priority) {
  return WithContext(system, handle, [&](Context& context) {
    priority = context.scheduler().PriorityOf(context.queue(), kind);
    return STATUS_SUCCESS;
  });
}

// Checks of a submission before its allocations are looked up. The program can change lists and commands while the
// driver reads them: a driver believes none of it either.
NTSTATUS CheckRender(Adapter& adapter, const CommandBuffers& buffers, const D3DKMT_RENDER& data) {
  if (data.Flags.Reserved != 0 || data.BroadcastContextCount > D3DDDI_MAX_BROADCAST_CONTEXT) return STATUS_INVALID_PARAMETER;
  if (data.BroadcastContextCount != 0) return STATUS_NOT_SUPPORTED;
  if (data.Flags.RenderKm || data.Flags.RenderKmReadback || data.Flags.PresentRedirected) return STATUS_NOT_SUPPORTED;
  if (data.CommandOffset > buffers.commands.size() || data.CommandLength > buffers.commands.size() - data.CommandOffset)
    return STATUS_INVALID_PARAMETER;
  if (data.AllocationCount > buffers.allocations.size() || data.PatchLocationCount > buffers.patches.size())
    return STATUS_INVALID_PARAMETER;
  if (!IsPrivateData(data.pPrivateDriverData, data.PrivateDriverDataSize)) return STATUS_INVALID_PARAMETER;
  const auto is_wrong = [&](const D3DDDI_PATCHLOCATIONLIST& patch) {
    return patch.AllocationIndex >= data.AllocationCount || !IsSlot(adapter, patch.SlotId);
  };
  const auto patches = std::span(buffers.patches).first(data.PatchLocationCount);
  return std::any_of(patches.begin(), patches.end(), is_wrong) ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}

// The driver's view of the program's allocation list, in the context's scratch list. Each allocation counts as used until EndUse:
// it stays although its handle is not held. The context's fill mutex is held.
NTSTATUS ConvertAllocations(System& system, const ContextObject& context, UINT count) {
  const auto& list = context.context->command_buffers().allocations;
  std::vector<UsedAllocation>& scratch = context.context->scratch_allocations();
  for (UINT i = 0; i < count; ++i) {
    if (list[i].hAllocation == 0) {
      scratch.push_back({});
      continue;
    }
    const HandleRef<AllocationObject> allocation(system.handles(), list[i].hAllocation);
    if (!allocation || allocation->allocation == nullptr) return STATUS_INVALID_PARAMETER;
    if (allocation->device != context.device.get()) return STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE;
    allocation->allocation->uses.fetch_add(1, std::memory_order_relaxed);
    scratch.push_back({allocation->allocation, allocation->device_specific, list[i].WriteOperation != 0});
  }
  return STATUS_SUCCESS;
}

void EndUse(Context& context) {
  for (const UsedAllocation& used : context.scratch_allocations()) {
    if (used.allocation != nullptr) context.scheduler().uses().End(*used.allocation);
  }
  context.scratch_allocations().clear();
}

// One DMA buffer; `again`: the driver wants another.
NTSTATUS SubmitPass(System& system, const ContextObject& object, UINT allocations, RenderRequest& request, bool& again) {
  Context& context = *object.context;
  Packet* packet = nullptr;
  again = false;
  if (const NTSTATUS status = context.scheduler().AcquirePacket(context.queue(), packet); !NT_SUCCESS(status)) return status;
  MutexLock fill(context.fill_mutex());
  NTSTATUS status = ConvertAllocations(system, object, allocations);
  request.allocations = context.scratch_allocations();
  if (NT_SUCCESS(status)) status = RenderPass(context, request, *packet, again);
  EndUse(context);  // the packet counts them itself
  if (NT_SUCCESS(status)) return context.scheduler().QueuePacket(*packet, fill);
  context.scheduler().ReleasePacket(*packet);
  return status;
}

NTSTATUS SubmitRender(System& system, D3DKMT_RENDER& data) {
  const HandleRef<ContextObject> context(system.handles(), data.hContext);
  if (!context) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*context->device->unit);
  if (!guard.alive() || context->context == nullptr) return STATUS_DEVICE_REMOVED;
  CommandBuffers& buffers = context->context->command_buffers();
  if (const NTSTATUS wrong = CheckRender(context->device->unit->adapter(), buffers, data); !NT_SUCCESS(wrong)) return wrong;
  RenderRequest request;
  request.commands = std::span(buffers.commands).subspan(data.CommandOffset, data.CommandLength);
  request.patches = std::span(buffers.patches).first(data.PatchLocationCount);
  request.null_rendering = data.Flags.NullRendering != 0;
  NTSTATUS status = STATUS_SUCCESS;
  for (bool again = true; again && NT_SUCCESS(status);) {
    status = SubmitPass(system, *context, data.AllocationCount, request, again);
  }
  // The driver has read the command buffer, so the program goes on with the same one.
  data.pNewCommandBuffer = buffers.commands.data();
  data.NewCommandBufferSize = static_cast<UINT>(buffers.commands.size());
  data.pNewAllocationList = buffers.allocations.data();
  data.NewAllocationListSize = static_cast<UINT>(buffers.allocations.size());
  data.pNewPatchLocationList = buffers.patches.data();
  data.NewPatchLocationListSize = static_cast<UINT>(buffers.patches.size());
  return status;
}

D3DKMT_DEVICEEXECUTION_STATE StateOf(DeviceLoss loss) {
  switch (loss) {
    case DeviceLoss::kNone: return D3DKMT_DEVICEEXECUTION_ACTIVE;
    case DeviceLoss::kHung: return D3DKMT_DEVICEEXECUTION_HUNG;
    case DeviceLoss::kReset: return D3DKMT_DEVICEEXECUTION_RESET;
    case DeviceLoss::kNoMemory: return D3DKMT_DEVICEEXECUTION_ERROR_OUTOFMEMORY;
    case DeviceLoss::kPageFault: return D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT;
    case DeviceLoss::kException: return D3DKMT_DEVICEEXECUTION_ERROR_DMAFAULT;
  }
  return D3DKMT_DEVICEEXECUTION_STOPPED;
}

NTSTATUS GetDeviceState(System& system, D3DKMT_GETDEVICESTATE& data) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*device->unit);
  if (data.StateType == D3DKMT_DEVICESTATE_PRESENT) {
    if (!guard.alive()) return STATUS_DEVICE_REMOVED;
    return device->unit->presenter().StatsOf(data.PresentState.VidPnSourceId, data.PresentState.PresentStats);
  }
  if (data.StateType != D3DKMT_DEVICESTATE_EXECUTION) return STATUS_NOT_SUPPORTED;
  const bool alive = guard.alive() && device->device != nullptr;
  data.ExecutionState = alive ? StateOf(device->device->condition().loss()) : D3DKMT_DEVICEEXECUTION_STOPPED;
  return STATUS_SUCCESS;
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTCreateDevice(D3DKMT_CREATEDEVICE* data) {
  return InThunk(data, [&](System& system) { return CreateDevice(system, *data); });
}

NTSTATUS APIENTRY D3DKMTDestroyDevice(CONST D3DKMT_DESTROYDEVICE* data) {
  return InThunk(data, [&](System& system) { return DestroyDevice(system, data->hDevice); });
}

NTSTATUS APIENTRY D3DKMTCreateContext(D3DKMT_CREATECONTEXT* data) {
  return InThunk(data, [&](System& system) { return CreateContext(system, *data); });
}

NTSTATUS APIENTRY D3DKMTDestroyContext(CONST D3DKMT_DESTROYCONTEXT* data) {
  return InThunk(data, [&](System& system) { return DestroyContext(system, data->hContext); });
}

NTSTATUS APIENTRY D3DKMTSetContextSchedulingPriority(CONST D3DKMT_SETCONTEXTSCHEDULINGPRIORITY* data) {
  return InThunk(data, [&](System& system) {
    return SetPriority(system, data->hContext, Scheduler::PriorityKind::kScheduling, data->Priority);
  });
}

NTSTATUS APIENTRY D3DKMTGetContextSchedulingPriority(D3DKMT_GETCONTEXTSCHEDULINGPRIORITY* data) {
  return InThunk(data, [&](System& system) {
    return GetPriority(system, data->hContext, Scheduler::PriorityKind::kScheduling, data->Priority);
  });
}

NTSTATUS APIENTRY D3DKMTSetContextInProcessSchedulingPriority(CONST D3DKMT_SETCONTEXTINPROCESSSCHEDULINGPRIORITY* data) {
  return InThunk(data, [&](System& system) {
    return SetPriority(system, data->hContext, Scheduler::PriorityKind::kInProcess, data->Priority);
  });
}

NTSTATUS APIENTRY D3DKMTGetContextInProcessSchedulingPriority(D3DKMT_GETCONTEXTINPROCESSSCHEDULINGPRIORITY* data) {
  return InThunk(data, [&](System& system) {
    return GetPriority(system, data->hContext, Scheduler::PriorityKind::kInProcess, data->Priority);
  });
}

NTSTATUS APIENTRY D3DKMTRender(D3DKMT_RENDER* data) {
  return InThunk(data, [&](System& system) { return SubmitRender(system, *data); });
}

NTSTATUS APIENTRY D3DKMTGetDeviceState(D3DKMT_GETDEVICESTATE* data) {
  return InThunk(data, [&](System& system) { return GetDeviceState(system, *data); });
}
