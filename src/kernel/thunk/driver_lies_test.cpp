// A driver that breaks a rule is named and stopped, and user mode sees a removed device; nothing crashes, hangs or leaks.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include <unistd.h>

#include "base/log.h"
#include "kernel/adapter/rules.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

struct Lie {
  std::string rule;
  std::function<void(FakeMiniport&)> tell;
  std::function<void(DXGK_ALLOCATIONINFO&)> info = nullptr;
};

std::ostream& operator<<(std::ostream& out, const Lie& lie) { return out << lie.rule; }

std::function<void(FakeMiniport&)> Describing(UINT width, UINT height, D3DDDIFORMAT format) {
  return [=](FakeMiniport& miniport) {
    miniport.on_describe_allocation = [=](DXGKARG_DESCRIBEALLOCATION* args) {
      args->Width = width;
      args->Height = height;
      args->Format = format;
      return STATUS_SUCCESS;
    };
  };
}

std::vector<Lie> AllocationLies() {
  const auto nothing = [](FakeMiniport&) {};
  return {
      {"CreateAllocation.hAllocation", nothing, [](auto& info) { info.hAllocation = nullptr; }},
      {"CreateAllocation.Size", nothing, [](auto& info) { info.Size = 0; }},
      {"CreateAllocation.Size", nothing, [](auto& info) { info.Size = ~SIZE_T{0}; }},
      {"CreateAllocation.Alignment", nothing, [](auto& info) { info.Alignment = 4095; }},
      {"CreateAllocation.PitchAlignedSize", nothing, [](auto& info) { info.PitchAlignedSize = 1; }},
      {"CreateAllocation.AllocationPriority", nothing, [](auto& info) { info.AllocationPriority = 0; }},
      {"CreateAllocation.SupportedWriteSegmentSet", nothing, [](auto& info) { info.SupportedWriteSegmentSet = 4; }},
      {"CreateAllocation.SupportedWriteSegmentSet", nothing, [](auto& info) { info.SupportedWriteSegmentSet = 0; }},
      {"CreateAllocation.PreferredSegment", nothing, [](auto& info) { info.PreferredSegment.SegmentId1 = 1; }},
      {rules::kCreateAllocationStatus,
       [](FakeMiniport& miniport) {
         miniport.on_create_allocation = [](DXGKARG_CREATEALLOCATION*) { return STATUS_UNSUCCESSFUL; };
       }},
      {"CreateAllocation.EvictionSegmentSet", nothing, [](auto& info) { info.EvictionSegmentSet = 1; }},
      {"DescribeAllocation.Extent", Describing(64, 0, D3DDDIFMT_A8R8G8B8)},
      {"DescribeAllocation.Extent", Describing(16385, 32, D3DDDIFMT_A8R8G8B8)},
      {"DescribeAllocation.Extent", Describing(64 * 1024 + 1, 1, D3DDDIFMT_A8R8G8B8)},
      {"ShareBackingStoreWithKmd.Feature", nothing, [](auto& info) { info.Flags2.ShareBackingStoreWithKmd = 1; }},
      {"CrossAdapterAllocation.Pitch",
       [](FakeMiniport& miniport) {
         miniport.on_standard_allocation = [](DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* args) {
           args->pCreateGdiSurfaceData->Pitch = 1000;
           return STATUS_SUCCESS;
         };
       }},
      {"CrossAdapterAllocation.Height", nothing, [](auto& info) { info.Size = 256 * 32 - 1; }},
      {"OpenAllocation.hDeviceSpecificAllocation",
       [](FakeMiniport& miniport) {
         miniport.on_open_allocation = [](const DXGKARG_OPENALLOCATION* args) {
           args->pOpenAllocation[0].hDeviceSpecificAllocation = nullptr;
           return STATUS_SUCCESS;
         };
       }},
      {"BuildPagingBuffer.pDmaBuffer",
       [](FakeMiniport& miniport) {
         miniport.on_build_paging_buffer = [](DXGKARG_BUILDPAGINGBUFFER* args) {
           args->pDmaBuffer = static_cast<std::byte*>(args->pDmaBuffer) + args->DmaSize + 1;
           return STATUS_SUCCESS;
         };
       }},
      {"BuildPagingBuffer.pDmaBufferPrivateData",
       [](FakeMiniport& miniport) {
         miniport.on_build_paging_buffer = [](DXGKARG_BUILDPAGINGBUFFER* args) {
           args->pDmaBuffer = static_cast<std::byte*>(args->pDmaBuffer) + 16;
           args->pDmaBufferPrivateData = static_cast<std::byte*>(args->pDmaBufferPrivateData) - 1;
           return STATUS_SUCCESS;
         };
       }},
      {"BuildPagingBuffer.Status",
       [](FakeMiniport& miniport) {
         miniport.on_build_paging_buffer = [](DXGKARG_BUILDPAGINGBUFFER*) { return STATUS_UNSUCCESSFUL; };
       }},
      {"BuildPagingBuffer.AllocationIsIdle",
       [](FakeMiniport& miniport) {
         miniport.on_build_paging_buffer = [](DXGKARG_BUILDPAGINGBUFFER*) { return STATUS_GRAPHICS_ALLOCATION_BUSY; };
       }},
      {"BuildPagingBuffer.MultipassOffset",
       [](FakeMiniport& miniport) {
         miniport.on_build_paging_buffer = [](DXGKARG_BUILDPAGINGBUFFER* args) {
           args->pDmaBuffer = static_cast<std::byte*>(args->pDmaBuffer) + 16;
           return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
         };
       }},
      {"BuildPagingBuffer.MakesProgress",
       [](FakeMiniport& miniport) {
         miniport.on_build_paging_buffer = [](DXGKARG_BUILDPAGINGBUFFER*) { return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER; };
       }},
  };
}

