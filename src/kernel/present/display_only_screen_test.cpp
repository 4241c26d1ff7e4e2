// A display-only driver's pointer, monitor and last words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/sleep.h"
#include "kernel/adapter/irql.h"
#include "kernel/adapter/rules.h"
#include "kernel/display_only.h"
#include "kernel/testing/fake_display_only.h"

namespace tandem::kernel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint8_t kBlocks = 2;  // of the EDID: one that announces another

class FakeBus final : public DeviceBus {
 public:
  NTSTATUS AcquirePostDisplayOwnership(DXGK_DISPLAY_INFORMATION& information) override {
    information = {800, 600, 3200, D3DDDIFMT_A8R8G8B8, {}, 0, 0};
    return STATUS_SUCCESS;
  }
  void ReleasePostDisplayOwnership(const DXGK_DISPLAY_INFORMATION& information) override { released = information; }
  NTSTATUS MapMemory(PHYSICAL_ADDRESS, ULONG, PVOID&) override { return STATUS_INVALID_PARAMETER; }
  NTSTATUS UnmapMemory(PVOID) override { return STATUS_INVALID_PARAMETER; }

  std::optional<DXGK_DISPLAY_INFORMATION> released;
};

// What the driver was told, and what it answers.
struct Told {
  DXGKARG_SETPOINTERSHAPE shape{};
  DXGKARG_SETPOINTERPOSITION position{};
  std::vector<ULONG> descriptor_offsets;
  KIRQL irql = 0;
  UINT system_width = 640;
  DXGK_DISPLAY_INFORMATION left{1024, 768, 4096, D3DDDIFMT_X8R8G8B8, {}, 0, 0};
  bool keeps_a_mode = false;
  NTSTATUS second_mode = STATUS_SUCCESS;
  SIZE_T offered = 0;
  std::size_t resets = 0;
};
Told* told = nullptr;

// The first block of an EDID whose preferred mode is 1280 x 720, 60 Hz (VESA CEA-861, format 4).
std::array<std::uint8_t, 128> FirstBlock() {
  std::array<std::uint8_t, 128> block{};
  constexpr std::array<std::uint8_t, 18> kTiming{0x01, 0x1D, 0x00, 0x72, 0x51, 0xD0, 0x1E, 0x20, 0x6E,
                                                 0x28, 0x55, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x1E};
  std::copy(kTiming.begin(), kTiming.end(), block.begin() + 54);
  block[126] = kBlocks - 1;
  return block;
}

NTSTATUS DescribeMonitor(CONST PVOID, ULONG, PDXGK_DEVICE_DESCRIPTOR descriptor) {
  told->descriptor_offsets.push_back(descriptor->DescriptorOffset);
  if (descriptor->DescriptorOffset >= kBlocks * 128U) return STATUS_INVALID_PARAMETER;
  const auto first = FirstBlock();
  if (descriptor->DescriptorOffset == 0) {
    std::memcpy(descriptor->DescriptorBuffer, first.data(), descriptor->DescriptorLength);
  } else {
    std::memset(descriptor->DescriptorBuffer, 0x70, descriptor->DescriptorLength);
  }
  return STATUS_SUCCESS;
}

// Adds 1024 x 768 twice, beside what is there.
NTSTATUS APIENTRY RecommendModes(HANDLE, CONST DXGKARG_RECOMMENDMONITORMODES* args) {
  const DXGK_MONITORSOURCEMODESET_INTERFACE& set = *args->pMonitorSourceModeSetInterface;
  EXPECT_EQ(set.pfnGetNumModes(args->hMonitorSourceModeSet, &told->offered), STATUS_SUCCESS);
  const D3DKMDT_MONITOR_SOURCE_MODE* preferred = nullptr;
  EXPECT_EQ(set.pfnAcquirePreferredModeInfo(args->hMonitorSourceModeSet, &preferred), STATUS_SUCCESS);
  EXPECT_EQ(set.pfnReleaseModeInfo(args->hMonitorSourceModeSet, preferred), STATUS_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    D3DKMDT_MONITOR_SOURCE_MODE* mode = nullptr;
    EXPECT_EQ(set.pfnCreateNewModeInfo(args->hMonitorSourceModeSet, &mode), STATUS_SUCCESS);
    mode->VideoSignalInfo.TotalSize = mode->VideoSignalInfo.ActiveSize = {1024, 768};
    mode->VideoSignalInfo.VSyncFreq = mode->VideoSignalInfo.HSyncFreq = {60, 1};
    mode->Preference = D3DKMDT_MP_NOTPREFERRED;
    const NTSTATUS status = set.pfnAddMode(args->hMonitorSourceModeSet, mode);
    if (i == 1) told->second_mode = status;
    if (NT_SUCCESS(status) || told->keeps_a_mode) continue;
    EXPECT_EQ(set.pfnReleaseModeInfo(args->hMonitorSourceModeSet, mode), STATUS_SUCCESS);
  }
  return STATUS_SUCCESS;
}

