#include "shim/composite_device.h"

#include <utility>

#include "base/log.h"
#include "shim/render_call.h"

namespace tandem::shim {
namespace {

using swapchain::MonitoredFence;
using swapchain::PresentCall;
using swapchain::Resource;

// Calls the render adapter's driver. It fails if the driver talked back to the runtime, whatever it answered.
template <class Call>
auto OnRenderSide(Call call) -> decltype(call()) {
  const RenderCall scope;
  auto result = call();
  if (scope.talked_back()) {
    return Fail(ErrorKind::kInternal, "The render adapter's user-mode driver called the runtime of the display adapter.");
  }
  return result;
}

bool IsCrossAdapter(const D3D11DDIARG_CREATERESOURCE& args) {
  return (args.MiscFlags & D3DWDDM1_3DDI_RESOURCE_MISC_CROSS_ADAPTER) != 0;
}

// The render target behind a back buffer: the program's arguments without what the display adapter does.
D3D11DDIARG_CREATERESOURCE AsRenderTarget(const D3D11DDIARG_CREATERESOURCE& args) {
  D3D11DDIARG_CREATERESOURCE target = args;
  target.BindFlags |= D3D10_DDI_BIND_RENDER_TARGET;
  target.MiscFlags &= ~static_cast<UINT>(D3D10_DDI_RESOURCE_MISC_SHARED | D3DWDDM1_3DDI_RESOURCE_MISC_CROSS_ADAPTER);
  target.TextureLayout = D3DWDDM2_0DDI_TL_UNDEFINED;
  target.pPrimaryDesc = nullptr;
  return target;
}

D3D11DDIARG_CREATERESOURCE AsCrossing(const D3D11DDIARG_CREATERESOURCE& args) {
  D3D11DDIARG_CREATERESOURCE crossing = AsRenderTarget(args);
  crossing.BindFlags &= ~static_cast<UINT>(D3D10_DDI_BIND_PRESENT);
  crossing.pInitialDataUP = nullptr;
  crossing.MiscFlags |= D3D10_DDI_RESOURCE_MISC_SHARED | D3DWDDM1_3DDI_RESOURCE_MISC_CROSS_ADAPTER;
  crossing.TextureLayout = D3DWDDM2_0DDI_TL_ROW_MAJOR;
  return crossing;
}

}  // namespace

HRESULT ToHresult(const Error& error) {
  Log(LogLevel::kInfo, "The shim's render side failed. {}", error.message);
  switch (error.kind) {
    case ErrorKind::kOutOfMemory:
    case ErrorKind::kOutOfVideoMemory: return E_OUTOFMEMORY;
    case ErrorKind::kUnsupported: return DXGI_DDI_ERR_UNSUPPORTED;
    case ErrorKind::kInvalidArgument: return E_INVALIDARG;
    case ErrorKind::kDeviceLost: return D3DDDIERR_DEVICEREMOVED;
    default: return E_FAIL;
  }
}

HRESULT CompositeDevice::Open(DisplayAdapter& adapter, std::unique_ptr<swapchain::RuntimeDevice> render,
                              const D3D10DDIARG_CREATEDEVICE& runtimes) {
  render_ = std::move(render);
  const D3DKMT_HANDLE kernel_device = host_.GetKernelDevice(runtimes.hRTDevice);
  if (kernel_device == 0) return E_INVALIDARG;
  if (const HRESULT opened = display_.Open(adapter, runtimes, kernel_device); FAILED(opened)) return opened;
  return CreateFences();
}

// Threads go before fences, fences before devices, and the render side while the display side can still refuse its calls.
CompositeDevice::~CompositeDevice() {
  thread_.reset();
  for (auto* fence : {&shown_, &copied_on_, &gate_, &copied_}) fence->reset();
  const RenderCall scope;
  render_.reset();
}

HRESULT CompositeDevice::CreateFences() {
  struct Due {
    std::unique_ptr<MonitoredFence>& fence;
    D3DKMT_HANDLE device;
  };
  for (const Due& due : {Due{copied_, render_->kernel_device()}, Due{gate_, display_.kernel_device()},
                         Due{copied_on_, display_.kernel_device()}, Due{shown_, display_.kernel_device()}}) {
    auto created = MonitoredFence::Create(due.device);
    if (!created.ok()) return ToHresult(created.error());
    due.fence = *std::move(created);
  }
  auto thread = DisplayThread::Start(render_->kernel_device(), *copied_, *gate_);
  if (!thread.ok()) return ToHresult(thread.error());
  thread_ = *std::move(thread);
  return S_OK;
}

HRESULT CompositeDevice::Create(const D3D11DDIARG_CREATERESOURCE& args, CompositeResource& resource,
                                D3D10DDI_HRTRESOURCE runtimes) {
  if (args.pMipInfoList == nullptr) return E_INVALIDARG;
  resource.width = args.pMipInfoList->TexelWidth;
  resource.height = args.pMipInfoList->TexelHeight;
  if (args.pPrimaryDesc == nullptr && !IsCrossAdapter(args)) {
    auto drawn = OnRenderSide([&] { return Resource::CreateAs(render(), args); });
    if (!drawn.ok()) return ToHresult(drawn.error());
    resource.drawn = *std::move(drawn);
    return S_OK;
  }
  resource.display_memory = MakePrivate(display_.functions().pfnCalcPrivateResourceSize(display_.handle(), &args));
  display_.functions().pfnCreateResource(display_.handle(), &args, resource.display(), runtimes);
  if (const HRESULT created = display_.TakeError(); FAILED(created)) {
    resource.display_memory.reset();
    return created;
  }
  const HRESULT added = AddRenderSide(args, resource, runtimes);
  if (FAILED(added)) Destroy(resource);
  return added;
}

// Where the runtime shares the resource, frames are copied into its own pages; else into pages of the shim's.
HRESULT CompositeDevice::AddRenderSide(const D3D11DDIARG_CREATERESOURCE& args, CompositeResource& resource,
                                       D3D10DDI_HRTRESOURCE runtimes) {
  const D3DKMT_HANDLE global_share = IsCrossAdapter(args) ? host_.GetGlobalShare(runtimes) : 0;
  auto crossing = OnRenderSide([&] {
    return global_share != 0 ? Resource::OpenShared(render(), global_share) : Resource::CreateAs(render(), AsCrossing(args));
  });
  if (!crossing.ok()) return ToHresult(crossing.error());
  resource.crossing = *std::move(crossing);
  if (global_share == 0) {
    const HRESULT arrived = display_.OpenArrived(resource.crossing->global_share(), resource.arrived);
    if (FAILED(arrived)) return arrived;
  }
  if (args.pPrimaryDesc == nullptr) return S_OK;
  auto drawn = OnRenderSide([&] { return Resource::CreateAs(render(), AsRenderTarget(args)); });
  if (!drawn.ok()) return ToHresult(drawn.error());
  resource.drawn = *std::move(drawn);
  return S_OK;
}

// The runtime's own opening names no share, so only the display adapter sees the resource.
HRESULT CompositeDevice::OpenResource(const D3D10DDIARG_OPENRESOURCE& args, CompositeResource& resource,
                                      D3D10DDI_HRTRESOURCE runtimes) {
  resource.display_memory = MakePrivate(display_.functions().pfnCalcPrivateOpenedResourceSize(display_.handle(), &args));
  display_.functions().pfnOpenResource(display_.handle(), &args, resource.display(), runtimes);
  const HRESULT opened = display_.TakeError();
  if (FAILED(opened)) resource.display_memory.reset();
  return opened;
}

void CompositeDevice::Destroy(CompositeResource& resource) {
  {
    const RenderCall scope;
    resource.drawn.reset();
    resource.crossing.reset();
  }
  display_.CloseArrived(resource.arrived);
  if (resource.display_memory == nullptr) return;
  display_.functions().pfnDestroyResource(display_.handle(), resource.display());
  static_cast<void>(display_.TakeError());  // the runtime cannot act on an error
  resource.display_memory.reset();
}

// Every driver presents, so plain copies are presents; pfnBlt1 does the others where there is one.
HRESULT CompositeDevice::Draw(const CompositeResource& source, const CompositeResource& destination,
                              const DXGI_DDI_ARG_BLT1& args) {
  const bool upright = args.Rotate == DXGI_DDI_MODE_ROTATION_UNSPECIFIED || args.Rotate == DXGI_DDI_MODE_ROTATION_IDENTITY;
  const bool in_place = args.SrcLeft == args.DstLeft && args.SrcTop == args.DstTop && args.SrcRight == args.DstRight &&
                        args.SrcBottom == args.DstBottom;
  const bool inside = args.SrcLeft < args.SrcRight && args.SrcTop < args.SrcBottom && args.SrcRight <= source.width &&
                      args.SrcBottom <= source.height && args.DstRight <= destination.width &&
                      args.DstBottom <= destination.height;
  if (upright && in_place && inside) {
    const RECT part{static_cast<LONG>(args.DstLeft), static_cast<LONG>(args.DstTop), static_cast<LONG>(args.DstRight),
                    static_cast<LONG>(args.DstBottom)};
    PresentCall copy;
    copy.source = source.rendered()->handle();
    copy.destination = destination.rendered()->handle();
    copy.part = &part;
    const auto copied = OnRenderSide([&] { return render().DxgiPresent(copy); });
    return copied.ok() ? S_OK : ToHresult(copied.error());
  }
  DXGI_DDI_ARG_BLT1 exchanged = args;
  exchanged.hSrcResource = ToDxgi(source.rendered()->handle());
  exchanged.hDstResource = ToDxgi(destination.rendered()->handle());
  const auto drawn = OnRenderSide([&]() -> Result<HRESULT> { return render().DxgiBlt(exchanged); });
  return drawn.ok() ? *drawn : ToHresult(drawn.error());
}

// A surface is written again once a later frame has replaced it on the screen, or was copied on.
Result<void> CompositeDevice::CopyOut(CompositeResource& resource, std::uint64_t frame) {
  const bool shown_itself = resource.arrived.memory == nullptr;
  const std::uint64_t last = resource.last_frame;
  if (last != 0 && shown_itself && last + 1 < frame) {
    if (auto held = shown_->Hold(render_->context(), last + 1); !held.ok()) return held;
  } else if (last != 0 && !shown_itself) {
    if (auto held = copied_on_->Hold(render_->context(), last); !held.ok()) return held;
  }
  PresentCall copy;
  copy.source = resource.drawn->handle();
  copy.destination = resource.crossing->handle();
  if (auto copied = OnRenderSide([&] { return render().DxgiPresent(copy); }); !copied.ok()) return copied;
  return copied_->SignalAfter(copy.context, frame);
}

HRESULT CompositeDevice::CopyOn(const CompositeResource& resource) {
  if (display_.dxgi().pfnBlt1 == nullptr) return DXGI_DDI_ERR_UNSUPPORTED;
  DXGI_DDI_ARG_BLT1 copy{};
  copy.hDevice = display_.dxgi_handle();
  copy.hDstResource = ToDxgi(resource.display());
  copy.DstRight = copy.SrcRight = resource.width;
  copy.DstBottom = copy.SrcBottom = resource.height;
  copy.hSrcResource = ToDxgi(resource.arrived.handle());
  copy.Flags.Present = 1;
  copy.Rotate = DXGI_DDI_MODE_ROTATION_IDENTITY;
  return display_.dxgi().pfnBlt1(&copy);
}

HRESULT CompositeDevice::Show(CompositeResource& resource, DXGI_DDI_ARG_PRESENT args) {
  if (thread_->lost()) return D3DDDIERR_DEVICEREMOVED;
  const std::uint64_t frame = frames_ + 1;
  if (const auto copied = CopyOut(resource, frame); !copied.ok()) return ToHresult(copied.error());
  frames_ = frame;
  thread_->Expect(frame);
  if (const auto held = gate_->Hold(display_.context(), frame); !held.ok()) return ToHresult(held.error());
  if (resource.arrived.memory != nullptr) {
    // The primary may still be on the screen.
    if (resource.last_frame != 0 && resource.last_frame + 1 < frame) {
      if (const auto held = shown_->Hold(display_.context(), resource.last_frame + 1); !held.ok()) return ToHresult(held.error());
    }
    if (const HRESULT copied = CopyOn(resource); FAILED(copied)) return copied;
    if (const auto signalled = copied_on_->SignalAfter(display_.context(), frame); !signalled.ok())
      return ToHresult(signalled.error());
  }
  resource.last_frame = frame;
  args.hDevice = display_.dxgi_handle();
  args.hSurfaceToPresent = ToDxgi(resource.display());
  if (const HRESULT presented = display_.dxgi().pfnPresent(&args); FAILED(presented)) return presented;
  if (const auto signalled = shown_->SignalAfter(display_.context(), frame); !signalled.ok()) return ToHresult(signalled.error());
  return display_.TakeError();
}

}  // namespace tandem::shim