// Faults that user mode can cause, by private data that contradict its flags.
std::vector<Lie> Contradictions() {
  const auto nothing = [](FakeMiniport&) {};
  return {
      {"CreateAllocation.PrimaryFlags", nothing, [](auto& info) { info.Flags.PermanentSysMem = 1; }},
      {"CreateAllocation.PrimaryFlags", nothing, [](auto& info) { info.Flags.Cached = 1; }},
      {"CreateAllocation.PrimaryFlags", nothing, [](auto& info) { info.Flags.Protected = 1; }},
      {"CreateAllocation.PrimaryFlags", nothing, [](auto& info) { info.Flags.ExistingSysMem = 1; }},
      {"CreateAllocation.PrimaryFlags", nothing, [](auto& info) { info.Flags.ExistingKernelSysMem = 1; }},
      {"DescribeAllocation.Primary", Describing(0, 0, D3DDDIFMT_A8R8G8B8)},
      {"DescribeAllocation.Primary", Describing(64, 32, D3DDDIFMT_UNKNOWN)},
      {"CrossAdapterAllocation.CpuVisible", nothing, [](auto& info) { info.Flags.CpuVisible = 0; }},
      {"CrossAdapterAllocation.ApertureSegment", nothing,
       [](auto& info) { info.SupportedWriteSegmentSet = info.PreferredSegment.Value = 1; }},
  };
}

std::function<void(FakeMiniport&)> OnPresent(std::function<NTSTATUS(DXGKARG_PRESENT&)> present) {
  return [present](FakeMiniport& miniport) {
    miniport.on_present = [present](DXGKARG_PRESENT* args) {
      static_cast<void>(WritePresent(*args));
      return present(*args);
    };
  };
}

