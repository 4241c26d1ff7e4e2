#include "shim/class9/device.h"

#include <new>

#include "base/log.h"
#include "shim/class9/callbacks.h"
#include "shim/class9/results.h"

namespace tandem::shim {
namespace {

constexpr UINT kDirect3D9 = 9;

// Keeps a member set for the time of a call into the driver.
template <class T>
class Running {
 public:
  Running(T*& member, T& value) : member_(member) { member_ = &value; }
  ~Running() { member_ = nullptr; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  T*& member_;
};

D3DDDI_ROTATION ToClass9(DXGI_DDI_MODE_ROTATION rotation) {
  return rotation == DXGI_DDI_MODE_ROTATION_UNSPECIFIED ? D3DDDI_ROTATION_IDENTITY : static_cast<D3DDDI_ROTATION>(rotation);
}

// One surface of two dimensions without samples and without pixels of its own.
bool IsPlainSurface(const D3D11DDIARG_CREATERESOURCE& create) {
  return create.ResourceDimension == D3D10DDIRESOURCE_TEXTURE2D && create.MipLevels == 1 && create.ArraySize == 1 &&
         create.SampleDesc.Count <= 1 && create.pMipInfoList != nullptr && create.pInitialDataUP == nullptr;
}

bool IsCrossAdapter(const D3D11DDIARG_CREATERESOURCE& create) {
  return (create.MiscFlags & D3DWDDM1_3DDI_RESOURCE_MISC_CROSS_ADAPTER) != 0;
}

// Arguments for a surface that is no primary.
D3DDDIARG_CREATERESOURCE2 ToClass9(const D3D11DDIARG_CREATERESOURCE& create, const D3DDDI_SURFACEINFO& surface) {
  D3DDDIARG_CREATERESOURCE2 args{};
  args.Format = ExactFormat(create.Format);
  args.Pool = D3DDDIPOOL_VIDEOMEMORY;
  args.MultisampleType = D3DDDIMULTISAMPLE_NONE;
  args.pSurfList = &surface;
  args.SurfCount = 1;
  args.MipLevels = 1;
  args.Rotation = D3DDDI_ROTATION_IDENTITY;
  args.Flags.RenderTarget = (create.BindFlags & D3D10_DDI_BIND_RENDER_TARGET) != 0 ? 1 : 0;
  args.Flags.Texture = (create.BindFlags & D3D10_DDI_BIND_SHADER_RESOURCE) != 0 ? 1 : 0;
  args.Flags.SharedResource = (create.MiscFlags & D3D10_DDI_RESOURCE_MISC_SHARED) != 0 ? 1 : 0;
  args.Flags2.CrossAdapter = IsCrossAdapter(create) ? 1 : 0;
  return args;
}

}  // namespace

Class9Device::Class9Device(const Class9Adapter& adapter, const D3D10DDIARG_CREATEDEVICE& args)
    : adapter_(adapter),
      rt_device_(args.hRTDevice.handle),
      rt_callbacks_(*args.pKTCallbacks),
      core_layer_(args.hRTCoreLayer),
      core_callbacks_(*args.p11UMCallbacks),
      dxgi_callbacks_(*args.DXGIBaseDDI.pDXGIBaseCallbacks),
      callbacks_(Class9Callbacks::TableFor(rt_callbacks_, dxgi_callbacks_)) {
  Class9Callbacks::Live().Add(this);
}

Class9Device::~Class9Device() {
  if (driver_ != nullptr) functions_.pfnDestroyDevice(driver_);
  if (!contexts_.empty()) {
    Log(LogLevel::kError, "The Direct3D 9 display driver left {} contexts of its device open.", contexts_.size());
  }
  for (const HANDLE context : contexts_) {
    const D3DDDICB_DESTROYCONTEXT destroy{context};
    static_cast<void>(rt_callbacks_.pfnDestroyContextCb(rt_device_, &destroy));
  }
  Class9Callbacks::Live().Remove(this);
}

HRESULT Class9Device::OpenDriver() {
  D3DDDIARG_CREATEDEVICE create{};
  create.hDevice = this;
  create.Interface = kDirect3D9;
  create.pCallbacks = &callbacks_;
  create.pDeviceFuncs = &functions_;
  if (const HRESULT created = adapter_.CreateDevice(create); FAILED(created)) return ToDxgi(created);
  if (create.hDevice == nullptr || create.hDevice == this || functions_.pfnDestroyDevice == nullptr) {
    Log(LogLevel::kError, "The Direct3D 9 display driver created a device without a handle or without DestroyDevice.");
    return E_FAIL;
  }
  driver_ = create.hDevice;
  const bool complete = functions_.pfnCreateResource != nullptr && functions_.pfnOpenResource != nullptr &&
                        functions_.pfnDestroyResource != nullptr && functions_.pfnPresent != nullptr;
  return complete ? S_OK : DXGI_DDI_ERR_UNSUPPORTED;
}

HRESULT Class9Device::Create(Class9Adapter& adapter, D3D10DDIARG_CREATEDEVICE& args) {
  if (args.hDrvDevice.pDrvPrivate == nullptr || args.p11DeviceFuncs == nullptr || args.pKTCallbacks == nullptr ||
      args.p11UMCallbacks == nullptr || args.DXGIBaseDDI.pDXGIDDIBaseFunctions4 == nullptr ||
      args.DXGIBaseDDI.pDXGIBaseCallbacks == nullptr || args.Interface != D3D11_DDI_INTERFACE_VERSION) {
    return E_INVALIDARG;
  }
  adapter.SetEscape(args.pKTCallbacks->pfnEscapeCb);
  auto* const device = new (args.hDrvDevice.pDrvPrivate) Class9Device(adapter, args);
  if (const HRESULT opened = device->OpenDriver(); FAILED(opened)) {
    device->~Class9Device();
    return opened;
  }
  FillDeviceFunctions(*args.p11DeviceFuncs);
  FillDxgiFunctions(*args.DXGIBaseDDI.pDXGIDDIBaseFunctions4);
  return S_OK;
}

HRESULT Class9Device::TakeHandle(HRESULT result, HANDLE answered, Class9Resource& resource) {
  if (SUCCEEDED(result) && answered != nullptr && answered != resource.token) {
    resource.driver = answered;
    return S_OK;
  }
  FreeLeft(resource);
  return FAILED(result) ? result : E_FAIL;
}

HRESULT Class9Device::CallCreate(D3DDDIARG_CREATERESOURCE2& args, Class9Resource& resource) {
  const Running<Class9Resource> running(running_resource_, resource);
  args.hResource = &resource;
  resource.token = &resource;
  if (functions_.pfnCreateResource2 != nullptr) {
    const HRESULT created = functions_.pfnCreateResource2(driver_, &args);
    return TakeHandle(created, args.hResource, resource);
  }
  if (args.Flags2.Value != 0) return D3DDDIERR_NOTAVAILABLE;  // a driver older than WDDM 1.3 shares with no other adapter
  D3DDDIARG_CREATERESOURCE create{args.Format,        args.Pool,        args.MultisampleType, args.MultisampleQuality,
                                  args.pSurfList,     args.SurfCount,   args.MipLevels,       args.Fvf,
                                  args.VidPnSourceId, args.RefreshRate, args.hResource,       args.Flags,
                                  args.Rotation};
  const HRESULT created = functions_.pfnCreateResource(driver_, &create);
  return TakeHandle(created, create.hResource, resource);
}

HRESULT Class9Device::CreateResource(const D3D11DDIARG_CREATERESOURCE& create, Class9Resource& resource) {
  if (!IsPlainSurface(create)) return DXGI_DDI_ERR_UNSUPPORTED;
  resource.width = create.pMipInfoList->TexelWidth;
  resource.height = create.pMipInfoList->TexelHeight;
  const D3DDDI_SURFACEINFO surface{resource.width, resource.height, 1, nullptr, 0, 0};
  D3DDDIARG_CREATERESOURCE2 args = ToClass9(create, surface);
  if (DXGI_DDI_PRIMARY_DESC* const primary = create.pPrimaryDesc; primary != nullptr) {
    primary->DriverFlags = 0;
    // The other adapter writes to a shared primary, so its format is exact; a copy may convert into the adapter's own.
    const D3DDDIFORMAT exact = args.Format;
    args.Format = IsCrossAdapter(create) ? exact : adapter_.shown().DisplayFormat(create.Format);
    args.Flags.Primary = 1;
    args.VidPnSourceId = primary->VidPnSourceId;
    args.RefreshRate = {primary->ModeDesc.RefreshRate.Numerator, primary->ModeDesc.RefreshRate.Denominator};
    args.Rotation = ToClass9(primary->ModeDesc.Rotation);
    HRESULT created = D3DDDIERR_NOTAVAILABLE;
    if (adapter_.shown().Shows(args.Format) && (primary->Flags & DXGI_DDI_PRIMARY_STEREO) == 0) {
      created = CallCreate(args, resource);
    }
    resource.format = args.Format;
    if (created != D3DDDIERR_NOTAVAILABLE) return ToDxgi(created);
    primary->DriverFlags = DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT;
    if ((primary->Flags & DXGI_DDI_PRIMARY_OPTIONAL) == 0) return DXGI_DDI_ERR_UNSUPPORTED;
    args = ToClass9(create, surface);
  }
  if (args.Format == D3DDDIFMT_UNKNOWN) return DXGI_DDI_ERR_UNSUPPORTED;
  resource.format = args.Format;
  return ToDxgi(CallCreate(args, resource));
}

HRESULT Class9Device::OpenResource(const D3D10DDIARG_OPENRESOURCE& open, Class9Resource& resource) {
  const Running<Class9Resource> running(running_resource_, resource);
  resource.token = &resource;
  D3DDDIARG_OPENRESOURCE args{};
  args.NumAllocations = open.NumAllocations;
  args.pOpenAllocationInfo = open.pOpenAllocationInfo;
  args.hKMResource = open.hKMResource.handle;
  args.pPrivateDriverData = open.pPrivateDriverData;
  args.PrivateDriverDataSize = open.PrivateDriverDataSize;
  args.hResource = &resource;
  args.Rotation = D3DDDI_ROTATION_IDENTITY;
  const HRESULT opened = functions_.pfnOpenResource(driver_, &args);
  const HRESULT taken = TakeHandle(opened, args.hResource, resource);
  resource.allocated = SUCCEEDED(taken);  // the runtime opened the kernel's handles; destruction gives them back
  return ToDxgi(taken);
}

void Class9Device::DestroyResource(Class9Resource& resource) {
  if (resource.driver == nullptr) return;
  const Running<Class9Resource> running(running_resource_, resource);
  functions_.pfnDestroyResource(driver_, resource.driver);
  resource.driver = nullptr;
  FreeLeft(resource);
}

void Class9Device::FreeLeft(Class9Resource& resource) {
  if (!resource.allocated) return;
  Log(LogLevel::kError, "The Direct3D 9 display driver left the allocations of a resource; they are freed for it.");
  resource.allocated = false;
  D3DDDICB_DEALLOCATE deallocate{};
  deallocate.hResource = resource.rt_resource;
  static_cast<void>(rt_callbacks_.pfnDeallocateCb(rt_device_, &deallocate));
}

HRESULT Class9Device::Present(const DXGI_DDI_ARG_PRESENT& args) {
  if (args.hSurfaceToPresent == 0) return E_INVALIDARG;
  if (args.Flags.PreferRight != 0 || args.Flags.TemporaryMono != 0) return DXGI_DDI_ERR_UNSUPPORTED;
  D3DDDIARG_PRESENT present{};
  present.hSrcResource = ResourceOf(args.hSurfaceToPresent).driver;
  present.SrcSubResourceIndex = args.SrcSubResourceIndex;
  if (args.hDstResource != 0) present.hDstResource = ResourceOf(args.hDstResource).driver;
  present.DstSubResourceIndex = args.DstSubResourceIndex;
  present.Flags.Blt = args.Flags.Blt;
  present.Flags.Flip = args.Flags.Flip;
  present.FlipInterval = static_cast<D3DDDI_FLIPINTERVAL_TYPE>(args.FlipInterval);
  RunningPresent call{args.pDXGIContext, false};
  const Running<RunningPresent> running(running_present_, call);
  const HRESULT presented = functions_.pfnPresent(driver_, &present);
  if (FAILED(presented)) return ToDxgi(presented);
  // Flips are not batched, so a present without a callback shows nothing.
  return call.called_back ? S_OK : E_FAIL;
}

HRESULT Class9Device::Blt(const DXGI_DDI_ARG_BLT1& args) {
  if (args.hSrcResource == 0 || args.hDstResource == 0) return E_INVALIDARG;
  const bool upright = args.Rotate == DXGI_DDI_MODE_ROTATION_UNSPECIFIED || args.Rotate == DXGI_DDI_MODE_ROTATION_IDENTITY;
  if (functions_.pfnBlt == nullptr || !upright || args.Flags.Resolve != 0) return DXGI_DDI_ERR_UNSUPPORTED;
  const Class9Resource& source = ResourceOf(args.hSrcResource);
  const Class9Resource& destination = ResourceOf(args.hDstResource);
  const auto rect = [](UINT left, UINT top, UINT right, UINT bottom) {
    return RECT{static_cast<LONG>(left), static_cast<LONG>(top), static_cast<LONG>(right), static_cast<LONG>(bottom)};
  };
  D3DDDIARG_BLT blt{};
  blt.hSrcResource = source.driver;
  blt.SrcSubResourceIndex = args.SrcSubresource;
  blt.SrcRect = rect(args.SrcLeft, args.SrcTop, args.SrcRight, args.SrcBottom);
  blt.hDstResource = destination.driver;
  blt.DstSubResourceIndex = args.DstSubresource;
  blt.DstRect = rect(args.DstLeft, args.DstTop, args.DstRight, args.DstBottom);
  // Half floats are linear, every other format is encoded by the sRGB curve.
  const bool to_srgb = source.format == D3DDDIFMT_A16B16G16R16F && destination.format != D3DDDIFMT_A16B16G16R16F;
  blt.Flags.LinearToSrgb = to_srgb ? 1 : 0;
  blt.Flags.BeginPresentToDwm = args.Flags.Present;
  blt.Flags.EndPresentToDwm = args.Flags.Present;
  return ToDxgi(functions_.pfnBlt(driver_, &blt));
}

HRESULT Class9Device::SetDisplayMode(const Class9Resource& resource, UINT subresource) {
  if (functions_.pfnSetDisplayMode == nullptr) return DXGI_DDI_ERR_UNSUPPORTED;
  const D3DDDIARG_SETDISPLAYMODE mode{resource.driver, subresource};
  return ToDxgi(functions_.pfnSetDisplayMode(driver_, &mode));
}

HRESULT Class9Device::Flush() { return functions_.pfnFlush == nullptr ? S_OK : ToDxgi(functions_.pfnFlush(driver_)); }

}  // namespace tandem::shim
