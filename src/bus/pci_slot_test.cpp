// Configuration space, BARs and interrupts of a slot, as a driver and the kernel see them.
#include "bus/pci_slot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>

namespace tandem::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kLimitNs = 2'000'000'000;

// Has two registers that read what was written; a write to register 16 raises that message, one to register 20 sets the line.
class TestModel final : public DeviceModel {
 public:
  TestModel() {
    description_.identity = {0x1234, 0x5678, 0x9ABC, 0xDEF0, 7, 3, 0x80};
    description_.register_bar = 4;
    description_.register_bytes = 0x4000;
    description_.messages = 3;
    description_.port_bar = 0;
    description_.port_bytes = 8;
    description_.vendor_properties = {{1, 4, 0, 0, 0}, {2, 4, 0, 0, 0, 8, 9}};
  }
  [[nodiscard]] const DeviceDescription& description() const override { return description_; }
  void Attach(DeviceHost& host) override { host_ = &host; }
  std::uint32_t ReadRegister(std::uint32_t offset, std::uint32_t size) override {
    return offset < 8 ? value_[offset / 4].load() : offset * 16 + size;
  }
  void WriteRegister(std::uint32_t offset, std::uint32_t /*size*/, std::uint32_t value) override {
    if (offset < 8) value_[offset / 4] = value;
    if (offset == 20) line_ = value != 0;
    if (offset == 20) host_->Wake();
    if (offset != 16) return;
    message_ = value;
    host_->Wake();
  }
  std::uint32_t ReadPort(std::uint32_t offset, std::uint32_t size) override { return port_ + offset * 16 + size; }
  void WritePort(std::uint32_t offset, std::uint32_t size, std::uint32_t value) override { port_ = value + offset * 16 + size; }
  void Work() override {
    if (const int message = static_cast<int>(message_.exchange(~0u)); message >= 0) {
      host_->Raise(static_cast<std::uint16_t>(message));
    }
  }
  [[nodiscard]] bool LineAsserted() const override { return line_; }
  void Reset() override { ++resets; }
  int resets = 0;

 private:
  DeviceDescription description_;
  DeviceHost* host_ = nullptr;
  std::array<std::atomic<std::uint32_t>, 2> value_{};
  std::uint32_t port_ = 0;
  std::atomic<std::uint32_t> message_{~0u};
  std::atomic<bool> line_{false};
};

class PciSlotTest : public testing::Test {
 protected:
  void SetUp() override { Make(PciInterrupts::kMessages); }
  void Make(PciInterrupts interrupts) {
    auto slot = PciSlot::Create(model_, interrupts);
    ASSERT_TRUE(slot.ok()) << slot.error().message;
    slot_ = *std::move(slot);
    Connect();
  }
  void Connect() {
    slot_->Connect(
        {this, [](PVOID context, ULONG message) { static_cast<PciSlotTest*>(context)->Interrupt(message); }, nullptr, nullptr});
  }
  void Interrupt(ULONG message) {
    raised_.push_back(message);
    if (raised_.size() == acknowledged_at_) SetLine(false);
  }
  void SetLine(bool asserted) { EXPECT_TRUE(slot_->WriteRegister(Bar(4) + 20, 4, asserted ? 1 : 0)); }
  void AssertLine() {
    SetLine(true);
    EXPECT_TRUE(slot_->AwaitIdle(10 * kLimitNs));
  }
  template <class T>
  T Config(ULONG offset) {
    T value{};
    ULONG done = 0;
    EXPECT_EQ(slot_->ReadConfiguration(offset, &value, sizeof(value), done), STATUS_SUCCESS);
    EXPECT_EQ(done, sizeof(value));
    return value;
  }
  template <class T>
  void SetConfig(ULONG offset, T value) {
    ULONG done = 0;
    EXPECT_EQ(slot_->WriteConfiguration(offset, &value, sizeof(value), done), STATUS_SUCCESS);
  }
  std::uint64_t Bar(std::uint32_t index) { return Config<std::uint64_t>(kPciBars + 4 * index) & ~std::uint64_t{15}; }
  ULONG FindCapability(std::uint8_t id) {
    ULONG at = Config<std::uint8_t>(kPciCapabilities);
    while (at != 0 && Config<std::uint8_t>(at) != id) at = Config<std::uint8_t>(at + 1);
    return at;
  }
  void RaiseMessage(std::uint32_t message) {
    EXPECT_TRUE(slot_->WriteRegister(Bar(4) + 16, 4, message));
    EXPECT_TRUE(slot_->AwaitIdle(kLimitNs));
  }

