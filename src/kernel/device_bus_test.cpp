// What a driver gets from the bus that its device is on: configuration space, resources, registers, interrupts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "kernel/adapter/rules.h"
#include "kernel/display_only.h"
#include "kernel/driver_host.h"
#include "kernel/testing/fake_display_only.h"

namespace tandem::kernel {
namespace {

using testing::HasSubstr;

// Four bytes of configuration space, and one register.
class PciBus final : public DeviceBus {
 public:
  NTSTATUS AcquirePostDisplayOwnership(DXGK_DISPLAY_INFORMATION& /*information*/) override { return STATUS_SUCCESS; }
  NTSTATUS MapMemory(PHYSICAL_ADDRESS /*address*/, ULONG /*length*/, PVOID& /*mapped*/) override { return STATUS_NOT_SUPPORTED; }
  NTSTATUS UnmapMemory(PVOID /*mapped*/) override { return STATUS_NOT_SUPPORTED; }
  PCM_RESOURCE_LIST TranslatedResources() override { return has_resources ? &resources : nullptr; }
  NTSTATUS ReadConfiguration(ULONG offset, void* buffer, ULONG length, ULONG& done) override {
    done = std::min<ULONG>(length, 4 - offset);
    std::memcpy(buffer, &configuration[offset], done);
    return STATUS_SUCCESS;
  }
  NTSTATUS WriteConfiguration(ULONG offset, const void* buffer, ULONG length, ULONG& done) override {
    done = std::min<ULONG>(length, 4 - offset);
    std::memcpy(&configuration[offset], buffer, done);
    return STATUS_SUCCESS;
  }
  bool HasRegister(std::uintptr_t address) const override { return address == kRegister; }
  bool ReadRegister(std::uintptr_t address, ULONG size, UINT64& value) override {
    value = register_value + size;
    return address == kRegister;
  }
  bool WriteRegister(std::uintptr_t address, ULONG /*size*/, UINT64 value) override {
    if (address == kRegister) register_value = value;
    return address == kRegister;
  }
  void Connect(const TANDEM_BUS_INTERFACE& raises) override { line = raises; }
  void Disconnect() override { line.reset(); }

  static constexpr std::uintptr_t kRegister = 0x5000;
  CM_RESOURCE_LIST resources{};
  bool has_resources = true;
  std::string configuration = "abcd";
  UINT64 register_value = 0;
  std::optional<TANDEM_BUS_INTERFACE> line;
};

const TANDEM_DRIVER_KERNEL* attached = nullptr;

class DeviceBusTest : public testing::Test {
 protected:
  void Start() {
    auto adapter =
        StartDisplayOnlyAdapter(FakeDisplayOnly::Entry(), "fake", {"screen", nullptr, &bus_}, TdrSettings{}, MonotonicClock());
    ASSERT_TRUE(adapter.ok()) << adapter.error().message;
    adapter_ = *std::move(adapter);
  }
  HANDLE device() { return driver_.kernel.DeviceHandle; }

  PciBus bus_;
  FakeDisplayOnly driver_;
  std::unique_ptr<DisplayOnlyAdapter> adapter_;
};

TEST_F(DeviceBusTest, DeviceSpace_IsTheBussConfigurationSpace) {
  Start();
  char bytes[8] = "";
  ULONG done = 0;
  EXPECT_EQ(driver_.kernel.DxgkCbReadDeviceSpace(device(), DXGK_WHICHSPACE_CONFIG, bytes, 1, 7, &done), STATUS_SUCCESS);
  EXPECT_EQ(std::string(bytes, done), "bcd");
  bytes[0] = 'X';
  EXPECT_EQ(driver_.kernel.DxgkCbWriteDeviceSpace(device(), DXGK_WHICHSPACE_CONFIG, bytes, 2, 1, &done), STATUS_SUCCESS);
  EXPECT_EQ(bus_.configuration, "abXd");
  EXPECT_EQ(driver_.kernel.DxgkCbReadDeviceSpace(device(), DXGK_WHICHSPACE_ROM, bytes, 0, 1, &done), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(done, 0U);
  EXPECT_EQ(driver_.kernel.DxgkCbReadDeviceSpace(device(), DXGK_WHICHSPACE_CONFIG, nullptr, 0, 1, &done),
            STATUS_INVALID_PARAMETER);
}

TEST_F(DeviceBusTest, DeviceInformation_HasTheResources) {
  Start();
  DXGK_DEVICE_INFO information{};
  EXPECT_EQ(driver_.kernel.DxgkCbGetDeviceInformation(device(), &information), STATUS_SUCCESS);
  EXPECT_EQ(information.TranslatedResourceList, &bus_.resources);
}

TEST_F(DeviceBusTest, DeviceWithoutResources_HasAListWithoutDescriptors) {
  bus_.has_resources = false;
  Start();
  DXGK_DEVICE_INFO information{};
  EXPECT_EQ(driver_.kernel.DxgkCbGetDeviceInformation(device(), &information), STATUS_SUCCESS);
  ASSERT_NE(information.TranslatedResourceList, nullptr);
  EXPECT_EQ(information.TranslatedResourceList->Count, 1U);
  EXPECT_EQ(information.TranslatedResourceList->List[0].PartialResourceList.Count, 0U);
}

TEST_F(DeviceBusTest, DeviceSpace_InTheInterruptRoutine_IsANamedViolation) {
  driver_.table.DxgkDdiInterruptRoutine = [](CONST PVOID context, ULONG) {
    const DXGKRNL_INTERFACE& kernel = static_cast<FakeDisplayOnly*>(context)->kernel;
    char byte = 0;
    ULONG done = 0;
    static_cast<void>(kernel.DxgkCbReadDeviceSpace(kernel.DeviceHandle, DXGK_WHICHSPACE_CONFIG, &byte, 0, 1, &done));
    return BOOLEAN{FALSE};
  };
  Start();
  ASSERT_TRUE(bus_.line);
  bus_.line->RaiseInterrupt(bus_.line->Context, 0);
  EXPECT_THAT(adapter_->violation(), HasSubstr(rules::kCallbackIrql));
  adapter_.reset();
  EXPECT_FALSE(bus_.line);
}

TEST_F(DeviceBusTest, Registers_AreReachedByAddressWhileTheAdapterLives) {
  DriverHost host([](CONST TANDEM_DRIVER_KERNEL* kernel) { attached = kernel == nullptr ? attached : kernel; });
  auto* const address = reinterpret_cast<volatile VOID*>(PciBus::kRegister);
  UINT64 value = 0;
  EXPECT_FALSE(attached->ReadRegister(address, 4, &value));
  Start();
  EXPECT_TRUE(attached->WriteRegister(address, 4, 70));
  EXPECT_TRUE(attached->ReadRegister(address, 4, &value));
  EXPECT_EQ(value, 74U);
  EXPECT_TRUE(attached->HasRegister(address));
  EXPECT_FALSE(attached->HasRegister(&value));
  adapter_.reset();
  EXPECT_FALSE(attached->HasRegister(address));
}

}  // namespace
}  // namespace tandem::kernel
