// The graphics kernel as its host sees it: load drivers, plug devices, count. User mode enters by the D3DKMT thunks only (d3dkmthk.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

#include <dispmprt.h>

namespace tandem::kernel {

class Driver;  // a loaded miniport; owned by the kernel

struct AdapterDescription {
  LUID luid{};
  std::string name;         // of the DEVICE_OBJECT
  std::string driver_name;  // given to LoadDriver
  std::uint32_t wddm_version = 0;        // DXGK_WDDMVERSION of the driver's caps
  std::uint32_t cross_adapter_tier = 0;  // 0..3, from DXGK_VIDMMCAPS
  std::uint32_t vidpn_sources = 0;
  std::uint64_t local_memory_bytes = 0;
};

// Monotonic counters of one adapter. Reading them costs nothing to the frame path.
struct AdapterCounters {
  std::uint64_t ddi_presents = 0;  // calls of DxgkDdiPresent
  std::uint64_t submissions = 0;   // calls of DxgkDdiSubmitCommand, paging included
  std::uint64_t patches = 0;
  std::uint64_t flips = 0;         // calls of DxgkDdiSetVidPnSourceAddress that were not mode changes
  std::uint64_t vsyncs = 0;        // CRTC_VSYNC interrupts
  std::uint64_t resets = 0;
};

// What system-memory allocations are made of. memfd pages can be mapped by other processes; anonymous pages are the only ones that
// every Vulkan driver imports. Both are zeroed and page aligned.
enum class BackingStoreKind { kMemfd, kAnonymous };

// One per process at a time: Create() installs the object that the D3DKMT thunks answer from, the destructor stops every adapter
// (in reverse order of plugging) and removes it. Without one every thunk answers STATUS_DEVICE_REMOVED.
// Thread-safe. Never call it from a DDI.
class Kernel {
 public:
  static Result<std::unique_ptr<Kernel>> Create(Clock& clock);
  virtual ~Kernel() = default;

  // Calls `entry` (DriverEntry) and keeps what it registered with DxgkInitialize. The name is for people ("soft", "vulkan").
  virtual Result<Driver*> LoadDriver(DRIVER_INITIALIZE* entry, std::string name) = 0;
  // AddDevice, StartDevice, QueryAdapterInfo (caps, segments), their checks. `device_extension` is the bus's description of the device
  // and stays valid until RemoveAdapter returned.
  virtual Result<LUID> AddAdapter(Driver& driver, void* device_extension, std::string name) = 0;
  // StopDevice, RemoveDevice. User-mode handles to the adapter stay valid and answer STATUS_DEVICE_REMOVED.
  virtual Result<void> RemoveAdapter(LUID adapter) = 0;

  // For allocations created from now on; kMemfd at first.
  virtual void SetBackingStorePreference(BackingStoreKind kind) = 0;

  [[nodiscard]] virtual std::vector<AdapterDescription> Adapters() const = 0;
  [[nodiscard]] virtual Result<AdapterCounters> Counters(LUID adapter) const = 0;
  // The rule that the adapter's driver broke, and how; empty as long as it broke none.
  [[nodiscard]] virtual Result<std::string> Violation(LUID adapter) const = 0;
};

}  // namespace tandem::kernel