  TestModel model_;
  std::unique_ptr<PciSlot> slot_;
  std::vector<ULONG> raised_;        // written by the slot's thread
  std::size_t acknowledged_at_ = 1;  // the interrupt that takes the line back
};

TEST_F(PciSlotTest, Header_IsTheDevices) {
  EXPECT_EQ(Config<std::uint32_t>(0), 0x56781234U);
  EXPECT_EQ(Config<std::uint32_t>(kPciClass), 0x03800007U);
  EXPECT_EQ(Config<std::uint32_t>(kPciSubsystem), 0xDEF09ABCU);
  EXPECT_EQ(Config<std::uint16_t>(kPciStatus) & 0x10, 0x10);
  SetConfig<std::uint32_t>(0, 0);
  EXPECT_EQ(Config<std::uint32_t>(0), 0x56781234U);
}

TEST_F(PciSlotTest, Ports_BarOfTheModel_ReachItAndNoOther) {
  const auto bar = Config<std::uint32_t>(kPciBars);
  EXPECT_EQ(bar & 3, 1U);
  EXPECT_EQ(Config<std::uint16_t>(kPciCommand) & 1, 1);
  SetConfig<std::uint32_t>(kPciBars, 0xFFFFFFFF);
  EXPECT_EQ(Config<std::uint32_t>(kPciBars), 0xFFFFFFF9U);  // eight ports
  const std::uint32_t first = bar & ~3U;
  ULONG value = 0;
  EXPECT_TRUE(slot_->WritePort(first + 4, 2, 0x100));
  EXPECT_TRUE(slot_->ReadPort(first + 2, 1, value));
  EXPECT_EQ(value, 0x100U + 4 * 16 + 2 + 2 * 16 + 1);
  EXPECT_TRUE(slot_->ReadPort(first + 2, 4, value));  // not aligned
  EXPECT_EQ(value, 0xFFFFFFFFU);
  EXPECT_FALSE(slot_->ReadPort(first + 8, 1, value));
  EXPECT_FALSE(slot_->WritePort(first - 1, 1, 0));
}

TEST_F(PciSlotTest, Configuration_BeyondItsEnd_IsCutOff) {
  std::array<std::byte, 16> bytes{};
  ULONG done = 99;
  EXPECT_EQ(slot_->ReadConfiguration(248, bytes.data(), 16, done), STATUS_SUCCESS);
  EXPECT_EQ(done, 8U);
  EXPECT_EQ(slot_->ReadConfiguration(0xFFFFFFFF, bytes.data(), 16, done), STATUS_SUCCESS);
  EXPECT_EQ(done, 0U);
  EXPECT_EQ(slot_->WriteConfiguration(256, bytes.data(), 16, done), STATUS_SUCCESS);
  EXPECT_EQ(done, 0U);
}

TEST_F(PciSlotTest, Capabilities_AreLinked) {
  const ULONG msix = FindCapability(0x11);
  ASSERT_NE(msix, 0U);
  EXPECT_EQ(Config<std::uint16_t>(msix + 2), 0x8002);  // enabled, three messages
  const ULONG first = FindCapability(0x09);
  ASSERT_NE(first, 0U);
  EXPECT_EQ(Config<std::uint8_t>(first + 2), 8);
  EXPECT_EQ(Config<std::uint8_t>(first + 3), 1);
  const ULONG second = Config<std::uint8_t>(first + 1);
  EXPECT_EQ(Config<std::uint8_t>(second + 2), 10);
  EXPECT_EQ(Config<std::uint8_t>(second + 9), 9);
  EXPECT_EQ(Config<std::uint8_t>(second + 1), 0);
}

TEST_F(PciSlotTest, Bars_AnswerWithTheirSizes) {
  const std::uint64_t address = Bar(4);
  EXPECT_EQ(Config<std::uint32_t>(kPciBars + 16) & 15U, 4U);  // 64 bits of memory
  SetConfig<std::uint64_t>(kPciBars + 16, ~std::uint64_t{0});
  EXPECT_EQ(~Bar(4) + 1, 0x4000U);
  SetConfig<std::uint64_t>(kPciBars + 16, address);
  EXPECT_EQ(Bar(4), address);
  EXPECT_EQ(address % 0x4000, 0U);
  EXPECT_EQ(Config<std::uint32_t>(kPciBars + 4), 0U);
}

