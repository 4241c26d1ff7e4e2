// A resource of one adapter's user-mode driver, created or opened. Used by this module and the contract's rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "swapchain/runtime.h"

#include <dxgiformat.h>

namespace tandem::swapchain {

enum class Sharing : std::uint8_t { kPrivate, kCrossAdapter };

struct ResourceDesc {
  std::uint32_t width = 0;   // pixels
  std::uint32_t height = 0;  // pixels
  DXGI_FORMAT format = DXGI_FORMAT_UNKNOWN;
  UINT bind_flags = 0;  // D3D10_DDI_BIND_*
  Sharing sharing = Sharing::kPrivate;
  bool primary = false;  // scanned out by vidpn_source
  D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source = 0;
};

// Result of creating a primary: the driver can or cannot scan it out.
enum class ScanOut : std::uint8_t { kYes, kNo };

// Threads: constant until destruction; the runtime serializes the driver's calls. The runtime must outlive it.
class Resource {
 public:
  // Errors: the driver's. `scan_out` becomes kNo if a primary is refused with DXGI_DDI_PRIMARY_DRIVER_FLAG_NO_SCANOUT.
  [[nodiscard]] static Result<std::unique_ptr<Resource>> Create(Runtime& runtime, const ResourceDesc& desc, ScanOut& scan_out);
  // Creates what a runtime's program asked for. Errors: the driver's.
  [[nodiscard]] static Result<std::unique_ptr<Resource>> CreateAs(Runtime& runtime, const D3D11DDIARG_CREATERESOURCE& args);
  // Opens a resource of `runtime` on the pages of a shared one.
  [[nodiscard]] static Result<std::unique_ptr<Resource>> Open(Runtime& runtime, const Resource& shared);
  [[nodiscard]] static Result<std::unique_ptr<Resource>> OpenShared(Runtime& runtime, D3DKMT_HANDLE global_share);
  ~Resource();
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;

  [[nodiscard]] D3D10DDI_HRESOURCE handle() const { return {memory_.get()}; }
  [[nodiscard]] D3DKMT_HANDLE kernel_resource() const { return state_.resource; }
  [[nodiscard]] D3DKMT_HANDLE global_share() const { return state_.global_share; }  // 0: not shared
  // The meter of the driver's passes; null: the driver counts none.
  [[nodiscard]] const std::shared_ptr<PassMeter>& meter() const { return meter_; }
  // Maps the resource for the processor and returns its first byte, valid as long as the resource. Errors: D3DKMTLock2's.
  [[nodiscard]] Result<std::byte*> Map() const;

 private:
  explicit Resource(Runtime& runtime) : runtime_(runtime) {}
  Result<void> OpenHandles(D3DKMT_HANDLE global_share);

  Runtime& runtime_;
  std::unique_ptr<std::max_align_t[]> memory_;
  RuntimeResource state_;
  std::shared_ptr<PassMeter> meter_;
  bool umd_open_ = false;
};

}  // namespace tandem::swapchain
