#include "system/render_losses.h"

#include <gtest/gtest.h>

namespace tandem::system {
namespace {

using State = RenderLosses::State;

config::AdapterInfo Adapter(const char* name, std::uint8_t uuid) {
  config::AdapterInfo adapter;
  adapter.name = name;
  adapter.device_uuid[0] = uuid;
  return adapter;
}

TEST(RenderLossesTest, AnAdapterThatNobodyLost_IsNotLost) {
  const RenderLosses losses;
  EXPECT_TRUE(losses.empty());
  EXPECT_EQ(losses.Of(Adapter("a", 1)), State::kNone);
}

TEST(RenderLossesTest, OneOfTwoEqualCardsIsLost_TheOtherIsNot) {
  RenderLosses losses;
  losses.Set(Adapter("card", 1), State::kGone);
  EXPECT_EQ(losses.Of(Adapter("card", 1)), State::kGone);
  EXPECT_EQ(losses.Of(Adapter("card", 2)), State::kNone);
  EXPECT_EQ(losses.gone(), 1U);
}

TEST(RenderLossesTest, AnotherListPutsTheAdapterElsewhere_ItIsStillLost) {
  RenderLosses losses;
  config::AdapterInfo adapter = Adapter("card", 1);
  losses.Set(adapter, State::kGone);
  adapter.index = 3;
  EXPECT_EQ(losses.Of(adapter), State::kGone);
}

TEST(RenderLossesTest, AnAdapterThatStartsAgain_CountsAsALossThatWas) {
  RenderLosses losses;
  losses.Set(Adapter("card", 1), State::kSeen);
  EXPECT_EQ(losses.gone(), 0U);
  losses.Set(Adapter("card", 1), State::kNone);
  EXPECT_EQ(losses.Of(Adapter("card", 1)), State::kNone);
  EXPECT_FALSE(losses.empty());
}

}  // namespace
}  // namespace tandem::system
