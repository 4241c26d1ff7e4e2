#include "bus/bochs_registers.h"

#include <gtest/gtest.h>

namespace tandem::bus {
namespace {

constexpr std::uint32_t kId = 0, kWidth = 1, kHeight = 2, kBits = 3, kEnable = 4, kVirtualWidth = 6, kOffsetY = 9, kMemory = 10;

class BochsRegistersTest : public testing::Test {
 protected:
  void Set(std::uint32_t index, std::uint32_t value) {
    EXPECT_TRUE(registers_.WritePort(BochsRegisters::kIndexPort, 2, index));
    EXPECT_TRUE(registers_.WritePort(BochsRegisters::kDataPortToo, 2, value));
  }
  std::uint32_t Get(std::uint32_t index) {
    std::uint32_t value = 0;
    EXPECT_TRUE(registers_.WritePort(BochsRegisters::kIndexPort, 2, index));
    EXPECT_TRUE(registers_.ReadPort(BochsRegisters::kDataPort, 2, value));
    return value;
  }
  void SetMode(std::uint32_t width, std::uint32_t height) {
    Set(kEnable, 0);
    Set(kWidth, width);
    Set(kHeight, height);
    Set(kBits, 32);
    Set(kEnable, 1);
  }
  BochsRegisters registers_{800, 600, 0x200000, 0x12340000};
};

TEST_F(BochsRegistersTest, Registers_DescribeTheAdapter) {
  EXPECT_EQ(Get(kId), 0xB0C5u);
  EXPECT_EQ(Get(kMemory), 32u);
  EXPECT_EQ(Get(11), 0x1234u);
  Set(kEnable, 2);
  EXPECT_EQ(Get(kWidth), 800u);
  EXPECT_EQ(Get(kHeight), 600u);
  std::uint32_t value = 0;
  EXPECT_FALSE(registers_.ReadPort(0x1CD, 2, value));
  EXPECT_FALSE(registers_.WritePort(0x1CE, 1, 0));
}

TEST_F(BochsRegistersTest, Mode_HasAPictureWhileItIsEnabled) {
  EXPECT_FALSE(registers_.picture());
  SetMode(640, 480);
  ASSERT_TRUE(registers_.picture());
  EXPECT_EQ(registers_.picture()->width, 640u);
  EXPECT_EQ(registers_.picture()->pitch, 2560u);
  Set(kVirtualWidth, 800);
  Set(kOffsetY, 2);
  EXPECT_EQ(registers_.picture()->pitch, 3200u);
  EXPECT_EQ(registers_.picture()->offset, 6400u);
  Set(kOffsetY, 500);  // behind the memory
  EXPECT_FALSE(registers_.picture());
  SetMode(800, 600);
  EXPECT_EQ(registers_.picture()->offset, 0u);
  Set(kEnable, 0);
  EXPECT_FALSE(registers_.picture());
}

TEST_F(BochsRegistersTest, Mode_ThatIsTooLarge_KeepsTheFormerExtent) {
  SetMode(640, 480);
  SetMode(808, 601);
  EXPECT_EQ(registers_.picture()->width, 640u);
  EXPECT_EQ(registers_.picture()->height, 480u);
}

}  // namespace
}  // namespace tandem::bus
