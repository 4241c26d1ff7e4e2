// D3DKMTRender: what the program gets for a wrong submission before the driver sees it, and what the driver may answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/testing/gpu_fixture.h"

namespace tandem::kernel {
namespace {

using ::testing::HasSubstr;

class RenderCheck : public GpuFixture {
 protected:
  void SetUp() override {
    Open();
    ASSERT_EQ(CreateAllocation(allocation_), STATUS_SUCCESS);
    render_.CommandLength = 4;
    D3DKMT_CREATECONTEXT create{};
    create.hDevice = device_;
    ASSERT_EQ(D3DKMTCreateContext(&create), STATUS_SUCCESS);
    render_.hContext = create.hContext;
    lists_ = create;
    lists_.pAllocationList[0].hAllocation = allocation_;
    lists_.pPatchLocationList[0] = {};
    render_.AllocationCount = 1;
    render_.PatchLocationCount = 1;
  }
  // A good submission with one field broken.
  template <class F>
  NTSTATUS With(F change) {
    const auto allocation = lists_.pAllocationList[0];
    const auto patch = lists_.pPatchLocationList[0];
    D3DKMT_RENDER render = render_;
    change(render);
    const NTSTATUS status = D3DKMTRender(&render);
    lists_.pAllocationList[0] = allocation;
    lists_.pPatchLocationList[0] = patch;
    return status;
  }

