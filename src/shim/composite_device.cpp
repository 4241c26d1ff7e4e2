#include "shim/composite_device.h"

#include <array>
#include <utility>

#include "base/log.h"
#include "shim/render_call.h"
#include "swapchain/status.h"

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
  resource.primary = args.pPrimaryDesc != nullptr;
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

// The render adapter draws into the pages of a resource that the runtime shares; else into a target of its own, whose frames
// are copied into pages of the shim's.
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
  if (args.pPrimaryDesc == nullptr || global_share != 0) return S_OK;
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
  if (destination.primary && destination.drawn == nullptr) {
    if (const auto held = HoldUntilReplaced(destination, render_->context()); !held.ok()) return ToHresult(held.error());
  }
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

// A picture that was drawn into the primary itself is there once the render adapter's context has come so far.
Result<void> CompositeDevice::CopyOut(CompositeResource& resource, std::uint64_t frame) {
  if (resource.drawn == nullptr) return copied_->SignalAfter(render_->context(), frame);
  if (resource.copied_on != 0) {
    if (auto held = copied_on_->Hold(render_->context(), resource.copied_on); !held.ok()) return held;
  }
  PresentCall copy;
  copy.source = resource.drawn->handle();
  copy.destination = resource.crossing->handle();
  if (auto copied = OnRenderSide([&] { return render().DxgiPresent(copy); }); !copied.ok()) return copied;
  return copied_->SignalAfter(copy.context, frame);
}

// Only what is queued is waited for: a frame that was refused holds nothing back.
Result<void> CompositeDevice::HoldUntilReplaced(const CompositeResource& resource, D3DKMT_HANDLE context) const {
  if (resource.flip == 0 || resource.flip == flips_) return {};
  return shown_->Hold(context, resource.flip + 1);
}

HRESULT CompositeDevice::Show(CompositeResource& resource, DXGI_DDI_ARG_PRESENT args) {
  if (thread_->lost()) return D3DDDIERR_DEVICEREMOVED;
  const std::uint64_t frame = frames_ + 1;
  if (const auto copied = CopyOut(resource, frame); !copied.ok()) return ToHresult(copied.error());
  frames_ = frame;
  thread_->Expect(frame);
  if (const auto arrived = QueueArrival(resource, frame); !arrived.ok()) return ToHresult(arrived.error());
  args.hDevice = display_.dxgi_handle();
  args.hSurfaceToPresent = ToDxgi(resource.display());
  const HRESULT presented = display_.dxgi().pfnPresent(&args);
  const HRESULT reported = display_.TakeError();
  if (FAILED(presented) || FAILED(reported)) return FAILED(presented) ? presented : reported;
  resource.flip = ++flips_;
  const auto signalled = shown_->SignalAfter(display_.context(), flips_);
  return signalled.ok() ? S_OK : ToHresult(signalled.error());
}

Result<void> CompositeDevice::QueueArrival(CompositeResource& resource, std::uint64_t frame) {
  if (auto held = gate_->Hold(display_.context(), frame); !held.ok()) return held;
  const bool copies_on = resource.arrived.memory != nullptr;
  if (copies_on) {
    if (auto held = HoldUntilReplaced(resource, display_.context()); !held.ok()) return held;
    const HRESULT copied = display_.Copy(resource.arrived.handle(), resource.display());
    if (FAILED(copied)) return swapchain::FromHresult("Copying on", copied);
    if (auto signalled = copied_on_->SignalAfter(display_.context(), frame); !signalled.ok()) return signalled;
    resource.copied_on = frame;
  }
  if (flips_ != 0) return {};
  // The first flip lights the screen at once, whatever stands before it in the context: the picture must be there.
  const std::array arrived{swapchain::FenceTarget{copies_on ? copied_on_.get() : copied_.get(), frame}};
  return swapchain::WaitForAny(display_.kernel_device(), arrived);
}

}  // namespace tandem::shim