TEST_F(PciSlotTest, TranslatedResources_ListBarsAndMessages) {
  const CM_PARTIAL_RESOURCE_LIST& list = slot_->TranslatedResources()->List[0].PartialResourceList;
  ASSERT_EQ(list.Count, 6U);
  EXPECT_EQ(list.PartialDescriptors[0].Type, CmResourceTypeMemory);
  EXPECT_EQ(static_cast<std::uint64_t>(list.PartialDescriptors[0].u.Memory.Start.QuadPart), Bar(4));
  EXPECT_EQ(list.PartialDescriptors[0].u.Memory.Length, 0x4000U);
  EXPECT_EQ(list.PartialDescriptors[2].Type, CmResourceTypePort);
  EXPECT_EQ(list.PartialDescriptors[2].u.Port.Length, 8U);
  for (ULONG i = 3; i < 6; ++i) {
    EXPECT_EQ(list.PartialDescriptors[i].Type, CmResourceTypeInterrupt);
    EXPECT_EQ(list.PartialDescriptors[i].Flags, CM_RESOURCE_INTERRUPT_LATCHED | CM_RESOURCE_INTERRUPT_MESSAGE);
    EXPECT_EQ(list.PartialDescriptors[i].u.MessageInterrupt.Translated.Vector, i - 3);
  }
}

