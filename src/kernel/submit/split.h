// A DMA buffer whose allocations cannot be resident together, in pieces whose allocations can (D3DDDI_PATCHLOCATIONLIST,
// SplitOffset; docs/contract.md, DMA buffers).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernel/submit/packet.h"

namespace tandem::kernel {

// Bytes and patch locations of one piece, half open, and what it refers to.
struct Piece {
  UINT dma_begin = 0;
  UINT dma_end = 0;
  UINT patch_begin = 0;
  UINT patch_end = 0;
  std::vector<bool> needs;  // by index in the allocation list
};

// kFullMemory: as few pieces as the order of the commands allows. kEveryCommand: as many.
enum class SplitAt : std::uint8_t { kFullMemory, kEveryCommand };

using CanFit = std::function<bool(std::span<Allocation* const>)>;

// Pieces of allocations that `can_fit`. Empty when there is no such cut. The
// buffer is cut where the driver allows it: in front of the command that begins at a SplitOffset other than 0.
//
// A piece needs the allocations that its patch locations name, and those that no patch location names. It also needs the
// allocations that are bound to a slot when it begins. A patch location binds its allocation to its slot, in place of the one
// before.
[[nodiscard]] std::vector<Piece> SplitPacket(const Packet& packet, SplitAt where, const CanFit& can_fit);

// Makes `part`, an acquired packet of the same context, that piece of `whole`.
void FillPiece(Packet& part, const Packet& whole, const Piece& piece);

}  // namespace tandem::kernel
