#include "swapchain/shim_host.h"

#include "swapchain/runtime.h"

namespace tandem::swapchain {
namespace {

D3DKMT_HANDLE APIENTRY GetKernelDevice(D3D10DDI_HRTDEVICE device) {
  return static_cast<Runtime*>(device.handle)->kernel_device();
}

D3DKMT_HANDLE APIENTRY GetGlobalShare(D3D10DDI_HRTRESOURCE resource) {
  return static_cast<RuntimeResource*>(resource.handle)->global_share;
}

}  // namespace

TANDEM_SHIM_HOST MakeShimHost(LUID render, PFND3D10DDI_OPENADAPTER open_render, PFND3D10DDI_OPENADAPTER open_display) {
  return {sizeof(TANDEM_SHIM_HOST), render, open_render, open_display, &GetKernelDevice, &GetGlobalShare};
}

}  // namespace tandem::swapchain
