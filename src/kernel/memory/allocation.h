// Allocations and resources as an adapter knows them, and an allocation as one device opened it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/memory/backing_store.h"
#include "kernel/memory/residency_state.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

// DxgkDdiDescribeAllocation's answer. Width 0: the driver does not describe this allocation as a surface.
struct SurfaceDescription {
  UINT width = 0;   // pixels
  UINT height = 0;  // pixels
  D3DDDIFORMAT format = D3DDDIFMT_UNKNOWN;
  [[nodiscard]] bool known() const { return width != 0 && height != 0; }
};

// The place of a resident allocation.
struct Placement {
  std::uint32_t segment = 0;  // 1-based; 0: not resident
  std::uint64_t offset = 0;   // bytes in the segment
  std::uint64_t address = 0;  // GPU address: segment base + offset
};

// Place of an allocation's bytes while it is not in a memory segment.
enum class Contents : std::uint8_t { kNone, kSystemPages };

// Offered by user mode: may go without being saved, lower ones first.
enum class OfferState : std::uint8_t { kNotOffered, kLow, kNormal, kHigh, kDiscarded };

// Owned by its resource.
struct Allocation {
  // Constant after creation.
  HANDLE driver_handle = nullptr;  // hAllocation of DxgkDdiCreateAllocation
  std::uint64_t size = 0;          // bytes, as the driver asked
  std::uint64_t range_bytes = 0;   // size of its place in a segment, whole pages
  std::uint64_t alignment = 0;     // bytes, of that place
  bool cpu_visible = false;
  bool primary = false;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source = 0;  // primaries only
  bool in_memory_segment = false;                   // at times: some supported segment is no aperture
  std::vector<std::uint32_t> segments;              // supported ids, preferred first; never empty
  SurfaceDescription description;
  std::vector<std::byte> private_data;  // as the driver left it

  // Residency's, under its lock; whoever pins the allocation may read placement and address.
  ResidencyState residency;
  Placement placement;
  std::byte* cpu_address = nullptr;  // user mode's; null when it cannot reach it
  Contents contents = Contents::kNone;
  std::shared_ptr<BackingStore> backing;  // system pages; constant where no segment is a memory segment
  std::uint64_t references = 0;           // MakeResident calls of all devices
  OfferState offer = OfferState::kNotOffered;
  std::atomic<std::uint64_t> last_use{0};  // NextUse() of the last submission that named it, or lock

  // Packets and flips that name it and are not complete. Destruction waits for 0.
  std::atomic<std::uint32_t> uses{0};
  // One use is over. True for the last one.
  bool EndUse() { return uses.fetch_sub(1, std::memory_order_acq_rel) == 1; }
};

struct SharedResource;

// One DxgkDdiCreateAllocation resource, or one single allocation (then `is_resource` is false).
struct Resource {
  HANDLE driver_handle = nullptr;  // hResource; may be null
  bool is_resource = false;
  bool cross_adapter = false;
  std::vector<std::unique_ptr<Allocation>> allocations;
  std::vector<HANDLE> handles;            // the driver's, of each, for DxgkDdiDestroyAllocation
  std::vector<std::byte> private_data;    // the driver's, of the resource
  std::vector<std::byte> runtime_data;    // the runtime's
  std::shared_ptr<SharedResource> share;  // null when not shared
  std::uint32_t openers = 0;              // devices that hold it; guarded by the adapter unit
};

}  // namespace tandem::kernel
