// A display-only driver's adapter: its start, its mode, its presents, and its faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>

#include "base/clock.h"
#include "kernel/adapter/rules.h"
#include "kernel/display_only.h"
#include "kernel/testing/fake_display_only.h"
#include "kernel/testing/fake_miniport.h"

namespace tandem::kernel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FakeBus final : public DeviceBus {
 public:
  NTSTATUS AcquirePostDisplayOwnership(DXGK_DISPLAY_INFORMATION& information) override {
    information.Width = 800;
    information.Height = 600;
    return STATUS_SUCCESS;
  }
  NTSTATUS MapMemory(PHYSICAL_ADDRESS /*address*/, ULONG /*length*/, PVOID& mapped) override {
    mapped = pixels.data();
    return STATUS_SUCCESS;
  }
  NTSTATUS UnmapMemory(PVOID mapped) override { return mapped == pixels.data() ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER; }

  std::array<std::byte, 64> pixels{};
};

class DisplayOnly : public testing::Test {
 protected:
  // A present that is left pending has `delay_ns` to complete.
  Result<std::unique_ptr<DisplayOnlyAdapter>> Start(std::int64_t delay_ns = 60'000'000'000) {
    TdrSettings tdr;
    tdr.delay_ns = delay_ns;
    return StartDisplayOnlyAdapter(FakeDisplayOnly::Entry(), "fake", {"screen", nullptr, &bus_}, tdr, MonotonicClock());
  }
  static Result<void> Present(DisplayOnlyAdapter& adapter) {
    static constexpr std::array<std::byte, 16> kPixels{};
    const RECT dirty{0, 0, 2, 2};
    return adapter.Present(kPixels.data(), 8, {&dirty, 1});
  }

  FakeBus bus_;
  FakeDisplayOnly driver_;
};

TEST_F(DisplayOnly, Start_AdapterWithScreen_AcquiresFrameBufferOfBus) {
  const auto adapter = Start();
  ASSERT_TRUE(adapter.ok()) << adapter.error().message;
  EXPECT_EQ(driver_.post_display.Width, 800U);
  EXPECT_EQ((*adapter)->wddm_version(), unsigned{DXGKDDI_WDDMv1_2});
  EXPECT_TRUE(*(*adapter)->IsConnected());
  PVOID mapped = nullptr;
  EXPECT_EQ(driver_.kernel.DxgkCbMapMemory(driver_.kernel.DeviceHandle, {}, 64, FALSE, FALSE, MmNonCached, &mapped),
            STATUS_SUCCESS);
  EXPECT_EQ(mapped, bus_.pixels.data());
  EXPECT_EQ(driver_.kernel.DxgkCbUnmapMemory(driver_.kernel.DeviceHandle, mapped), STATUS_SUCCESS);
}

TEST_F(DisplayOnly, Start_TableWithoutPresent_IsRefusedByName) {
  driver_.table.DxgkDdiPresentDisplayOnly = nullptr;
  const auto adapter = Start();
  ASSERT_FALSE(adapter.ok());
  EXPECT_THAT(adapter.error().message, HasSubstr("MandatoryDdi: DxgkDdiPresentDisplayOnly is missing."));
}

TEST_F(DisplayOnly, Start_VersionBeforeWindows8_IsRefused) {
  driver_.table.Version = DXGKDDI_INTERFACE_VERSION_WIN7;
  EXPECT_THAT(Start().error().message, HasSubstr(rules::kInterfaceVersion));
}

TEST_F(DisplayOnly, Start_DriverWithEngines_IsRefused) {
  driver_.caps.GpuEngineTopology.NbAsymetricProcessingNodes = 1;
  EXPECT_THAT(Start().error().message, HasSubstr("NodeCount"));
}

TEST_F(DisplayOnly, Start_VersionOfCapsBeforeWindows8_IsRefused) {
  driver_.caps.WDDMVersion = DXGKDDI_WDDMv1;
  EXPECT_THAT(Start().error().message, HasSubstr(rules::kDisplayOnlyVersion));
}

