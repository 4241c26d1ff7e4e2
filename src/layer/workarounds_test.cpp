#include "layer/workarounds.h"

#include <gtest/gtest.h>

namespace tandem::layer {
namespace {

Workarounds ForEngine(const char* name) {
  VkApplicationInfo application{};
  application.pEngineName = name;
  return WorkaroundsFor(&application);
}

TEST(Workarounds, EngineOfTheTable_GetsItsOwn) { EXPECT_TRUE(ForEngine("mesa zink").quiet_presents); }

TEST(Workarounds, EveryOtherProgram_GetsNone) {
  EXPECT_FALSE(WorkaroundsFor(nullptr).quiet_presents);
  for (const char* name : {static_cast<const char*>(nullptr), "", "mesa", "mesa zink 2", "unity"}) {
    EXPECT_FALSE(ForEngine(name).quiet_presents);
  }
}

}  // namespace
}  // namespace tandem::layer
