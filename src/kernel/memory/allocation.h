// Allocations and resources as an adapter knows them, and an allocation as one device opened it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/memory/backing_store.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

// DxgkDdiDescribeAllocation's answer. Width 0: the driver does not describe this allocation as a surface.
struct SurfaceDescription {
  UINT width = 0;   // pixels
  UINT height = 0;  // pixels
  D3DDDIFORMAT format = D3DDDIFMT_UNKNOWN;
  [[nodiscard]] bool known() const { return width != 0 && height != 0; }
};

// Where an allocation is. Never moves while it lives.
struct Placement {
  std::uint32_t segment = 0;  // 1-based
  std::uint64_t offset = 0;   // bytes in the segment
  std::uint64_t size = 0;     // bytes of the range, whole pages
  std::uint64_t address = 0;  // what the GPU calls it: segment base + offset
};

// Owned by its resource. Constant after creation, but for `uses`.
struct Allocation {
  HANDLE driver_handle = nullptr;  // hAllocation of DxgkDdiCreateAllocation
  std::uint64_t size = 0;          // bytes, as the driver asked
  bool cpu_visible = false;
  bool primary = false;
  bool mapped = false;  // in the aperture, by a paging operation
  Placement placement;
  std::shared_ptr<BackingStore> backing;  // null in memory segments
  std::byte* cpu_address = nullptr;       // null when the CPU cannot reach it
  SurfaceDescription description;
  std::vector<std::byte> private_data;  // as the driver left it

  // Packets and flips that name it and are not complete. Destruction waits for 0.
  std::atomic<std::uint32_t> uses{0};
};

struct SharedResource;

// One DxgkDdiCreateAllocation resource, or one single allocation (then `is_resource` is false).
struct Resource {
  HANDLE driver_handle = nullptr;  // hResource; may be null
  bool is_resource = false;
  bool cross_adapter = false;
  std::vector<std::unique_ptr<Allocation>> allocations;
  std::vector<std::byte> private_data;    // the driver's, of the resource
  std::vector<std::byte> runtime_data;    // the runtime's
  std::shared_ptr<SharedResource> share;  // null when not shared
  std::uint32_t openers = 0;              // devices that hold it; guarded by the adapter unit
};

}  // namespace tandem::kernel
