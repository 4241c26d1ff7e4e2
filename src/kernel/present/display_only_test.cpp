// A display-only driver's adapter: its start, its mode, its presents, and its faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <thread>

#include "base/clock.h"
#include "base/thread.h"
#include "kernel/adapter/rules.h"
#include "kernel/display_only.h"
#include "kernel/driver_settings.h"
#include "kernel/testing/fake_display_only.h"
#include "kernel/testing/fake_miniport.h"

// What a driver that hangs may use is left behind on purpose.
extern "C" const char* __lsan_default_suppressions();   // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
  return "leak:DisplayOnlyAdapterImpl\n";
}

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

  void Connect(const TANDEM_BUS_INTERFACE& to) override { line = to; }

  std::array<std::byte, 64> pixels{};
  std::optional<TANDEM_BUS_INTERFACE> line;
};

class DisplayOnly : public testing::Test {
 protected:
  // A present that is left pending has `delay_ns` to complete, a call `ddi_delay_ns` to return.
  Result<std::unique_ptr<DisplayOnlyAdapter>> Start(std::int64_t delay_ns = 60'000'000'000,
                                                    std::int64_t ddi_delay_ns = TdrSettings{}.ddi_delay_ns) {
    TdrSettings tdr;
    tdr.delay_ns = delay_ns;
    tdr.ddi_delay_ns = ddi_delay_ns;
    return StartDisplayOnlyAdapter(FakeDisplayOnly::Entry(), "fake", {"screen", nullptr, &bus_}, tdr, MonotonicClock());
  }
  static Result<void> Present(DisplayOnlyAdapter& adapter) {
    static constexpr std::array<std::byte, 16> kPixels{};
    const RECT dirty{0, 0, 2, 2};
    if (const auto mode = adapter.SetMode(2, 2); !mode.ok()) return mode.error();
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

// A driver that takes the end of every command for that of a present reports progress while it starts.
TEST_F(DisplayOnly, ProgressBeforeAnyPresent_CountsForNone) {
  static auto* const start = driver_.table.DxgkDdiStartDevice;
  driver_.table.DxgkDdiStartDevice = [](CONST PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE kernel, PULONG sources,
                                        PULONG children) {
    const auto report = [](PVOID interface) {
      auto& callbacks = *static_cast<DXGKRNL_INTERFACE*>(interface);
      DXGKARGCB_NOTIFY_INTERRUPT_DATA data{};
      data.InterruptType = DXGK_INTERRUPT_DISPLAYONLY_PRESENT_PROGRESS;
      data.DisplayOnlyPresentProgress = {0, DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_COMPLETE};
      callbacks.DxgkCbNotifyInterrupt(callbacks.DeviceHandle, &data);
      callbacks.DxgkCbQueueDpc(callbacks.DeviceHandle);
      return BOOLEAN{TRUE};
    };
    BOOLEAN ran = FALSE;
    kernel->DxgkCbSynchronizeExecution(kernel->DeviceHandle, report, kernel, 0, &ran);
    return start(context, info, kernel, sources, children);
  };
  driver_.on_present = [](const DXGKARG_PRESENT_DISPLAYONLY&) { return NTSTATUS{STATUS_PENDING}; };
  const auto adapter = Start(60'000'000, 60'000'000'000);
  ASSERT_TRUE(adapter.ok()) << adapter.error().message;
  EXPECT_EQ(Present(**adapter).error().kind, ErrorKind::kTimeout);
}

// acpiioct.h: signature, length, count, then arguments of type, length and data, at least four bytes each.
TEST_F(DisplayOnly, EvalAcpiMethod_AnswersWhatTheSettingsSay) {
  DriverSettings settings;
  settings.acpi = {
      {"_DOD", {{0, {std::byte{1}, std::byte{2}, std::byte{0}, std::byte{0}}}, {1, {std::byte{'x'}, std::byte{0}}}}}};
  SetDriverSettings(settings);
  const auto adapter = Start();
  ASSERT_TRUE(adapter.ok()) << adapter.error().message;
  const auto eval = [this](const char* method, std::span<std::byte> output) {
    std::array<char, 8> input{'A', 'e', 'i', 'B'};
    std::copy_n(method, 4, input.begin() + 4);
    return driver_.kernel.DxgkCbEvalAcpiMethod(
        driver_.kernel.DeviceHandle, 0, reinterpret_cast<PACPI_EVAL_INPUT_BUFFER_COMPLEX>(input.data()), input.size(),
        reinterpret_cast<PACPI_EVAL_OUTPUT_BUFFER>(output.data()), static_cast<ULONG>(output.size()));
  };
  std::array<std::byte, 28> output{};
  EXPECT_EQ(eval("_DOD", output), STATUS_SUCCESS);
  std::array<std::uint32_t, 7> words{};
  std::memcpy(words.data(), output.data(), sizeof(words));
  EXPECT_THAT(words, ElementsAre(0x426F6541, 28, 2, 0x00040000, 0x0201, 0x00020001, 'x'));
  EXPECT_EQ(eval("_DOD", std::span(output).first(20)), STATUS_BUFFER_OVERFLOW);
  std::memcpy(words.data(), output.data(), sizeof(words));
  EXPECT_EQ(words[1], 28U);
  EXPECT_EQ(eval("_DCS", output), STATUS_NOT_SUPPORTED);
  SetDriverSettings({});
}

TEST_F(DisplayOnly, Start_TableWithoutPresent_IsRefusedByName) {
  driver_.table.DxgkDdiPresentDisplayOnly = nullptr;
  const auto adapter = Start();
  ASSERT_FALSE(adapter.ok());
  EXPECT_THAT(adapter.error().message, HasSubstr("MandatoryDdi: DxgkDdiPresentDisplayOnly is missing."));
}

TEST_F(DisplayOnly, Start_TableWithoutInterruptRoutines_IsThatOfADeviceWithoutInterrupts) {
  driver_.table.DxgkDdiInterruptRoutine = nullptr;
  driver_.table.DxgkDdiDpcRoutine = nullptr;
  const auto adapter = Start();
  ASSERT_TRUE(adapter.ok()) << adapter.error().message;
  ASSERT_TRUE(bus_.line.has_value());
  bus_.line->RaiseInterrupt(bus_.line->Context, 0);
  driver_.kernel.DxgkCbQueueDpc(driver_.kernel.DeviceHandle);
  EXPECT_TRUE(Present(**adapter).ok());
}

TEST_F(DisplayOnly, Start_VersionBeforeWindows8_IsRefused) {
  driver_.table.Version = DXGKDDI_INTERFACE_VERSION_WIN7;
  EXPECT_THAT(Start().error().message, HasSubstr(rules::kInterfaceVersion));
}

// virtio-win's driver of a standard VGA says so.
TEST_F(DisplayOnly, Start_DriverThatNamesAnEngine_Starts) {
  driver_.caps.GpuEngineTopology.NbAsymetricProcessingNodes = 1;
  EXPECT_TRUE(Start().ok());
}

TEST_F(DisplayOnly, Start_VersionOfCapsBeforeWindows8_IsRefused) {
  driver_.caps.WDDMVersion = DXGKDDI_WDDMv1;
  EXPECT_THAT(Start().error().message, HasSubstr(rules::kDisplayOnlyVersion));
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

TEST_F(DisplayOnly, Present_RectangleOutsideOfTheMode_NeverReachesTheDriver) {
  const auto adapter = Start();
  ASSERT_TRUE((*adapter)->SetMode(2, 2).ok());
  driver_.on_present = [](const DXGKARG_PRESENT_DISPLAYONLY&) {
    ADD_FAILURE();
    return NTSTATUS{STATUS_SUCCESS};
  };
  static constexpr std::array<std::byte, 16> kPixels{};
  for (const RECT& dirty : {RECT{0, 0, 3, 2}, RECT{0, 0, 2, 3}, RECT{-1, 0, 2, 2}, RECT{1, 1, 1, 2}, RECT{2, 0, 1, 1}}) {
    EXPECT_EQ((*adapter)->Present(kPixels.data(), 8, {&dirty, 1}).error().kind, ErrorKind::kInvalidArgument);
  }
}

// A call that hangs until it is let go. The adapter stays with it, and so does the driver's side of this test.
class HungDisplayOnly : public DisplayOnly {
 public:
  // Of the call.
  void WaitHere() {
    MutexLock lock(mutex_);
    while (hangs_) changed_.wait(lock.native());
    ended_ = true;
    changed_.notify_all();
  }

 protected:
  void Hang() {
    const MutexLock lock(mutex_);
    hangs_ = true;
  }
  // The call returns before the test's objects go.
  void LetGo() {
    MutexLock lock(mutex_);
    hangs_ = false;
    changed_.notify_all();
    while (!ended_) changed_.wait(lock.native());
  }

  Mutex mutex_;
  std::condition_variable changed_;
  bool hangs_ = false;
  bool ended_ = false;
};

TEST_F(HungDisplayOnly, PresentThatDoesNotReturn_IsNamedAndLeftAlone) {
  auto adapter = Start(60'000'000'000, 50'000'000);
  Hang();
  driver_.on_present = [this](const DXGKARG_PRESENT_DISPLAYONLY&) {
    WaitHere();
    return NTSTATUS{STATUS_SUCCESS};
  };
  EXPECT_EQ(Present(**adapter).error().kind, ErrorKind::kDeviceLost);
  EXPECT_THAT((*adapter)->violation(), HasSubstr(std::string(rules::kDdiReturns) + ": DxgkDdiPresentDisplayOnly"));
  EXPECT_EQ((*adapter)->Escape({}, {}), STATUS_DEVICE_REMOVED);
  EXPECT_FALSE((*adapter)->Stop());
  LetGo();
  EXPECT_TRUE(driver_.calls.empty() || driver_.calls.back() != "StopDevice");
}

TEST_F(HungDisplayOnly, InterruptRoutineThatDoesNotReturn_EndsAPresentThatWaitsForIt) {
  static HungDisplayOnly* test;
  test = this;
  driver_.table.DxgkDdiInterruptRoutine = [](CONST PVOID, ULONG) {
    test->WaitHere();
    return BOOLEAN{FALSE};
  };
  auto adapter = Start(60'000'000'000, 50'000'000);
  driver_.on_present = [](const DXGKARG_PRESENT_DISPLAYONLY&) { return NTSTATUS{STATUS_PENDING}; };
  Hang();
  std::thread device([line = bus_.line] { line->RaiseInterrupt(line->Context, 0); });
  EXPECT_FALSE(Present(**adapter).ok());
  EXPECT_THAT((*adapter)->violation(), HasSubstr(std::string(rules::kDdiReturns) + ": DxgkDdiInterruptRoutine"));
  EXPECT_FALSE((*adapter)->Stop());
  LetGo();
  device.join();
}

// The call never returns, so that nothing of the driver outlives the test's objects.
TEST_F(HungDisplayOnly, StopThatDoesNotReturn_IsLeftAlone) {
  driver_.table.DxgkDdiStopDevice = [](CONST PVOID) -> NTSTATUS {
    for (;;) pause();
  };
  driver_.table.DxgkDdiStopDeviceAndReleasePostDisplayOwnership = nullptr;
  auto adapter = Start(60'000'000'000, 20'000'000);
  EXPECT_FALSE((*adapter)->Stop());
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
