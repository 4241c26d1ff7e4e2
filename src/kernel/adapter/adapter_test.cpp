#include "kernel/adapter/adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/fake_clock.h"
#include "kernel/adapter/driver.h"
#include "kernel/adapter/rules.h"
#include "kernel/testing/fake_miniport.h"
#include "kernel/testing/test_features.h"

namespace tandem::kernel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AdapterTest : public ::testing::Test {
 protected:
  // Loads and starts what miniport_ says now.
  Result<std::unique_ptr<Adapter>> Start() {
    auto driver = LoadDriver(FakeMiniport::Entry(), "fake", features_);
    if (!driver.ok()) return std::move(driver).error();
    driver_ = std::move(driver).value();
    return StartAdapter(*driver_, nullptr, "fake0", LUID{7, 0}, AdapterVisibility::kListed, clock_);
  }
  // The message of a start that must fail.
  std::string Failure() {
    auto adapter = Start();
    return adapter.ok() ? "started" : adapter.error().message;
  }

  FakeClock clock_{1000};
  FakeMiniport miniport_;
  KernelFeatures features_{BuiltInRegistry()};
  std::unique_ptr<Driver> driver_;
};

TEST_F(AdapterTest, Start_GoodDriver_CallsInOrderAndStopsInOrder) {
  {
    auto adapter = Start();
    ASSERT_TRUE(adapter.ok()) << adapter.error().message;
    EXPECT_TRUE((*adapter)->alive());
  }
  driver_.reset();
  EXPECT_THAT(miniport_.names(), ElementsAre("DxgkDdiAddDevice", "DxgkDdiStartDevice", "DxgkDdiQueryAdapterInfo",
                                             "DxgkDdiQueryAdapterInfo", "DxgkDdiQueryAdapterInfo", "DxgkDdiQueryChildRelations",
                                             "DxgkDdiStopDevice", "DxgkDdiRemoveDevice", "DxgkDdiUnload"));
  for (const FakeMiniport::Call& call : miniport_.calls()) EXPECT_EQ(call.irql, PASSIVE_LEVEL) << call.ddi;
}

TEST_F(AdapterTest, Start_GoodDriver_TellsWhatTheDriverSaid) {
  auto adapter = Start();
  ASSERT_TRUE(adapter.ok()) << adapter.error().message;
  EXPECT_EQ((*adapter)->luid().LowPart, 7U);
  EXPECT_EQ((*adapter)->node_count(), 2U);
  EXPECT_EQ((*adapter)->paging_node(), 1U);
  EXPECT_EQ((*adapter)->vidpn_source_count(), 1U);
  EXPECT_EQ((*adapter)->paging_buffer_size(), miniport_.paging_size);
  ASSERT_EQ((*adapter)->segments().size(), 2U);
  EXPECT_EQ((*adapter)->segments()[1].id, 2U);
  EXPECT_EQ((*adapter)->segments()[1].base_address, FakeMiniport::kApertureBase);
  EXPECT_TRUE((*adapter)->segments()[1].aperture);
  EXPECT_FALSE((*adapter)->segments()[0].aperture);
  EXPECT_EQ(miniport_.device().Bus.QueryClock(miniport_.device().Bus.Context), 1000U);
}

// The DDIs of a start that return a status: AddDevice 0, StartDevice 1, QueryAdapterInfo 2 to 4, QueryChildRelations 5.
TEST_F(AdapterTest, Start_NthDdiFails_UndoesWhatWasDone) {
  for (int failing = 0; failing < 6; ++failing) {
    miniport_.fail_call = failing;
    miniport_.ForgetCalls();
    const std::string failure = Failure();
    EXPECT_THAT(failure, HasSubstr("0xC0000001")) << failing;
    EXPECT_EQ(miniport_.count("DxgkDdiStopDevice"), failing >= 2 ? 1U : 0U) << failing;
    EXPECT_EQ(miniport_.count("DxgkDdiRemoveDevice"), failing >= 1 ? 1U : 0U) << failing;
  }
}

TEST_F(AdapterTest, Load_UnknownVersion_IsRefusedWithTheVersion) {
  miniport_.table.Version = 0x12345;
  EXPECT_THAT(Failure(), HasSubstr("InterfaceVersion: Version 0x12345"));
}

TEST_F(AdapterTest, Load_MandatoryDdiMissing_NamesIt) {
  miniport_.table.DxgkDdiPatch = nullptr;
  EXPECT_THAT(Failure(), HasSubstr("MandatoryDdi: DxgkDdiPatch"));
}

