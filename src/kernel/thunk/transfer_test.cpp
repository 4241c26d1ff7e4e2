// Requests to the driver to move an allocation.
#include <gtest/gtest.h>

#include "kernel/testing/small_memory.h"

namespace tandem::kernel {
namespace {

class TransferTest : public SmallMemory {};

TEST_F(TransferTest, Transfer_FoundBusy_IsAskedAgainWithTheIdleFlag) {
  std::vector<UINT> idle;
  miniport_.on_build_paging_buffer = [&](DXGKARG_BUILDPAGINGBUFFER* args) {
    if (args->Operation != DXGK_OPERATION_TRANSFER) return Page(*args);
    idle.push_back(args->Transfer.Flags.AllocationIsIdle);
    return args->Transfer.Flags.AllocationIsIdle ? Page(*args) : STATUS_GRAPHICS_ALLOCATION_BUSY;
  };
  Open();
  const auto allocations = CreateMany(kRoom + 1);
  Paint(allocations[0], 9);
  for (std::size_t i = 1; i <= kRoom; ++i) Paint(allocations[i], 1);
  ExpectPainted(allocations[0], 9);
  ASSERT_GE(idle.size(), 4u);
  for (std::size_t i = 0; i < idle.size(); ++i) EXPECT_EQ(idle[i], i % 2);
}

TEST_F(TransferTest, Transfer_InSeveralPasses_IsOneMove) {
  std::vector<UINT> passes;
  miniport_.on_build_paging_buffer = [&](DXGKARG_BUILDPAGINGBUFFER* args) {
    if (args->Operation != DXGK_OPERATION_TRANSFER) return Page(*args);
    passes.push_back(args->MultipassOffset);
    args->pDmaBuffer = static_cast<std::byte*>(args->pDmaBuffer) + 8;
    if (++args->MultipassOffset < 3) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    return Page(*args);
  };
  Open();
  const auto allocations = CreateMany(kRoom + 1);
  Paint(allocations[0], 9);
  for (std::size_t i = 1; i <= kRoom; ++i) Paint(allocations[i], 1);
  ExpectPainted(allocations[0], 9);
  ASSERT_GE(passes.size(), 6u);
  for (std::size_t i = 0; i < passes.size(); ++i) EXPECT_EQ(passes[i], i % 3);
}

TEST_F(TransferTest, Transfer_OfALargeAllocation_ComesInPieces) {
  struct Piece {
    UINT offset, mdl_page;
    SIZE_T size;
    bool start, end;
  };
  std::vector<Piece> pieces;
  miniport_.segments[0].Size = 80ULL << 20;
  miniport_.segments[0].Flags.CpuVisible = 0;
  miniport_.on_build_paging_buffer = [&](DXGKARG_BUILDPAGINGBUFFER* args) {
    const auto& transfer = args->Transfer;
    if (args->Operation == DXGK_OPERATION_TRANSFER && transfer.Source.SegmentId == 1) {
      pieces.push_back({transfer.TransferOffset, transfer.MdlOffset, transfer.TransferSize, transfer.Flags.TransferStart != 0,
                        transfer.Flags.TransferEnd != 0});
    }
    return STATUS_SUCCESS;
  };
  Open();
  change_info_ = [](DXGK_ALLOCATIONINFO& info) {
    info.Size = 70ULL << 20;
    info.Flags.CpuVisible = 0;
  };
  const auto allocations = CreateMany(2);
  D3DKMT_PRESENT present = Copy(allocations[1], allocations[1]);
  ASSERT_EQ(D3DKMTPresent(&present), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);
  ASSERT_EQ(pieces.size(), 3u);
  UINT offset = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(pieces[i].offset, offset);
    EXPECT_EQ(pieces[i].mdl_page, offset / PAGE_SIZE);
    EXPECT_EQ(pieces[i].start, i == 0);
    EXPECT_EQ(pieces[i].end, i == 2);
    offset += static_cast<UINT>(pieces[i].size);
  }
  EXPECT_EQ(offset, 70u << 20);
}

}  // namespace
}  // namespace tandem::kernel