TEST_F(DisplayOnly, Start_NoSmoothRotation_IsRefused) {
  driver_.caps.SupportSmoothRotation = FALSE;
  EXPECT_THAT(Start().error().message, HasSubstr(rules::kSmoothRotation));
}

TEST_F(DisplayOnly, Start_HalfOfTheVSyncControl_IsRefused) {
  driver_.ControlVSync();
  EXPECT_THAT(Start().error().message, HasSubstr(rules::kVSyncControlPair));
  driver_.table.DxgkDdiGetScanLine = [](HANDLE, DXGKARG_GETSCANLINE*) { return NTSTATUS{STATUS_NOT_SUPPORTED}; };
  EXPECT_TRUE(Start().ok());
}

// It is asked for the members that its version has.
TEST_F(DisplayOnly, Start_DriverWantsMoreCapsThanItsVersionHas_IsRefused) {
  driver_.caps_bytes = 0x220;
  EXPECT_TRUE(Start().ok());
  driver_.caps_bytes = sizeof(DXGK_DRIVERCAPS);
  EXPECT_THAT(Start().error().message, HasSubstr(std::string(rules::kDriverCapsSize) + ": 544 bytes"));
}

TEST_F(DisplayOnly, Start_FullDriver_IsRefused) {
  FakeMiniport full;
  const auto adapter =
      StartDisplayOnlyAdapter(FakeMiniport::Entry(), "full", {"screen", nullptr, &bus_}, TdrSettings{}, MonotonicClock());
  EXPECT_EQ(adapter.error().kind, ErrorKind::kUnsupported);
  EXPECT_FALSE(*IsDisplayOnlyDriver(FakeMiniport::Entry(), "full"));
  EXPECT_TRUE(*IsDisplayOnlyDriver(FakeDisplayOnly::Entry(), "fake"));
}

TEST_F(DisplayOnly, SetMode_DriverShowsAnySize_CommitsWantedSizeInTheDark) {
  const auto adapter = Start();
  const auto mode = (*adapter)->SetMode(640, 480);
  ASSERT_TRUE(mode.ok()) << mode.error().message;
  EXPECT_EQ(mode->width, 640U);
  EXPECT_EQ(mode->height, 480U);
  EXPECT_THAT(driver_.calls, ElementsAre("CommitVidPn", "Visible"));
  EXPECT_TRUE((*adapter)->SetMode(320, 200).ok());
  EXPECT_THAT(driver_.calls, ElementsAre("CommitVidPn", "Visible", "Dark", "CommitVidPn", "Visible"));
  EXPECT_EQ(driver_.committed_width, 320U);
}

TEST_F(DisplayOnly, SetMode_DriverHasModes_TakesSmallestThatHoldsTheSize) {
  driver_.modes = {{1024, 768}, {640, 480}, {800, 600}};
  const auto adapter = Start();
  EXPECT_EQ((*adapter)->SetMode(700, 500)->width, 800U);
  EXPECT_EQ((*adapter)->SetMode(640, 480)->height, 480U);
  EXPECT_EQ((*adapter)->SetMode(4000, 10)->width, 1024U);
  EXPECT_EQ(driver_.committed_width, 1024U);
}

TEST_F(DisplayOnly, Present_DriverCopiesAtOnce_GetsRectanglesAndPixels) {
  const auto adapter = Start();
  RECT seen{};
  driver_.on_present = [&seen](const DXGKARG_PRESENT_DISPLAYONLY& present) {
    EXPECT_EQ(present.BytesPerPixel, 4U);
    EXPECT_EQ(present.Pitch, 8);
    EXPECT_EQ(present.NumMoves, 0U);
    if (present.NumDirtyRects == 1) seen = present.pDirtyRect[0];
    return NTSTATUS{STATUS_SUCCESS};
  };
  EXPECT_TRUE(Present(**adapter).ok());
  EXPECT_EQ(seen.right, 2);
}

