// D3DKMT*: signals and waits, queued in contexts and by the processor.
#include <array>
#include <memory>
#include <span>

#include "kernel/submit/fence_wait.h"
#include "kernel/thunk/sync_list.h"

namespace tandem::kernel {
namespace {

using Form = SyncValues::Form;

constexpr UINT kEnqueueCpuEvent = 2, kAllowFenceRewind = 4;  // bits of D3DDDICB_SIGNALFLAGS

NTSTATUS QueueInContext(System& system, D3DKMT_HANDLE context_handle, SyncOperation operation, UINT count,
                        const D3DKMT_HANDLE* objects, const SyncValues& values) {
  const HandleRef<ContextObject> context(system.handles(), context_handle);
  if (!context) return STATUS_INVALID_PARAMETER;
  SyncList list;
  if (const NTSTATUS status = list.Resolve(system, operation, count, objects, values); !NT_SUCCESS(status)) return status;
  const AdapterGuard guard(*context->device->unit);
  if (!guard.alive() || context->context == nullptr) return STATUS_DEVICE_REMOVED;
  Context& target = *context->context;
  for (UINT i = 0; i < count; ++i) {
    auto& fence = list.fences()[i];
    const UINT64 value = list.values()[i];
    const NTSTATUS status = operation == SyncOperation::kSignal
                                ? target.scheduler().QueueSignal(target.queue(), std::move(fence), value)
                                : target.scheduler().QueueWait(target.queue(), std::move(fence), value);
    if (!NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

// The event is written when the context has done what it queued so far.
NTSTATUS QueueEvent(System& system, D3DKMT_HANDLE context_handle, HANDLE event_handle) {
  const HandleRef<ContextObject> context(system.handles(), context_handle);
  if (!context) return STATUS_INVALID_PARAMETER;
  CpuEvent event;
  if (const NTSTATUS status = CpuEvent::Open(event_handle, event); !NT_SUCCESS(status)) return status;
  const AdapterGuard guard(*context->device->unit);
  if (!guard.alive() || context->context == nullptr) return STATUS_DEVICE_REMOVED;
  Context& target = *context->context;
  const std::array fences{std::make_shared<Fence>(0)};
  constexpr std::array<std::uint64_t, 1> kDone{1};
  // The event is also written when the context goes and drops its signal.
  std::shared_ptr<Fence> signal(fences[0].get(), [fence = fences[0]](Fence* /*same*/) { fence->MarkLost(); });
  if (const NTSTATUS status = target.scheduler().QueueSignal(target.queue(), std::move(signal), kDone[0]); !NT_SUCCESS(status))
    return status;
  return WaitForFencesAsync(fences, kDone, WaitFor::kAll, std::move(event));
}

// The runtime's form of it: one context.
NTSTATUS SignalFromGpu2(System& system, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2& data) {
  if (data.BroadcastContextCount != 1) return STATUS_NOT_SUPPORTED;
  if (data.BroadcastContextArray == nullptr) return STATUS_INVALID_PARAMETER;
  if (data.Flags.Value == kEnqueueCpuEvent) return QueueEvent(system, data.BroadcastContextArray[0], data.CpuEventHandle);
  if (data.Flags.Value != 0) return STATUS_NOT_SUPPORTED;
  return QueueInContext(
      system, data.BroadcastContextArray[0], SyncOperation::kSignal, data.ObjectCount, data.ObjectHandleArray,
      ArrayOrOne(system, data.ObjectCount, data.ObjectHandleArray, data.MonitoredFenceValueArray, data.FenceValue));
}

// The forms of before, with an inline array: one value for all fences, or none.
NTSTATUS QueueInlineArray(System& system, D3DKMT_HANDLE context, SyncOperation operation, UINT count,
                          const D3DKMT_HANDLE (&objects)[D3DDDI_MAX_OBJECT_WAITED_ON], const SyncValues& values) {
  if (count > D3DDDI_MAX_OBJECT_WAITED_ON) return STATUS_INVALID_PARAMETER;
  return QueueInContext(system, context, operation, count, objects, values);
}

NTSTATUS Signal(System& system, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT& data) {
  if (data.Flags.Value != 0) return STATUS_NOT_SUPPORTED;
  return QueueInlineArray(system, data.hContext, SyncOperation::kSignal, data.ObjectCount, data.ObjectHandleArray, {});
}

NTSTATUS Signal2(System& system, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2& data) {
  if (data.BroadcastContextCount != 0) return STATUS_NOT_SUPPORTED;
  if (data.Flags.Value == kEnqueueCpuEvent) return QueueEvent(system, data.hContext, data.CpuEventHandle);
  if (data.Flags.Value != 0) return STATUS_NOT_SUPPORTED;
  return QueueInlineArray(system, data.hContext, SyncOperation::kSignal, data.ObjectCount, data.ObjectHandleArray,
                          {Form::kOne, data.Fence.FenceValue, nullptr});
}

NTSTATUS WaitFromCpu(System& system, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& data) {
  {
    const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
    if (!device) return STATUS_INVALID_PARAMETER;
  }
  SyncList list;
  const SyncValues values{Form::kProcessor, 0, data.FenceValueArray};
  if (const NTSTATUS status = list.Resolve(system, SyncOperation::kWait, data.ObjectCount, data.ObjectHandleArray, values);
      !NT_SUCCESS(status)) {
    return status;
  }
  const WaitFor wait_for = data.Flags.WaitAny ? WaitFor::kAny : WaitFor::kAll;
  const std::span<const std::shared_ptr<Fence>> awaited = list.fences();
  if (data.hAsyncEvent == nullptr) return WaitForFences(awaited, list.values(), wait_for);
  CpuEvent event;
  const NTSTATUS opened = CpuEvent::Open(data.hAsyncEvent, event);
  return NT_SUCCESS(opened) ? WaitForFencesAsync(awaited, list.values(), wait_for, std::move(event)) : opened;
}

// Windows refuses a value below the current one, unless the signal allows it.
NTSTATUS SignalFromCpu(System& system, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU& data) {
  if ((data.Flags.Value & ~kAllowFenceRewind) != 0) return STATUS_NOT_SUPPORTED;
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  SyncList list;
  const SyncValues values{Form::kProcessor, 0, data.FenceValueArray};
  if (const NTSTATUS status = list.Resolve(system, SyncOperation::kSignal, data.ObjectCount, data.ObjectHandleArray, values);
      !NT_SUCCESS(status)) {
    return status;
  }
  const AdapterGuard guard(*device->unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  const bool rewinds = data.Flags.AllowFenceRewind != 0;
  for (UINT i = 0; i < data.ObjectCount; ++i) {
    if (!rewinds && list.values()[i] < list.fences()[i]->value()) return STATUS_INVALID_PARAMETER;
  }
  for (UINT i = 0; i < data.ObjectCount; ++i) {
    Fence& fence = *list.fences()[i];
    rewinds ? fence.Rewind(list.values()[i]) : fence.Signal(list.values()[i]);
  }
  return STATUS_SUCCESS;
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTSignalSynchronizationObject(CONST D3DKMT_SIGNALSYNCHRONIZATIONOBJECT* data) {
  return InThunk(data, [&](System& system) { return Signal(system, *data); });
}

NTSTATUS APIENTRY D3DKMTSignalSynchronizationObject2(CONST D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2* data) {
  return InThunk(data, [&](System& system) { return Signal2(system, *data); });
}

NTSTATUS APIENTRY D3DKMTWaitForSynchronizationObject(CONST D3DKMT_WAITFORSYNCHRONIZATIONOBJECT* data) {
  return InThunk(data, [&](System& system) {
    return QueueInlineArray(system, data->hContext, SyncOperation::kWait, data->ObjectCount, data->ObjectHandleArray, {});
  });
}

NTSTATUS APIENTRY D3DKMTWaitForSynchronizationObject2(CONST D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2* data) {
  return InThunk(data, [&](System& system) {
    return QueueInlineArray(system, data->hContext, SyncOperation::kWait, data->ObjectCount, data->ObjectHandleArray,
                            {Form::kOne, data->Fence.FenceValue, nullptr});
  });
}

NTSTATUS APIENTRY D3DKMTSignalSynchronizationObjectFromGpu(CONST D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU* data) {
  return InThunk(data, [&](System& system) {
    return QueueInContext(system, data->hContext, SyncOperation::kSignal, data->ObjectCount, data->ObjectHandleArray,
                          {Form::kEach, 0, data->MonitoredFenceValueArray});
  });
}

NTSTATUS APIENTRY D3DKMTSignalSynchronizationObjectFromGpu2(CONST D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2* data) {
  return InThunk(data, [&](System& system) { return SignalFromGpu2(system, *data); });
}

NTSTATUS APIENTRY D3DKMTWaitForSynchronizationObjectFromGpu(CONST D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU* data) {
  return InThunk(data, [&](System& system) {
    return QueueInContext(
        system, data->hContext, SyncOperation::kWait, data->ObjectCount, data->ObjectHandleArray,
        ArrayOrOne(system, data->ObjectCount, data->ObjectHandleArray, data->MonitoredFenceValueArray, data->FenceValue));
  });
}

NTSTATUS APIENTRY D3DKMTSignalSynchronizationObjectFromCpu(CONST D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU* data) {
  return InThunk(data, [&](System& system) { return SignalFromCpu(system, *data); });
}

NTSTATUS APIENTRY D3DKMTWaitForSynchronizationObjectFromCpu(CONST D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU* data) {
  return InThunk(data, [&](System& system) { return WaitFromCpu(system, *data); });
}