std::vector<Lie> PresentLies() {
  return {
      {"Present.pDmaBuffer", OnPresent([](auto& args) {
         args.pDmaBuffer = static_cast<std::byte*>(args.pDmaBuffer) + args.DmaSize;
         return STATUS_SUCCESS;
       })},
      {"Present.pDmaBuffer", OnPresent([](auto& args) {
         args.pDmaBuffer = static_cast<std::byte*>(args.pDmaBuffer) - 16;
         return STATUS_SUCCESS;
       })},
      {"Present.pDmaBufferPrivateData", OnPresent([](auto& args) {
         args.pDmaBufferPrivateData = static_cast<std::byte*>(args.pDmaBufferPrivateData) + args.DmaBufferPrivateDataSize + 1;
         return STATUS_SUCCESS;
       })},
      {"Present.pDmaBufferPrivateData", OnPresent([](auto& args) {
         args.pDmaBufferPrivateData = nullptr;
         return STATUS_SUCCESS;
       })},
      {"Present.pAllocationList", OnPresent([](auto& args) {
         args.pAllocationList[0] = args.pAllocationList[1];
         return STATUS_SUCCESS;
       })},
      {"Present.pAllocationList", OnPresent([](auto& args) {
         args.pAllocationList[1] = {};
         return STATUS_SUCCESS;
       })},
      {"Present.pAllocationList", OnPresent([](auto& args) {
         args.pAllocationList[2].WriteOperation = 0;
         return STATUS_SUCCESS;
       })},
      {"Patch.pAllocationList",
       [](FakeMiniport& miniport) {
         miniport.on_patch = [](const DXGKARG_PATCH* args) {
           const_cast<DXGK_ALLOCATIONLIST*>(args->pAllocationList)[2].PhysicalAddress.QuadPart += 4096;
           return STATUS_SUCCESS;
         };
       }},
      {"Present.pPatchLocationListOut", OnPresent([](auto& args) {
         args.pPatchLocationListOut += args.PatchLocationListOutSize;
         return STATUS_SUCCESS;
       })},
      {"Present.AllocationIndex", OnPresent([](auto& args) {
         args.pPatchLocationListOut[-1].AllocationIndex = 3;
         return STATUS_SUCCESS;
       })},
      {"Present.PatchOffset", OnPresent([](auto& args) {
         args.pPatchLocationListOut[-1].PatchOffset = 8;
         return STATUS_SUCCESS;
       })},
      {"Present.MultipassOffset", OnPresent([](auto&) { return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER; })},
      {"Present.DmaBufferSize",
       [](FakeMiniport& miniport) {
         miniport.on_present = [](DXGKARG_PRESENT*) { return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER; };
       }},
      {"Present.Progress", [](FakeMiniport& miniport) { miniport.on_present = [](DXGKARG_PRESENT*) { return STATUS_SUCCESS; }; }},
      {"Present.EveryReferenceIsListed", OnPresent([](auto& args) {
         --args.pPatchLocationListOut;
         return STATUS_SUCCESS;
       })},
      {"Present.Status", OnPresent([](auto&) { return STATUS_NOT_SUPPORTED; })},
      {"Present.Status", OnPresent([](auto&) { return STATUS_PENDING; })},
      {rules::kDdiMayNotFail, [](FakeMiniport& miniport) { miniport.on_patch = [](auto*) { return STATUS_UNSUCCESSFUL; }; }},
      {rules::kDdiMayNotFail, [](FakeMiniport& miniport) { miniport.on_submit = [](auto*) { return STATUS_UNSUCCESSFUL; }; }},
  };
}

