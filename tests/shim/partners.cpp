#include "tests/shim/partners.h"

#include <optional>

#include "drivers/processor/umd/umd_device.h"
#include "drivers/processor/user_mode.h"

namespace tandem::shim_test {

Partner display_partner;
Partner render_partner;

namespace {

// What the display driver got from the shim, kept where the render driver finds it.
struct Overheard {
  HANDLE adapter = nullptr;
  const D3DDDI_ADAPTERCALLBACKS* adapter_callbacks = nullptr;
  HANDLE device = nullptr;
  const D3DDDI_DEVICECALLBACKS* device_callbacks = nullptr;
} overheard;

struct LateAnswer {
  HANDLE device = nullptr;
  DXGIDDICB_PRESENT args{};
};

// The soft driver's functions with those of one partner in front.
template <Partner& partner>
struct Functions {
  static inline D3D10_2DDI_ADAPTERFUNCS adapter;
  static inline D3D11DDI_DEVICEFUNCS device;
  static inline DXGI_DDI_BASE_CALLBACKS dxgi_callbacks;
  static inline DXGI_DDI_BASE_CALLBACKS* own_dxgi_callbacks = nullptr;
  static inline std::optional<LateAnswer> late;

  static HRESULT APIENTRY PresentCb(HANDLE rt_device, DXGIDDICB_PRESENT* args) {
    if (partner.fault == Fault::kAnswersLate) {
      late = {rt_device, *args};
      return S_OK;
    }
    if (partner.fault == Fault::kTalksBackAtPresent) {
      D3DDDICB_DEALLOCATE nothing{};
      partner.talk_back_answer = overheard.device_callbacks->pfnDeallocateCb(overheard.device, &nothing);
    }
    return own_dxgi_callbacks->pfnPresentCb(rt_device, args);
  }

  static HRESULT APIENTRY CreateDevice(D3D10DDI_HADAPTER handle, D3D10DDIARG_CREATEDEVICE* args) {
    if (partner.fault == Fault::kFailsAtDevice) return E_OUTOFMEMORY;
    own_dxgi_callbacks = args->DXGIBaseDDI.pDXGIBaseCallbacks;
    dxgi_callbacks = *own_dxgi_callbacks;
    dxgi_callbacks.pfnPresentCb = PresentCb;
    args->DXGIBaseDDI.pDXGIBaseCallbacks = &dxgi_callbacks;
    if (&partner == &display_partner) {
      overheard.device = args->hRTDevice.handle;
      overheard.device_callbacks = args->pKTCallbacks;
    }
    const HRESULT created = adapter.pfnCreateDevice(handle, args);
    if (FAILED(created)) return created;
    ++partner.devices_made;
    partner.context =
        static_cast<D3DKMT_HANDLE>(reinterpret_cast<std::uintptr_t>(processor::FromHandle(args->hDrvDevice).context()));
    device = *args->p11DeviceFuncs;
    args->p11DeviceFuncs->pfnDestroyDevice = DestroyDevice;
    return created;
  }

  static VOID APIENTRY DestroyDevice(D3D10DDI_HDEVICE handle) {
    ++partner.devices_destroyed;
    if (late) partner.late_answer = own_dxgi_callbacks->pfnPresentCb(late->device, &late->args);
    late.reset();
    device.pfnDestroyDevice(handle);
  }

  static HRESULT APIENTRY CloseAdapter(D3D10DDI_HADAPTER handle) {
    ++partner.adapters_closed;
    return adapter.pfnCloseAdapter(handle);
  }

  static HRESULT Open(D3D10DDIARG_OPENADAPTER* args) {
    if (partner.fault == Fault::kFailsToOpen) return E_FAIL;
    if (&partner == &display_partner) {
      overheard.adapter = args->hRTAdapter.handle;
      overheard.adapter_callbacks = args->pAdapterCallbacks;
    }
    if (partner.fault == Fault::kTalksBackAtOpen) {
      processor::AdapterData data{};
      const D3DDDICB_QUERYADAPTERINFO query{&data, sizeof(data)};
      partner.talk_back_answer = overheard.adapter_callbacks->pfnQueryAdapterInfoCb(overheard.adapter, &query);
    }
    const HRESULT opened = processor::ProcessorOpenAdapter10_2(args);
    if (FAILED(opened)) return opened;
    ++partner.adapters_opened;
    adapter = *args->pAdapterFuncs_2;
    args->pAdapterFuncs_2->pfnCreateDevice = partner.fault == Fault::kOpensWithoutFunctions ? nullptr : CreateDevice;
    args->pAdapterFuncs_2->pfnCloseAdapter = CloseAdapter;
    return opened;
  }
};

}  // namespace

extern "C" HRESULT DisplayPartnerOpenAdapter(D3D10DDIARG_OPENADAPTER* args) { return Functions<display_partner>::Open(args); }
extern "C" HRESULT RenderPartnerOpenAdapter(D3D10DDIARG_OPENADAPTER* args) { return Functions<render_partner>::Open(args); }

}  // namespace tandem::shim_test
