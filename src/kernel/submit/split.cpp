#include "kernel/submit/split.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace tandem::kernel {
namespace {

using Needs = std::vector<bool>;

class Splitter {
 public:
  Splitter(const Packet& packet, SplitAt where, const CanFit& can_fit)
      : packet_(packet), where_(where), can_fit_(can_fit), always_(packet.listed.size(), true) {
    for (UINT i = 0; i < packet.patch_count; ++i) always_[packet.patches[i].AllocationIndex] = false;
  }

  std::vector<Piece> Run() {
    piece_.needs = always_;
    if (!Fits(piece_.needs)) return {};
    for (UINT first = 0; first < packet_.patch_count;) {
      const UINT end = EndOfCommand(first);
      if (where_ == SplitAt::kEveryCommand) static_cast<void>(CutBefore(first));
      if (!Take(first, end) && !(CutBefore(first) && Take(first, end))) return {};
      first = end;
    }
    Close(packet_.dma_used, packet_.patch_count);
    return std::move(pieces_);
  }

 private:
  const D3DDDI_PATCHLOCATIONLIST& patch(UINT index) const { return packet_.patches[index]; }

  // Patch locations behind `first` that belong to its command: those with its SplitOffset, and those that may not be split.
  UINT EndOfCommand(UINT first) const {
    UINT end = first + 1;
    while (end < packet_.patch_count && (patch(end).SplitOffset == 0 || patch(end).SplitOffset == patch(first).SplitOffset))
      ++end;
    return end;
  }

  bool Fits(const Needs& needs) const {
    std::vector<Allocation*> together;
    for (std::size_t i = 0; i < needs.size(); ++i) {
      if (needs[i] && packet_.listed[i].allocation != nullptr) together.push_back(packet_.listed[i].allocation);
    }
    return can_fit_(together);
  }

  // The command becomes part of the piece; false when it does not fit with the rest.
  bool Take(UINT first, UINT end) {
    Needs with = piece_.needs;
    for (UINT i = first; i < end; ++i) with[patch(i).AllocationIndex] = true;
    if (!Fits(with)) return false;
    piece_.needs = std::move(with);
    for (UINT i = first; i < end; ++i) bound_[patch(i).SlotId] = patch(i).AllocationIndex;
    return true;
  }

  // The piece ends in front of the command. False when the driver does not allow that, or when what is patched lies on the wrong
  // side of the cut.
  bool CutBefore(UINT first) {
    const UINT cut = patch(first).SplitOffset;
    if (cut <= piece_.dma_begin) return false;
    for (UINT i = piece_.patch_begin; i < packet_.patch_count; ++i) {
      if ((patch(i).PatchOffset < cut) != (i < first)) return false;
    }
    Close(cut, first);
    piece_ = {cut, 0, first, 0, always_};
    for (UINT i = first; i < EndOfCommand(first); ++i) bound_[patch(i).SlotId] = patch(i).AllocationIndex;
    for (const auto& [slot, allocation] : bound_) piece_.needs[allocation] = true;
    return true;
  }

  void Close(UINT dma_end, UINT patch_end) {
    piece_.dma_end = dma_end;
    piece_.patch_end = patch_end;
    pieces_.push_back(std::move(piece_));
  }

  const Packet& packet_;
  const SplitAt where_;
  const CanFit& can_fit_;
  Needs always_;
  std::map<UINT, UINT> bound_;  // slots, and what is bound to them
  Piece piece_;
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> SplitPacket(const Packet& packet, SplitAt where, const CanFit& can_fit) {
  return Splitter(packet, where, can_fit).Run();
}

void FillPiece(Packet& part, const Packet& whole, const Piece& piece) {
  part.kind = whole.kind;
  part.moved = true;  // its commands hold the addresses of the whole
  part.null_rendering = whole.null_rendering;
  part.dma_begin = piece.dma_begin;
  part.dma_used = piece.dma_end;
  part.patch_begin = piece.patch_begin;
  part.patch_count = piece.patch_end;
  part.private_data_used = whole.private_data_used;
  // Offsets of patch locations count from the beginning of the buffer.
  std::memcpy(part.dma.data() + piece.dma_begin, whole.dma.data() + piece.dma_begin, piece.dma_end - piece.dma_begin);
  std::copy(whole.private_data.begin(), whole.private_data.end(), part.private_data.begin());
  std::copy_n(whole.patches.begin(), piece.patch_end, part.patches.begin());
  // Allocations that the piece does not need are not resident.
  for (std::size_t i = 0; i < whole.listed.size(); ++i) part.List(piece.needs[i] ? whole.listed[i] : UsedAllocation{});
}

}  // namespace tandem::kernel
