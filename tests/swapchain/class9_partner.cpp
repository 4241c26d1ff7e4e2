#include "tests/swapchain/class9_partner.h"

#include "drivers/processor/user_mode.h"
#include "shim/class9/translation.h"

namespace tandem::swapchain_test {

std::atomic<Class9Fault> class9_fault{Class9Fault::kNone};
std::atomic<bool> class9_shows_eight_bits{false};

namespace {

// Tables of the last adapter and device; the soft driver's are equal for all.
D3DDDI_ADAPTERFUNCS soft_adapter;
D3DDDI_DEVICEFUNCS soft_device;
D3DDDI_DEVICECALLBACKS runtime_callbacks;  // the translation's
D3DDDI_DEVICECALLBACKS real_callbacks;     // those of the runtime above it
HANDLE runtime_device;
D3D10_2DDI_ADAPTERFUNCS translated_adapter;
DXGI1_3_DDI_BASE_FUNCTIONS translated_dxgi;
Class9Counts counts;

HRESULT Count(HRESULT result, std::uint32_t& counter) {
  if (SUCCEEDED(result)) ++counter;
  return result;
}

HRESULT APIENTRY PretendToDeallocate(HANDLE /*device*/, CONST D3DDDICB_DEALLOCATE* /*args*/) { return S_OK; }
HRESULT APIENTRY PretendToDestroyContext(HANDLE /*device*/, CONST D3DDDICB_DESTROYCONTEXT* /*args*/) { return S_OK; }

// Makes the faulty callback of CreateResource; true if the driver fails after it.
bool MisbehavesInCreate(HANDLE device, HANDLE rt_resource) {
  D3DDDICB_ALLOCATE allocate{};
  const D3DDDICB_PRESENT present{};
  switch (class9_fault) {
    case Class9Fault::kOwnDeviceHandle:
      allocate.hResource = rt_resource;
      counts.callback_answer = runtime_callbacks.pfnAllocateCb(device, &allocate);
      return true;
    case Class9Fault::kOwnResourceHandle:
      allocate.hResource = &allocate;
      counts.callback_answer = runtime_callbacks.pfnAllocateCb(runtime_device, &allocate);
      return true;
    case Class9Fault::kPresentsUnasked:
      counts.callback_answer = runtime_callbacks.pfnPresentCb(runtime_device, &present);
      return true;
    default: return false;
  }
}

HRESULT APIENTRY CreateResource2(HANDLE device, D3DDDIARG_CREATERESOURCE2* args) {
  if (MisbehavesInCreate(device, args->hResource)) return counts.callback_answer;
  return Count(soft_device.pfnCreateResource2(device, args), counts.resources_made);
}
HRESULT APIENTRY OpenResource(HANDLE device, D3DDDIARG_OPENRESOURCE* args) {
  return Count(soft_device.pfnOpenResource(device, args), counts.resources_made);
}
HRESULT APIENTRY DestroyResource(HANDLE device, HANDLE resource) {
  return Count(soft_device.pfnDestroyResource(device, resource), counts.resources_destroyed);
}
HRESULT APIENTRY DestroyDevice(HANDLE device) { return Count(soft_device.pfnDestroyDevice(device), counts.devices_destroyed); }
HRESULT APIENTRY PresentNothing(HANDLE /*device*/, CONST D3DDDIARG_PRESENT* /*args*/) { return S_OK; }

HRESULT APIENTRY CreateDevice(HANDLE adapter, D3DDDIARG_CREATEDEVICE* args) {
  runtime_callbacks = *args->pCallbacks;
  runtime_device = args->hDevice;
  // The soft driver keeps this table, so that it can be made to call nothing.
  static D3DDDI_DEVICECALLBACKS given;
  given = *args->pCallbacks;
  if (class9_fault == Class9Fault::kFreesNothing) {
    given.pfnDeallocateCb = PretendToDeallocate;
    given.pfnDestroyContextCb = PretendToDestroyContext;
  }
  args->pCallbacks = &given;
  if (class9_fault == Class9Fault::kCreateDeviceFails) {
    D3DDDICB_CREATECONTEXT context{};
    context.EngineAffinity = 1;
    counts.callback_answer = given.pfnCreateContextCb(args->hDevice, &context);
    return E_OUTOFMEMORY;
  }
  const HRESULT created = Count(soft_adapter.pfnCreateDevice(adapter, args), counts.devices_created);
  if (FAILED(created)) return created;
  soft_device = *args->pDeviceFuncs;
  args->pDeviceFuncs->pfnCreateResource2 = CreateResource2;
  args->pDeviceFuncs->pfnOpenResource = OpenResource;
  args->pDeviceFuncs->pfnDestroyResource = DestroyResource;
  args->pDeviceFuncs->pfnDestroyDevice = DestroyDevice;
  if (class9_fault == Class9Fault::kNoPresent) args->pDeviceFuncs->pfnPresent = nullptr;
  if (class9_fault == Class9Fault::kPresentsNothing) args->pDeviceFuncs->pfnPresent = PresentNothing;
  return created;
}

HRESULT APIENTRY GetCaps(HANDLE adapter, CONST D3DDDIARG_GETCAPS* args) {
  const HRESULT got = soft_adapter.pfnGetCaps(adapter, args);
  if (FAILED(got) || args->Type != D3DDDICAPS_GETFORMATDATA || !class9_shows_eight_bits) return got;
  auto* const formats = static_cast<FORMATOP*>(args->pData);
  for (UINT i = 0; i < args->DataSize / sizeof(FORMATOP); ++i) {
    if (formats[i].Format != D3DDDIFMT_A8R8G8B8) formats[i].Operations &= ~UINT{FORMATOP_DISPLAYMODE};
  }
  return got;
}

HRESULT APIENTRY CloseAdapter(HANDLE adapter) { return Count(soft_adapter.pfnCloseAdapter(adapter), counts.adapters_closed); }

extern "C" HRESULT OpenPartner(D3DDDIARG_OPENADAPTER* args) {
  if (class9_fault == Class9Fault::kOpenAdapterFails) return E_OUTOFMEMORY;
  if (class9_fault == Class9Fault::kNoAdapterHandle) return S_OK;
  const HRESULT opened = Count(processor::ProcessorOpenAdapter(args), counts.adapters_opened);
  if (FAILED(opened)) return opened;
  soft_adapter = *args->pAdapterFuncs;
  *args->pAdapterFuncs = {GetCaps, CreateDevice, CloseAdapter};
  if (class9_fault == Class9Fault::kNoCreateDevice) args->pAdapterFuncs->pfnCreateDevice = nullptr;
  return opened;
}

HRESULT APIENTRY CountDeallocate(HANDLE device, CONST D3DDDICB_DEALLOCATE* args) {
  return Count(real_callbacks.pfnDeallocateCb(device, args), counts.resources_freed);
}
HRESULT APIENTRY CountCreateContext(HANDLE device, D3DDDICB_CREATECONTEXT* args) {
  return Count(real_callbacks.pfnCreateContextCb(device, args), counts.contexts_created);
}
HRESULT APIENTRY CountDestroyContext(HANDLE device, CONST D3DDDICB_DESTROYCONTEXT* args) {
  return Count(real_callbacks.pfnDestroyContextCb(device, args), counts.contexts_destroyed);
}

HRESULT APIENTRY CreateTranslatedDevice(D3D10DDI_HADAPTER adapter, D3D10DDIARG_CREATEDEVICE* args) {
  static D3DDDI_DEVICECALLBACKS counted;
  real_callbacks = counted = *args->pKTCallbacks;
  counted.pfnDeallocateCb = CountDeallocate;
  counted.pfnCreateContextCb = CountCreateContext;
  counted.pfnDestroyContextCb = CountDestroyContext;
  args->pKTCallbacks = &counted;
  const HRESULT created = translated_adapter.pfnCreateDevice(adapter, args);
  if (SUCCEEDED(created)) translated_dxgi = *args->DXGIBaseDDI.pDXGIDDIBaseFunctions4;
  return created;
}

}  // namespace

const Class9Counts& CountsOfClass9() { return counts; }
const DXGI1_3_DDI_BASE_FUNCTIONS& TranslatedDxgi() { return translated_dxgi; }

extern "C" HRESULT OpenClass9Display(D3D10DDIARG_OPENADAPTER* args) {
  const HRESULT opened = shim::OpenTranslatedAdapter(OpenPartner, args);
  if (FAILED(opened)) return opened;
  translated_adapter = *args->pAdapterFuncs_2;
  args->pAdapterFuncs_2->pfnCreateDevice = CreateTranslatedDevice;
  return opened;
}

}  // namespace tandem::swapchain_test
