// The QXL device in its slot: what its driver finds on the bus, the device's thread, and an output.
#include "bus/qxl_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "bus/testing/picture_output.h"
#include "bus/testing/qxl_guest.h"

namespace tandem::bus {
namespace {

using testing::HasSubstr;

constexpr std::uint32_t kWidth = 640, kHeight = 480;

// The memory and the ports of a device on a bus, for a QxlGuest.
class DeviceOnBus final : public DeviceModel {
 public:
  explicit DeviceOnBus(kernel::DeviceBus& bus) : bus_(bus) {
    const CM_PARTIAL_RESOURCE_LIST& list = bus.TranslatedResources()->List[0].PartialResourceList;
    for (ULONG i = 0; i < list.Count; ++i) {
      const CM_PARTIAL_RESOURCE_DESCRIPTOR& range = list.PartialDescriptors[i];
      types.push_back(range.Type);
      if (range.Type == CmResourceTypePort) first_port_ = static_cast<std::uint32_t>(range.u.Port.Start.QuadPart);
      if (range.Type != CmResourceTypeMemory) continue;
      PVOID mapped = nullptr;
      EXPECT_EQ(bus.MapMemory(range.u.Memory.Start, range.u.Memory.Length, mapped), STATUS_SUCCESS);
      const auto index = static_cast<std::uint32_t>(description_.memory.size());
      description_.memory.push_back({index, static_cast<std::byte*>(mapped), range.u.Memory.Length});
    }
  }
  [[nodiscard]] const DeviceDescription& description() const override { return description_; }
  void Attach(DeviceHost& /*host*/) override {}
  std::uint32_t ReadRegister(std::uint32_t /*offset*/, std::uint32_t /*size*/) override { return 0; }
  void WriteRegister(std::uint32_t /*offset*/, std::uint32_t /*size*/, std::uint32_t /*value*/) override {}
  void WritePort(std::uint32_t offset, std::uint32_t size, std::uint32_t value) override {
    EXPECT_TRUE(bus_.WritePort(first_port_ + offset, size, value));
  }
  void Work() override {}
  void Reset() override {}

  std::vector<UCHAR> types;  // of the resources

 private:
  kernel::DeviceBus& bus_;
  DeviceDescription description_;
  std::uint32_t first_port_ = 0;
};

class QxlDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    auto device = QxlDevice::Create(kWidth, kHeight, output_);
    ASSERT_TRUE(device.ok()) << device.error().message;
    device_ = *std::move(device);
    on_bus_ = std::make_unique<DeviceOnBus>(device_->bus());
    guest_ = std::make_unique<QxlGuest>(*on_bus_);
    device_->bus().Connect(
        {this, [](PVOID context, ULONG message) { static_cast<QxlDeviceTest*>(context)->Interrupt(message); }, nullptr, nullptr});
  }
  void TearDown() override { device_->bus().Disconnect(); }
  void Interrupt(ULONG message) {
    EXPECT_EQ(message, 0U);
    taken_ |= guest_->TakeInterrupts();
    ++interrupts_;
  }
  template <class T>
  T Config(ULONG offset) {
    T value{};
    ULONG done = 0;
    EXPECT_EQ(device_->bus().ReadConfiguration(offset, &value, sizeof(value), done), STATUS_SUCCESS);
    return value;
  }
  void Fill(std::uint32_t color) {
    QXLDrawable& fill = guest_->Drawable(QXL_DRAW_FILL, {0, 0, kHeight, kWidth});
    fill.u.fill.brush.u.color = color;
    guest_->Push(fill);
    guest_->Out(QXL_IO_NOTIFY_CMD);
  }

  const std::shared_ptr<PictureOutput> output_ = std::make_shared<PictureOutput>();
  std::unique_ptr<QxlDevice> device_;
  std::unique_ptr<DeviceOnBus> on_bus_;
  std::unique_ptr<QxlGuest> guest_;
  std::atomic<std::uint32_t> taken_{0};
  std::atomic<int> interrupts_{0};
};

