// The only RuntimeDevice: the tables of one user-mode driver and the state behind its callbacks. Used by this module, the shim
// and the contract's rules.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/pass_meter.h"
#include "base/thread.h"
#include "swapchain/crossing_format.h"
#include "swapchain/runtime_device.h"

namespace tandem::swapchain {

// The object behind D3D10DDI_HRTRESOURCE: input and results of pfnAllocateCb.
struct RuntimeResource {
  UINT misc_flags = 0;  // D3D10_DDI_RESOURCE_MISC_*
  D3DKMT_HANDLE resource = 0;
  D3DKMT_HANDLE allocation = 0;
  D3DKMT_HANDLE global_share = 0;  // 0: not shared
  NTSTATUS refusal = 0;            // the kernel's refusal of the allocation; the driver's HRESULT is less precise
};

// The rotation of a copy into a primary: none, or that of its source's path.
enum class Turn : std::uint8_t { kAsItIs, kWithThePath };

// Rectangles of one colour, A8R8G8B8, in a surface.
struct PresentFill {
  UINT color = 0;
  std::span<const RECT> rects;  // within the surface, up to kMaxSubRects; empty: nothing
};

// One present; pDXGIContext points to it, so that pfnPresentCb has all parameters.
struct PresentCall {
  D3D10DDI_HRESOURCE source{};
  D3D10DDI_HRESOURCE destination{};  // null: a flip
  D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source = 0;
  D3DDDI_FLIPINTERVAL_TYPE interval = D3DDDI_FLIPINTERVAL_ONE;
  Turn turn = Turn::kAsItIs;                   // copies only
  CrossingCurve curve = CrossingCurve::kNone;  // copies only
  const RECT* part = nullptr;                  // copies only: this rectangle in both surfaces; null: all
  std::span<const PresentFill> fills{};        // flips only: drawn in order into the source before the flip
  UINT present_count = 0;                      // flips only: D3DKMT_PRESENT_STATS names it
  // Result: the context that the driver presented through.
  D3DKMT_HANDLE context = 0;
  NTSTATUS status = STATUS_SUCCESS;
  NTSTATUS fill_status = STATUS_SUCCESS;  // of the fills; a refusal does not keep the flip
};

// kStatic: before buffers are created, without other planes or side effects (StaticCheck). kPresent: before a frame is flipped
// to.
enum class CheckKind : std::uint8_t { kStatic, kPresent };

struct OverlayAnswer {
  bool supported = false;
  bool try_again = false;  // refused for the moment; another vertical blank may change that
};

class Runtime final : public RuntimeDevice {
 public:
  [[nodiscard]] static Result<std::unique_ptr<RuntimeDevice>> Open(const AdapterBinding& adapter);
  ~Runtime() override;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  [[nodiscard]] Runtime& runtime() override { return *this; }
  [[nodiscard]] const AdapterBinding& binding() const override { return binding_; }
  [[nodiscard]] D3D10DDI_HDEVICE umd_device() const override { return {device_memory_.get()}; }
  [[nodiscard]] std::uint32_t cross_adapter_tier() const override { return tier_; }
  [[nodiscard]] bool hybrid_discrete() const override { return hybrid_discrete_; }
  [[nodiscard]] D3DKMT_HANDLE kernel_device() const override { return device_; }
  [[nodiscard]] D3DKMT_HANDLE context() const override { return context_; }

  // Each calls one device function. pfnCreateResource and pfnOpenResource report errors by pfnSetErrorCb; others may do so,
  // too.
  [[nodiscard]] SIZE_T PrivateSize(const D3D11DDIARG_CREATERESOURCE& args);
  [[nodiscard]] SIZE_T PrivateSize(const D3D10DDIARG_OPENRESOURCE& args);
  [[nodiscard]] HRESULT CreateResource(const D3D11DDIARG_CREATERESOURCE& args, D3D10DDI_HRESOURCE resource,
                                       RuntimeResource& state);
  [[nodiscard]] HRESULT OpenResource(const D3D10DDIARG_OPENRESOURCE& args, D3D10DDI_HRESOURCE resource, RuntimeResource& state);
  void DestroyResource(D3D10DDI_HRESOURCE resource);
  [[nodiscard]] HRESULT Flush();
  // Asks D3DKMTCheckMultiPlaneOverlaySupport3 if this whole surface, alone, can be scanned out in the adapter's present state.
  [[nodiscard]] Result<OverlayAnswer> CheckPlane(D3DKMT_HANDLE resource, std::uint32_t width, std::uint32_t height,
                                                 D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source, CheckKind kind) const;
  // Rotation of a source's path, from the current display mode of D3DKMTQueryAdapterInfo. Unknown counts as no rotation.
  [[nodiscard]] D3DDDI_ROTATION RotationOf(D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source) const;
  // The meter of the driver's passes that write the allocation; null: the driver counts none.
  [[nodiscard]] std::shared_ptr<PassMeter> MeterOf(D3DKMT_HANDLE allocation) const;
  // Queues a copy or a flip on the driver's context.
  [[nodiscard]] Result<void> DxgiPresent(PresentCall& call);
  // The call that pfnPresent is serving; null: none. Any thread.
  [[nodiscard]] PresentCall* running_present() const { return running_present_.load(std::memory_order_acquire); }
  // Calls pfnBlt1; the device's handle is filled in.
  [[nodiscard]] HRESULT DxgiBlt(DXGI_DDI_ARG_BLT1 args);
  // Calls pfnRotateResourceIdentities.
  [[nodiscard]] HRESULT DxgiRotate(std::span<const DXGI_DDI_HRESOURCE> resources);

 private:
  friend struct RuntimeAccess;

  explicit Runtime(const AdapterBinding& adapter) : binding_(adapter) {}
  Result<void> FindUserModeDriver();
  Result<void> OpenKernelSide();
  Result<void> OpenUserModeDriver();
  // Condition of D3D12CreateDevice: a driver with row-major textures across adapters has at least tier 2 in the kernel.
  [[nodiscard]] Result<void> CheckRowMajorTextures() const;
  Result<void> CreateUserModeDevice();
  // Takes the error that the running call reported; S_OK: none. Precondition: mutex_ is held.
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

  Mutex mutex_;           // serializes device functions; a present's waits in the kernel have a limit
  HRESULT error_ = S_OK;  // error of the running call
  std::atomic<PresentCall*> running_present_{nullptr};
};

}  // namespace tandem::swapchain