// DxgkDdiPresent and DxgkDdiQueryCurrentFence are mandatory, but not for a driver that only computes.
TEST_F(AdapterTest, Start_DdiOfGraphicsMissing_NamesItUnlessTheDriverComputesOnly) {
  miniport_.caps.MemoryManagementCaps.CrossAdapterResourceScanout = 0;
  miniport_.sources = 0;
  miniport_.children = 0;
  miniport_.table.DxgkDdiQueryCurrentFence = nullptr;
  EXPECT_THAT(Failure(), HasSubstr("MandatoryDdi: DxgkDdiQueryCurrentFence"));
  miniport_.table.DxgkDdiPresent = nullptr;
  EXPECT_THAT(Failure(), HasSubstr("MandatoryDdi: DxgkDdiPresent"));
  miniport_.caps.MiscCaps.ComputeOnly = 1;
  const auto adapter = Start();
  EXPECT_TRUE(adapter.ok()) << adapter.error().message;
}

TEST_F(AdapterTest, Load_OneOfTheContextDdisMissing_IsRefused) {
  miniport_.table.DxgkDdiDestroyContext = nullptr;
  EXPECT_THAT(Failure(), HasSubstr("MandatoryDdi: Only one of DxgkDdiCreateContext"));
}

TEST_F(AdapterTest, Load_OldVersion_IgnoresNewerSlots) {
  miniport_.table.Version = DXGKDDI_INTERFACE_VERSION_WDDM2_0;
  miniport_.table.DxgkDdiControlInterrupt2 = [](HANDLE, DXGKARG_CONTROLINTERRUPT2) -> NTSTATUS { return STATUS_SUCCESS; };
  auto driver = LoadDriver(FakeMiniport::Entry(), "fake", features_);
  ASSERT_TRUE(driver.ok());
  EXPECT_EQ((*driver)->ddi().DxgkDdiCheckMultiPlaneOverlaySupport3, nullptr);
  EXPECT_NE((*driver)->ddi().DxgkDdiControlInterrupt2, nullptr);
}

TEST_F(AdapterTest, Load_NoDxgkInitialize_IsRefused) {
  auto driver = LoadDriver([](DRIVER_OBJECT*, UNICODE_STRING*) -> NTSTATUS { return STATUS_SUCCESS; }, "empty", features_);
  ASSERT_FALSE(driver.ok());
  EXPECT_THAT(driver.error().message, HasSubstr("did not call DxgkInitialize"));
}

TEST_F(AdapterTest, Start_TierWithoutLowerTier_NamesTheRule) {
  miniport_.caps.MemoryManagementCaps.CrossAdapterResourceTexture = 0;
  EXPECT_THAT(Failure(), HasSubstr("CrossAdapterTierSuperset: CrossAdapterResourceScanout"));
  miniport_.caps.MemoryManagementCaps.CrossAdapterResourceTexture = 1;
  miniport_.caps.MemoryManagementCaps.CrossAdapterResource = 0;
  EXPECT_THAT(Failure(), HasSubstr("CrossAdapterTierSuperset: CrossAdapterResourceTexture"));
}

// The bits are reserved before the version that has them: whatever stands there says nothing.
TEST_F(AdapterTest, Start_TierBitsOfALaterVersion_AreIgnored) {
  miniport_.caps.WDDMVersion = DXGKDDI_WDDMv2_8;
  auto adapter = Start();
  ASSERT_TRUE(adapter.ok()) << adapter.error().message;
  EXPECT_EQ((*adapter)->caps().MemoryManagementCaps.CrossAdapterResource, 1U);
  EXPECT_EQ((*adapter)->caps().MemoryManagementCaps.CrossAdapterResourceTexture, 0U);
  EXPECT_EQ((*adapter)->caps().MemoryManagementCaps.CrossAdapterResourceScanout, 0U);
}

TEST_F(AdapterTest, Start_CapsThatAreNotImplemented_AreRefusedByName) {
  miniport_.caps.MemoryManagementCaps.GpuMmuSupported = 1;
  EXPECT_THAT(Failure(), HasSubstr("UnimplementedCaps: GpuMmuSupported"));
  miniport_.caps.MemoryManagementCaps.VirtualAddressingSupported = 1;
  EXPECT_THAT(Failure(), HasSubstr("UnimplementedCaps: VirtualAddressingSupported"));
  miniport_.caps.MemoryManagementCaps.GpuMmuSupported = miniport_.caps.MemoryManagementCaps.VirtualAddressingSupported = 0;
  miniport_.caps.SchedulingCaps.NoDmaPatching = 1;
  EXPECT_THAT(Failure(), HasSubstr("UnimplementedCaps: NoDmaPatching"));
}

