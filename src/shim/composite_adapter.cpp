#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "base/thread.h"
#include "shim/composite.h"
#include "shim/composite_device.h"
#include "shim/render_call.h"
#include "swapchain/runtime_device.h"

namespace tandem::shim {
namespace {

// While this thread opens a driver beneath a shim, a shim's own entry is the plain driver: a host may name it as either of both.
class OpeningBeneath {
 public:
  OpeningBeneath() : outer_(std::exchange(running, true)) {}
  ~OpeningBeneath() { running = outer_; }
  OpeningBeneath(const OpeningBeneath&) = delete;
  OpeningBeneath& operator=(const OpeningBeneath&) = delete;
  [[nodiscard]] static bool Runs() { return running; }

 private:
  static thread_local bool running;
  const bool outer_;
};
thread_local bool OpeningBeneath::running = false;

// The object of a D3D10DDI_HADAPTER.
struct CompositeAdapter {
  CompositeAdapter() = default;
  ~CompositeAdapter() {
    const RenderCall scope;
    render.reset();
  }
  CompositeAdapter(const CompositeAdapter&) = delete;
  CompositeAdapter& operator=(const CompositeAdapter&) = delete;

  TANDEM_SHIM_HOST host{};
  DisplayAdapter display;
  // The render side of the first device: its driver opens with the adapter, so that a failure shows then.
  std::unique_ptr<swapchain::RuntimeDevice> render;
};

CompositeAdapter& CompositeOf(D3D10DDI_HADAPTER adapter) { return *static_cast<CompositeAdapter*>(adapter.pDrvPrivate); }

// The driver gets callbacks that lead to the kernel, for a device of its own on the render adapter.
Result<std::unique_ptr<swapchain::RuntimeDevice>> OpenRenderSide(const TANDEM_SHIM_HOST& host) {
  swapchain::AdapterBinding binding;
  binding.luid = host.RenderAdapter;
  binding.open_adapter = host.OpenRenderAdapter;
  binding.name = "beneath the shim";
  const OpeningBeneath beneath;
  const RenderCall scope;
  auto opened = swapchain::RuntimeDevice::Create(binding);
  if (scope.talked_back())
    return Fail(ErrorKind::kInternal, "The render adapter's user-mode driver called the runtime of the display adapter.");
  return opened;
}

SIZE_T APIENTRY CalcPrivateDeviceSize(D3D10DDI_HADAPTER /*adapter*/, CONST D3D10DDIARG_CALCPRIVATEDEVICESIZE* /*args*/) {
  return sizeof(CompositeDevice);
}

bool IsComplete(const D3D10DDIARG_CREATEDEVICE& args) {
  return args.hDrvDevice.pDrvPrivate != nullptr && args.p11DeviceFuncs != nullptr && args.pKTCallbacks != nullptr &&
         args.p11UMCallbacks != nullptr && args.p11UMCallbacks->pfnSetErrorCb != nullptr &&
         args.DXGIBaseDDI.pDXGIBaseCallbacks != nullptr && args.DXGIBaseDDI.pDXGIBaseCallbacks->pfnPresentCb != nullptr &&
         args.DXGIBaseDDI.pDXGIDDIBaseFunctions4 != nullptr && args.Interface == D3D11_DDI_INTERFACE_VERSION;
}

HRESULT APIENTRY CreateDevice(D3D10DDI_HADAPTER handle, D3D10DDIARG_CREATEDEVICE* args) {
  if (args == nullptr || !IsComplete(*args)) return E_INVALIDARG;
  CompositeAdapter& adapter = CompositeOf(handle);
  auto render = std::move(adapter.render);
  if (render == nullptr) {
    auto opened = OpenRenderSide(adapter.host);
    if (!opened.ok()) return ToHresult(opened.error());
    render = *std::move(opened);
  }
  auto* const device = new (args->hDrvDevice.pDrvPrivate) CompositeDevice(adapter.host);
  const HRESULT opened = device->Open(adapter.display, std::move(render), *args);
  if (FAILED(opened)) {
    device->~CompositeDevice();
    return opened;
  }
  FillCompositeFunctions(*args->p11DeviceFuncs);
  FillCompositeDxgi(*args->DXGIBaseDDI.pDXGIDDIBaseFunctions4);
  return S_OK;
}

HRESULT APIENTRY CloseAdapter(D3D10DDI_HADAPTER handle) {
  delete &CompositeOf(handle);
  return S_OK;
}

HRESULT APIENTRY GetSupportedVersions(D3D10DDI_HADAPTER handle, UINT32* count, UINT64* versions) {
  const DisplayAdapter& display = CompositeOf(handle).display;
  const auto ask = display.functions().pfnGetSupportedVersions;
  return ask != nullptr && count != nullptr ? ask(display.handle(), count, versions) : E_INVALIDARG;
}

HRESULT APIENTRY GetCaps(D3D10DDI_HADAPTER handle, CONST D3D10_2DDIARG_GETCAPS* caps) {
  const DisplayAdapter& display = CompositeOf(handle).display;
  const auto ask = display.functions().pfnGetCaps;
  return ask != nullptr && caps != nullptr ? ask(display.handle(), caps) : E_INVALIDARG;
}

struct Host {
  Mutex mutex;
  std::optional<TANDEM_SHIM_HOST> set TANDEM_GUARDED_BY(mutex);
};
Host& TheHost() {
  static Host host;
  return host;
}

}  // namespace

HRESULT OpenComposite(D3D10DDIARG_OPENADAPTER* args, const TANDEM_SHIM_HOST& host) {
  if (args == nullptr || args->pAdapterFuncs_2 == nullptr || args->pAdapterCallbacks == nullptr ||
      args->pAdapterCallbacks->pfnQueryAdapterInfoCb == nullptr) {
    return E_INVALIDARG;
  }
  if (host.Size < sizeof(host) || host.OpenDisplayAdapter == nullptr || host.OpenRenderAdapter == nullptr ||
      host.GetKernelDevice == nullptr || host.GetGlobalShare == nullptr) {
    return E_INVALIDARG;
  }
  std::unique_ptr<CompositeAdapter> adapter(new (std::nothrow) CompositeAdapter());
  if (adapter == nullptr) return E_OUTOFMEMORY;
  adapter->host = host;
  {
    const OpeningBeneath beneath;
    if (const HRESULT opened = adapter->display.Open(host.OpenDisplayAdapter, *args); FAILED(opened)) return opened;
  }
  auto render = OpenRenderSide(host);
  if (!render.ok()) return ToHresult(render.error());
  adapter->render = *std::move(render);
  args->hAdapter.pDrvPrivate = adapter.release();
  *args->pAdapterFuncs_2 = {CalcPrivateDeviceSize, CreateDevice, CloseAdapter, GetSupportedVersions, GetCaps};
  return S_OK;
}

HRESULT SetShimHost(const TANDEM_SHIM_HOST* host) {
  if (host != nullptr && host->Size < sizeof(*host)) return E_INVALIDARG;
  Host& process = TheHost();
  const MutexLock lock(process.mutex);
  process.set = host != nullptr ? std::optional(*host) : std::nullopt;
  return S_OK;
}

HRESULT OpenShim(D3D10DDIARG_OPENADAPTER* args, PFND3D10DDI_OPENADAPTER own) {
  std::optional<TANDEM_SHIM_HOST> host;
  {
    Host& process = TheHost();
    const MutexLock lock(process.mutex);
    host = process.set;
  }
  if (!host || OpeningBeneath::Runs()) return own != nullptr ? own(args) : E_FAIL;
  if (host->OpenDisplayAdapter == nullptr) host->OpenDisplayAdapter = own;
  if (host->OpenRenderAdapter == nullptr) host->OpenRenderAdapter = own;
  return OpenComposite(args, *host);
}

}  // namespace tandem::shim