TEST_F(PciSlotTest, MapMemory_RangeOfABar_IsItsAddress) {
  PHYSICAL_ADDRESS address;
  address.QuadPart = static_cast<LONGLONG>(Bar(4) + 0x1000);
  PVOID mapped = nullptr;
  EXPECT_EQ(slot_->MapMemory(address, 0x3000, mapped), STATUS_SUCCESS);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mapped), Bar(4) + 0x1000);
  EXPECT_EQ(slot_->UnmapMemory(mapped), STATUS_SUCCESS);
  EXPECT_EQ(slot_->MapMemory(address, 0x3001, mapped), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(slot_->MapMemory(address, 0, mapped), STATUS_INVALID_PARAMETER);
  address.QuadPart = 4096;
  EXPECT_EQ(slot_->MapMemory(address, 1, mapped), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(slot_->UnmapMemory(this), STATUS_INVALID_PARAMETER);
}

TEST_F(PciSlotTest, Registers_ReachTheModelInParts) {
  UINT64 value = 0;
  EXPECT_TRUE(slot_->WriteRegister(Bar(4), 8, 0x1122334455667788));
  EXPECT_TRUE(slot_->ReadRegister(Bar(4), 8, value));
  EXPECT_EQ(value, 0x1122334455667788U);
  EXPECT_TRUE(slot_->ReadRegister(Bar(4) + 0x102, 2, value));
  EXPECT_EQ(value, 0x1022U);
  EXPECT_TRUE(slot_->ReadRegister(Bar(4) + 1, 4, value));
  EXPECT_EQ(value, ~UINT64{0});  // not aligned
  EXPECT_FALSE(slot_->ReadRegister(reinterpret_cast<std::uintptr_t>(&value), 4, value));
  EXPECT_FALSE(slot_->WriteRegister(4096, 4, 0));
  EXPECT_TRUE(slot_->HasRegister(Bar(2)));
}

TEST_F(PciSlotTest, PostDisplay_HasNoPixels) {
  DXGK_DISPLAY_INFORMATION picture{};
  picture.Width = 5;
  EXPECT_EQ(slot_->AcquirePostDisplayOwnership(picture), STATUS_SUCCESS);
  EXPECT_EQ(picture.Width, 0U);
  EXPECT_EQ(picture.PhysicAddress.QuadPart, 0);
}

TEST_F(PciSlotTest, Message_IsRaisedOnce) {
  RaiseMessage(2);
  RaiseMessage(0);
  RaiseMessage(3);  // the device does not have it
  EXPECT_THAT(raised_, ElementsAre(2, 0));
}

TEST_F(PciSlotTest, MaskedMessage_IsRaisedWhenItsMaskIsTakenAway) {
  slot_->WriteRegister(Bar(2) + 16 + 12, 4, 1);
  RaiseMessage(1);
  EXPECT_THAT(raised_, IsEmpty());
  UINT64 pending = 0;
  slot_->ReadRegister(Bar(2) + 2048, 4, pending);
  EXPECT_EQ(pending, 2U);
  slot_->WriteRegister(Bar(2) + 16 + 12, 4, 0);
  EXPECT_TRUE(slot_->AwaitIdle(kLimitNs));
  EXPECT_THAT(raised_, ElementsAre(1));
}

TEST_F(PciSlotTest, AllMessagesMasked_AreRaisedLater) {
  const ULONG control = FindCapability(0x11) + 2;
  SetConfig<std::uint16_t>(control, 0xC000);
  RaiseMessage(2);
  EXPECT_THAT(raised_, IsEmpty());
  SetConfig<std::uint16_t>(control, 0x8000);
  EXPECT_TRUE(slot_->AwaitIdle(kLimitNs));
  EXPECT_THAT(raised_, ElementsAre(2));
}

TEST_F(PciSlotTest, MessagesDisabled_TheLineIsRaised) {
  AssertLine();
  EXPECT_THAT(raised_, IsEmpty());
  SetConfig<std::uint16_t>(FindCapability(0x11) + 2, 0);
  EXPECT_TRUE(slot_->AwaitIdle(kLimitNs));
  EXPECT_THAT(raised_, ElementsAre(0));
  RaiseMessage(1);
  EXPECT_THAT(raised_, ElementsAre(0));
}

TEST_F(PciSlotTest, Line_ResourcesAndConfigurationDescribeIt) {
  EXPECT_EQ(Config<std::uint8_t>(kPciInterruptPin), 1);
  Make(PciInterrupts::kLine);
  EXPECT_EQ(Config<std::uint8_t>(kPciInterruptPin), 1);
  EXPECT_EQ(Config<std::uint16_t>(FindCapability(0x11) + 2), 2);  // three messages, not enabled
  const CM_PARTIAL_RESOURCE_LIST& list = slot_->TranslatedResources()->List[0].PartialResourceList;
  ASSERT_EQ(list.Count, 4U);
  EXPECT_EQ(list.PartialDescriptors[3].Type, CmResourceTypeInterrupt);
  EXPECT_EQ(list.PartialDescriptors[3].ShareDisposition, CmResourceShareShared);
  EXPECT_EQ(list.PartialDescriptors[3].Flags, CM_RESOURCE_INTERRUPT_LEVEL_SENSITIVE);
  EXPECT_NE(list.PartialDescriptors[3].u.Interrupt.Level, 0U);
}

TEST_F(PciSlotTest, Line_IsRaisedUntilTheDriverAcknowledges) {
  Make(PciInterrupts::kLine);
  acknowledged_at_ = 3;
  AssertLine();
  EXPECT_THAT(raised_, ElementsAre(0, 0, 0));
}

TEST_F(PciSlotTest, Line_ThatTheCommandRegisterDisables_IsRaisedLater) {
  Make(PciInterrupts::kLine);
  SetConfig<std::uint16_t>(kPciCommand, 0x0406);
  AssertLine();
  EXPECT_THAT(raised_, IsEmpty());
  SetConfig<std::uint16_t>(kPciCommand, 0x0006);
  EXPECT_TRUE(slot_->AwaitIdle(kLimitNs));
  EXPECT_THAT(raised_, ElementsAre(0));
}

TEST_F(PciSlotTest, Line_NeverAcknowledged_IsLeftAloneUntilTheDriverStops) {
  Make(PciInterrupts::kLine);
  acknowledged_at_ = PciSlot::kMostLineRaises + 2;
  AssertLine();
  EXPECT_EQ(raised_.size(), PciSlot::kMostLineRaises);
  AssertLine();
  EXPECT_EQ(raised_.size(), PciSlot::kMostLineRaises);
  slot_->Disconnect();
  Connect();
  AssertLine();
  EXPECT_EQ(raised_.size(), PciSlot::kMostLineRaises + 2);
}

TEST_F(PciSlotTest, Disconnect_ResetsTheModelAndRaisesNothing) {
  slot_->Disconnect();
  EXPECT_EQ(model_.resets, 1);
  RaiseMessage(1);
  EXPECT_THAT(raised_, IsEmpty());
}

}  // namespace
}  // namespace tandem::bus
