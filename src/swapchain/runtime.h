// The only RuntimeDevice: the tables of one user-mode driver, and the state behind its callbacks. For this module and the rules
// of the contract.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/pass_meter.h"
#include "base/thread.h"
#include "swapchain/runtime_device.h"

namespace tandem::swapchain {

// Behind D3D10DDI_HRTRESOURCE: what pfnAllocateCb is told, and what it found out.
struct RuntimeResource {
  UINT misc_flags = 0;  // D3D10_DDI_RESOURCE_MISC_*
  D3DKMT_HANDLE resource = 0;
  D3DKMT_HANDLE allocation = 0;
  D3DKMT_HANDLE global_share = 0;  // 0: not shared
  NTSTATUS refusal = 0;            // the kernel's, of its allocation; a driver's HRESULT tells less
};

// Whether a copy into a primary is turned as the path of its source is.
enum class Turn : std::uint8_t { kAsItIs, kWithThePath };

// One present, and behind pDXGIContext what pfnPresentCb needs beyond its arguments.
struct PresentCall {
  D3D10DDI_HRESOURCE source{};
  D3D10DDI_HRESOURCE destination{};  // null: a flip
  D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source = 0;
  D3DDDI_FLIPINTERVAL_TYPE interval = D3DDDI_FLIPINTERVAL_ONE;
  Turn turn = Turn::kAsItIs;   // of a copy
  const RECT* part = nullptr;  // of a copy: the same of both surfaces; null: all
  // Out: the context that the driver presented through.
  D3DKMT_HANDLE context = 0;
  NTSTATUS status = STATUS_SUCCESS;
};

// Before buffers are created, alone and without consequences (StaticCheck), or before a frame is flipped to.
enum class CheckKind : std::uint8_t { kStatic, kPresent };

struct OverlayAnswer {
  bool supported = false;
  bool try_again = false;  // refused for the moment: another vertical blank may change it
};

class Runtime final : public RuntimeDevice {
 public:
  [[nodiscard]] static Result<std::unique_ptr<RuntimeDevice>> Open(const AdapterBinding& adapter);
  ~Runtime() override;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard]] const AdapterBinding& binding() const override { return binding_; }
  [[nodiscard]] D3D10DDI_HDEVICE umd_device() const override { return {device_memory_.get()}; }
  [[nodiscard]] std::uint32_t cross_adapter_tier() const override { return tier_; }
  [[nodiscard]] bool hybrid_discrete() const override { return hybrid_discrete_; }
  [[nodiscard]] D3DKMT_HANDLE kernel_device() const override { return device_; }
  [[nodiscard]] D3DKMT_HANDLE context() const override { return context_; }

  // One call of a device function. pfnCreateResource and pfnOpenResource answer by pfnSetErrorCb; so may others.
  [[nodiscard]] SIZE_T PrivateSize(const D3D11DDIARG_CREATERESOURCE& args);
  [[nodiscard]] SIZE_T PrivateSize(const D3D10DDIARG_OPENRESOURCE& args);
  [[nodiscard]] HRESULT CreateResource(const D3D11DDIARG_CREATERESOURCE& args, D3D10DDI_HRESOURCE resource,
                                       RuntimeResource& state);
  [[nodiscard]] HRESULT OpenResource(const D3D10DDIARG_OPENRESOURCE& args, D3D10DDI_HRESOURCE resource, RuntimeResource& state);
  void DestroyResource(D3D10DDI_HRESOURCE resource);
  [[nodiscard]] HRESULT Flush();
  // D3DKMTCheckMultiPlaneOverlaySupport3: can this whole surface be scanned out, alone, as the adapter is set up now?
  [[nodiscard]] Result<OverlayAnswer> CheckPlane(D3DKMT_HANDLE resource, std::uint32_t width, std::uint32_t height,
                                                 D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, CheckKind kind) const;
  // How the path of a source is turned: D3DKMTQueryAdapterInfo's current display mode. Not at all where that cannot be told.
  [[nodiscard]] D3DDDI_ROTATION RotationOf(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) const;
  // The meter of the driver's passes that write the allocation; null: it counts none.
  [[nodiscard]] std::shared_ptr<const PassMeter> MeterOf(D3DKMT_HANDLE allocation) const;
  // A copy or a flip, queued on the driver's context.
  [[nodiscard]] Result<void> DxgiPresent(PresentCall& call);

 private:
  friend struct RuntimeAccess;

  explicit Runtime(const AdapterBinding& adapter) : binding_(adapter) {}
  Result<void> OpenKernelSide();
  Result<void> OpenUserModeDriver();
  // D3D12CreateDevice's condition: a driver that claims row-major textures across adapters has tier 2 in the kernel, too.
  [[nodiscard]] Result<void> CheckRowMajorTextures() const;
  Result<void> CreateUserModeDevice();
  // Inside a call, under mutex_; S_OK when the driver reported nothing.
  [[nodiscard]] HRESULT TakeError();

  AdapterBinding binding_;
  D3DKMT_HANDLE adapter_ = 0;
  D3DKMT_HANDLE device_ = 0;
  D3DKMT_HANDLE context_ = 0;
  std::uint32_t tier_ = 0;
  bool hybrid_discrete_ = false;

  D3D10DDI_HADAPTER umd_adapter_{};
  D3D10_2DDI_ADAPTERFUNCS adapter_functions_{};
  D3D11DDI_DEVICEFUNCS device_functions_{};
  DXGI1_3_DDI_BASE_FUNCTIONS dxgi_functions_{};
  std::unique_ptr<std::max_align_t[]> device_memory_;
  bool umd_device_open_ = false;

  Mutex mutex_;           // one device function at a time; a present's waits in the kernel have a limit
  HRESULT error_ = S_OK;  // of the call that runs
};

}  // namespace tandem::swapchain
