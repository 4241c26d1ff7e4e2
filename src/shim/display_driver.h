// The display adapter's user-mode driver beneath the shim: its callbacks lead to the runtime, with the runtime's own handles.
// Internal to the module.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <d3d10umddi.h>

namespace tandem::shim {

// The object behind the D3D10DDI_HRTADAPTER that the driver gets.
class DisplayAdapter {
 public:
  DisplayAdapter() = default;
  // Closes the driver's adapter.
  ~DisplayAdapter();
  DisplayAdapter(const DisplayAdapter&) = delete;
  DisplayAdapter& operator=(const DisplayAdapter&) = delete;

  // Opens the driver with the runtime's arguments. Errors: the driver's; E_FAIL for a table without a needed function.
  [[nodiscard]] HRESULT Open(PFND3D10DDI_OPENADAPTER open, const D3D10DDIARG_OPENADAPTER& runtimes);

  [[nodiscard]] D3D10DDI_HADAPTER handle() const { return handle_; }
  [[nodiscard]] const D3D10_2DDI_ADAPTERFUNCS& functions() const { return functions_; }
  [[nodiscard]] HANDLE rt_adapter() const { return rt_adapter_; }
  [[nodiscard]] const D3DDDI_ADAPTERCALLBACKS& callbacks() const { return *callbacks_; }

 private:
  HANDLE rt_adapter_ = nullptr;
  const D3DDDI_ADAPTERCALLBACKS* callbacks_ = nullptr;
  D3D10DDI_HADAPTER handle_{};
  D3D10_2DDI_ADAPTERFUNCS functions_{};
};

// A resource of the driver on pages that the render adapter made; the runtime does not know it.
struct ArrivedSurface {
  std::unique_ptr<std::max_align_t[]> memory;
  D3DKMT_HANDLE kernel_resource = 0;  // in the runtime's kernel device
  [[nodiscard]] D3D10DDI_HRESOURCE handle() const { return {memory.get()}; }
};

// The object behind the D3D10DDI_HRTDEVICE and D3D10DDI_HRTCORELAYER that the driver gets. Threads: the runtime's, one at a time.
class DisplayDevice {
 public:
  DisplayDevice() = default;
  // Destroys the driver's device.
  ~DisplayDevice();
  DisplayDevice(const DisplayDevice&) = delete;
  DisplayDevice& operator=(const DisplayDevice&) = delete;

  // Creates the driver's device with the runtime's arguments. `kernel_device` is the one behind the runtime's device. Errors: the
  // driver's; E_FAIL for a driver that makes no context or lacks a needed function.
  [[nodiscard]] HRESULT Open(DisplayAdapter& adapter, const D3D10DDIARG_CREATEDEVICE& runtimes, D3DKMT_HANDLE kernel_device);

  [[nodiscard]] D3D10DDI_HDEVICE handle() const { return {memory_.get()}; }
  [[nodiscard]] DXGI_DDI_HDEVICE dxgi_handle() const { return reinterpret_cast<DXGI_DDI_HDEVICE>(memory_.get()); }
  [[nodiscard]] const D3D11DDI_DEVICEFUNCS& functions() const { return functions_; }
  [[nodiscard]] const DXGI1_3_DDI_BASE_FUNCTIONS& dxgi() const { return dxgi_; }
  [[nodiscard]] D3DKMT_HANDLE kernel_device() const { return kernel_device_; }
  // The first context that the driver created; its node copies and presents.
  [[nodiscard]] D3DKMT_HANDLE context() const { return context_; }

  // Takes the error that the driver reported since the last call; S_OK: none.
  [[nodiscard]] HRESULT TakeError();
  // Reports an error of a function that returns void to the runtime.
  void SetError(HRESULT error) const;

  // Opens a resource that the render adapter shares. Errors: the kernel's and the driver's.
  [[nodiscard]] HRESULT OpenArrived(D3DKMT_HANDLE global_share, ArrivedSurface& arrived);
  void CloseArrived(ArrivedSurface& arrived);
  // Copies a whole surface by pfnPresent, which every driver has. Errors: the driver's and the kernel's; E_FAIL for a driver that
  // returns without pfnPresentCb.
  [[nodiscard]] HRESULT Copy(D3D10DDI_HRESOURCE source, D3D10DDI_HRESOURCE destination);

 private:
  friend struct DisplayCallbacks;

  // A copy whose pfnPresent is running; its address is the pDXGIContext.
  struct RunningCopy {
    bool queued = false;
  };
  [[nodiscard]] HRESULT QueueCopy(const DXGIDDICB_PRESENT& args);

  DisplayAdapter* adapter_ = nullptr;
  HANDLE rt_device_ = nullptr;
  D3D10DDI_HRTCORELAYER core_layer_{};
  const D3DDDI_DEVICECALLBACKS* callbacks_ = nullptr;
  const D3D11DDI_CORELAYER_DEVICECALLBACKS* core_callbacks_ = nullptr;
  const DXGI_DDI_BASE_CALLBACKS* dxgi_callbacks_ = nullptr;
  D3DKMT_HANDLE kernel_device_ = 0;
  D3DKMT_HANDLE context_ = 0;
  HRESULT error_ = S_OK;
  RunningCopy* running_copy_ = nullptr;  // null: none

  std::unique_ptr<std::max_align_t[]> memory_;
  D3D11DDI_DEVICEFUNCS functions_{};
  DXGI1_3_DDI_BASE_FUNCTIONS dxgi_{};
  bool open_ = false;
};

[[nodiscard]] inline std::unique_ptr<std::max_align_t[]> MakePrivate(SIZE_T size) {
  return std::make_unique<std::max_align_t[]>(size / sizeof(std::max_align_t) + 1);
}
[[nodiscard]] inline DXGI_DDI_HRESOURCE ToDxgi(D3D10DDI_HRESOURCE resource) {
  return reinterpret_cast<DXGI_DDI_HRESOURCE>(resource.pDrvPrivate);
}

}  // namespace tandem::shim
