#include "system/display_only_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::system {
namespace {

TEST(DisplayOnlyDriver, ThatStartsOnNeitherDevice_IsToldWhatEachOfThemIs) {
  const std::string text = NeitherDevice("No memory.", "No registers.");
  EXPECT_THAT(text, testing::HasSubstr("On a frame buffer, which has no resources and no interrupt: No memory. On a virtio"));
  EXPECT_THAT(text, testing::HasSubstr("PCI device 1AF4:1050: No registers. TANDEM_DRIVER_DEBUG=1"));
}

}  // namespace
}  // namespace tandem::system
