// Copies and fills through the thunks: what the driver is told, and what the kernel does with each of its answers.
#include <gtest/gtest.h>

#include <vector>

#include "base/limits.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

class Copies : public KernelFixture {
 protected:
  void SetUp() override {
    Open();
    ASSERT_EQ(CreateAllocation(source_), STATUS_SUCCESS);
    ASSERT_EQ(CreateAllocation(destination_), STATUS_SUCCESS);
  }
  // The driver answers `status` `times` times, then works.
  void Answer(NTSTATUS status, int times) {
    miniport_.on_present = [this, status, times, calls = 0](DXGKARG_PRESENT* args) mutable {
      seen_ = *args;
      return calls++ < times ? status : WritePresent(*args);
    };
  }
  NTSTATUS Present() {
    D3DKMT_PRESENT present = Copy(source_, destination_);
    return D3DKMTPresent(&present);
  }
  template <class Change>
  NTSTATUS PresentWith(Change&& change) {
    D3DKMT_PRESENT present = Copy(source_, destination_);
    change(present);
    return D3DKMTPresent(&present);
  }
  D3DKMT_HANDLE source_ = 0, destination_ = 0;
  DXGKARG_PRESENT seen_{};
};

TEST_F(Copies, DriverWithoutMemory_IsAskedAgain_ThenTheProgramIsTold) {
  for (const NTSTATUS status : {STATUS_NO_MEMORY, STATUS_INSUFFICIENT_RESOURCES}) {
    Answer(status, 3);
    miniport_.ForgetCalls();
    EXPECT_EQ(Present(), STATUS_SUCCESS);
    EXPECT_EQ(miniport_.count("DxgkDdiPresent"), 4u);
    Answer(status, 4);
    EXPECT_EQ(Present(), status);
    EXPECT_EQ(miniport_.count("DxgkDdiPresent"), 8u);
    EXPECT_EQ(Present(), STATUS_SUCCESS);
  }
}

TEST_F(Copies, RefusedByTheDriver_TheProgramIsTold_AndTheNextOneWorks) {
  for (const NTSTATUS status :
       {STATUS_GRAPHICS_CANNOTCOLORCONVERT, STATUS_PRIVILEGED_INSTRUCTION, STATUS_ILLEGAL_INSTRUCTION, STATUS_INVALID_HANDLE}) {
    Answer(status, 1);
    miniport_.ForgetCalls();
    EXPECT_EQ(Present(), status);
    EXPECT_EQ(miniport_.count("DxgkDdiPresent"), 1u);
    EXPECT_EQ(miniport_.count("DxgkDdiSubmitCommand"), 0u);
    EXPECT_EQ(Present(), STATUS_SUCCESS);
  }
}

TEST_F(Copies, MemoryRunsOutInTheSecondPass_ItIsAskedForAgainWithItsOffset) {
  std::vector<UINT> offsets;
  miniport_.on_present = [&](DXGKARG_PRESENT* args) {
    offsets.push_back(args->MultipassOffset);
    const std::size_t call = offsets.size();
    if (call == 2) {
      args->MultipassOffset = 77;
      return STATUS_NO_MEMORY;
    }
    static_cast<void>(WritePresent(*args));
    args->MultipassOffset = static_cast<UINT>(call);
    return call == 1 ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : STATUS_SUCCESS;
  };
  EXPECT_EQ(Present(), STATUS_SUCCESS);
  EXPECT_EQ(offsets, (std::vector<UINT>{0, 1, 1}));
}

