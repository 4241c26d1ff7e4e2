// The Direct3D runtime's role for one adapter: opens the user-mode driver, passes it the runtime callbacks and owns the handles
// of device and context.
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

// The adapter and its user-mode driver.
struct AdapterBinding {
  LUID luid{};
  PFND3D10DDI_OPENADAPTER open_adapter = nullptr;  // null: found by user_mode_driver
  std::string name;                                // for messages
  // Reason why the driver's processor copies between shared memory and memory that the device can reach (a bounce buffer).
  // Empty: the device reaches shared memory itself.
  std::string bounce_reason;
  // Bandwidth of the emulated link to system memory, bytes a second; 0: none.
  std::uint64_t emulated_link = 0;
  // Measurement of the link to system memory, made at start, in the direction that this adapter sends or receives frames.
  // Empty: no link worth measuring.
  LinkMeasure measured_link{};
  // Reason why frames that the driver encodes would still cross that link unencoded; empty: they cross encoded.
  std::string encode_refusal{};
  // File name of the driver, in the folder of swapchain/user_mode_driver.h (the registry's UserModeDriverName).
  std::string user_mode_driver{};
};

class Runtime;

// The runtime's side of the contract, as far as a user-mode driver relies on it:
// - Interface is D3D11_DDI_INTERFACE_VERSION.
// - pfnAllocateCb reads pAllocationInfo2.
// - Handles of contexts are the kernel's.
// - These callbacks exist: pfnQueryAdapterInfoCb, pfnAllocateCb, pfnDeallocateCb, pfnQueryResidencyCb, pfnSetDisplayModeCb,
//   pfnRenderCb, pfnLockCb, pfnUnlockCb, pfnEscapeCb, pfnCreateContextCb, pfnDestroyContextCb, pfnSetErrorCb and DXGI's
//   pfnPresentCb. Others are NULL.
// - One thread at a time calls device functions.
class RuntimeDevice {
 public:
  // Calls OpenAdapterFromLuid, CreateDevice, and the user-mode driver's OpenAdapter and CreateDevice. The driver creates its
  // contexts.
  static Result<std::unique_ptr<RuntimeDevice>> Create(const AdapterBinding& adapter);
  // Precondition: resources and swap chains of the device are destroyed.
  virtual ~RuntimeDevice() = default;

  // For this module and the contract's rules (swapchain/runtime.h).
  [[nodiscard]] virtual Runtime& runtime() = 0;
  [[nodiscard]] virtual const AdapterBinding& binding() const = 0;
  [[nodiscard]] virtual D3D10DDI_HDEVICE umd_device() const = 0;
  [[nodiscard]] virtual std::uint32_t cross_adapter_tier() const = 0;  // D3DKMT_CROSSADAPTERRESOURCE_SUPPORT, 0..3
  [[nodiscard]] virtual bool hybrid_discrete() const = 0;              // D3DKMT_ADAPTERTYPE.HybridDiscrete

  [[nodiscard]] virtual D3DKMT_HANDLE kernel_device() const = 0;
  // The first context that the driver created; its node draws and presents.
  [[nodiscard]] virtual D3DKMT_HANDLE context() const = 0;
};

// True when the adapter is gone or stopped, or an error of the device ended it.
[[nodiscard]] bool IsLost(D3DKMT_HANDLE kernel_device);

// Bandwidth of the pair: frames cross both links and wait for the narrower one.
[[nodiscard]] inline LinkMeasure MeasuredLink(const RuntimeDevice& render, const RuntimeDevice& display) {
  return NarrowerOf(render.binding().measured_link, display.binding().measured_link);
}

}  // namespace tandem::swapchain
