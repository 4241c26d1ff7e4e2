// A DMA buffer with its private data and lists: what the driver fills and the scheduler submits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/fixed_list.h"
#include "base/memory_map.h"
#include "base/result.h"
#include "kernel/adapter/adapter.h"
#include "kernel/memory/allocation.h"

#include <d3dkmddi.h>

namespace tandem::kernel {

struct ContextQueue;

enum class PacketKind : std::uint8_t { kRender, kPresent, kPaging };

// A present whose commands flip: what DxgkDdiSubmitCommand is told of it.
struct DmaFlip {
  bool flips = false;
  bool without_wait = false;  // FlipWithNoWait
  D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source = 0;
  D3DDDI_FLIPINTERVAL_TYPE interval = D3DDDI_FLIPINTERVAL_IMMEDIATE;
};

// An allocation as one device opened it, with the driver's handle for it.
struct UsedAllocation {
  Allocation* allocation = nullptr;  // null: an empty place in the list
  HANDLE device_specific = nullptr;
  bool write = false;
};

// Belongs to one owner at a time: a free list, the thread that fills it, a context's queue, or a node.
struct Packet {
  // Constant.
  ContextQueue* context = nullptr;  // null for paging
  std::span<std::byte> dma;         // page-aligned system memory
  std::span<std::byte> private_data;
  std::span<DXGK_ALLOCATIONLIST> allocations;  // the driver's copy of `listed`, which the kernel never reads back
  std::span<D3DDDI_PATCHLOCATIONLIST> patches;
  std::array<std::span<std::byte>, 3> guards;  // behind `dma`, `private_data` and `patches`; empty outside trials
  std::span<std::byte> fence_page;             // behind the first guard zone: neither read nor written; empty outside trials

  // Valid for one use of the packet.
  PacketKind kind = PacketKind::kRender;
  UINT dma_begin = 0;          // bytes, from where on it is submitted; 0 but for a piece of another one (split.h)
  UINT dma_used = 0;           // bytes, where it ends
  UINT private_data_used = 0;  // bytes
  UINT patch_begin = 0;        // as dma_begin
  UINT patch_count = 0;
  std::uint32_t built_for = 0;  // bit N: commands for the mode of VidPn source N; the scheduler's
  UINT fence = 0;               // SubmissionFenceId
  std::int32_t order = 0;       // the context's, at the first submission
  bool null_rendering = false;
  DmaFlip flip;
  Packet* next = nullptr;                // in the list of cancelled packets
  bool done = false;                     // paging: complete; the submitter waits for it
  bool pinned = false;                   // its allocations are resident and stay so
  bool moved = false;                    // an allocation has moved since the driver built the commands
  FixedList<UsedAllocation> listed;      // the allocation list
  FixedList<DXGK_ALLOCATIONLIST> given;  // the last copy of `listed` for the driver
  FixedList<Allocation*> used;           // those of the list, in its order; each counts in Allocation::uses
  bool guarded = false;                  // SetGuards was called; stays

  [[nodiscard]] PHYSICAL_ADDRESS DmaAddress() const;  // its host address, in segment 0
  [[nodiscard]] UINT allocation_count() const { return static_cast<UINT>(listed.size()); }
  // Appends an element to the allocation list, with the address for pre-patching.
  void List(const UsedAllocation& element);
  // Writes the driver's copy of the list anew.
  void GiveList() const;
  // The first element that the driver changed in its copy, which it may only read.
  [[nodiscard]] std::optional<UINT> FindChange() const;
  // Pins what it uses and writes the addresses into the allocation list. False when something is not resident.
  [[nodiscard]] bool TryPin();
  // After somebody pinned all that it uses on its behalf.
  void SetPinned();
  // Fills the guard zones at the first call: most packets of a pool are never used. False when there is no memory.
  [[nodiscard]] bool SetGuards();
  // Tells the adapter of bytes in the guard zones that changed.
  void CheckGuards(Adapter& adapter) const;
  // Gives up what it uses and is empty again. True when an allocation is unused now.
  bool Reset();
};

// An element of an allocation list, with the address where it is resident now: for pre-patching.
[[nodiscard]] DXGK_ALLOCATIONLIST ToListElement(const UsedAllocation& used);
[[nodiscard]] bool AreEqual(const DXGK_ALLOCATIONLIST& a, const DXGK_ALLOCATIONLIST& b);

struct PacketSizes {
  UINT dma_bytes = 0;
  UINT private_data_bytes = 0;
  UINT allocations = 0;  // elements
  UINT patches = 0;      // elements
};

// The DMA buffers of one context, or of paging. All memory is taken at creation.
class PacketPool {
 public:
  // kInvalidArgument, kOutOfMemory.
  // The adapter outlives the pool.
  [[nodiscard]] static Result<std::unique_ptr<PacketPool>> Create(Adapter& adapter, const PacketSizes& sizes,
                                                                  std::uint32_t count);
  // The engines of a stopped adapter may still use the DMA buffers and their private data: these stay until it is removed.
  ~PacketPool();
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;

  [[nodiscard]] std::vector<Packet>& packets() { return packets_; }

 private:
  explicit PacketPool(Adapter& adapter) : adapter_(adapter) {}

  Adapter& adapter_;
  std::shared_ptr<MemoryMap> dma_;
  std::shared_ptr<MemoryMap> private_data_;  // zeroed, as the contract has it
  MemoryMap lists_;
  std::vector<Packet> packets_;
};

}  // namespace tandem::kernel
