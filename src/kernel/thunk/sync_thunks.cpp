// D3DKMT*: fences.
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "kernel/submit/fence_wait.h"
#include "kernel/thunk/sync_object.h"
#include "kernel/thunk/system.h"
#include "kernel/thunk/teardown.h"

namespace tandem::kernel {
namespace {

static_assert(D3DDDI_MAX_OBJECT_SIGNALED == D3DDDI_MAX_OBJECT_WAITED_ON);

// The fences that a call names. They outlive their handles: a wait must not hinder the handle's destruction. Allocates for more
// than D3DDDI_MAX_OBJECT_WAITED_ON alone.
class Fences {
 public:
  NTSTATUS Resolve(System& system, UINT count, const D3DKMT_HANDLE* objects, const UINT64* values) {
    if (count == 0 || count > kMaxFencesOfCall || objects == nullptr || values == nullptr) return STATUS_INVALID_PARAMETER;
    if (count > few_.size()) many_.resize(count);
    fences_ = count > few_.size() ? std::span(many_) : std::span(few_).first(count);
    for (UINT i = 0; i < count; ++i) {
      const HandleRef<SyncObject> object(system.handles(), objects[i]);
      if (!object) return STATUS_INVALID_PARAMETER;
      fences_[i] = object->fence;
    }
    return STATUS_SUCCESS;
  }
  [[nodiscard]] std::span<std::shared_ptr<Fence>> all() const { return fences_; }

 private:
  std::array<std::shared_ptr<Fence>, D3DDDI_MAX_OBJECT_WAITED_ON> few_;
  std::vector<std::shared_ptr<Fence>> many_;
  std::span<std::shared_ptr<Fence>> fences_;
};

// The fences of programs that keep values: monitored ones, which the processor reads too, and those of before.
NTSTATUS Create(System& system, D3DKMT_CREATESYNCHRONIZATIONOBJECT2& data) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*device->unit);
  if (!guard.alive() || device->device == nullptr) return STATUS_DEVICE_REMOVED;
  if (const NTSTATUS lost = device->device->condition().status(); !NT_SUCCESS(lost)) return lost;
  auto& info = data.Info;
  const bool monitored = info.Type == D3DDDI_MONITORED_FENCE;
  if (!monitored && info.Type != D3DDDI_FENCE) return STATUS_NOT_SUPPORTED;
  if (info.Flags.NtSecuritySharing && !info.Flags.Shared) return STATUS_INVALID_PARAMETER;
  if (info.Flags.Shared && !info.Flags.NtSecuritySharing) return STATUS_NOT_SUPPORTED;  // by global handle
  auto fence = std::make_shared<Fence>(monitored ? info.MonitoredFence.InitialFenceValue : info.Fence.FenceValue);
  const auto sharing = info.Flags.Shared ? FenceSharing::kByDescriptor : FenceSharing::kNone;
  const NTSTATUS status = AddSyncObject(system, device.Share(), fence, sharing, data.hSyncObject);
  if (!NT_SUCCESS(status) || !monitored) return status;
  info.MonitoredFence.FenceValueCPUVirtualAddress = fence->cpu_address();
  info.MonitoredFence.FenceValueGPUVirtualAddress = 0;
  return STATUS_SUCCESS;
}

NTSTATUS Destroy(System& system, D3DKMT_HANDLE handle) {
  const auto closed = system.handles().Close(handle, HandleType::kSyncObject);
  if (closed == nullptr) return STATUS_INVALID_PARAMETER;
  const auto object = std::static_pointer_cast<SyncObject>(closed);
  StopSyncObject(*object);
  ForgetChild(*object->device, &DeviceObject::sync_objects, handle);
  return STATUS_SUCCESS;
}

constexpr UINT kEnqueueCpuEvent = 2, kAllowFenceRewind = 4;  // bits of D3DDDICB_SIGNALFLAGS

enum class ContextOperation : std::uint8_t { kSignal, kWait };

