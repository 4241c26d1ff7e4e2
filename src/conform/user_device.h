// User mode as a rule writes it: D3DKMT objects that clean up after themselves. Any call that fails where it may not breaks the
// rule.
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
  D3DKMT_HANDLE global_share = 0;  // of cross-adapter surfaces
  SurfaceRequest request;
  std::uint32_t pitch = 0;  // bytes
};

// STATUS_SUCCESS, or the rule is broken: "<what> answered 0x…".
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

  // Not applicable to a driver that has no such surface.
  [[nodiscard]] Surface Create(const SurfaceRequest& request);
  // The status of a creation that is due to fail; `sharing` in place of what the use demands.
  [[nodiscard]] NTSTATUS TryCreate(const SurfaceRequest& request, CreateSharing sharing);
  // What the driver itself would say of the surface.
  [[nodiscard]] SurfaceData Describe(const SurfaceRequest& request) const { return driver_.describe(started_, request); }
  // By private data from wherever; `made` is set on success.
  [[nodiscard]] NTSTATUS CreateFrom(SurfaceData data, const SurfaceRequest& request, CreateSharing sharing, Surface& made);
  // Another device's cross-adapter surface.
  [[nodiscard]] Surface Open(const Surface& shared);
  [[nodiscard]] NTSTATUS Destroy(const Surface& surface);

  // Of a surface that the CPU reaches (cross-adapter).
  [[nodiscard]] std::byte* Lock(const Surface& surface);
  void Unlock(const Surface& surface);
  // D3DKMTEscape with the driver's private data, which it may write.
  [[nodiscard]] NTSTATUS Escape(std::span<std::byte> data);
  // What the driver's kernel-mode half reads in a backing store that is shared with it, or the value that it wrote. Not
  // applicable to a driver that shares none.
  std::uint32_t AskKmd(const KmdAccess& access);
  // Pixel (x, y) becomes seed ^ (y << 16) ^ x, so that every misplaced pixel shows.
  void Paint(const Surface& surface, std::uint32_t seed);
  static std::uint32_t Painted(std::uint32_t seed, std::uint32_t x, std::uint32_t y) { return seed ^ (y << 16) ^ x; }
  void Write(const Surface& surface, std::span<const std::uint32_t> pixels);
  [[nodiscard]] std::vector<std::uint32_t> Read(const Surface& surface);

  [[nodiscard]] NTSTATUS KmtPresent(D3DKMT_PRESENT present);  // in this device's context
  [[nodiscard]] NTSTATUS Copy(const Surface& source, const Surface& destination, std::span<const RECT> sub_rects);
  [[nodiscard]] NTSTATUS Fill(const Surface& destination, UINT color, std::span<const RECT> rects);
  [[nodiscard]] NTSTATUS Flip(const Surface& surface, D3DDDI_FLIPINTERVAL_TYPE interval);
  // With an interval of one blank where the adapter does not flip at `interval`.
  [[nodiscard]] NTSTATUS FlipOrWait(const Surface& surface, D3DDDI_FLIPINTERVAL_TYPE interval);
  // Waits for the next vertical blank of source 0.
  void AwaitBlank();
  [[nodiscard]] NTSTATUS SetMode(const Surface& primary, D3DDDI_ROTATION rotation);

  // D3DKMTRender of a command buffer with its lists. What does not fit the context's buffers is cut off.
  [[nodiscard]] NTSTATUS Render(std::span<const std::byte> commands, std::span<const D3DDDI_ALLOCATIONLIST> allocations,
                                std::span<const D3DDDI_PATCHLOCATIONLIST> patches);

  // Queues a signal of the fence behind everything so far, and waits for it.
  void Finish();
  [[nodiscard]] UINT64 QueueSignal();
  [[nodiscard]] NTSTATUS Wait(UINT64 value);
  // What other threads signalled.
  [[nodiscard]] UINT64 fence_value() const { return __atomic_load_n(fence_value_, __ATOMIC_ACQUIRE); }

  [[nodiscard]] D3DKMT_DEVICEEXECUTION_STATE State() const;
  // Bytes that the adapter's own memory segments hold for this process, for a rule that fills them. Throws NotApplicable where
  // there are none, or more than `most`.
  [[nodiscard]] UINT64 FillableBudget(UINT64 most) const;

  [[nodiscard]] D3DKMT_HANDLE adapter() const { return adapter_; }
  [[nodiscard]] D3DKMT_HANDLE device() const { return device_; }
  [[nodiscard]] D3DKMT_HANDLE context() const { return context_; }

 private:
  const DriverUnderTest& driver_;
  const StartedAdapter started_;
  D3DKMT_HANDLE adapter_ = 0;
  D3DKMT_HANDLE device_ = 0;
  D3DKMT_HANDLE context_ = 0;
  // What the next D3DKMTRender reads.
  std::span<std::byte> command_buffer_;
  std::span<D3DDDI_ALLOCATIONLIST> allocation_list_;
  std::span<D3DDDI_PATCHLOCATIONLIST> patch_list_;
  D3DKMT_HANDLE fence_ = 0;
  const volatile UINT64* fence_value_ = nullptr;
  UINT64 last_signal_ = 0;
};

}  // namespace tandem::conform
