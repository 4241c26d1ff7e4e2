// Work of a program: presents, command buffers, locks, residency, questions.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "drivers/processor/user_commands.h"
#include "fuzz/thunks/calls.h"

namespace tandem::fuzz {

void Present(Program& program) {
  D3DKMT_PRESENT present{};
  present.hContext = program.Handle(program.contexts);
  present.hSource = program.Handle(program.allocations);
  present.hDestination = program.Handle(program.allocations);
  present.Flags.Value = program.bytes.Take<std::uint16_t>();
  present.Flags.FlipDoNotWait = 1;  // vertical blanks come at their own pace
  present.Color = program.bytes.Take<std::uint16_t>();
  present.SrcRect = program.Rect();
  present.DstRect = program.Rect();
  std::array<RECT, 8> rects{};
  present.SubRectCnt = program.bytes.Take<std::uint8_t>() % (rects.size() + 1);
  for (UINT i = 0; i < present.SubRectCnt; ++i) rects[i] = program.Rect();
  present.pSrcSubRects = rects.data();
  present.VidPnSourceId = program.bytes.Take<std::uint8_t>() % 3;
  present.FlipInterval = static_cast<D3DDDI_FLIPINTERVAL_TYPE>(program.bytes.Take<std::uint8_t>() % 8);
  static_cast<void>(D3DKMTPresent(&present));
}

void Render(Program& program) {
  if (program.buffers.empty()) return;
  D3DKMT_CREATECONTEXT& context = program.buffers[program.bytes.Take<std::uint8_t>() % program.buffers.size()];
  std::array<std::uint64_t, 16> commands{};
  for (std::uint64_t& word : commands) {
    word = program.bytes.Take<std::uint64_t>();
    // Removes delays, which take time and find nothing.
    if (static_cast<std::uint32_t>(word) == static_cast<std::uint32_t>(processor::UserOpcode::kDelay)) word = 0;
  }
  D3DKMT_RENDER render{};
  render.hContext = context.hContext;
  render.CommandLength =
      std::min<UINT>(program.bytes.Take<std::uint8_t>(), std::min<UINT>(sizeof(commands), context.CommandBufferSize));
  std::memcpy(context.pCommandBuffer, commands.data(), render.CommandLength);
  render.AllocationCount = std::min<UINT>(program.bytes.Take<std::uint8_t>() % 4, context.AllocationListSize);
  for (UINT i = 0; i < render.AllocationCount; ++i) {
    context.pAllocationList[i] = {};
    context.pAllocationList[i].hAllocation = program.Handle(program.allocations);
    context.pAllocationList[i].WriteOperation = program.bytes.Take<std::uint8_t>() & 1u;
  }
  if (!NT_SUCCESS(D3DKMTRender(&render))) return;
  context.pCommandBuffer = render.pNewCommandBuffer;
  context.CommandBufferSize = render.NewCommandBufferSize;
  context.pAllocationList = render.pNewAllocationList;
  context.AllocationListSize = render.NewAllocationListSize;
}

void LockAndTouch(Program& program) {
  D3DKMT_LOCK2 lock{};
  lock.hDevice = program.Handle(program.devices);
  lock.hAllocation = program.Handle(program.allocations);
  if (!NT_SUCCESS(D3DKMTLock2(&lock))) return;
  static_cast<volatile std::uint8_t*>(lock.pData)[0] = 1;
  const D3DKMT_UNLOCK2 unlock{lock.hDevice, lock.hAllocation};
  if ((program.bytes.Take<std::uint8_t>() & 7) != 0) static_cast<void>(D3DKMTUnlock2(&unlock));
}

void Residency(Program& program) {
  const D3DKMT_HANDLE allocation = program.Handle(program.allocations);
  const auto choice = program.bytes.Take<std::uint8_t>();
  if (choice % 3 == 0) {
    D3DKMT_CREATEPAGINGQUEUE create{};
    create.hDevice = program.Handle(program.devices);
    if (NT_SUCCESS(D3DKMTCreatePagingQueue(&create))) Program::Keep(program.paging_queues, create.hPagingQueue);
  } else if (choice % 3 == 1) {
    D3DDDI_MAKERESIDENT resident{};
    resident.hPagingQueue = program.Handle(program.paging_queues);
    resident.NumAllocations = 1;
    resident.AllocationList = &allocation;
    resident.Flags.Value = choice >> 6;
    static_cast<void>(D3DKMTMakeResident(&resident));
  } else {
    D3DKMT_EVICT evict{};
    evict.hDevice = program.Handle(program.devices);
    evict.NumAllocations = 1;
    evict.AllocationList = &allocation;
    static_cast<void>(D3DKMTEvict(&evict));
  }
}

void Offer(Program& program) {
  const D3DKMT_HANDLE allocation = program.Handle(program.allocations);
  D3DKMT_OFFERALLOCATIONS offer{};
  offer.hDevice = program.Handle(program.devices);
  offer.HandleList = &allocation;
  offer.NumAllocations = 1;
  offer.Priority = static_cast<D3DKMT_OFFER_PRIORITY>(program.bytes.Take<std::uint8_t>() % 6);
  static_cast<void>(D3DKMTOfferAllocations(&offer));
  if ((program.bytes.Take<std::uint8_t>() & 1) == 0) return;
  D3DDDI_RECLAIM_RESULT result{};
  D3DKMT_RECLAIMALLOCATIONS2 reclaim{};
  reclaim.hPagingQueue = program.Handle(program.paging_queues);
  reclaim.NumAllocations = 1;
  reclaim.HandleList = &allocation;
  reclaim.pResults = &result;
  static_cast<void>(D3DKMTReclaimAllocations2(&reclaim));
}

void QueryAdapter(Program& program) {
  std::array<std::byte, 256> answer{};
  D3DKMT_QUERYADAPTERINFO query{};
  query.hAdapter = program.adapter;
  query.Type = static_cast<KMTQUERYADAPTERINFOTYPE>(program.bytes.Take<std::uint8_t>());
  query.pPrivateDriverData = answer.data();
  query.PrivateDriverDataSize = program.bytes.Take<std::uint8_t>();
  static_cast<void>(D3DKMTQueryAdapterInfo(&query));
}

void OwnSource(Program& program) {
  const auto type = static_cast<D3DKMT_VIDPNSOURCEOWNER_TYPE>(program.bytes.Take<std::uint8_t>() % 6);
  const D3DDDI_VIDEO_PRESENT_SOURCE_ID source = program.bytes.Take<std::uint8_t>() % 3;
  D3DKMT_SETVIDPNSOURCEOWNER own{};
  own.hDevice = program.Handle(program.devices);
  own.pType = &type;
  own.pVidPnSourceId = &source;
  own.VidPnSourceCount = 1;
  static_cast<void>(D3DKMTSetVidPnSourceOwner(&own));
}

}  // namespace tandem::fuzz