TEST_F(Copies, LastPassIsEmpty_NothingMoreIsSubmitted) {
  miniport_.on_present = [](DXGKARG_PRESENT* args) {
    if (args->MultipassOffset != 0) return STATUS_SUCCESS;
    ++args->MultipassOffset;
    static_cast<void>(WritePresent(*args));
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  };
  miniport_.ForgetCalls();
  EXPECT_EQ(Present(), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
  EXPECT_EQ(miniport_.count("DxgkDdiPresent"), 2u);
  EXPECT_EQ(miniport_.count("DxgkDdiPatch"), 1u);
  EXPECT_EQ(miniport_.count("DxgkDdiSubmitCommand"), 1u);
}

TEST_F(Copies, WhatADriverWritesIntoItsArguments_IsGoneInTheNextPass) {
  std::vector<DXGKARG_PRESENT> passes;
  miniport_.on_present = [&](DXGKARG_PRESENT* args) {
    passes.push_back(*args);
    static_cast<void>(WritePresent(*args));
    args->SubRectCnt = 77;
    args->pDstSubRects = nullptr;
    args->Flags.Value = 0;
    args->DstRect = {};
    return args->MultipassOffset++ == 0 ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : STATUS_SUCCESS;
  };
  EXPECT_EQ(Present(), STATUS_SUCCESS);
  ASSERT_EQ(passes.size(), 2u);
  EXPECT_EQ(passes[1].SubRectCnt, 1u);
  EXPECT_EQ(passes[1].pDstSubRects, passes[0].pDstSubRects);
  EXPECT_EQ(passes[1].Flags.Blt, 1u);
  EXPECT_EQ(passes[1].DstRect.right, 64);
}

TEST_F(Copies, MoreRectanglesThanTheLimit_AreRefused_AndNotDrawnAsAWhole) {
  Answer(STATUS_SUCCESS, 0);
  const std::vector<RECT> rects(kMaxSubRects + std::size_t{1}, RECT{1, 1, 2, 2});
  const auto present = [&](std::size_t count) {
    return PresentWith([&](auto& p) {
      p.SubRectCnt = static_cast<UINT>(count);
      p.pSrcSubRects = rects.data();
    });
  };
  EXPECT_EQ(present(kMaxSubRects + std::size_t{1}), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(miniport_.count("DxgkDdiPresent"), 0u);
  EXPECT_EQ(present(kMaxSubRects), STATUS_SUCCESS);
  EXPECT_EQ(seen_.SubRectCnt, kMaxSubRects);
}

TEST_F(Copies, Flags_ReachTheDriver) {
  Answer(STATUS_SUCCESS, 0);
  EXPECT_EQ(PresentWith([](auto& p) {
              p.Flags.SrcColorKey = p.Flags.LinearToSrgb = p.Flags.Rotate = 1;
              p.Color = 0x123456;
            }),
            STATUS_SUCCESS);
  EXPECT_EQ(seen_.Flags.SrcColorKey + seen_.Flags.LinearToSrgb + seen_.Flags.Rotate + seen_.Flags.Blt, 4u);
  EXPECT_EQ(seen_.Flags.DstColorKey, 0u);
  EXPECT_EQ(seen_.Color, 0x123456u);
  EXPECT_EQ(PresentWith([](auto& p) { p.Flags.DstColorKey = 1; }), STATUS_SUCCESS);
  EXPECT_EQ(seen_.Flags.DstColorKey, 1u);
}

TEST_F(Copies, FlagsThatExcludeEachOther_AreRefused) {
  EXPECT_EQ(PresentWith([](auto& p) { p.Flags.SrcColorKey = p.Flags.DstColorKey = 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(PresentWith([](auto& p) {
              p.Flags.Blt = 0;
              p.Flags.ColorFill = p.Flags.SrcColorKey = 1;
            }),
            STATUS_INVALID_PARAMETER);
  EXPECT_EQ(PresentWith([](auto& p) {
              p.Flags.Blt = 0;
              p.Flags.ColorFill = p.Flags.LinearToSrgb = 1;
            }),
            STATUS_INVALID_PARAMETER);
  EXPECT_EQ(miniport_.count("DxgkDdiPresent"), 0u);
}

TEST_F(Copies, Stretch_RectsAndSubRects_ArriveInTheDestination) {
  Answer(STATUS_SUCCESS, 0);
  const RECT right_half{32, 0, 64, 32};
  EXPECT_EQ(PresentWith([&](auto& p) {
              p.Flags.DstRectValid = 1;
              p.DstRect = {-32, 0, 96, 64};  // twice as large as the surface, half of it outside
              p.SubRectCnt = 1;
              p.pSrcSubRects = &right_half;
            }),
            STATUS_SUCCESS);
  EXPECT_EQ(seen_.DstRect.left, -32);
  EXPECT_EQ(seen_.SrcRect.right, 64);
  ASSERT_EQ(seen_.SubRectCnt, 1u);
}

TEST_F(Copies, NothingVisible_NeedsNoDriver) {
  EXPECT_EQ(PresentWith([](auto& p) {
              p.Flags.DstRectValid = 1;
              p.DstRect = {64, 0, 128, 32};
            }),
            STATUS_SUCCESS);
  EXPECT_EQ(miniport_.count("DxgkDdiPresent"), 0u);
}

}  // namespace
}  // namespace tandem::kernel