TEST_F(QxlDeviceTest, Configuration_IsQemusDevice) {
  EXPECT_EQ(Config<std::uint32_t>(0), 0x01001B36U);
  EXPECT_EQ(Config<std::uint32_t>(kPciClass) >> 8, 0x030000U);
  EXPECT_EQ(Config<std::uint8_t>(kPciInterruptPin), 1U);
  EXPECT_EQ(Config<std::uint16_t>(kPciStatus), 0U);  // no capabilities
  for (std::uint32_t bar = 0; bar < 3; ++bar) {
    const auto address = Config<std::uint32_t>(kPciBars + 4 * bar);
    EXPECT_EQ(address, static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(on_bus_->description().memory[bar].data)));
  }
  EXPECT_EQ(Config<std::uint32_t>(kPciBars + 12) & 3, 1U);  // ports
  EXPECT_THAT(on_bus_->types, testing::ElementsAre(CmResourceTypeMemory, CmResourceTypeMemory, CmResourceTypeMemory,
                                                   CmResourceTypePort, CmResourceTypeInterrupt));
}

TEST_F(QxlDeviceTest, Bar_WrittenWithOnes_TellsItsSize) {
  const std::uint32_t ones = ~0u;
  ULONG done = 0;
  EXPECT_EQ(device_->bus().WriteConfiguration(kPciBars, &ones, sizeof(ones), done), STATUS_SUCCESS);
  EXPECT_EQ(~Config<std::uint32_t>(kPciBars) + 1, on_bus_->description().memory[0].bytes);
  PVOID mapped = nullptr;
  PHYSICAL_ADDRESS address{};
  address.QuadPart = static_cast<LONGLONG>(reinterpret_cast<std::uintptr_t>(on_bus_->description().memory[2].data));
  EXPECT_EQ(device_->bus().MapMemory(address, on_bus_->description().memory[2].bytes + 1, mapped), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(device_->bus().UnmapMemory(&mapped), STATUS_INVALID_PARAMETER);
}

TEST_F(QxlDeviceTest, Show_WaitsForTheFrameThatAThreadOfTheDriverDraws) {
  guest_->CreatePrimary(kWidth, kHeight);
  for (const std::uint32_t color : {0x010203u, 0x040506u}) {
    device_->BeginFrame();
    std::thread late([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      Fill(color);
    });
    const auto shown = device_->Show({0, 0, kWidth, kHeight});
    late.join();
    ASSERT_TRUE(shown.ok()) << shown.error().message;
    EXPECT_EQ(output_->pixels.front(), color);
    EXPECT_EQ(output_->pixels.back(), color);
    EXPECT_EQ(device_->LastShowCopiedBytes(), std::uint64_t{kWidth} * kHeight * 4);
  }
}

TEST_F(QxlDeviceTest, Show_WithoutASurfaceOfThatSize_IsRefused) {
  EXPECT_THAT(device_->Show({0, 0, kWidth, kHeight}).error().message, HasSubstr("no primary surface"));
  guest_->CreatePrimary(kWidth, kHeight - 1);
  EXPECT_EQ(device_->Show({0, 0, kWidth, kHeight}).error().kind, ErrorKind::kSurfaceLost);
}

TEST_F(QxlDeviceTest, Interrupt_OfAReleasedCommand_ReachesTheDriverOnItsLine) {
  guest_->CreatePrimary(kWidth, kHeight);
  guest_->SetInterruptMask(QXL_INTERRUPT_DISPLAY);
  Fill(1);
  ASSERT_TRUE(device_->Show({0, 0, kWidth, kHeight}).ok());  // behind the interrupts of the commands
  EXPECT_EQ(taken_, std::uint32_t{QXL_INTERRUPT_DISPLAY});
  EXPECT_EQ(interrupts_, 1);
}

}  // namespace
}  // namespace tandem::bus