NTSTATUS QueueInContext(System& system, D3DKMT_HANDLE context_handle, ContextOperation operation, UINT count,
                        const D3DKMT_HANDLE* objects, const UINT64* values) {
  const HandleRef<ContextObject> context(system.handles(), context_handle);
  if (!context) return STATUS_INVALID_PARAMETER;
  Fences fences;
  if (const NTSTATUS status = fences.Resolve(system, count, objects, values); !NT_SUCCESS(status)) return status;
  const AdapterGuard guard(*context->device->unit);
  if (!guard.alive() || context->context == nullptr) return STATUS_DEVICE_REMOVED;
  Context& target = *context->context;
  for (UINT i = 0; i < count; ++i) {
    const NTSTATUS status = operation == ContextOperation::kSignal
                                ? target.scheduler().QueueSignal(target.queue(), std::move(fences.all()[i]), values[i])
                                : target.scheduler().QueueWait(target.queue(), std::move(fences.all()[i]), values[i]);
    if (!NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

// The event is written when the context has done what it queued so far.
NTSTATUS QueueEvent(System& system, D3DKMT_HANDLE context_handle, HANDLE event_handle) {
  const HandleRef<ContextObject> context(system.handles(), context_handle);
  if (!context) return STATUS_INVALID_PARAMETER;
  auto event = DuplicateFd(static_cast<int>(reinterpret_cast<std::intptr_t>(event_handle)));
  if (!event.ok()) return STATUS_INVALID_HANDLE;
  const AdapterGuard guard(*context->device->unit);
  if (!guard.alive() || context->context == nullptr) return STATUS_DEVICE_REMOVED;
  Context& target = *context->context;
  const std::array fences{std::make_shared<Fence>(0)};
  constexpr std::array<std::uint64_t, 1> kDone{1};
  // The event is also written when the context goes and drops its signal.
  std::shared_ptr<Fence> signal(fences[0].get(), [fence = fences[0]](Fence* /*same*/) { fence->MarkLost(); });
  if (const NTSTATUS status = target.scheduler().QueueSignal(target.queue(), std::move(signal), kDone[0]); !NT_SUCCESS(status))
    return status;
  return WaitForFencesAsync(fences, kDone, WaitFor::kAll, *std::move(event));
}

// The runtime's form of it: one context, monitored fences.
NTSTATUS SignalFromGpu2(System& system, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2& data) {
  if (data.BroadcastContextCount != 1) return STATUS_NOT_SUPPORTED;
  if (data.BroadcastContextArray == nullptr) return STATUS_INVALID_PARAMETER;
  if (data.Flags.Value == kEnqueueCpuEvent) return QueueEvent(system, data.BroadcastContextArray[0], data.CpuEventHandle);
  if (data.Flags.Value != 0) return STATUS_NOT_SUPPORTED;
  return QueueInContext(system, data.BroadcastContextArray[0], ContextOperation::kSignal, data.ObjectCount,
                        data.ObjectHandleArray, data.MonitoredFenceValueArray);
}

// The form of before: one value for all.
NTSTATUS QueueOneValue(System& system, D3DKMT_HANDLE context, ContextOperation operation, UINT count,
                       const D3DKMT_HANDLE* objects, UINT64 value) {
  std::array<UINT64, D3DDDI_MAX_OBJECT_WAITED_ON> values{};
  if (count > values.size()) return STATUS_INVALID_PARAMETER;
  values.fill(value);
  return QueueInContext(system, context, operation, count, objects, values.data());
}

NTSTATUS Signal2(System& system, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2& data) {
  if (data.BroadcastContextCount != 0) return STATUS_NOT_SUPPORTED;
  if (data.Flags.Value == kEnqueueCpuEvent) return QueueEvent(system, data.hContext, data.CpuEventHandle);
  if (data.Flags.Value != 0) return STATUS_NOT_SUPPORTED;
  return QueueOneValue(system, data.hContext, ContextOperation::kSignal, data.ObjectCount, data.ObjectHandleArray,
                       data.Fence.FenceValue);
}

NTSTATUS WaitFromCpu(System& system, const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU& data) {
  {
    const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
    if (!device) return STATUS_INVALID_PARAMETER;
  }
  Fences fences;
  if (const NTSTATUS status = fences.Resolve(system, data.ObjectCount, data.ObjectHandleArray, data.FenceValueArray);
      !NT_SUCCESS(status)) {
    return status;
  }
  const WaitFor wait_for = data.Flags.WaitAny ? WaitFor::kAny : WaitFor::kAll;
  const std::span<const std::shared_ptr<Fence>> awaited = fences.all();
  const std::span<const std::uint64_t> values(data.FenceValueArray, data.ObjectCount);
  if (data.hAsyncEvent == nullptr) return WaitForFences(awaited, values, wait_for);
  auto event = DuplicateFd(static_cast<int>(reinterpret_cast<std::intptr_t>(data.hAsyncEvent)));
  return event.ok() ? WaitForFencesAsync(awaited, values, wait_for, *std::move(event)) : STATUS_INVALID_HANDLE;
}

NTSTATUS SignalFromCpu(System& system, const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU& data) {
  if ((data.Flags.Value & ~kAllowFenceRewind) != 0) return STATUS_NOT_SUPPORTED;
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  Fences fences;
  if (const NTSTATUS status = fences.Resolve(system, data.ObjectCount, data.ObjectHandleArray, data.FenceValueArray);
      !NT_SUCCESS(status)) {
    return status;
  }
  const AdapterGuard guard(*device->unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  for (UINT i = 0; i < data.ObjectCount; ++i) {
    Fence& fence = *fences.all()[i];
    data.Flags.AllowFenceRewind ? fence.Rewind(data.FenceValueArray[i]) : fence.Signal(data.FenceValueArray[i]);
  }
  return STATUS_SUCCESS;
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTCreateSynchronizationObject2(D3DKMT_CREATESYNCHRONIZATIONOBJECT2* data) {
  return InThunk(data, [&](System& system) { return Create(system, *data); });
}

NTSTATUS APIENTRY D3DKMTDestroySynchronizationObject(CONST D3DKMT_DESTROYSYNCHRONIZATIONOBJECT* data) {
  return InThunk(data, [&](System& system) { return Destroy(system, data->hSyncObject); });
}

NTSTATUS APIENTRY D3DKMTSignalSynchronizationObject2(CONST D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2* data) {
  return InThunk(data, [&](System& system) { return Signal2(system, *data); });
}

NTSTATUS APIENTRY D3DKMTWaitForSynchronizationObject2(CONST D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2* data) {
  return InThunk(data, [&](System& system) {
    return QueueOneValue(system, data->hContext, ContextOperation::kWait, data->ObjectCount, data->ObjectHandleArray,
                         data->Fence.FenceValue);
  });
}

NTSTATUS APIENTRY D3DKMTSignalSynchronizationObjectFromGpu(CONST D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU* data) {
  return InThunk(data, [&](System& system) {
    return QueueInContext(system, data->hContext, ContextOperation::kSignal, data->ObjectCount, data->ObjectHandleArray,
                          data->MonitoredFenceValueArray);
  });
}

NTSTATUS APIENTRY D3DKMTSignalSynchronizationObjectFromGpu2(CONST D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2* data) {
  return InThunk(data, [&](System& system) { return SignalFromGpu2(system, *data); });
}

NTSTATUS APIENTRY D3DKMTWaitForSynchronizationObjectFromGpu(CONST D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU* data) {
  return InThunk(data, [&](System& system) {
    return QueueInContext(system, data->hContext, ContextOperation::kWait, data->ObjectCount, data->ObjectHandleArray,
                          data->MonitoredFenceValueArray);
  });
}

NTSTATUS APIENTRY D3DKMTSignalSynchronizationObjectFromCpu(CONST D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU* data) {
  return InThunk(data, [&](System& system) { return SignalFromCpu(system, *data); });
}

NTSTATUS APIENTRY D3DKMTWaitForSynchronizationObjectFromCpu(CONST D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU* data) {
  return InThunk(data, [&](System& system) { return WaitFromCpu(system, *data); });
}
