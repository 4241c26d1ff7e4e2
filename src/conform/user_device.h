// User mode for rules: D3DKMT objects that clean up after themselves. A call that fails unexpectedly breaks the rule.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "conform/driver_under_test.h"

#include <d3dkmthk.h>

namespace tandem::conform {

struct Surface {
  D3DKMT_HANDLE resource = 0;
  D3DKMT_HANDLE allocation = 0;
  D3DKMT_HANDLE global_share = 0;  // only for cross-adapter surfaces
  SurfaceRequest request;
  std::uint32_t pitch = 0;  // bytes
};

// Breaks the rule with "<what> answered 0x…" unless `status` is STATUS_SUCCESS.
void RequireSuccess(NTSTATUS status, const char* what);
void RequireStatus(NTSTATUS status, std::initializer_list<NTSTATUS> allowed, const char* what);

enum class CreateSharing { kNo, kGlobal };

// An open adapter with a device, a context on node `node`, and a monitored fence. Threads: one.
class UserDevice {
 public:
  UserDevice(const DriverUnderTest& driver, const StartedAdapter& adapter, UINT node);
  ~UserDevice();
  UserDevice(const UserDevice&) = delete;
  UserDevice& operator=(const UserDevice&) = delete;

  // Throws NotApplicable for a driver without such a surface.
  [[nodiscard]] Surface Create(const SurfaceRequest& request);
  // The status of a creation that should fail; `sharing` replaces the use's default.
  [[nodiscard]] NTSTATUS TryCreate(const SurfaceRequest& request, CreateSharing sharing);
  // A request of kMapped becomes one of kCrossAdapter for a driver that describes such surfaces.
  [[nodiscard]] SurfaceRequest Resolve(SurfaceRequest request) const;
  // The private data that the driver itself gives for the surface.
  [[nodiscard]] SurfaceData Describe(const SurfaceRequest& request) const { return driver_.describe(started_, request); }
  // Creates a surface from arbitrary private data; sets `made` on success.
  [[nodiscard]] NTSTATUS CreateFrom(SurfaceData data, const SurfaceRequest& request, CreateSharing sharing, Surface& made);
  // Opens another device's cross-adapter surface. Throws NotApplicable for a driver that describes none itself.
  [[nodiscard]] Surface Open(const Surface& shared);
  [[nodiscard]] NTSTATUS Destroy(const Surface& surface);

  // Precondition: the CPU can reach the surface (cross-adapter).
  [[nodiscard]] std::byte* Lock(const Surface& surface);
  void Unlock(const Surface& surface);
  // D3DKMTEscape with private data for the driver, which may write to it.
  [[nodiscard]] NTSTATUS Escape(std::span<std::byte> data);
  // The four bytes that the driver's kernel-mode half reads in a shared backing store, or the value that it wrote. Throws
  // NotApplicable if the driver shares none.
  std::uint32_t AskKmd(const KmdAccess& access);
  // Sets pixel (x, y) to seed ^ (y << 16) ^ x, so that every misplaced pixel is visible.
  void Paint(const Surface& surface, std::uint32_t seed);
  static std::uint32_t Painted(std::uint32_t seed, std::uint32_t x, std::uint32_t y) {
    return seed ^ (seed >> 8) ^ (y << 16) ^ x;
  }
  void Write(const Surface& surface, std::span<const std::uint32_t> pixels);
  [[nodiscard]] std::vector<std::uint32_t> Read(const Surface& surface);

  [[nodiscard]] NTSTATUS KmtPresent(D3DKMT_PRESENT present);  // in this device's context
  [[nodiscard]] NTSTATUS Copy(const Surface& source, const Surface& destination, std::span<const RECT> sub_rects);
  [[nodiscard]] NTSTATUS Fill(const Surface& destination, UINT color, std::span<const RECT> rects);
  [[nodiscard]] NTSTATUS Flip(const Surface& surface, D3DDDI_FLIPINTERVAL_TYPE interval);
  // Flips at `interval`, or at an interval of one blank if the adapter does not support it.
  [[nodiscard]] NTSTATUS FlipOrWait(const Surface& surface, D3DDDI_FLIPINTERVAL_TYPE interval);
  // Waits for the next vertical blank of source 0.
  void AwaitBlank();
  [[nodiscard]] NTSTATUS SetMode(const Surface& primary, D3DDDI_ROTATION rotation);

  // D3DKMTRender of a command buffer with its lists, truncated to the context's buffers.
  [[nodiscard]] NTSTATUS Render(std::span<const std::byte> commands, std::span<const D3DDDI_ALLOCATIONLIST> allocations,
                                std::span<const D3DDDI_PATCHLOCATIONLIST> patches);

  // Queues a fence signal after all earlier work and waits for it.
  void Finish();
  [[nodiscard]] UINT64 QueueSignal();
  [[nodiscard]] NTSTATUS Wait(UINT64 value);
  // The fence's current value, which other threads write.
  [[nodiscard]] UINT64 fence_value() const { return __atomic_load_n(fence_value_, __ATOMIC_ACQUIRE); }

  [[nodiscard]] D3DKMT_DEVICEEXECUTION_STATE State() const;
  // Bytes of the adapter's own memory segments that this process may fill. Throws NotApplicable if there are none, or more than
  // `most`.
  [[nodiscard]] UINT64 FillableBudget(UINT64 most) const;

  // D3DKMT_ESCAPE_TDRDBGCTRL: the kernel takes the node's work for hung. The escape's status.
  [[nodiscard]] NTSTATUS ForceTimeout(D3DKMT_TDRDBGCTRLTYPE type, UINT node) const;

  [[nodiscard]] D3DKMT_HANDLE adapter() const { return adapter_; }
  [[nodiscard]] D3DKMT_HANDLE device() const { return device_; }
  [[nodiscard]] D3DKMT_HANDLE context() const { return context_; }

 private:
  const DriverUnderTest& driver_;
  const StartedAdapter started_;
  D3DKMT_HANDLE adapter_ = 0;
  D3DKMT_HANDLE device_ = 0;
  D3DKMT_HANDLE context_ = 0;
  // Input of the next D3DKMTRender.
  std::span<std::byte> command_buffer_;
  std::span<D3DDDI_ALLOCATIONLIST> allocation_list_;
  std::span<D3DDDI_PATCHLOCATIONLIST> patch_list_;
  D3DKMT_HANDLE fence_ = 0;
  const volatile UINT64* fence_value_ = nullptr;
  UINT64 last_signal_ = 0;
};

}  // namespace tandem::conform