TEST_F(DisplayOnly, SetMode_TargetModeWithFrequency_BelongsToDriversThatTellOfVSyncs) {
  driver_.target_hertz = 60;
  {
    const auto adapter = Start();
    EXPECT_FALSE((*adapter)->SetMode(640, 480).ok());
    EXPECT_EQ(driver_.added, STATUS_GRAPHICS_INVALID_FREQUENCY);
    EXPECT_THAT((*adapter)->violation(), HasSubstr(rules::kFrequencyLeftOpen));
  }
  driver_.ControlVSync();
  driver_.table.DxgkDdiGetScanLine = [](HANDLE, DXGKARG_GETSCANLINE*) { return NTSTATUS{STATUS_NOT_SUPPORTED}; };
  {
    const auto adapter = Start();
    EXPECT_TRUE((*adapter)->SetMode(640, 480).ok());
    EXPECT_EQ((*adapter)->violation(), "");
  }
  driver_.target_hertz = D3DKMDT_FREQUENCY_NOTSPECIFIED;
  const auto adapter = Start();
  EXPECT_FALSE((*adapter)->SetMode(640, 480).ok());
  EXPECT_EQ(driver_.added, STATUS_GRAPHICS_INVALID_FREQUENCY);
  EXPECT_THAT((*adapter)->violation(), HasSubstr(rules::kFrequencySpecified));
}

TEST_F(DisplayOnly, Present_Pending_ReturnsWhenTheDriverReports) {
  const auto adapter = Start();
  std::thread copier;
  driver_.on_present = [&](const DXGKARG_PRESENT_DISPLAYONLY& present) {
    copier = std::thread([this, report = present.pfnPresentDisplayOnlyProgress] {
      DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS progress{0, DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_COMPLETE};
      report(driver_.kernel.DeviceHandle, &progress);
    });
    return NTSTATUS{STATUS_PENDING};
  };
  EXPECT_TRUE(Present(**adapter).ok());
  copier.join();
  EXPECT_EQ((*adapter)->violation(), "");
}

TEST_F(DisplayOnly, Present_PendingForEver_IsANamedViolation) {
  const auto adapter = Start(50'000'000);
  driver_.on_present = [](const DXGKARG_PRESENT_DISPLAYONLY&) { return NTSTATUS{STATUS_PENDING}; };
  EXPECT_EQ(Present(**adapter).error().kind, ErrorKind::kTimeout);
  EXPECT_THAT((*adapter)->violation(), HasSubstr(rules::kPresentDisplayOnlyCompletes));
  EXPECT_EQ(Present(**adapter).error().kind, ErrorKind::kDeviceLost);
}

TEST_F(DisplayOnly, Present_ReturnsAtAnotherIrql_IsANamedViolation) {
  const auto adapter = Start();
  driver_.on_present = [](const DXGKARG_PRESENT_DISPLAYONLY&) {
    internal::current_irql = DISPATCH_LEVEL;
    return NTSTATUS{STATUS_SUCCESS};
  };
  EXPECT_FALSE(Present(**adapter).ok());
  EXPECT_THAT((*adapter)->violation(), HasSubstr(rules::kDdiReturnsAtSameIrql));
}

TEST_F(DisplayOnly, Stop_DriverOwnsFrameBuffer_GivesItBack) {
  driver_.table.DxgkDdiStopDeviceAndReleasePostDisplayOwnership = [](PVOID context, D3DDDI_VIDEO_PRESENT_TARGET_ID,
                                                                     PDXGK_DISPLAY_INFORMATION) {
    static_cast<FakeDisplayOnly*>(context)->calls.emplace_back("Release");
    return NTSTATUS{STATUS_SUCCESS};
  };
  { const auto adapter = Start(); }
  EXPECT_THAT(driver_.calls, ElementsAre("Release", "RemoveDevice"));
}

}  // namespace
}  // namespace tandem::kernel
