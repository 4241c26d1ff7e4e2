// The virtio GPU in its slot: a driver that sends commands on one thread, the device's thread, and an output.
#include "bus/virtio_gpu_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <span>

#include "bus/testing/picture_output.h"
#include "bus/testing/virtio_guest.h"
#include "bus/virtio/gpu_protocol.h"
#include "kernel/device_slots.h"
#include "kernel/display_only.h"

namespace tandem::bus {
namespace {

using namespace virtio;  // NOLINT(google-build-using-namespace)
using testing::HasSubstr;

constexpr std::uint32_t kWidth = 33, kHeight = 17;
constexpr auto kOk = static_cast<std::uint32_t>(GpuAnswer::kOk);

// The registers of a device on a bus, for a VirtioGuest.
class DeviceOnBus final : public DeviceModel {
 public:
  explicit DeviceOnBus(kernel::DeviceBus& bus) : bus_(bus) {
    ULONG done = 0;
    static_cast<void>(bus_.ReadConfiguration(0x10 + 4 * kRegisterBar, &base_, sizeof(base_), done));
    base_ &= ~std::uint64_t{15};
  }
  [[nodiscard]] const DeviceDescription& description() const override { return description_; }
  void Attach(DeviceHost& host) override { host_ = &host; }
  std::uint32_t ReadRegister(std::uint32_t offset, std::uint32_t size) override {
    UINT64 value = 0;
    EXPECT_TRUE(bus_.ReadRegister(base_ + offset, size, value));
    return static_cast<std::uint32_t>(value);
  }
  void WriteRegister(std::uint32_t offset, std::uint32_t size, std::uint32_t value) override {
    EXPECT_TRUE(bus_.WriteRegister(base_ + offset, size, value));
    host_->Wake();
  }
  void Work() override { EXPECT_TRUE(static_cast<PciSlot&>(bus_).AwaitIdle(2'000'000'000)); }
  void Reset() override {}

 private:
  kernel::DeviceBus& bus_;
  DeviceDescription description_;
  DeviceHost* host_ = nullptr;
  std::uint64_t base_ = 0;
};

class VirtioGpuDeviceTest : public testing::Test {
 protected:
  void SetUp() override { Make(ShownWhen::kAsked); }
  void Make(ShownWhen when, PciInterrupts interrupts = PciInterrupts::kMessages) {
    guest_.reset();
    on_bus_.reset();
    auto device = VirtioGpuDevice::Create(kWidth, kHeight, output_, when, {}, interrupts);
    ASSERT_TRUE(device.ok()) << device.error().message;
    device_ = *std::move(device);
    device_->bus().Connect({this,
                            [](PVOID context, ULONG message) {
                              if (message == 1) ++static_cast<VirtioGpuDeviceTest*>(context)->control_messages_;
                            },
                            nullptr, nullptr});
    on_bus_ = std::make_unique<DeviceOnBus>(device_->bus());
    guest_ = std::make_unique<VirtioGuest>(*on_bus_);
    guest_->Start();
  }
  std::uint32_t Flush() {
    return guest_->Send(GpuFlush{{static_cast<std::uint32_t>(GpuCommand::kResourceFlush), 0, 0, 0, 0}, kAll, 1, 0});
  }
  void ShowPicture() {
    const auto header = [](GpuCommand command) { return GpuHeader{static_cast<std::uint32_t>(command), 0, 0, 0, 0}; };
    std::iota(picture_.begin(), picture_.end(), 1u);
    const GpuBackingEntry entry{reinterpret_cast<std::uintptr_t>(picture_.data()),
                                static_cast<std::uint32_t>(picture_.size() * 4), 0};
    EXPECT_EQ(guest_->Send(GpuCreate2d{header(GpuCommand::kResourceCreate2d), 1, 2, kWidth, kHeight}), kOk);
    EXPECT_EQ(
        (guest_->Send<GpuAttachBacking, GpuBackingEntry>({header(GpuCommand::kResourceAttachBacking), 1, 1}, 0, {&entry, 1})),
        kOk);
    EXPECT_EQ(guest_->Send(GpuSetScanout{header(GpuCommand::kSetScanout), kAll, 0, 1}), kOk);
    EXPECT_EQ(guest_->Send(GpuTransfer{header(GpuCommand::kTransferToHost2d), kAll, 0, 1, 0}), kOk);
    EXPECT_EQ(Flush(), kOk);
  }

  static constexpr GpuRect kAll{0, 0, kWidth, kHeight};
  std::shared_ptr<PictureOutput> output_ = std::make_shared<PictureOutput>();
  std::unique_ptr<VirtioGpuDevice> device_;
  std::unique_ptr<DeviceOnBus> on_bus_;
  std::unique_ptr<VirtioGuest> guest_;
  std::vector<std::uint32_t> picture_ = std::vector<std::uint32_t>(std::size_t{kWidth} * kHeight);
  std::atomic<int> control_messages_{0};
};

TEST_F(VirtioGpuDeviceTest, Show_FlushedPicture_IsOnTheOutput) {
  ShowPicture();
  ASSERT_TRUE(device_->Show({0, 0, kWidth, kHeight}).ok());
  EXPECT_EQ(output_->pixels, picture_);
  EXPECT_EQ(device_->LastShowCopiedBytes(), picture_.size() * 4);
  EXPECT_EQ(control_messages_, 5);
}

TEST_F(VirtioGpuDeviceTest, Show_NothingFlushedSince_IsRefused) {
  ShowPicture();
  ASSERT_TRUE(device_->Show({0, 0, kWidth, kHeight}).ok());
  EXPECT_EQ(device_->Show({0, 0, kWidth, kHeight}).error().kind, ErrorKind::kSurfaceLost);
  EXPECT_EQ(Flush(), kOk);
  EXPECT_TRUE(device_->Show({0, 0, kWidth, kHeight}).ok());
  EXPECT_EQ(device_->LastShowCopiedBytes(), 0U);
}

TEST_F(VirtioGpuDeviceTest, Show_BrokenQueue_NamesTheReason) {
  ShowPicture();
  guest_->queues[0].Offer(GuestQueue::kSize);
  guest_->Notify(0);
  EXPECT_THAT(device_->Show({0, 0, kWidth, kHeight}).error().message, HasSubstr("is outside of a queue"));
}

TEST_F(VirtioGpuDeviceTest, Disconnect_DeviceReadsTheDriversMemoryNoMore) {
  ShowPicture();
  device_->bus().Disconnect();
  EXPECT_EQ(guest_->Read(kStatus, 1), 0U);
  EXPECT_EQ(Flush(), 0U);
  EXPECT_FALSE(device_->Show({0, 0, kWidth, kHeight}).ok());
}

TEST_F(VirtioGpuDeviceTest, FlushedPicture_IsOnTheOutputWithoutShow) {
  Make(ShownWhen::kFlushed);
  ShowPicture();
  EXPECT_EQ(output_->shown, 1);
  EXPECT_EQ(output_->pixels, picture_);
  EXPECT_EQ(output_->width, kWidth);
  picture_[3] = 0x77;
  EXPECT_EQ(Flush(), kOk);  // shows what was transferred
  EXPECT_EQ(output_->shown, 2);
  EXPECT_NE(output_->pixels[3], 0x77U);
}

TEST_F(VirtioGpuDeviceTest, FlushedPart_IsAllThatTheOutputGets) {
  Make(ShownWhen::kFlushed);
  device_->SetFlushedPart({});
  ShowPicture();
  EXPECT_EQ(output_->shown, 0);
  device_->SetFlushedPart({1, 2, 3, kHeight});
  EXPECT_EQ(Flush(), kOk);
  ASSERT_EQ(output_->shown, 1);
  EXPECT_EQ(output_->width, 2U);
  ASSERT_EQ(output_->pixels.size(), std::size_t{2} * (kHeight - 2));
  EXPECT_EQ(output_->pixels[0], picture_[2 * kWidth + 1]);
  EXPECT_EQ(output_->pixels[1], picture_[2 * kWidth + 2]);
}

TEST_F(VirtioGpuDeviceTest, OnItsLine_EachAnswerIsAnInterruptUntilTheStatusIsRead) {
  Make(ShownWhen::kAsked, PciInterrupts::kLine);
  struct Driver {
    DeviceModel& device;
    std::vector<std::uint32_t> reasons;
  } driver{*on_bus_, {}};
  device_->bus().Connect({&driver,
                          [](PVOID context, ULONG message) {
                            auto& self = *static_cast<Driver*>(context);
                            EXPECT_EQ(message, 0U);
                            self.reasons.push_back(self.device.ReadRegister(kInterrupt, 1));
                          },
                          nullptr, nullptr});
  ShowPicture();
  EXPECT_EQ(driver.reasons, (std::vector<std::uint32_t>{1, 1, 1, 1, 1}));
  EXPECT_TRUE(device_->SetCable(false));
  on_bus_->Work();
  EXPECT_EQ(driver.reasons.back(), 3U);
}

TEST_F(VirtioGpuDeviceTest, AdapterOfTheExtension_IsOnTheBusWhileTheDeviceExists) {
  void* const extension = device_->extension();
  EXPECT_EQ(kernel::BusOf(extension), &device_->bus());
  guest_.reset();
  on_bus_.reset();
  device_.reset();
  EXPECT_EQ(kernel::BusOf(extension), nullptr);
}

TEST_F(VirtioGpuDeviceTest, WithoutAnOutput_NothingIsConnected) {
  output_.reset();
  Make(ShownWhen::kFlushed);
  GpuDisplayInfo info{};
  const GpuHeader command{static_cast<std::uint32_t>(GpuCommand::kGetDisplayInfo), 0, 0, 0, 0};
  EXPECT_EQ(guest_->Send(0, std::as_bytes(std::span(&command, 1)), &info, sizeof(info)), sizeof(info));
  EXPECT_EQ(info.scanouts[0].enabled, 0U);
  picture_.assign(picture_.size(), 1);
  ShowPicture();  // nobody sees it
}

TEST(DisplayDevice, Make_ExtentOutsideOfTheLimits_IsRefused) {
  for (const auto kind : {DisplayDeviceKind::kFramebuffer, DisplayDeviceKind::kVirtioGpu, DisplayDeviceKind::kVirtioGpuOnLine}) {
    EXPECT_EQ(MakeDisplayDevice(kind, 0, 1, std::make_shared<PictureOutput>()).error().kind, ErrorKind::kInvalidArgument);
    EXPECT_TRUE(MakeDisplayDevice(kind, 1, 1, std::make_shared<PictureOutput>()).ok());
  }
}

}  // namespace
}  // namespace tandem::bus