class DriverLies : public KernelFixture, public ::testing::WithParamInterface<Lie> {
 protected:
  void SetUp() override {
    log_ = ::testing::TempDir() + "tandem_driver_lies_" + std::to_string(getpid()) + ".log";
    std::remove(log_.c_str());
    ASSERT_TRUE(ConfigureLog({LogLevel::kWarn, log_}).ok());
    Open();
  }
  void TearDown() override {
    EXPECT_EQ(DestroyDevice(), STATUS_SUCCESS);
    kernel_.reset();
    static_cast<void>(ConfigureLog({}));
    std::remove(log_.c_str());
  }
  void ExpectNamed() {
    std::FILE* const file = std::fopen(log_.c_str(), "r");
    ASSERT_NE(file, nullptr) << "Nothing was logged.";
    std::string text(1 << 16, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    EXPECT_NE(text.find(GetParam().rule), std::string::npos) << text;
  }
  void Lie() {
    GetParam().tell(miniport_);
    change_info_ = GetParam().info;
  }
  std::string log_;
};

class AllocationLiesTest : public DriverLies {};

TEST_P(AllocationLiesTest, Create_IsNamed_AndStopsTheAdapter) {
  Lie();
  D3DDDI_ALLOCATIONINFO2 info{};
  info.Flags.Primary = 1;
  D3DKMT_CREATEALLOCATION create = Allocation(info);
  create.Flags.CreateResource = create.Flags.CreateShared = create.Flags.CrossAdapter = 1;
  EXPECT_EQ(D3DKMTCreateAllocation2(&create), STATUS_DEVICE_REMOVED);
  ExpectNamed();
  D3DKMT_HANDLE other = 0;
  EXPECT_EQ(CreateAllocation(other), STATUS_DEVICE_REMOVED);
}
INSTANTIATE_TEST_SUITE_P(All, AllocationLiesTest, ::testing::ValuesIn(AllocationLies()));

class ContradictionsTest : public DriverLies {};

TEST_P(ContradictionsTest, Create_IsRefused_AndTheAdapterGoesOn) {
  Lie();
  D3DDDI_ALLOCATIONINFO2 info{};
  info.Flags.Primary = 1;
  D3DKMT_CREATEALLOCATION create = Allocation(info);
  create.Flags.CreateResource = create.Flags.CreateShared = create.Flags.CrossAdapter = 1;
  EXPECT_EQ(D3DKMTCreateAllocation2(&create), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(*kernel_->Violation(luid_), "");
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyAllocation"), 1U);
  change_info_ = nullptr;
  D3DKMT_HANDLE other = 0;
  EXPECT_EQ(CreateAllocation(other), STATUS_SUCCESS);
}
INSTANTIATE_TEST_SUITE_P(All, ContradictionsTest, ::testing::ValuesIn(Contradictions()));

TEST_F(KernelFixture, TwoAllocations_OfOneHandle_StopTheAdapter) {
  Open();
  change_info_ = [](DXGK_ALLOCATIONINFO& info) { info.hAllocation = reinterpret_cast<HANDLE>(std::uintptr_t{0x77}); };
  D3DDDI_ALLOCATIONINFO2 infos[2]{};
  D3DKMT_CREATEALLOCATION create = Allocation(infos[0]);
  create.NumAllocations = 2;
  EXPECT_EQ(D3DKMTCreateAllocation2(&create), STATUS_DEVICE_REMOVED);
  EXPECT_NE(kernel_->Violation(luid_)->find("CreateAllocation.hAllocation"), std::string::npos);
}

// With an aperture segment in the set, or in memory that the CPU sees, the same flag is right.
TEST_F(KernelFixture, CpuVisibleAllocation_InMemoryThatTheCpuDoesNotSee_StopsTheAdapter) {
  miniport_.segments[0].Flags.CpuVisible = 0;
  Open();
  UINT set = 3;
  change_info_ = [&set](DXGK_ALLOCATIONINFO& info) {
    info.Flags.CpuVisible = 1;
    info.SupportedWriteSegmentSet = set;
    info.PreferredSegment.Value = 0;
  };
  D3DKMT_HANDLE allocation = 0;
  EXPECT_EQ(CreateAllocation(allocation), STATUS_SUCCESS);
  set = 1;
  EXPECT_EQ(CreateAllocation(allocation), STATUS_DEVICE_REMOVED);
  EXPECT_NE(kernel_->Violation(luid_)->find(rules::kCpuVisibleSegment), std::string::npos);
}

class PresentLiesTest : public DriverLies {};

TEST_P(PresentLiesTest, Present_IsNamed_AndStopsTheAdapter) {
  D3DKMT_HANDLE source = 0, destination = 0;
  ASSERT_EQ(CreateAllocation(source), STATUS_SUCCESS);
  ASSERT_EQ(CreateAllocation(destination), STATUS_SUCCESS);
  Lie();
  D3DKMT_PRESENT present = Copy(source, destination);
  EXPECT_EQ(D3DKMTPresent(&present), STATUS_DEVICE_REMOVED);
  EXPECT_EQ(Wait(1), STATUS_DEVICE_REMOVED);
  ExpectNamed();
}
INSTANTIATE_TEST_SUITE_P(All, PresentLiesTest, ::testing::ValuesIn(PresentLies()));

class InterruptLiesTest : public DriverLies {};

TEST_P(InterruptLiesTest, Interrupt_IsNamed_AndWakesWaiters) {
  Lie();
  EXPECT_EQ(Wait(1), STATUS_DEVICE_REMOVED);
  ExpectNamed();
}
INSTANTIATE_TEST_SUITE_P(
    All, InterruptLiesTest,
    ::testing::Values(Lie{"DmaCompleted.FenceWasSubmitted", [](FakeMiniport& miniport) { miniport.CompleteDma(0, 99); }},
                      Lie{"DmaCompleted.NodeOrdinal", [](FakeMiniport& miniport) { miniport.CompleteDma(9, 1); }}));

}  // namespace
}  // namespace tandem::kernel
