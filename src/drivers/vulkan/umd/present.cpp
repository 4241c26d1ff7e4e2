// The DXGI functions, and the flush at the start of each present.
#include <cstring>
#include <utility>

#include "drivers/vulkan/gpu/commands.h"
#include "drivers/vulkan/umd/umd_device.h"

namespace tandem::vulkan {
namespace {

UmdDevice& DeviceOf(DXGI_DDI_HDEVICE handle) { return *reinterpret_cast<UmdDevice*>(handle); }
UmdResource& ResourceOf(DXGI_DDI_HRESOURCE handle) { return *reinterpret_cast<UmdResource*>(handle); }

HRESULT FlushOne(UmdDevice& device, D3DKMT_HANDLE allocation) {
  D3DDDICB_CREATECONTEXT& context = device.context;
  if (context.hContext == nullptr || context.pCommandBuffer == nullptr || context.CommandBufferSize < sizeof(UserFlush) ||
      context.pAllocationList == nullptr || context.AllocationListSize < 1) {
    return E_FAIL;
  }
  const UserFlush command;
  std::memcpy(context.pCommandBuffer, &command, sizeof(command));
  context.pAllocationList[0] = {};
  context.pAllocationList[0].hAllocation = allocation;
  D3DDDICB_RENDER render{};
  render.CommandLength = sizeof(command);
  render.NumAllocations = 1;
  render.hContext = context.hContext;
  const HRESULT result = device.kernel->pfnRenderCb(device.runtime.handle, &render);
  if (FAILED(result)) return result;
  if (render.pNewCommandBuffer != nullptr) {
    context.pCommandBuffer = render.pNewCommandBuffer;
    context.CommandBufferSize = render.NewCommandBufferSize;
  }
  if (render.pNewAllocationList != nullptr) {
    context.pAllocationList = render.pNewAllocationList;
    context.AllocationListSize = render.NewAllocationListSize;
  }
  return result;
}

// Waits for the application's rendering of each linear image that was released since the last flush.
HRESULT FlushDevice(UmdDevice& device) {
  for (;;) {
    D3DKMT_HANDLE allocation = 0;
    {
      const std::lock_guard<std::mutex> lock(device.mutex);
      if (device.unflushed.empty()) return S_OK;
      allocation = device.unflushed.front()->allocation;
      device.unflushed.erase(device.unflushed.begin());
    }
    if (const HRESULT result = FlushOne(device, allocation); FAILED(result)) return result;
  }
}

HRESULT APIENTRY Present(DXGI_DDI_ARG_PRESENT* args) {
  if (args == nullptr || args->hSurfaceToPresent == 0 || args->SrcSubResourceIndex != 0 || args->DstSubResourceIndex != 0) {
    return E_INVALIDARG;
  }
  UmdDevice& device = DeviceOf(args->hDevice);
  if (args->Flags.Blt == args->Flags.Flip) return E_INVALIDARG;
  if (const HRESULT result = FlushDevice(device); FAILED(result)) return result;
  DXGIDDICB_PRESENT present{};
  present.hSrcAllocation = ResourceOf(args->hSurfaceToPresent).allocation;
  present.hDstAllocation = args->hDstResource == 0 ? 0 : ResourceOf(args->hDstResource).allocation;
  present.pDXGIContext = args->pDXGIContext;
  present.hContext = device.context.hContext;
  return device.dxgi->pfnPresentCb(device.runtime.handle, &present);
}

HRESULT APIENTRY GetGammaCaps(DXGI_DDI_ARG_GET_GAMMA_CONTROL_CAPS*) { return E_NOTIMPL; }
// The window determines the mode.
HRESULT APIENTRY SetDisplayMode(DXGI_DDI_ARG_SETDISPLAYMODE*) { return S_OK; }
// The kernel does not use this hint.
HRESULT APIENTRY SetResourcePriority(DXGI_DDI_ARG_SETRESOURCEPRIORITY*) { return S_OK; }

// Asks the kernel; the values of the two enumerations agree.
HRESULT APIENTRY QueryResourceResidency(DXGI_DDI_ARG_QUERYRESOURCERESIDENCY* args) {
  const UmdDevice& device = DeviceOf(args->hDevice);
  for (SIZE_T i = 0; i < args->Resources; ++i) {
    D3DDDI_RESIDENCYSTATUS status = D3DDDI_RESIDENCYSTATUS_NOTRESIDENT;
    const D3DDDICB_QUERYRESIDENCY query{nullptr, 1, &ResourceOf(args->pResources[i]).allocation, &status};
    if (const HRESULT result = device.kernel->pfnQueryResidencyCb(device.runtime.handle, &query); FAILED(result)) return result;
    args->pStatus[i] = static_cast<DXGI_DDI_RESIDENCY>(status);
  }
  return S_OK;
}

HRESULT APIENTRY RotateResourceIdentities(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES* args) {
  const std::lock_guard<std::mutex> lock(DeviceOf(args->hDevice).mutex);
  for (UINT i = 1; i < args->Resources; ++i) {
    UmdResource& a = ResourceOf(args->pResources[i - 1]);
    UmdResource& b = ResourceOf(args->pResources[i]);
    std::swap(a.allocation, b.allocation);
    std::swap(a.data, b.data);
  }
  return S_OK;
}

// Copies go through pfnPresent, so that the kernel schedules them.
HRESULT APIENTRY Blt(DXGI_DDI_ARG_BLT*) { return DXGI_DDI_ERR_UNSUPPORTED; }

}  // namespace

VOID APIENTRY UmdFlush(D3D10DDI_HDEVICE handle) {
  auto& device = *static_cast<UmdDevice*>(handle.pDrvPrivate);
  if (const HRESULT result = FlushDevice(device); FAILED(result)) device.SetError(result);
}

void FillDxgiFunctions(DXGI_DDI_BASE_FUNCTIONS& table) {
  table = {&Present, &GetGammaCaps, &SetDisplayMode, &SetResourcePriority, &QueryResourceResidency, &RotateResourceIdentities,
           &Blt};
}

}  // namespace tandem::vulkan
