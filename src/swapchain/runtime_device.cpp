#include "swapchain/runtime_device.h"

#include <array>
#include <string>
#include <utility>

#include "swapchain/runtime.h"
#include "swapchain/runtime_callbacks.h"
#include "swapchain/status.h"
#include "swapchain/user_mode_driver.h"

#include <d3d12umddi.h>

namespace tandem::swapchain {
namespace {

constexpr UINT kInterface = D3D11_DDI_INTERFACE_VERSION;
constexpr UINT kVersion = 0;

DXGI_DDI_HRESOURCE ToDxgi(D3D10DDI_HRESOURCE resource) { return reinterpret_cast<DXGI_DDI_HRESOURCE>(resource.pDrvPrivate); }

std::unique_ptr<std::max_align_t[]> MakePrivate(SIZE_T size) {
  return std::make_unique<std::max_align_t[]>(size / sizeof(std::max_align_t) + 1);
}

}  // namespace

Result<std::unique_ptr<RuntimeDevice>> RuntimeDevice::Create(const AdapterBinding& adapter) { return Runtime::Open(adapter); }

Result<std::unique_ptr<RuntimeDevice>> Runtime::Open(const AdapterBinding& adapter) {
  std::unique_ptr<Runtime> runtime(new Runtime(adapter));
  if (auto found = runtime->FindUserModeDriver(); !found.ok()) return std::move(found).error();
  if (auto opened = runtime->OpenKernelSide(); !opened.ok()) return std::move(opened).error();
  if (auto opened = runtime->OpenUserModeDriver(); !opened.ok()) return std::move(opened).error();
  if (auto checked = runtime->CheckRowMajorTextures(); !checked.ok()) return std::move(checked).error();
  if (auto created = runtime->CreateUserModeDevice(); !created.ok()) return std::move(created).error();
  return std::unique_ptr<RuntimeDevice>(std::move(runtime));
}

Result<void> Runtime::FindUserModeDriver() {
  if (binding_.open_adapter != nullptr) return {};
  if (binding_.user_mode_driver.empty()) {
    return Fail(ErrorKind::kInvalidArgument, "Adapter {} has no user-mode driver.", binding_.name);
  }
  auto found = LoadUserModeDriver(binding_.user_mode_driver);
  if (!found.ok()) return std::move(found).error().Context("Adapter " + binding_.name);
  binding_.open_adapter = *found;
  return {};
}

Result<void> Runtime::OpenKernelSide() {
  D3DKMT_OPENADAPTERFROMLUID open{binding_.luid, 0};
  auto result = CheckStatus("Opening adapter " + binding_.name, D3DKMTOpenAdapterFromLuid(&open));
  if (!result.ok()) return result;
  adapter_ = open.hAdapter;

  D3DKMT_CROSSADAPTERRESOURCE_SUPPORT support{};
  const D3DKMT_QUERYADAPTERINFO query{adapter_, KMTQAITYPE_CROSSADAPTERRESOURCE_SUPPORT, &support, sizeof(support)};
  result = CheckStatus("Asking adapter " + binding_.name + " for its cross-adapter tier", D3DKMTQueryAdapterInfo(&query));
  if (!result.ok()) return result;
  tier_ = static_cast<std::uint32_t>(support.SupportTier);

  D3DKMT_ADAPTERTYPE type{};
  const D3DKMT_QUERYADAPTERINFO type_query{adapter_, KMTQAITYPE_ADAPTERTYPE, &type, sizeof(type)};
  hybrid_discrete_ = NT_SUCCESS(D3DKMTQueryAdapterInfo(&type_query)) && type.HybridDiscrete != 0;

  D3DKMT_CREATEDEVICE create{};
  create.hAdapter = adapter_;
  result = CheckStatus("Creating a device on adapter " + binding_.name, D3DKMTCreateDevice(&create));
  if (result.ok()) device_ = create.hDevice;
  return result;
}

Result<void> Runtime::OpenUserModeDriver() {
  D3D10DDIARG_OPENADAPTER open{};
  open.hRTAdapter.handle = this;
  open.Interface = kInterface;
  open.Version = kVersion;
  open.pAdapterCallbacks = &RuntimeCallbacks::Adapter();
  open.pAdapterFuncs_2 = &adapter_functions_;
  const HRESULT opened = binding_.open_adapter(&open);
  if (FAILED(opened)) return FromHresult("OpenAdapter10_2 of " + binding_.name, opened);
  if (adapter_functions_.pfnCloseAdapter != nullptr) umd_adapter_ = open.hAdapter;
  if (umd_adapter_.pDrvPrivate != nullptr && adapter_functions_.pfnCalcPrivateDeviceSize != nullptr &&
      adapter_functions_.pfnCreateDevice != nullptr) {
    return {};
  }
  return Fail(ErrorKind::kUnsupported, "The user-mode driver of {} lacks an adapter or one of its functions.", binding_.name);
}

Result<void> Runtime::CheckRowMajorTextures() const {
  constexpr std::uint32_t kTierTexture = 2;
  if (adapter_functions_.pfnGetCaps == nullptr) return {};
  D3D12DDI_TEXTURE_LAYOUT_CAPS_0026 layouts{};
  const D3D10_2DDIARG_GETCAPS caps{D3D12DDICAPS_TYPE_0022_TEXTURE_LAYOUT, nullptr, &layouts, sizeof(layouts)};
  // Drivers of an older class do not know this type.
  if (FAILED(adapter_functions_.pfnGetCaps(umd_adapter_, &caps)) || !layouts.SupportsRowMajorTexture || tier_ >= kTierTexture) {
    return {};
  }
  return Fail(
      ErrorKind::kUnsupported,
      "The user-mode driver of {} sets CrossAdapterRowMajorTextureSupported and its kernel-mode driver has cross-adapter tier "
      "{}; tier {} (CrossAdapterResourceTexture) is needed.",
      binding_.name, tier_, kTierTexture);
}

Result<void> Runtime::CreateUserModeDevice() {
  const D3D10DDIARG_CALCPRIVATEDEVICESIZE size{kInterface, kVersion, 0};
  device_memory_ = MakePrivate(adapter_functions_.pfnCalcPrivateDeviceSize(umd_adapter_, &size));
  D3D10DDIARG_CREATEDEVICE create{};
  create.hRTDevice.handle = this;
  create.Interface = kInterface;
  create.Version = kVersion;
  create.pKTCallbacks = &RuntimeCallbacks::Device();
  create.p11DeviceFuncs = &device_functions_;
  create.hDrvDevice = umd_device();
  create.DXGIBaseDDI.pDXGIBaseCallbacks = &RuntimeCallbacks::Dxgi();
  create.DXGIBaseDDI.pDXGIDDIBaseFunctions4 = &dxgi_functions_;
  create.hRTCoreLayer.handle = this;
  create.p11UMCallbacks = &RuntimeCallbacks::CoreLayer();
  const HRESULT created = adapter_functions_.pfnCreateDevice(umd_adapter_, &create);
  if (FAILED(created)) return FromHresult("CreateDevice of " + binding_.name, created);
  umd_device_open_ = true;
  if (context_ != 0 && device_functions_.pfnCreateResource != nullptr && dxgi_functions_.pfnPresent != nullptr) return {};
  return Fail(ErrorKind::kUnsupported, "The user-mode driver of {} made no context or lacks pfnCreateResource or pfnPresent.",
              binding_.name);
}

Runtime::~Runtime() {
  if (umd_device_open_) device_functions_.pfnDestroyDevice(umd_device());
  if (umd_adapter_.pDrvPrivate != nullptr) adapter_functions_.pfnCloseAdapter(umd_adapter_);
  if (device_ != 0) {
    const D3DKMT_DESTROYDEVICE destroy{device_};
    static_cast<void>(D3DKMTDestroyDevice(&destroy));
  }
  if (adapter_ != 0) {
    const D3DKMT_CLOSEADAPTER close{adapter_};
    static_cast<void>(D3DKMTCloseAdapter(&close));
  }
}

HRESULT Runtime::TakeError() { return std::exchange(error_, S_OK); }

SIZE_T Runtime::PrivateSize(const D3D11DDIARG_CREATERESOURCE& args) {
  const MutexLock lock(mutex_);
  return device_functions_.pfnCalcPrivateResourceSize(umd_device(), &args);
}

SIZE_T Runtime::PrivateSize(const D3D10DDIARG_OPENRESOURCE& args) {
  const MutexLock lock(mutex_);
  return device_functions_.pfnCalcPrivateOpenedResourceSize(umd_device(), &args);
}

HRESULT Runtime::CreateResource(const D3D11DDIARG_CREATERESOURCE& args, D3D10DDI_HRESOURCE resource, RuntimeResource& state) {
  const MutexLock lock(mutex_);
  device_functions_.pfnCreateResource(umd_device(), &args, resource, {&state});
  return TakeError();
}

HRESULT Runtime::OpenResource(const D3D10DDIARG_OPENRESOURCE& args, D3D10DDI_HRESOURCE resource, RuntimeResource& state) {
  const MutexLock lock(mutex_);
  device_functions_.pfnOpenResource(umd_device(), &args, resource, {&state});
  return TakeError();
}

void Runtime::DestroyResource(D3D10DDI_HRESOURCE resource) {
  const MutexLock lock(mutex_);
  device_functions_.pfnDestroyResource(umd_device(), resource);
  static_cast<void>(TakeError());  // the caller cannot act on an error
}

HRESULT Runtime::Flush() {
  const MutexLock lock(mutex_);
  device_functions_.pfnFlush(umd_device());
  return TakeError();
}

Result<OverlayAnswer> Runtime::CheckPlane(D3DKMT_HANDLE resource, std::uint32_t width, std::uint32_t height,
                                          D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, CheckKind kind) const {
  D3DKMT_MULTIPLANE_OVERLAY_FLAGS flags{};
  flags.StaticCheck = kind == CheckKind::kStatic ? 1 : 0;
  D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes{};
  attributes.Flags = flags.Value;
  attributes.SrcRect = {0, 0, static_cast<LONG>(width), static_cast<LONG>(height)};
  attributes.DstRect = attributes.ClipRect = attributes.SrcRect;
  attributes.Rotation = D3DDDI_ROTATION_IDENTITY;
  attributes.StretchQuality = DXGKMT_MULTIPLANE_OVERLAY_STRETCH_QUALITY_BILINEAR;
  D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3 plane{};
  plane.hResource = resource;
  plane.VidPnSourceId = vidpn_source;
  plane.pPlaneAttributes = &attributes;
  std::array<D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3*, 1> planes{&plane};
  D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3 check{};
  check.hAdapter = adapter_;
  check.hDevice = device_;
  check.PlaneCount = 1;
  check.ppOverlayPlanes = planes.data();
  const NTSTATUS status = D3DKMTCheckMultiPlaneOverlaySupport3(&check);
  if (!NT_SUCCESS(status)) return FromStatus("Asking adapter " + binding_.name + " whether it scans out", status);
  return OverlayAnswer{check.Supported != FALSE, check.ReturnInfo.TryAgain != 0};
}

D3DDDI_ROTATION Runtime::RotationOf(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) const {
  D3DKMT_CURRENTDISPLAYMODE current{};
  current.VidPnSourceId = vidpn_source;
  const D3DKMT_QUERYADAPTERINFO query{adapter_, KMTQAITYPE_CURRENTDISPLAYMODE, &current, sizeof(current)};
  return NT_SUCCESS(D3DKMTQueryAdapterInfo(&query)) ? current.DisplayMode.DisplayOrientation : D3DDDI_ROTATION_IDENTITY;
}

std::shared_ptr<PassMeter> Runtime::MeterOf(D3DKMT_HANDLE allocation) const {
  PassMeterEscape request;
  request.allocation = allocation;
  D3DKMT_ESCAPE escape{};
  escape.hAdapter = adapter_;
  escape.hDevice = device_;
  escape.Type = D3DKMT_ESCAPE_DRIVERPRIVATE;
  escape.pPrivateDriverData = &request;
  escape.PrivateDriverDataSize = sizeof(request);
  if (!NT_SUCCESS(D3DKMTEscape(&escape)) || request.meter == nullptr) return nullptr;
  const std::unique_ptr<std::shared_ptr<PassMeter>> meter(request.meter);
  return std::move(*meter);
}

HRESULT Runtime::DxgiBlt(DXGI_DDI_ARG_BLT1 args) {
  if (dxgi_functions_.pfnBlt1 == nullptr) return DXGI_DDI_ERR_UNSUPPORTED;
  args.hDevice = reinterpret_cast<DXGI_DDI_HDEVICE>(device_memory_.get());
  const MutexLock lock(mutex_);
  const HRESULT result = dxgi_functions_.pfnBlt1(&args);
  const HRESULT reported = TakeError();
  return FAILED(result) ? result : reported;
}

HRESULT Runtime::DxgiRotate(std::span<const DXGI_DDI_HRESOURCE> resources) {
  if (dxgi_functions_.pfnRotateResourceIdentities == nullptr) return DXGI_DDI_ERR_UNSUPPORTED;
  DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES args{reinterpret_cast<DXGI_DDI_HDEVICE>(device_memory_.get()), resources.data(),
                                               static_cast<UINT>(resources.size())};
  const MutexLock lock(mutex_);
  return dxgi_functions_.pfnRotateResourceIdentities(&args);
}

Result<void> Runtime::DxgiPresent(PresentCall& call) {
  const bool flip = call.destination.pDrvPrivate == nullptr;
  DXGI_DDI_ARG_PRESENT args{};
  args.hDevice = reinterpret_cast<DXGI_DDI_HDEVICE>(device_memory_.get());
  args.hSurfaceToPresent = ToDxgi(call.source);
  args.hDstResource = ToDxgi(call.destination);
  args.pDXGIContext = &call;
  args.Flags.Blt = flip ? 0 : 1;
  args.Flags.Flip = flip ? 1 : 0;
  args.FlipInterval = static_cast<DXGI_DDI_FLIP_INTERVAL_TYPE>(call.interval);
  call.context = 0;
  call.status = STATUS_SUCCESS;
  HRESULT result = S_OK;
  {
    const MutexLock lock(mutex_);
    running_present_.store(&call, std::memory_order_release);
    result = dxgi_functions_.pfnPresent(&args);
    running_present_.store(nullptr, std::memory_order_release);
    if (SUCCEEDED(result)) result = TakeError();
  }
  if (!NT_SUCCESS(call.status)) return FromStatus(flip ? "Flipping" : "Copying", call.status);
  if (FAILED(result)) return FromHresult(flip ? "Flipping" : "Copying", result);
  if (call.context != 0) return {};
  return Fail(ErrorKind::kInternal, "The user-mode driver of {} presented without pfnPresentCb.", binding_.name);
}

bool IsLost(D3DKMT_HANDLE kernel_device) {
  D3DKMT_GETDEVICESTATE state{};
  state.hDevice = kernel_device;
  state.StateType = D3DKMT_DEVICESTATE_EXECUTION;
  return !NT_SUCCESS(D3DKMTGetDeviceState(&state)) || state.ExecutionState != D3DKMT_DEVICEEXECUTION_ACTIVE;
}

}  // namespace tandem::swapchain
