#include "swapchain/runtime_callbacks.h"

#include <cstdint>

#include "swapchain/status.h"

namespace tandem::swapchain {
namespace {

HANDLE ToHandle(D3DKMT_HANDLE handle) { return reinterpret_cast<HANDLE>(static_cast<std::uintptr_t>(handle)); }
D3DKMT_HANDLE ToKernel(HANDLE handle) { return static_cast<D3DKMT_HANDLE>(reinterpret_cast<std::uintptr_t>(handle)); }
Runtime& From(HANDLE device) { return *static_cast<Runtime*>(device); }

HRESULT Allocate(HANDLE device, D3DDDICB_ALLOCATE* args) {
  auto* resource = static_cast<RuntimeResource*>(args->hResource);
  D3DKMT_CREATEALLOCATION create{};
  create.hDevice = From(device).kernel_device();
  create.pPrivateDriverData = args->pPrivateDriverData;
  create.PrivateDriverDataSize = args->PrivateDriverDataSize;
  create.NumAllocations = args->NumAllocations;
  create.pAllocationInfo2 = args->pAllocationInfo2;
  if (resource != nullptr) {
    const bool cross_adapter = (resource->misc_flags & D3DWDDM1_3DDI_RESOURCE_MISC_CROSS_ADAPTER) != 0;
    create.Flags.CreateResource = 1;
    create.Flags.CreateShared = cross_adapter || (resource->misc_flags & D3D10_DDI_RESOURCE_MISC_SHARED) != 0 ? 1 : 0;
    create.Flags.CrossAdapter = cross_adapter ? 1 : 0;
  }
  const NTSTATUS status = D3DKMTCreateAllocation2(&create);
  if (!NT_SUCCESS(status)) {
    if (resource != nullptr) resource->refusal = status;
    return ToHresult(status);
  }
  args->hKMResource = create.hResource;
  if (resource != nullptr) {
    resource->resource = create.hResource;
    resource->global_share = create.hGlobalShare;
    resource->allocation = args->NumAllocations != 0 ? args->pAllocationInfo2[0].hAllocation : 0;
  }
  return S_OK;
}

HRESULT Deallocate(HANDLE device, CONST D3DDDICB_DEALLOCATE* args) {
  D3DKMT_DESTROYALLOCATION2 destroy{};
  destroy.hDevice = From(device).kernel_device();
  if (auto* resource = static_cast<RuntimeResource*>(args->hResource)) {
    destroy.hResource = resource->resource;
    resource->resource = 0;
    resource->allocation = 0;
  } else {
    destroy.phAllocationList = args->HandleList;
    destroy.AllocationCount = args->NumAllocations;
  }
  return ToHresult(D3DKMTDestroyAllocation2(&destroy));
}

// Both enumerations have equal values.
HRESULT QueryResidency(HANDLE device, CONST D3DDDICB_QUERYRESIDENCY* args) {
  static_assert(static_cast<int>(D3DKMT_ALLOCATIONRESIDENCYSTATUS_NOTRESIDENT) == D3DDDI_RESIDENCYSTATUS_NOTRESIDENT);
  D3DKMT_QUERYALLOCATIONRESIDENCY query{};
  query.hDevice = From(device).kernel_device();
  if (const auto* resource = static_cast<const RuntimeResource*>(args->hResource)) {
    query.hResource = resource->resource;
  } else {
    query.phAllocationList = args->HandleList;
  }
  query.AllocationCount = args->NumAllocations;
  query.pResidencyStatus = reinterpret_cast<D3DKMT_ALLOCATIONRESIDENCYSTATUS*>(args->pResidencyStatus);
  return ToHresult(D3DKMTQueryAllocationResidency(&query));
}

HRESULT Render(HANDLE /*device*/, D3DDDICB_RENDER* args) {
  D3DKMT_RENDER render{};
  render.hContext = ToKernel(args->hContext);
  render.CommandOffset = args->CommandOffset;
  render.CommandLength = args->CommandLength;
  render.AllocationCount = args->NumAllocations;
  render.PatchLocationCount = args->NumPatchLocations;
  render.Flags.NullRendering = args->Flags.NullRendering;
  render.pPrivateDriverData = args->pPrivateDriverData;
  render.PrivateDriverDataSize = args->PrivateDriverDataSize;
  const NTSTATUS status = D3DKMTRender(&render);
  args->pNewCommandBuffer = render.pNewCommandBuffer;
  args->NewCommandBufferSize = render.NewCommandBufferSize;
  args->pNewAllocationList = render.pNewAllocationList;
  args->NewAllocationListSize = render.NewAllocationListSize;
  args->pNewPatchLocationList = render.pNewPatchLocationList;
  args->NewPatchLocationListSize = render.NewPatchLocationListSize;
  args->QueuedBufferCount = render.QueuedBufferCount;
  return ToHresult(status);
}

HRESULT Lock(HANDLE device, D3DDDICB_LOCK* args) {
  D3DKMT_LOCK2 lock{};
  lock.hDevice = From(device).kernel_device();
  lock.hAllocation = args->hAllocation;
  const NTSTATUS status = D3DKMTLock2(&lock);
  args->pData = lock.pData;
  return ToHresult(status);
}

HRESULT Unlock(HANDLE device, CONST D3DDDICB_UNLOCK* args) {
  HRESULT result = S_OK;
  for (UINT i = 0; i < args->NumAllocations; ++i) {
    const D3DKMT_UNLOCK2 unlock{From(device).kernel_device(), args->phAllocations[i]};
    if (const NTSTATUS status = D3DKMTUnlock2(&unlock); !NT_SUCCESS(status)) result = ToHresult(status);
  }
  return result;
}

HRESULT DestroyContext(HANDLE /*device*/, CONST D3DDDICB_DESTROYCONTEXT* args) {
  const D3DKMT_DESTROYCONTEXT destroy{ToKernel(args->hContext)};
  return ToHresult(D3DKMTDestroyContext(&destroy));
}

// The callback names no orientation: the picture stands upright.
HRESULT SetDisplayMode(HANDLE device, D3DDDICB_SETDISPLAYMODE* args) {
  D3DKMT_SETDISPLAYMODE mode{};
  mode.hDevice = From(device).kernel_device();
  mode.hPrimaryAllocation = args->hPrimaryAllocation;
  mode.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
  mode.DisplayOrientation = D3DDDI_ROTATION_IDENTITY;
  const NTSTATUS status = D3DKMTSetDisplayMode(&mode);
  args->PrivateDriverFormatAttribute = mode.PrivateDriverFormatAttribute;
  return ToHresult(status);
}

// Fills on the context of a flip are done before it.
NTSTATUS FillBeforeFlip(const PresentCall& call, const D3DKMT_PRESENT& flip) {
  for (const PresentFill& fill : call.fills) {
    if (fill.rects.empty()) continue;
    D3DKMT_PRESENT present{};
    present.hContext = flip.hContext;
    present.hDestination = flip.hSource;
    present.Color = fill.color;
    present.Flags.ColorFill = 1;
    present.SubRectCnt = static_cast<UINT>(fill.rects.size());
    present.pSrcSubRects = fill.rects.data();
    if (const NTSTATUS status = D3DKMTPresent(&present); !NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

// pDXGIContext is the PresentCall of the pfnPresent that is running; a driver that answers later is refused.
HRESULT Present(HANDLE device, DXGIDDICB_PRESENT* args) {
  PresentCall* const call = From(device).running_present();
  if (call == nullptr || args->pDXGIContext != call) return E_INVALIDARG;
  D3DKMT_PRESENT present{};
  present.hContext = ToKernel(args->hContext);
  present.hSource = args->hSrcAllocation;
  present.pPrivateDriverData = args->pPrivateDriverData;
  present.PrivateDriverDataSize = args->PrivateDriverDataSize;
  present.bOptimizeForComposition = args->bOptimizeForComposition;
  if (call->destination.pDrvPrivate != nullptr) {
    present.hDestination = args->hDstAllocation;
    present.Flags.Blt = 1;
    present.Flags.Rotate = call->turn == Turn::kWithThePath ? 1 : 0;
    present.Flags.LinearToSrgb = call->curve == CrossingCurve::kLinearToSrgb ? 1 : 0;
    if (call->part != nullptr) {
      present.SubRectCnt = 1;
      present.pSrcSubRects = call->part;
    }
  } else {
    present.VidPnSourceId = call->vidpn_source;
    present.FlipInterval =
        args->SyncIntervalOverrideValid ? static_cast<D3DDDI_FLIPINTERVAL_TYPE>(args->SyncIntervalOverride) : call->interval;
    present.Flags.Flip = 1;
    present.Flags.FlipDoNotWait = 1;  // the display thread serves other frames meanwhile
    present.Flags.PresentCountValid = 1;
    present.PresentCount = call->present_count;
  }
  call->context = present.hContext;
  call->fill_status = FillBeforeFlip(*call, present);
  call->status = D3DKMTPresent(&present);
  return ToHresult(call->status);
}

}  // namespace

// Callbacks that use the Runtime's private members.
struct RuntimeAccess {
  static HRESULT QueryAdapterInfo(HANDLE adapter, CONST D3DDDICB_QUERYADAPTERINFO* args);
  static HRESULT CreateContext(HANDLE device, D3DDDICB_CREATECONTEXT* args);
  static HRESULT Escape(HANDLE adapter, CONST D3DDDICB_ESCAPE* args);
  static VOID SetError(D3D10DDI_HRTCORELAYER layer, HRESULT error);
};

HRESULT RuntimeAccess::QueryAdapterInfo(HANDLE adapter, CONST D3DDDICB_QUERYADAPTERINFO* args) {
  const D3DKMT_QUERYADAPTERINFO query{From(adapter).adapter_, KMTQAITYPE_UMDRIVERPRIVATE, args->pPrivateDriverData,
                                      args->PrivateDriverDataSize};
  return ToHresult(D3DKMTQueryAdapterInfo(&query));
}

HRESULT RuntimeAccess::CreateContext(HANDLE device, D3DDDICB_CREATECONTEXT* args) {
  Runtime& runtime = From(device);
  D3DKMT_CREATECONTEXT create{};
  create.hDevice = runtime.device_;
  create.NodeOrdinal = args->NodeOrdinal;
  create.EngineAffinity = args->EngineAffinity;
  create.Flags = args->Flags;
  create.pPrivateDriverData = args->pPrivateDriverData;
  create.PrivateDriverDataSize = args->PrivateDriverDataSize;
  create.ClientHint = D3DKMT_CLIENTHINT_VULKAN;
  const NTSTATUS status = D3DKMTCreateContext(&create);
  if (!NT_SUCCESS(status)) return ToHresult(status);
  args->hContext = ToHandle(create.hContext);
  args->pCommandBuffer = create.pCommandBuffer;
  args->CommandBufferSize = create.CommandBufferSize;
  args->pAllocationList = create.pAllocationList;
  args->AllocationListSize = create.AllocationListSize;
  args->pPatchLocationList = create.pPatchLocationList;
  args->PatchLocationListSize = create.PatchLocationListSize;
  args->CommandBuffer = create.CommandBuffer;
  if (runtime.context_ == 0) runtime.context_ = create.hContext;
  return S_OK;
}

HRESULT RuntimeAccess::Escape(HANDLE adapter, CONST D3DDDICB_ESCAPE* args) {
  const Runtime& runtime = From(adapter);
  D3DKMT_ESCAPE escape{};
  escape.hAdapter = runtime.adapter_;
  escape.hDevice = args->hDevice != nullptr ? runtime.device_ : 0;
  escape.Type = D3DKMT_ESCAPE_DRIVERPRIVATE;
  escape.Flags = args->Flags;
  escape.pPrivateDriverData = args->pPrivateDriverData;
  escape.PrivateDriverDataSize = args->PrivateDriverDataSize;
  escape.hContext = ToKernel(args->hContext);
  return ToHresult(D3DKMTEscape(&escape));
}

VOID RuntimeAccess::SetError(D3D10DDI_HRTCORELAYER layer, HRESULT error) { From(layer.handle).error_ = error; }

const D3DDDI_ADAPTERCALLBACKS& RuntimeCallbacks::Adapter() {
  static constexpr D3DDDI_ADAPTERCALLBACKS kTable = {RuntimeAccess::QueryAdapterInfo, nullptr, nullptr};
  return kTable;
}

const D3DDDI_DEVICECALLBACKS& RuntimeCallbacks::Device() {
  static const D3DDDI_DEVICECALLBACKS kTable = [] {
    D3DDDI_DEVICECALLBACKS table{};
    table.pfnAllocateCb = Allocate;
    table.pfnDeallocateCb = Deallocate;
    table.pfnQueryResidencyCb = QueryResidency;
    table.pfnSetDisplayModeCb = SetDisplayMode;
    table.pfnRenderCb = Render;
    table.pfnLockCb = Lock;
    table.pfnUnlockCb = Unlock;
    table.pfnEscapeCb = RuntimeAccess::Escape;
    table.pfnCreateContextCb = RuntimeAccess::CreateContext;
    table.pfnDestroyContextCb = DestroyContext;
    return table;
  }();
  return kTable;
}

const D3D11DDI_CORELAYER_DEVICECALLBACKS& RuntimeCallbacks::CoreLayer() {
  static constexpr D3D11DDI_CORELAYER_DEVICECALLBACKS kTable = {RuntimeAccess::SetError};
  return kTable;
}

DXGI_DDI_BASE_CALLBACKS& RuntimeCallbacks::Dxgi() {
  static DXGI_DDI_BASE_CALLBACKS table = {Present, nullptr, nullptr, nullptr, nullptr};
  return table;
}

}  // namespace tandem::swapchain
