#include "system/interrupt_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/driver_settings.h"

namespace tandem::system {
namespace {

using enum bus::PciInterrupts;
using testing::ElementsAre;

std::vector<bus::PciInterrupts> TriedWith(kernel::RegistryRoot root, std::byte supported) {
  kernel::DriverSettings settings;
  settings.registry.push_back(
      {root, R"(interrupt management\MessageSignaledInterruptProperties)", "MSISUPPORTED", 4, {supported, {}, {}, {}}});
  kernel::SetDriverSettings(std::move(settings));
  auto tried = InterruptsToTry();
  kernel::SetDriverSettings({});
  return tried;
}

TEST(InterruptChoice, WithoutAWord_MessagesThenTheLine) { EXPECT_THAT(InterruptsToTry(), ElementsAre(kMessages, kLine)); }

TEST(InterruptChoice, MsiSupportedOfTheDevice_LeavesOneKind) {
  EXPECT_THAT(TriedWith(kernel::RegistryRoot::kDevice, std::byte{0}), ElementsAre(kLine));
  EXPECT_THAT(TriedWith(kernel::RegistryRoot::kDevice, std::byte{1}), ElementsAre(kMessages));
  EXPECT_THAT(TriedWith(kernel::RegistryRoot::kDriver, std::byte{0}), ElementsAre(kMessages, kLine));
}

}  // namespace
}  // namespace tandem::system
