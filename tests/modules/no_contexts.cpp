// The soft driver as a Windows Vista driver: without contexts. It reports its DMA buffers' needs with the device, and gets the
// device wherever another driver gets a context.
#include "tests/modules/spoil.h"

#include <cstdlib>
#include <map>
#include <mutex>

namespace tandem::soft {
namespace {

struct Inner {
  HANDLE context = nullptr;
  DXGK_DEVICEINFO info{};
};

DRIVER_INITIALIZATION_DATA sound;
std::mutex mutex;
std::map<HANDLE, Inner> contexts;  // keyed by device handle

// Any handle other than a device's aborts the driver.
HANDLE ContextOf(HANDLE device) {
  const std::lock_guard lock(mutex);
  const auto found = contexts.find(device);
  if (found == contexts.end()) std::abort();
  return found->second.context;
}

NTSTATUS APIENTRY CreateDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* create) {
  if (const NTSTATUS status = sound.DxgkDdiCreateDevice(adapter, create); !NT_SUCCESS(status)) return status;
  DXGKARG_CREATECONTEXT context{};
  if (const NTSTATUS status = sound.DxgkDdiCreateContext(create->hDevice, &context); !NT_SUCCESS(status)) {
    sound.DxgkDdiDestroyDevice(create->hDevice);
    return status;
  }
  const std::lock_guard lock(mutex);
  Inner& inner = contexts[create->hDevice];
  inner.context = context.hContext;
  inner.info.DmaBufferSize = context.ContextInfo.DmaBufferSize;
  inner.info.DmaBufferPrivateDataSize = context.ContextInfo.DmaBufferPrivateDataSize;
  inner.info.AllocationListSize = context.ContextInfo.AllocationListSize;
  inner.info.PatchLocationListSize = context.ContextInfo.PatchLocationListSize;
  create->pInfo = &inner.info;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY DestroyDevice(HANDLE device) {
  sound.DxgkDdiDestroyContext(ContextOf(device));
  {
    const std::lock_guard lock(mutex);
    contexts.erase(device);
  }
  return sound.DxgkDdiDestroyDevice(device);
}

NTSTATUS APIENTRY QueryAdapterInfo(HANDLE adapter, CONST DXGKARG_QUERYADAPTERINFO* query) {
  const NTSTATUS status = sound.DxgkDdiQueryAdapterInfo(adapter, query);
  if (NT_SUCCESS(status) && query->Type == DXGKQAITYPE_DRIVERCAPS) {
    auto& scheduling = static_cast<DXGK_DRIVERCAPS*>(query->pOutputData)->SchedulingCaps;
    scheduling.MultiEngineAware = scheduling.PreemptionAware = scheduling.CancelCommandAware = 0;
  }
  return status;
}

}  // namespace

void Spoil(DRIVER_INITIALIZATION_DATA& table) {
  sound = table;
  table.DxgkDdiCreateContext = nullptr;
  table.DxgkDdiDestroyContext = nullptr;
  table.DxgkDdiCancelCommand = nullptr;
  table.DxgkDdiCreateDevice = CreateDevice;
  table.DxgkDdiDestroyDevice = DestroyDevice;
  table.DxgkDdiQueryAdapterInfo = QueryAdapterInfo;
  table.DxgkDdiPresent = [](HANDLE device, DXGKARG_PRESENT* present) { return sound.DxgkDdiPresent(ContextOf(device), present); };
  table.DxgkDdiRender = [](HANDLE device, DXGKARG_RENDER* render) { return sound.DxgkDdiRender(ContextOf(device), render); };
  table.DxgkDdiSubmitCommand = [](HANDLE adapter, CONST DXGKARG_SUBMITCOMMAND* submit) {
    if (submit->hDevice != nullptr) static_cast<void>(ContextOf(submit->hDevice));
    return sound.DxgkDdiSubmitCommand(adapter, submit);
  };
}

}  // namespace tandem::soft
