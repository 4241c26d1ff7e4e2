// The Direct3D runtime's role for one adapter: opens the user-mode driver, gives it the runtime callbacks, owns the device and context handles.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

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
};

// What the user-mode driver said of itself in its private adapter data, as far as the runtime decides by it.
class RuntimeDevice {
 public:
  // OpenAdapterFromLuid, CreateDevice, the user-mode driver's OpenAdapter and CreateDevice, one context on `node`.
  static Result<std::unique_ptr<RuntimeDevice>> Create(const AdapterBinding& adapter);
  virtual ~RuntimeDevice() = default;

  [[nodiscard]] virtual const AdapterBinding& binding() const = 0;
  [[nodiscard]] virtual D3D10DDI_HDEVICE umd_device() const = 0;
  [[nodiscard]] virtual std::uint32_t cross_adapter_tier() const = 0;  // D3DKMT_CROSSADAPTERRESOURCE_SUPPORT, 0..3
};

}  // namespace tandem::swapchain
