// The Direct3D runtime's role for one adapter: opens the user-mode driver, gives it the runtime callbacks, owns the device and
// context handles.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/link_measure.h"
#include "base/result.h"

#include <d3d10umddi.h>
#include <d3dkmthk.h>
#include <dxgiddi.h>

namespace tandem::swapchain {

// Which adapter, and the entry point of its user-mode driver (what the registry's UserModeDriverName leads to elsewhere).
struct AdapterBinding {
  LUID luid{};
  PFND3D10DDI_OPENADAPTER open_adapter = nullptr;
  std::string name;  // for messages
  // Why the driver's processor copies between shared memory and memory that the device can reach (a bounce buffer), as the driver
  // tells who knows it; empty: the device reaches shared memory itself.
  std::string bounce_reason;
  // Bandwidth of the link to system memory that the driver emulates; 0: none.
  std::uint64_t emulated_link = 0;
  // Of its link to system memory in the direction that it sends or gets frames, measured when it was started; nothing: it has
  // none to speak of.
  LinkMeasure measured_link{};
  // Why frames that its driver encodes would cross that link as they are all the same; empty: they would not.
  std::string encode_refusal{};
};

// The runtime's side of the contract, as far as a user-mode driver relies on it: Interface is D3D11_DDI_INTERFACE_VERSION;
// pfnAllocateCb reads pAllocationInfo2; handles of contexts are the kernel's; of the callbacks, pfnAllocateCb, pfnDeallocateCb,
// pfnRenderCb, pfnLockCb, pfnUnlockCb, pfnEscapeCb, pfnCreateContextCb, pfnDestroyContextCb, pfnSetErrorCb and DXGI's
// pfnPresentCb are there, the others NULL. Device functions are called by one thread at a time.
class RuntimeDevice {
 public:
  // OpenAdapterFromLuid, CreateDevice, the user-mode driver's OpenAdapter and CreateDevice. The driver makes its contexts itself.
  static Result<std::unique_ptr<RuntimeDevice>> Create(const AdapterBinding& adapter);
  // Resources and swap chains of the device are gone.
  virtual ~RuntimeDevice() = default;

  [[nodiscard]] virtual const AdapterBinding& binding() const = 0;
  [[nodiscard]] virtual D3D10DDI_HDEVICE umd_device() const = 0;
  [[nodiscard]] virtual std::uint32_t cross_adapter_tier() const = 0;  // D3DKMT_CROSSADAPTERRESOURCE_SUPPORT, 0..3
  [[nodiscard]] virtual bool hybrid_discrete() const = 0;              // D3DKMT_ADAPTERTYPE.HybridDiscrete

  [[nodiscard]] virtual D3DKMT_HANDLE kernel_device() const = 0;
  // The first context that the driver made: its node is the one that draws and presents.
  [[nodiscard]] virtual D3DKMT_HANDLE context() const = 0;
};

// Of the pair: frames cross both links, and wait for the narrower one.
[[nodiscard]] inline LinkMeasure MeasuredLink(const RuntimeDevice& render, const RuntimeDevice& display) {
  return NarrowerOf(render.binding().measured_link, display.binding().measured_link);
}

}  // namespace tandem::swapchain
