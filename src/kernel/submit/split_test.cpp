// DMA buffers whose allocations do not fit the memory together are submitted in pieces, where the driver allows a split.
#include <gtest/gtest.h>

#include <cstring>

#include "kernel/testing/small_memory.h"

namespace tandem::kernel {
namespace {

constexpr UINT kCommandBytes = 8;

struct Submission {
  UINT begin = 0, end = 0;              // bytes of the DMA buffer
  UINT patch_begin = 0, patch_end = 0;  // elements of the patch-location list
  std::vector<UINT> resident;           // allocations of the list that have an address
  std::string commands;                 // the first byte of each
};

// A command for each allocation of the list, `a` for the first one: its patch location names it.
class SplitTest : public SmallMemory {
 protected:
  void SetUp() override {
    miniport_.on_render = [this](DXGKARG_RENDER* args) {
      auto* out = static_cast<std::byte*>(args->pDmaBuffer);
      for (UINT i = 0; i < args->AllocationListSize; ++i) {
        std::memset(out + i * kCommandBytes, static_cast<int>('a' + i), kCommandBytes);
        D3DDDI_PATCHLOCATIONLIST& patch = *args->pPatchLocationListOut++;
        patch = {};
        patch.AllocationIndex = i;
        patch.PatchOffset = patch.SplitOffset = i * kCommandBytes;
        if (change_patch_) change_patch_(patch);
      }
      args->pDmaBuffer = out + args->AllocationListSize * kCommandBytes;
      return STATUS_SUCCESS;
    };
    miniport_.on_patch = [this](const DXGKARG_PATCH* args) {
      Submission one{args->DmaBufferSubmissionStartOffset,
                     args->DmaBufferSubmissionEndOffset,
                     args->PatchLocationListSubmissionStart,
                     args->PatchLocationListSubmissionStart + args->PatchLocationListSubmissionLength,
                     {},
                     {}};
      for (UINT i = 0; i < args->AllocationListSize; ++i) {
        if (args->pAllocationList[i].SegmentId != 0) one.resident.push_back(i);
      }
      const auto* const bytes = static_cast<const char*>(args->pDmaBuffer);
      for (UINT at = one.begin; at < one.end; at += kCommandBytes) one.commands += bytes[at];
      const std::lock_guard<std::mutex> lock(mutex_);
      patched_ranges_.push_back(one);
      return STATUS_SUCCESS;
    };
    Open();
    D3DKMT_CREATECONTEXT create{};
    create.hDevice = device_;
    ASSERT_EQ(D3DKMTCreateContext(&create), STATUS_SUCCESS);
    context_ = create.hContext;
    lists_ = create;
  }

  NTSTATUS Render(const std::vector<D3DKMT_HANDLE>& allocations) {
    for (std::size_t i = 0; i < allocations.size(); ++i) lists_.pAllocationList[i].hAllocation = allocations[i];
    D3DKMT_RENDER render{};
    render.hContext = context_;
    render.CommandLength = 4;
    render.AllocationCount = static_cast<UINT>(allocations.size());
    return D3DKMTRender(&render);
  }
  std::vector<Submission> Finish() {
    EXPECT_EQ(Signal(1), STATUS_SUCCESS);
    EXPECT_EQ(Wait(1), STATUS_SUCCESS);
    const std::lock_guard<std::mutex> lock(mutex_);
    return patched_ranges_;
  }

  D3DKMT_CREATECONTEXT lists_{};
  std::function<void(D3DDDI_PATCHLOCATIONLIST&)> change_patch_;
  std::vector<Submission> patched_ranges_;
};

TEST_F(SplitTest, MoreThanTheMemory_IsSubmittedInPieces_ThatFit) {
  const auto allocations = CreateMany(2 * kRoom + 1);
  ASSERT_EQ(Render(allocations), STATUS_SUCCESS);
  const auto pieces = Finish();
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].commands + '|' + pieces[1].commands + '|' + pieces[2].commands, "abcd|efgh|i");
  EXPECT_EQ(pieces[1].begin, kRoom * kCommandBytes);
  EXPECT_EQ(pieces[1].end, 2 * kRoom * kCommandBytes);
  EXPECT_EQ(pieces[1].patch_begin, kRoom);
  EXPECT_EQ(pieces[1].patch_end, 2 * kRoom);
  EXPECT_EQ(pieces[0].resident, (std::vector<UINT>{0, 1, 2, 3}));
  EXPECT_EQ(pieces[1].resident, (std::vector<UINT>{4, 5, 6, 7}));
  EXPECT_EQ(pieces[2].resident, (std::vector<UINT>{8}));
  EXPECT_EQ(*kernel_->Violation(luid_), "");
}

TEST_F(SplitTest, WhatFits_IsSubmittedWhole) {
  const auto allocations = CreateMany(2 * kRoom);
  ASSERT_EQ(Render({allocations.begin() + kRoom, allocations.end()}), STATUS_SUCCESS);
  const auto pieces = Finish();
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].commands, "abcd");
}

TEST_F(SplitTest, CommandsThatUseAnAllocationTwice_NeedItInBothPieces) {
  auto allocations = CreateMany(kRoom + 1);
  allocations.push_back(allocations[0]);
  ASSERT_EQ(Render(allocations), STATUS_SUCCESS);
  const auto pieces = Finish();
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[1].resident, (std::vector<UINT>{4, 5}));
}

// An allocation stays bound to a slot until another patch location takes the slot.
TEST_F(SplitTest, AllocationsThatStayBound_CannotBeSplitApart) {
  change_patch_ = [](D3DDDI_PATCHLOCATIONLIST& patch) { patch.SlotId = patch.AllocationIndex & 0xFFFFFF; };
  const auto allocations = CreateMany(kRoom + 1);
  EXPECT_EQ(Render(allocations), STATUS_GRAPHICS_NO_VIDEO_MEMORY);
  change_patch_ = [](D3DDDI_PATCHLOCATIONLIST& patch) { patch.SlotId = patch.AllocationIndex % kRoom & 0xFFFFFF; };
  ASSERT_EQ(Render(allocations), STATUS_SUCCESS);
  const auto pieces = Finish();
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[1].resident, (std::vector<UINT>{1, 2, 3, 4}));
}

TEST_F(SplitTest, WhereTheDriverAllowsNoSplit_IsRefused_AndTheContextLivesOn) {
  const auto allocations = CreateMany(kRoom + 1);
  change_patch_ = [](D3DDDI_PATCHLOCATIONLIST& patch) { patch.SplitOffset = 0; };
  EXPECT_EQ(Render(allocations), STATUS_GRAPHICS_NO_VIDEO_MEMORY);
  // In front of the last command, but what is patched of the fourth lies behind that.
  change_patch_ = [](D3DDDI_PATCHLOCATIONLIST& patch) {
    if (patch.AllocationIndex == 3) patch.PatchOffset = kRoom * kCommandBytes;
  };
  EXPECT_EQ(Render(allocations), STATUS_GRAPHICS_NO_VIDEO_MEMORY);
  change_patch_ = nullptr;
  EXPECT_EQ(Render({allocations[0]}), STATUS_SUCCESS);
  const auto pieces = Finish();
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].commands, "a");
}

}  // namespace
}  // namespace tandem::kernel