TEST_F(AdapterTest, Start_TierThreeWithoutSources_NeedsTheOverlayCheckToo) {
  miniport_.sources = miniport_.children = 0;
  miniport_.table.DxgkDdiCheckMultiPlaneOverlaySupport3 = nullptr;
  EXPECT_THAT(Failure(), HasSubstr("ScanoutCheckOverlay"));
}

struct Breakage {
  const char* rule;
  void (*make)(FakeMiniport&);
};

void PrintTo(const Breakage& breakage, std::ostream* out) { *out << breakage.rule; }

class BrokenCapsTest : public AdapterTest, public ::testing::WithParamInterface<Breakage> {};

TEST_P(BrokenCapsTest, Start_OneFieldBroken_NamesTheRuleAndRemovesTheDevice) {
  GetParam().make(miniport_);
  EXPECT_THAT(Failure(), HasSubstr(std::string(GetParam().rule) + ": "));
  EXPECT_EQ(miniport_.count("DxgkDdiStopDevice"), 1U);
  EXPECT_EQ(miniport_.count("DxgkDdiRemoveDevice"), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, BrokenCapsTest,
    ::testing::Values(
        Breakage{rules::kNodeCount, [](FakeMiniport& m) { m.caps.GpuEngineTopology.NbAsymetricProcessingNodes = 0; }},
        Breakage{rules::kNodeCount, [](FakeMiniport& m) { m.caps.GpuEngineTopology.NbAsymetricProcessingNodes = kMaxNodes + 1; }},
        Breakage{rules::kPagingNode, [](FakeMiniport& m) { m.caps.MemoryManagementCaps.PagingNode = 2; }},
        Breakage{rules::kSlotId, [](FakeMiniport& m) { m.caps.MaxAllocationListSlotId = 1U << 24; }},
        Breakage{rules::kMandatoryDdi, [](FakeMiniport& m) { m.table.DxgkDdiControlInterrupt = nullptr; }},
        Breakage{rules::kMultiEngineContexts,
                 [](FakeMiniport& m) {
                   m.caps.SchedulingCaps.MultiEngineAware = 1;
                   m.table.DxgkDdiCreateContext = nullptr;
                   m.table.DxgkDdiDestroyContext = nullptr;
                 }},
        Breakage{rules::kScanoutCheckOverlay, [](FakeMiniport& m) { m.table.DxgkDdiCheckMultiPlaneOverlaySupport3 = nullptr; }},
        Breakage{rules::kPerEngineTdr,
                 [](FakeMiniport& m) {
                   m.caps.SupportPerEngineTDR = 1;
                   m.table.DxgkDdiQueryEngineStatus = nullptr;
                 }},
        Breakage{rules::kHybridDiscrete, [](FakeMiniport& m) { m.caps.HybridDiscrete = 1; }},
        Breakage{rules::kHybridIntegratedScanout,
                 [](FakeMiniport& m) {
                   m.caps.HybridIntegrated = 1;
                   m.caps.MemoryManagementCaps.CrossAdapterResourceScanout = 0;
                 }},
        Breakage{rules::kSegmentCount, [](FakeMiniport& m) { m.segments.clear(); }},
        Breakage{rules::kSegmentCount, [](FakeMiniport& m) { m.segments.resize(kMaxSegments + 1); }},
        Breakage{rules::kSegmentRange, [](FakeMiniport& m) { m.segments[0].Size = PAGE_SIZE + 1; }},
        Breakage{rules::kSegmentRange, [](FakeMiniport& m) { m.segments[0].BaseAddress.QuadPart = -PAGE_SIZE; }},
        Breakage{rules::kSegmentRange, [](FakeMiniport& m) { m.segments[0].CommitLimit = FakeMiniport::kSegmentSize + 1; }},
        Breakage{rules::kSegmentFlags, [](FakeMiniport& m) { m.segments[1].Flags.PopulatedFromSystemMemory = 1; }},
        Breakage{rules::kAgpAlone, [](FakeMiniport& m) { m.segments[0].Flags.Agp = 1; }},
        Breakage{rules::kAgpBridge,
                 [](FakeMiniport& m) {
                   m.segments[0].Flags.Value = 0;
                   m.segments[0].Flags.Agp = 1;
                 }},
        Breakage{rules::kPreemptionNeedsContexts, [](FakeMiniport& m) { m.caps.SchedulingCaps.PreemptionAware = 1; }},
        Breakage{rules::kCancelNeedsContexts, [](FakeMiniport& m) { m.caps.SchedulingCaps.CancelCommandAware = 1; }},
        Breakage{rules::kOverlayDdis,
                 [](FakeMiniport& m) {
                   m.caps.SupportMultiPlaneOverlay = TRUE;
                   m.table.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3 = nullptr;
                 }},
        Breakage{rules::kIndependentVSyncControl, [](FakeMiniport& m) { m.caps.MiscCaps.IndependentVidPnVSyncControl = 1; }},
        Breakage{rules::kInternalChildConnected,
                 [](FakeMiniport& m) {
                   m.child_caps.Type.VideoOutput.InterfaceTechnology = D3DKMDT_VOT_INTERNAL;
                   m.child_caps.HpdAwareness = HpdAwarenessAlwaysConnected;
                 }},
        Breakage{rules::kDriverCapsSize, [](FakeMiniport& m) { m.table.Version = DXGKDDI_INTERFACE_VERSION_WDDM2_0; }},
        Breakage{rules::kPagingBuffer, [](FakeMiniport& m) { m.paging_segment = 1; }},
        Breakage{rules::kPagingBuffer, [](FakeMiniport& m) { m.paging_segment = 3; }},
        Breakage{rules::kPagingBuffer, [](FakeMiniport& m) { m.paging_size = 0; }},
        Breakage{rules::kVidPnSources, [](FakeMiniport& m) { m.sources = 17; }},
        Breakage{rules::kChildren, [](FakeMiniport& m) { m.children = 1000; }}));

TEST_F(AdapterTest, Start_TierWithoutApertureSegment_CountsAsNone) {
  miniport_.segments.resize(1);
  const auto adapter = Start();
  ASSERT_TRUE(adapter.ok()) << adapter.error().message;
  EXPECT_THAT((*adapter)->tier_refusal(), HasSubstr("CrossAdapterAperture: CrossAdapterResource is set"));
  EXPECT_EQ((*adapter)->caps().MemoryManagementCaps.CrossAdapterResource, 0U);
  EXPECT_EQ((*adapter)->caps().MemoryManagementCaps.CrossAdapterResourceScanout, 0U);
}

// Members of later versions say nothing, even when a driver writes them.
TEST_F(AdapterTest, Start_OldTable_IsAskedForTheCapsOfItsVersion) {
  miniport_.table.Version = DXGKDDI_INTERFACE_VERSION_WDDM2_0;
  miniport_.caps_bytes = 0x240;
  miniport_.caps.MemoryManagementCaps.CrossAdapterResourceScanout = 0;
  miniport_.caps.MiscCaps.ComputeOnly = 1;
  const auto adapter = Start();
  ASSERT_TRUE(adapter.ok()) << adapter.error().message;
  EXPECT_EQ((*adapter)->caps().MiscCaps.ComputeOnly, 0U);
}

TEST_F(AdapterTest, GetDeviceInformation_InStartDevice_TellsTheDevice) {
  DXGK_DEVICE_INFO info{};
  miniport_.on_start_device = [&] {
    return miniport_.kernel().DxgkCbGetDeviceInformation(miniport_.kernel().DeviceHandle, &info);
  };
  auto adapter = Start();
  ASSERT_TRUE(adapter.ok()) << adapter.error().message;
  EXPECT_EQ(info.PhysicalDeviceObject, &miniport_.device());
  EXPECT_EQ(info.MiniportDeviceContext, &miniport_);
  EXPECT_GT(info.SystemMemorySize.QuadPart, 0);
}

TEST_F(AdapterTest, Start_RuleBrokenInStartDevice_FailsWithTheRule) {
  miniport_.on_start_device = [this] {
    miniport_.kernel().DxgkCbNotifyDpc(miniport_.kernel().DeviceHandle);
    return STATUS_SUCCESS;
  };
  EXPECT_THAT(Failure(), HasSubstr("NotifyDpcInDpc"));
  EXPECT_EQ(miniport_.count("DxgkDdiStopDevice"), 1U);
}

}  // namespace
}  // namespace tandem::kernel
