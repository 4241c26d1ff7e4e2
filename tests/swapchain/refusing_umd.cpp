#include "tests/swapchain/refusing_umd.h"

#include "drivers/processor/user_mode.h"
#include "link/surface/link_surface.h"

#include <d3d12umddi.h>

namespace tandem::swapchain_test {

std::atomic<Refuse> refuse{Refuse::kNothing};
std::atomic<bool> claims_row_major_textures{false};

namespace {

// Functions of the last adapter and device; the soft driver's functions are equal for all.
D3D10_2DDI_ADAPTERFUNCS soft_adapter;
D3D11DDI_DEVICEFUNCS soft_device;
decltype(D3D11DDI_CORELAYER_DEVICECALLBACKS::pfnSetErrorCb) set_error;
D3D10DDI_HRTCORELAYER core_layer;

HRESULT Answer(const D3D11DDIARG_CREATERESOURCE& create) {
  const Refuse what = refuse;
  if (what == Refuse::kLink && create.Format == static_cast<DXGI_FORMAT>(link::kLinkFormat)) return DXGI_DDI_ERR_UNSUPPORTED;
  if (create.pPrimaryDesc == nullptr) return S_OK;
  const bool shared = (create.MiscFlags & D3DWDDM1_3DDI_RESOURCE_MISC_CROSS_ADAPTER) != 0;
  if (what == Refuse::kScanOut && shared) {
    create.pPrimaryDesc->DriverFlags = DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT;
    return DXGI_DDI_ERR_UNSUPPORTED;
  }
  return what == (shared ? Refuse::kSharedPrimary : Refuse::kPrivatePrimary) ? E_OUTOFMEMORY : S_OK;
}

VOID APIENTRY CreateResource(D3D10DDI_HDEVICE device, CONST D3D11DDIARG_CREATERESOURCE* create, D3D10DDI_HRESOURCE resource,
                             D3D10DDI_HRTRESOURCE rt_resource) {
  const HRESULT answer = Answer(*create);
  if (FAILED(answer)) return set_error(core_layer, answer);
  soft_device.pfnCreateResource(device, create, resource, rt_resource);
}

HRESULT APIENTRY CreateDevice(D3D10DDI_HADAPTER adapter, D3D10DDIARG_CREATEDEVICE* args) {
  const HRESULT created = soft_adapter.pfnCreateDevice(adapter, args);
  if (FAILED(created)) return created;
  soft_device = *args->p11DeviceFuncs;
  set_error = args->p11UMCallbacks->pfnSetErrorCb;
  core_layer = args->hRTCoreLayer;
  args->p11DeviceFuncs->pfnCreateResource = CreateResource;
  return created;
}

HRESULT APIENTRY GetCaps(D3D10DDI_HADAPTER adapter, CONST D3D10_2DDIARG_GETCAPS* caps) {
  const HRESULT got = soft_adapter.pfnGetCaps(adapter, caps);
  if (SUCCEEDED(got) && caps->Type == D3D12DDICAPS_TYPE_0022_TEXTURE_LAYOUT && claims_row_major_textures) {
    static_cast<D3D12DDI_TEXTURE_LAYOUT_CAPS_0026*>(caps->pData)->SupportsRowMajorTexture = TRUE;
  }
  return got;
}

}  // namespace

extern "C" HRESULT RefusingOpenAdapter10_2(D3D10DDIARG_OPENADAPTER* args) {
  const HRESULT opened = processor::ProcessorOpenAdapter10_2(args);
  if (FAILED(opened)) return opened;
  soft_adapter = *args->pAdapterFuncs_2;
  args->pAdapterFuncs_2->pfnCreateDevice = CreateDevice;
  args->pAdapterFuncs_2->pfnGetCaps = GetCaps;
  return opened;
}

}  // namespace tandem::swapchain_test