  D3DKMT_HANDLE allocation_ = 0;
  D3DKMT_RENDER render_{};
  D3DKMT_CREATECONTEXT lists_{};
};

TEST_F(RenderCheck, EachBrokenField_HasItsStatus_AndNeverReachesTheDriver) {
  EXPECT_EQ(With([](D3DKMT_RENDER&) {}), STATUS_SUCCESS);
  const std::size_t rendered = miniport_.count("DxgkDdiRender");
  EXPECT_EQ(With([](D3DKMT_RENDER& r) { r.hContext = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(With([this](D3DKMT_RENDER& r) { r.hContext = device_; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(With([this](D3DKMT_RENDER& r) { r.CommandLength = lists_.CommandBufferSize + 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(With([this](D3DKMT_RENDER& r) { r.CommandOffset = lists_.CommandBufferSize - 3; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(With([](D3DKMT_RENDER& r) { r.CommandOffset = ~0u; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(With([this](D3DKMT_RENDER& r) { r.AllocationCount = lists_.AllocationListSize + 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(With([this](D3DKMT_RENDER& r) { r.PatchLocationCount = lists_.PatchLocationListSize + 1; }),
            STATUS_INVALID_PARAMETER);
  EXPECT_EQ(With([this](D3DKMT_RENDER&) { lists_.pAllocationList[0].hAllocation = device_; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(With([this](D3DKMT_RENDER&) { lists_.pPatchLocationList[0].AllocationIndex = 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(With([this](D3DKMT_RENDER&) { lists_.pPatchLocationList[0].SlotId = 17; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(With([](D3DKMT_RENDER& r) { r.PrivateDriverDataSize = 8; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(With([this](D3DKMT_RENDER& r) {
              r.pPrivateDriverData = &render_;
              r.PrivateDriverDataSize = ~0u;
            }),
            STATUS_INVALID_PARAMETER);
  EXPECT_EQ(With([](D3DKMT_RENDER& r) { r.Flags.Reserved = 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(With([](D3DKMT_RENDER& r) { r.Flags.RenderKm = 1; }), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(With([](D3DKMT_RENDER& r) { r.BroadcastContextCount = 1; }), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(With([](D3DKMT_RENDER& r) { r.BroadcastContextCount = D3DDDI_MAX_BROADCAST_CONTEXT + 1; }), STATUS_INVALID_PARAMETER);
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);  // another one
  D3DKMT_HANDLE foreign = 0;
  ASSERT_EQ(CreateAllocation(foreign), STATUS_SUCCESS);
  EXPECT_EQ(With([&](D3DKMT_RENDER&) { lists_.pAllocationList[0].hAllocation = foreign; }),
            STATUS_GRAPHICS_WRONG_ALLOCATION_DEVICE);
  EXPECT_EQ(miniport_.count("DxgkDdiRender"), rendered);
  EXPECT_EQ(With([](D3DKMT_RENDER&) {}), STATUS_SUCCESS);
}

TEST_F(RenderCheck, DriversAnswer_IsTheProgramsAnswer) {
  for (const NTSTATUS answer :
       {STATUS_INVALID_PARAMETER, STATUS_ILLEGAL_INSTRUCTION, STATUS_PRIVILEGED_INSTRUCTION, STATUS_INVALID_USER_BUFFER,
        STATUS_INVALID_HANDLE, STATUS_NO_MEMORY, STATUS_INSUFFICIENT_RESOURCES, STATUS_GRAPHICS_DRIVER_MISMATCH}) {
    miniport_.on_render = [answer](DXGKARG_RENDER*) { return answer; };
    EXPECT_EQ(With([](D3DKMT_RENDER&) {}), answer);
  }
  EXPECT_EQ(*kernel_->Violation(luid_), "");
}

class UndeclaredSlots : public RenderCheck {
 protected:
  UndeclaredSlots() { miniport_.caps.MaxAllocationListSlotId = 0; }
};

TEST_F(UndeclaredSlots, AnySlot_OfTheProgramAndTheDriver_IsTaken) {
  UINT seen = 0;
  miniport_.on_render = [&seen](DXGKARG_RENDER* args) {
    seen = args->pPatchLocationListIn[0].SlotId;
    args->pDmaBuffer = static_cast<std::byte*>(args->pDmaBuffer) + 8;
    *args->pPatchLocationListOut = {};
    args->pPatchLocationListOut++->SlotId = 0xFFFFFF;
    return STATUS_SUCCESS;
  };
  EXPECT_EQ(With([this](D3DKMT_RENDER&) { lists_.pPatchLocationList[0].SlotId = 17; }), STATUS_SUCCESS);
  EXPECT_EQ(seen, 17U);
  EXPECT_EQ(*kernel_->Violation(luid_), "");
}

struct Breach {
  const char* rule;
  NTSTATUS (*render)(DXGKARG_RENDER*);
};

class RenderLies : public RenderCheck, public ::testing::WithParamInterface<Breach> {};

TEST_P(RenderLies, Driver_BreaksARule_IsStoppedByItsName) {
  miniport_.on_render = GetParam().render;
  EXPECT_EQ(With([](D3DKMT_RENDER&) {}), STATUS_DEVICE_REMOVED);
  EXPECT_THAT(*kernel_->Violation(luid_), HasSubstr(std::string(": ") + GetParam().rule + ": "));
}

template <class F>
NTSTATUS Patched(DXGKARG_RENDER* args, F change) {
  args->pDmaBuffer = static_cast<std::byte*>(args->pDmaBuffer) + 8;
  *args->pPatchLocationListOut = {};
  change(*args->pPatchLocationListOut++);
  return STATUS_SUCCESS;
}

INSTANTIATE_TEST_SUITE_P(
    Rules, RenderLies,
    ::testing::Values(Breach{"Render.Status", [](DXGKARG_RENDER*) { return STATUS_NOT_SUPPORTED; }},
                      Breach{"Render.pDmaBuffer",
                             [](DXGKARG_RENDER* args) {
                               args->pDmaBuffer = static_cast<std::byte*>(args->pDmaBuffer) + args->DmaSize + 1;
                               return STATUS_SUCCESS;
                             }},
                      Breach{"Render.pDmaBuffer",
                             [](DXGKARG_RENDER* args) {
                               args->pDmaBuffer = static_cast<std::byte*>(args->pDmaBuffer) - 1;
                               return STATUS_SUCCESS;
                             }},
                      Breach{"Render.pDmaBufferPrivateData",
                             [](DXGKARG_RENDER* args) {
                               args->pDmaBufferPrivateData = static_cast<std::byte*>(args->pDmaBufferPrivateData) - 1;
                               return STATUS_SUCCESS;
                             }},
                      Breach{"Render.pAllocationList",
                             [](DXGKARG_RENDER* args) {
                               args->pAllocationList[0].hDeviceSpecificAllocation = nullptr;
                               return STATUS_SUCCESS;
                             }},
                      Breach{"Render.pPatchLocationListOut",
                             [](DXGKARG_RENDER* args) {
                               args->pPatchLocationListOut += args->PatchLocationListOutSize + 1;
                               return STATUS_SUCCESS;
                             }},
                      Breach{"Render.AllocationIndex",
                             [](DXGKARG_RENDER* args) { return Patched(args, [](auto& patch) { patch.AllocationIndex = 1; }); }},
                      Breach{"Render.PatchOffset",
                             [](DXGKARG_RENDER* args) { return Patched(args, [](auto& patch) { patch.PatchOffset = 8; }); }},
                      Breach{"Render.SlotId",
                             [](DXGKARG_RENDER* args) { return Patched(args, [](auto& patch) { patch.SlotId = 17; }); }},
                      Breach{"Render.SplitOffset",
                             [](DXGKARG_RENDER* args) { return Patched(args, [](auto& patch) { patch.SplitOffset = 1; }); }},
                      Breach{"Render.SplitOffset",
                             [](DXGKARG_RENDER* args) {
                               static_cast<void>(Patched(args, [](auto& patch) { patch.SplitOffset = patch.PatchOffset = 6; }));
                               return Patched(args, [](auto& patch) {
                                 patch.SplitOffset = 5;
                                 patch.PatchOffset = 9;
                               });
                             }},
                      Breach{"Render.MultipassOffset", [](DXGKARG_RENDER*) { return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER; }}));

}  // namespace
}  // namespace tandem::kernel
