#include "shim/display_driver.h"

#include <cstdint>
#include <utility>

#include "shim/display_callbacks.h"
#include "swapchain/opened_share.h"
#include "swapchain/status.h"

namespace tandem::shim {

HRESULT DisplayAdapter::Open(PFND3D10DDI_OPENADAPTER open, const D3D10DDIARG_OPENADAPTER& runtimes) {
  rt_adapter_ = runtimes.hRTAdapter.handle;
  callbacks_ = runtimes.pAdapterCallbacks;
  D3D10DDIARG_OPENADAPTER args = runtimes;
  args.hRTAdapter.handle = this;
  args.hAdapter = {};
  args.pAdapterCallbacks = &DisplayCallbacks::Adapter();
  args.pAdapterFuncs_2 = &functions_;
  if (const HRESULT opened = open(&args); FAILED(opened)) {
    functions_ = {};
    return opened;
  }
  handle_ = args.hAdapter;
  const bool complete = functions_.pfnCalcPrivateDeviceSize != nullptr && functions_.pfnCreateDevice != nullptr &&
                        functions_.pfnCloseAdapter != nullptr;
  return complete ? S_OK : E_FAIL;
}

DisplayAdapter::~DisplayAdapter() {
  if (functions_.pfnCloseAdapter != nullptr) functions_.pfnCloseAdapter(handle_);
}

HRESULT DisplayDevice::Open(DisplayAdapter& adapter, const D3D10DDIARG_CREATEDEVICE& runtimes, D3DKMT_HANDLE kernel_device) {
  adapter_ = &adapter;
  rt_device_ = runtimes.hRTDevice.handle;
  core_layer_ = runtimes.hRTCoreLayer;
  callbacks_ = runtimes.pKTCallbacks;
  core_callbacks_ = runtimes.p11UMCallbacks;
  dxgi_callbacks_ = runtimes.DXGIBaseDDI.pDXGIBaseCallbacks;
  kernel_device_ = kernel_device;
  const D3D10DDIARG_CALCPRIVATEDEVICESIZE size{runtimes.Interface, runtimes.Version, runtimes.Flags};
  memory_ = MakePrivate(adapter.functions().pfnCalcPrivateDeviceSize(adapter.handle(), &size));
  D3D10DDIARG_CREATEDEVICE args = runtimes;
  args.hRTDevice.handle = this;
  args.pKTCallbacks = &DisplayCallbacks::Device();
  args.p11DeviceFuncs = &functions_;
  args.hDrvDevice = handle();
  args.DXGIBaseDDI.pDXGIBaseCallbacks = &DisplayCallbacks::Dxgi();
  args.DXGIBaseDDI.pDXGIDDIBaseFunctions4 = &dxgi_;
  args.hRTCoreLayer.handle = this;
  args.p11UMCallbacks = &DisplayCallbacks::CoreLayer();
  if (const HRESULT created = adapter.functions().pfnCreateDevice(adapter.handle(), &args); FAILED(created)) return created;
  open_ = functions_.pfnDestroyDevice != nullptr;
  const bool complete = open_ && context_ != 0 && functions_.pfnCalcPrivateResourceSize != nullptr &&
                        functions_.pfnCreateResource != nullptr && functions_.pfnCalcPrivateOpenedResourceSize != nullptr &&
                        functions_.pfnOpenResource != nullptr && functions_.pfnDestroyResource != nullptr &&
                        functions_.pfnFlush != nullptr && dxgi_.pfnPresent != nullptr;
  return complete ? TakeError() : E_FAIL;
}

DisplayDevice::~DisplayDevice() {
  if (open_) functions_.pfnDestroyDevice(handle());
}

HRESULT DisplayDevice::TakeError() { return std::exchange(error_, S_OK); }

void DisplayDevice::SetError(HRESULT error) const { core_callbacks_->pfnSetErrorCb(core_layer_, error); }

HRESULT DisplayDevice::OpenArrived(D3DKMT_HANDLE global_share, ArrivedSurface& arrived) {
  swapchain::OpenedShare share;
  if (const NTSTATUS status = share.Open(kernel_device_, global_share); !NT_SUCCESS(status)) {
    return swapchain::ToHresult(status);
  }
  arrived.kernel_resource = share.resource();
  const D3D10DDIARG_OPENRESOURCE args = share.Arguments();
  arrived.memory = MakePrivate(functions_.pfnCalcPrivateOpenedResourceSize(handle(), &args));
  functions_.pfnOpenResource(handle(), &args, arrived.handle(), {this});
  const HRESULT opened = TakeError();
  if (FAILED(opened)) {
    arrived.memory.reset();
    CloseArrived(arrived);
  }
  return opened;
}

void DisplayDevice::CloseArrived(ArrivedSurface& arrived) {
  if (arrived.memory != nullptr) functions_.pfnDestroyResource(handle(), arrived.handle());
  arrived.memory.reset();
  if (arrived.kernel_resource == 0) return;
  D3DKMT_DESTROYALLOCATION2 destroy{};
  destroy.hDevice = kernel_device_;
  destroy.hResource = std::exchange(arrived.kernel_resource, 0);
  static_cast<void>(D3DKMTDestroyAllocation2(&destroy));
}

HRESULT DisplayDevice::Copy(D3D10DDI_HRESOURCE source, D3D10DDI_HRESOURCE destination) {
  RunningCopy copy;
  DXGI_DDI_ARG_PRESENT args{};
  args.hDevice = dxgi_handle();
  args.hSurfaceToPresent = ToDxgi(source);
  args.hDstResource = ToDxgi(destination);
  args.pDXGIContext = &copy;
  args.Flags.Blt = 1;
  running_copy_ = &copy;
  const HRESULT presented = dxgi_.pfnPresent(&args);
  running_copy_ = nullptr;
  const HRESULT reported = TakeError();
  if (FAILED(presented) || FAILED(reported)) return FAILED(presented) ? presented : reported;
  return copy.queued ? S_OK : E_FAIL;
}

// The runtime knows nothing of this copy.
HRESULT DisplayDevice::QueueCopy(const DXGIDDICB_PRESENT& args) {
  if (args.pDXGIContext != running_copy_) return E_INVALIDARG;
  D3DKMT_PRESENT present{};
  present.hContext = static_cast<D3DKMT_HANDLE>(reinterpret_cast<std::uintptr_t>(args.hContext));
  present.hSource = args.hSrcAllocation;
  present.hDestination = args.hDstAllocation;
  present.pPrivateDriverData = args.pPrivateDriverData;
  present.PrivateDriverDataSize = args.PrivateDriverDataSize;
  present.Flags.Blt = 1;
  const NTSTATUS status = D3DKMTPresent(&present);
  running_copy_->queued = NT_SUCCESS(status);
  return swapchain::ToHresult(status);
}

}  // namespace tandem::shim