class DisplayOnlyScreen : public testing::Test {
 protected:
  DisplayOnlyScreen() {
    told = &told_;
    driver_.caps.MaxPointerWidth = 64;
    driver_.caps.MaxPointerHeight = 48;
    driver_.caps.PointerCaps.Color = driver_.caps.PointerCaps.MaskedColor = 1;
    driver_.table.DxgkDdiSetPointerShape = [](HANDLE, CONST DXGKARG_SETPOINTERSHAPE* shape) {
      told->shape = *shape;
      return NTSTATUS{STATUS_SUCCESS};
    };
    driver_.table.DxgkDdiSetPointerPosition = [](HANDLE, CONST DXGKARG_SETPOINTERPOSITION* position) {
      told->position = *position;
      return NTSTATUS{STATUS_SUCCESS};
    };
    driver_.table.DxgkDdiQueryDeviceDescriptor = &DescribeMonitor;
    driver_.table.DxgkDdiRecommendMonitorModes = &RecommendModes;
    driver_.table.DxgkDdiSystemDisplayEnable = [](PVOID, D3DDDI_VIDEO_PRESENT_TARGET_ID, PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS,
                                                  UINT* width, UINT* height, D3DDDIFORMAT* format) {
      told->irql = CurrentIrql();
      *width = told->system_width;
      *height = 480;
      *format = D3DDDIFMT_A8R8G8B8;
      return told->system_width == 1 ? NTSTATUS{STATUS_UNSUCCESSFUL} : NTSTATUS{STATUS_SUCCESS};
    };
    driver_.table.DxgkDdiSystemDisplayWrite = [](PVOID context, PVOID, UINT, UINT, UINT, UINT, UINT) {
      static_cast<FakeDisplayOnly*>(context)->calls.emplace_back("Write");
    };
    driver_.table.DxgkDdiResetDevice = [](CONST PVOID) { ++told->resets; };
    driver_.table.DxgkDdiStopDeviceAndReleasePostDisplayOwnership = [](PVOID context, D3DDDI_VIDEO_PRESENT_TARGET_ID,
                                                                       PDXGK_DISPLAY_INFORMATION left) {
      static_cast<FakeDisplayOnly*>(context)->calls.emplace_back("Release");
      *left = told->left;
      return NTSTATUS{STATUS_SUCCESS};
    };
  }

  std::unique_ptr<DisplayOnlyAdapter> Start() {
    auto adapter = StartDisplayOnlyAdapter(FakeDisplayOnly::Entry(), "fake", {"screen", nullptr, &bus_}, {}, MonotonicClock());
    EXPECT_TRUE(adapter.ok()) << (adapter.ok() ? "" : adapter.error().message);
    return adapter.ok() ? *std::move(adapter) : nullptr;
  }
  static PointerShape Shape(PointerKind kind, std::uint32_t width, std::uint32_t height) {
    static const std::array<std::byte, 64 * 64 * 4> kPixels{};
    PointerShape shape;
    shape.kind = kind;
    shape.width = width;
    shape.height = height;
    shape.pitch = width * 4;
    shape.pixels = kPixels;
    return shape;
  }
  NTSTATUS Indicate(DXGK_CHILD_STATUS_TYPE type, ULONG child) {
    DXGK_CHILD_STATUS status{};
    status.Type = type;
    status.ChildUid = child;
    status.HotPlug.Connected = driver_.connected;
    return driver_.kernel.DxgkCbIndicateChildStatus(driver_.kernel.DeviceHandle, &status);
  }
  static void AwaitChange(DisplayOnlyAdapter& adapter) {
    while (!adapter.TakeMonitorChange()) SleepFor(MonotonicClock(), 1'000'000);
  }

  Told told_;
  FakeBus bus_;
  FakeDisplayOnly driver_;
};

