#include "system/display_only_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/message_interrupts.h"

namespace tandem::system {
namespace {

TEST(DisplayOnlyDriver, ThatStartsOnNoDevice_IsToldWhatEachOfThemIs) {
  using enum bus::DisplayDeviceKind;
  const std::string text =
      NoDevice({{kFramebuffer, "No registers."}, {kVirtioGpu, "No line."}, {kVirtioGpuOnLine, "No ports."}, {kQxl, "No rings."}});
  EXPECT_THAT(text, testing::HasSubstr("On a frame buffer, which has no interrupt: No registers. On a virtio GPU, PCI device"));
  EXPECT_THAT(text, testing::HasSubstr("line interrupt, PCI device 1AF4:1050: No ports. On a QXL device, PCI"));
  EXPECT_THAT(text, testing::HasSubstr("PCI device 1B36:0100: No rings. TANDEM_DRIVER_DEBUG=1"));
}

TEST(DisplayOnlyDriver, ForADeviceWithInterrupts_IsTriedOnTheGpuFirst) {
  using enum bus::DisplayDeviceKind;
  kernel::DriverSettings settings;
  settings.registry.push_back(kernel::MessageInterruptsValue(false));
  kernel::SetDriverSettings(settings);
  EXPECT_THAT(DevicesToTry(), testing::ElementsAre(kVirtioGpuOnLine, kFramebuffer, kQxl));
  kernel::SetDriverSettings({});
}

TEST(DisplayOnlyDriver, WithoutAWord_IsTriedOnEachDevice) {
  using enum bus::DisplayDeviceKind;
  EXPECT_THAT(DevicesToTry(), testing::ElementsAre(kFramebuffer, kVirtioGpu, kVirtioGpuOnLine, kQxl));
}

}  // namespace
}  // namespace tandem::system
