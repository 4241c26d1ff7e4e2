// One device made of two: the runtime's device is the display adapter's, what is drawn is drawn by the render adapter. Internal
// to the module.
#pragma once

#include <cstdint>
#include <memory>

#include "shim/display_driver.h"
#include "shim/display_thread.h"
#include "swapchain/fence.h"
#include "swapchain/resource.h"
#include "swapchain/runtime.h"

#include <tandem_shim.h>

namespace tandem::shim {

// The object of a D3D10DDI_HRESOURCE, in the runtime's memory. A resource of the display adapter has `display_memory`; one that
// is drawn into has `drawn`; one that crosses has `crossing`, on the pages that the display adapter reads.
struct CompositeResource {
  std::unique_ptr<std::max_align_t[]> display_memory;  // null: the render adapter's alone
  std::unique_ptr<swapchain::Resource> drawn;
  std::unique_ptr<swapchain::Resource> crossing;
  ArrivedSurface arrived;  // the display adapter's side of `crossing`; none if that is the resource itself
  bool primary = false;
  std::uint64_t copied_on = 0;  // the last frame that was copied on from `arrived`; 0: none
  std::uint64_t flip = 0;       // the number of the last flip to it; 0: none
  UINT width = 0;
  UINT height = 0;

  [[nodiscard]] D3D10DDI_HRESOURCE display() const { return {display_memory.get()}; }
  // The render adapter's surface; null: it has none.
  [[nodiscard]] const swapchain::Resource* rendered() const { return drawn != nullptr ? drawn.get() : crossing.get(); }
};

// The object of a D3D10DDI_HDEVICE, in the runtime's memory. Threads: the runtime's, one at a time.
class CompositeDevice {
 public:
  explicit CompositeDevice(const TANDEM_SHIM_HOST& host) : host_(host) {}
  // Stops the display thread; destroys both drivers' devices.
  ~CompositeDevice();
  CompositeDevice(const CompositeDevice&) = delete;
  CompositeDevice& operator=(const CompositeDevice&) = delete;

  // After a failure everything is closed by the destructor.
  [[nodiscard]] HRESULT Open(DisplayAdapter& adapter, std::unique_ptr<swapchain::RuntimeDevice> render,
                             const D3D10DDIARG_CREATEDEVICE& runtimes);

  [[nodiscard]] DisplayDevice& display() { return display_; }
  [[nodiscard]] swapchain::Runtime& render() { return render_->runtime(); }

  [[nodiscard]] HRESULT Create(const D3D11DDIARG_CREATERESOURCE& args, CompositeResource& resource,
                               D3D10DDI_HRTRESOURCE runtimes);
  [[nodiscard]] HRESULT OpenResource(const D3D10DDIARG_OPENRESOURCE& args, CompositeResource& resource,
                                     D3D10DDI_HRTRESOURCE runtimes);
  void Destroy(CompositeResource& resource);

  // Copies in the render adapter alone.
  [[nodiscard]] HRESULT Draw(const CompositeResource& source, const CompositeResource& destination,
                             const DXGI_DDI_ARG_BLT1& args);
  // Queues a frame of `resource` with both adapters: copy into the pages that both see, copy on, flip. Waits for
  // the first frame alone.
  [[nodiscard]] HRESULT Show(CompositeResource& resource, DXGI_DDI_ARG_PRESENT args);

 private:
  [[nodiscard]] HRESULT CreateFences();
  [[nodiscard]] HRESULT AddRenderSide(const D3D11DDIARG_CREATERESOURCE& args, CompositeResource& resource,
                                      D3D10DDI_HRTRESOURCE runtimes);
  [[nodiscard]] Result<void> CopyOut(CompositeResource& resource, std::uint64_t frame);
  // Queues what the display adapter does before the flip, behind the copy event.
  [[nodiscard]] Result<void> QueueArrival(CompositeResource& resource, std::uint64_t frame);
  // Holds the context while the resource is on the screen and another one is queued to replace it.
  [[nodiscard]] Result<void> HoldUntilReplaced(const CompositeResource& resource, D3DKMT_HANDLE context) const;

  const TANDEM_SHIM_HOST host_;
  std::unique_ptr<swapchain::RuntimeDevice> render_;
  DisplayDevice display_;
  std::unique_ptr<swapchain::MonitoredFence> copied_;     // by the render adapter: the copy event
  std::unique_ptr<swapchain::MonitoredFence> gate_;       // opened by the display thread
  std::unique_ptr<swapchain::MonitoredFence> copied_on_;  // by the display adapter
  std::unique_ptr<swapchain::MonitoredFence> shown_;
  std::unique_ptr<DisplayThread> thread_;
  std::uint64_t frames_ = 0;  // copied out
  std::uint64_t flips_ = 0;   // accepted by the display adapter
};

[[nodiscard]] inline CompositeDevice& CompositeOf(D3D10DDI_HDEVICE device) {
  return *static_cast<CompositeDevice*>(device.pDrvPrivate);
}
[[nodiscard]] inline CompositeResource& CompositeOf(D3D10DDI_HRESOURCE resource) {
  return *static_cast<CompositeResource*>(resource.pDrvPrivate);
}

// The result of a function of the user-mode driver for an error.
[[nodiscard]] HRESULT ToHresult(const Error& error);

// composite_functions.cpp, composite_dxgi.cpp
void FillCompositeFunctions(D3D11DDI_DEVICEFUNCS& table);
void FillCompositeDxgi(DXGI1_3_DDI_BASE_FUNCTIONS& table);

}  // namespace tandem::shim