TEST_F(DisplayOnlyScreen, PointerShape_WithinTheCaps_ReachesTheDriver) {
  const auto adapter = Start();
  EXPECT_EQ(adapter->pointer().max_height, 48U);
  PointerShape shape = Shape(PointerKind::kMaskedColor, 64, 48);
  shape.hot_x = 63;
  const auto set = adapter->SetPointerShape(shape);
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ(told_.shape.Flags.Value, 4U);
  EXPECT_EQ(told_.shape.Width, 64U);
  EXPECT_EQ(told_.shape.Height, 48U);
  EXPECT_EQ(told_.shape.Pitch, 256U);
  EXPECT_EQ(told_.shape.XHot, 63U);
  EXPECT_EQ(told_.shape.pPixels, shape.pixels.data());
  ASSERT_TRUE(adapter->SetPointerPosition({-5, 700, true}).ok());
  EXPECT_EQ(told_.position.X, -5);
  EXPECT_EQ(told_.position.Y, 700);
  EXPECT_EQ(told_.position.Flags.Value, 1U);
}

TEST_F(DisplayOnlyScreen, PointerShape_OutsideTheCaps_IsRefusedBeforeTheDriver) {
  const auto adapter = Start();
  const auto kind_of = [&](const PointerShape& shape) { return adapter->SetPointerShape(shape).error().kind; };
  EXPECT_EQ(kind_of(Shape(PointerKind::kMonochrome, 8, 8)), ErrorKind::kUnsupported);
  EXPECT_EQ(kind_of(Shape(PointerKind::kColor, 65, 8)), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind_of(Shape(PointerKind::kColor, 8, 49)), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind_of(Shape(PointerKind::kColor, 0, 8)), ErrorKind::kInvalidArgument);
  PointerShape shape = Shape(PointerKind::kColor, 8, 8);
  shape.pitch = 31;
  EXPECT_EQ(kind_of(shape), ErrorKind::kInvalidArgument);
  shape = Shape(PointerKind::kColor, 8, 8);
  shape.hot_y = 8;
  EXPECT_EQ(kind_of(shape), ErrorKind::kInvalidArgument);
  shape = Shape(PointerKind::kColor, 8, 8);
  shape.pixels = shape.pixels.first(255);
  EXPECT_EQ(kind_of(shape), ErrorKind::kInvalidArgument);
  const std::array<std::byte, 4> half{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0x80}};
  shape = Shape(PointerKind::kMaskedColor, 1, 1);
  shape.pixels = half;
  EXPECT_EQ(kind_of(shape), ErrorKind::kInvalidArgument);
  EXPECT_EQ(told_.shape.Width, 0U);
}

