#include "drivers/processor/umd/umd_device.h"

namespace tandem::processor {

HRESULT UmdDevice::Open(const UmdAdapter& adapter, const D3D10DDIARG_CREATEDEVICE& args) {
  if (args.pKTCallbacks == nullptr || args.p11UMCallbacks == nullptr || args.DXGIBaseDDI.pDXGIBaseCallbacks == nullptr) {
    return E_INVALIDARG;
  }
  adapter_ = &adapter;
  core_layer_ = args.hRTCoreLayer;
  core_callbacks_ = args.p11UMCallbacks;
  dxgi_callbacks_ = args.DXGIBaseDDI.pDXGIBaseCallbacks;
  return UmdContext::Open(args.hRTDevice.handle, *args.pKTCallbacks);
}

}  // namespace tandem::processor