TEST_F(DisplayOnlyScreen, Pointer_OfADriverWithout_IsUnsupported) {
  driver_.caps.PointerCaps.Value = 0;
  const auto adapter = Start();
  EXPECT_EQ(adapter->SetPointerShape(Shape(PointerKind::kColor, 8, 8)).error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(adapter->SetPointerPosition({0, 0, true}).error().kind, ErrorKind::kUnsupported);
}

TEST_F(DisplayOnlyScreen, Monitor_AtStart_HasTheEdidAndTheDriversModes) {
  const auto adapter = Start();
  const MonitorDescription monitor = adapter->monitor();
  EXPECT_TRUE(monitor.connected);
  EXPECT_EQ(monitor.edid.size(), kBlocks * 128U);
  EXPECT_EQ(monitor.edid[200], 0x70);
  EXPECT_THAT(told_.descriptor_offsets, ElementsAre(0, 128));
  EXPECT_EQ(told_.offered, 1U) << "The EDID's preferred mode is in the set before the driver adds its own.";
  EXPECT_EQ(told_.second_mode, STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET);
  ASSERT_EQ(monitor.modes.size(), 2U);
  EXPECT_EQ(monitor.modes[0].VideoSignalInfo.ActiveSize.cx, 1280U);
  EXPECT_EQ(monitor.modes[0].VideoSignalInfo.ActiveSize.cy, 720U);
  EXPECT_EQ(monitor.modes[0].VideoSignalInfo.TotalSize.cx, 1650U);
  EXPECT_EQ(monitor.modes[0].VideoSignalInfo.TotalSize.cy, 750U);
  EXPECT_EQ(monitor.modes[0].VideoSignalInfo.PixelRate, 74'250'000U);
  EXPECT_EQ(monitor.modes[0].Origin, D3DKMDT_MCO_MONITORDESCRIPTOR);
  EXPECT_EQ(monitor.modes[1].VideoSignalInfo.ActiveSize.cx, 1024U);
  EXPECT_TRUE(adapter->violation().empty());
}

TEST_F(DisplayOnlyScreen, MonitorMode_ThatIsNeitherAddedNorReleased_IsNamed) {
  told_.keeps_a_mode = true;
  const auto adapter =
      StartDisplayOnlyAdapter(FakeDisplayOnly::Entry(), "fake", {"screen", nullptr, &bus_}, {}, MonotonicClock());
  ASSERT_FALSE(adapter.ok());
  EXPECT_THAT(adapter.error().message, HasSubstr(rules::kVidPnReleased));
}

TEST_F(DisplayOnlyScreen, MonitorThatGoesAndComes_IsReadAnew) {
  const auto adapter = Start();
  EXPECT_FALSE(adapter->TakeMonitorChange());
  driver_.connected = FALSE;
  ASSERT_EQ(Indicate(StatusConnection, 0), STATUS_SUCCESS);
  AwaitChange(*adapter);
  EXPECT_FALSE(adapter->monitor().connected);
  EXPECT_TRUE(adapter->monitor().edid.empty());
  told_.descriptor_offsets.clear();
  driver_.connected = TRUE;
  ASSERT_EQ(Indicate(StatusConnection, 0), STATUS_SUCCESS);
  AwaitChange(*adapter);
  EXPECT_EQ(adapter->monitor().modes.size(), 2U);
  EXPECT_THAT(told_.descriptor_offsets, ElementsAre(0, 128));
  EXPECT_EQ(Indicate(StatusConnection, 7), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Indicate(StatusMiracastConnection, 0), STATUS_NOT_SUPPORTED);
}

TEST_F(DisplayOnlyScreen, MonitorInterface_GivesTheMonitorsModesUntilTheirRelease) {
  const auto adapter = Start();
  const HANDLE device = driver_.kernel.DeviceHandle;
  const DXGK_MONITOR_INTERFACE* monitors = nullptr;
  const auto query = driver_.kernel.DxgkCbQueryMonitorInterface;
  EXPECT_EQ(query(device, DXGK_MONITOR_INTERFACE_VERSION_UNINITIALIZED, &monitors), STATUS_NOT_SUPPORTED);
  ASSERT_EQ(query(device, DXGK_MONITOR_INTERFACE_VERSION_V1, &monitors), STATUS_SUCCESS);
  EXPECT_EQ(monitors->Version, DXGK_MONITOR_INTERFACE_VERSION_V1);
  D3DKMDT_HMONITORSOURCEMODESET set = nullptr;
  const DXGK_MONITORSOURCEMODESET_INTERFACE* modes = nullptr;
  EXPECT_EQ(monitors->pfnAcquireMonitorSourceModeSet(device, 7, &set, &modes), STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET);
  ASSERT_EQ(monitors->pfnAcquireMonitorSourceModeSet(device, 0, &set, &modes), STATUS_SUCCESS);
  SIZE_T count = 0;
  EXPECT_EQ(modes->pfnGetNumModes(set, &count), STATUS_SUCCESS);
  EXPECT_EQ(count, adapter->monitor().modes.size());
  const D3DKMDT_MONITOR_SOURCE_MODE* first = nullptr;
  ASSERT_EQ(modes->pfnAcquireFirstModeInfo(set, &first), STATUS_SUCCESS);
  EXPECT_EQ(first->Preference, D3DKMDT_MP_PREFERRED);
  EXPECT_EQ(modes->pfnReleaseModeInfo(set, first), STATUS_SUCCESS);
  EXPECT_EQ(monitors->pfnReleaseMonitorSourceModeSet(device, set), STATUS_SUCCESS);
  EXPECT_EQ(modes->pfnGetNumModes(set, &count), STATUS_GRAPHICS_INVALID_MONITOR_SOURCEMODESET);
  EXPECT_EQ(monitors->pfnReleaseMonitorSourceModeSet(device, set), STATUS_GRAPHICS_INVALID_MONITOR_SOURCEMODESET);
}

TEST_F(DisplayOnlyScreen, MonitorInterface_OfWindows7_HasNoAdditionalModes_AndNoneWithoutAMonitor) {
  driver_.connected = FALSE;
  const auto adapter = Start();
  const HANDLE device = driver_.kernel.DeviceHandle;
  const DXGK_MONITOR_INTERFACE* monitors = nullptr;
  ASSERT_EQ(driver_.kernel.DxgkCbQueryMonitorInterface(device, DXGK_MONITOR_INTERFACE_VERSION_V2, &monitors), STATUS_SUCCESS);
  const auto& newer = *reinterpret_cast<const DXGK_MONITOR_INTERFACE_V2*>(monitors);
  UINT count = 7;
  DXGK_TARGETMODE_DETAIL_TIMING* additional = nullptr;
  EXPECT_EQ(newer.pfnGetAdditionalMonitorModeSet(device, 0, &count, &additional), STATUS_GRAPHICS_MONITOR_NOT_CONNECTED);
  EXPECT_EQ(count, 0U);
  D3DKMDT_HMONITORSOURCEMODESET set = nullptr;
  const DXGK_MONITORSOURCEMODESET_INTERFACE* modes = nullptr;
  EXPECT_EQ(newer.pfnAcquireMonitorSourceModeSet(device, 0, &set, &modes), STATUS_GRAPHICS_MONITOR_NOT_CONNECTED);
}

TEST_F(DisplayOnlyScreen, TakeOff_MakesTheSourceDarkFirst) {
  const auto adapter = Start();
  ASSERT_TRUE(adapter->SetMode(640, 480).ok());
  driver_.calls.clear();
  ASSERT_TRUE(adapter->TakeOff().ok());
  EXPECT_THAT(driver_.calls, ElementsAre("Dark", "CommitVidPn"));
}

TEST_F(DisplayOnlyScreen, SystemDisplay_IsEnabledAtHighLevel_ThenWritten) {
  const auto adapter = Start();
  const auto display = adapter->EnableSystemDisplay();
  ASSERT_TRUE(display.ok()) << display.error().message;
  EXPECT_EQ(told_.irql, 15);
  EXPECT_EQ(display->width, 640U);
  EXPECT_EQ(display->format, D3DDDIFMT_A8R8G8B8);
  driver_.calls.clear();
  ASSERT_TRUE(adapter->WriteSystemDisplay({}).ok());
  EXPECT_THAT(driver_.calls, ElementsAre("Write"));
  EXPECT_EQ(told_.resets, 0U);
}

TEST_F(DisplayOnlyScreen, SystemDisplay_ThatTheDriverRefuses_ResetsTheDevice) {
  told_.system_width = 1;
  const auto adapter = Start();
  EXPECT_EQ(adapter->EnableSystemDisplay().error().kind, ErrorKind::kInternal);
  EXPECT_EQ(told_.resets, 1U);
  EXPECT_TRUE(adapter->violation().empty());
}

TEST_F(DisplayOnlyScreen, SystemDisplay_WithoutAMode_IsANamedViolation) {
  told_.system_width = 0;
  const auto adapter = Start();
  EXPECT_EQ(adapter->EnableSystemDisplay().error().kind, ErrorKind::kDeviceLost);
  EXPECT_THAT(adapter->violation(), HasSubstr(rules::kSystemDisplayMode));
}

TEST_F(DisplayOnlyScreen, ReleasePostDisplay_StopsTheDeviceOnce_AndTheBusHasTheFrameBuffer) {
  {
    const auto adapter = Start();
    const auto left = adapter->ReleasePostDisplay();
    ASSERT_TRUE(left.ok()) << left.error().message;
    EXPECT_EQ(left->Width, 1024U);
    ASSERT_TRUE(bus_.released.has_value());
    EXPECT_EQ(bus_.released->Height, 768U);
    EXPECT_EQ(adapter->SetVisible(true).error().kind, ErrorKind::kInternal);
  }
  EXPECT_THAT(driver_.calls, ElementsAre("Release", "RemoveDevice"));
}

TEST_F(DisplayOnlyScreen, ReleasePostDisplay_FrameBufferThatNobodyCanDrawTo_IsANamedViolation) {
  told_.left.Pitch = 4095;
  const auto adapter = Start();
  EXPECT_EQ(adapter->ReleasePostDisplay().error().kind, ErrorKind::kDeviceLost);
  EXPECT_THAT(adapter->violation(), HasSubstr(rules::kPostDisplayInformation));
}

}  // namespace
}  // namespace tandem::kernel
