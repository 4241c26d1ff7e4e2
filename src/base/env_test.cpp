#include "base/env.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace tandem {
namespace {

constexpr const char* kName = "TANDEM_ENV_TEST";
constexpr IntegerRange kPercent = {0, 100};

class Env : public testing::Test {
 protected:
  ~Env() override { unsetenv(kName); }
  static void Set(const char* value) { setenv(kName, value, 1); }
};

TEST_F(Env, NotSetOrEmpty_IsNothing) {
  unsetenv(kName);
  EXPECT_EQ(EnvString(kName), std::nullopt);
  Set("");
  EXPECT_EQ(EnvString(kName), std::nullopt);
  EXPECT_EQ(EnvInteger(kName, kPercent).value(), std::nullopt);
  EXPECT_EQ(EnvFlag(kName).value(), std::nullopt);
}

TEST_F(Env, String_IsTheValue) {
  Set("a b");
  EXPECT_EQ(EnvString(kName), "a b");
}

TEST_F(Env, IntegerInRange_IsTheNumber) {
  for (const char* text : {"0", "100", "42"}) {
    Set(text);
    EXPECT_EQ(EnvInteger(kName, kPercent).value(), std::atoi(text));
  }
  Set("-5");
  EXPECT_EQ(EnvInteger(kName, {-5, -1}).value(), -5);
}

TEST_F(Env, IntegerOutOfRange_NamesVariableValueAndLimits) {
  for (const char* text : {"101", "-1", "99999999999999999999999"}) {
    Set(text);
    const auto value = EnvInteger(kName, kPercent);
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_EQ(value.error().message, std::string("TANDEM_ENV_TEST=") + text + " is not between 0 and 100.");
  }
}

TEST_F(Env, IntegerWithOtherText_IsInvalid) {
  for (const char* text : {"x", "4x", " 4", "4.5", "0x10", "-"}) {
    Set(text);
    const auto value = EnvInteger(kName, kPercent);
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_EQ(value.error().message, std::string("TANDEM_ENV_TEST='") + text + "' is not a whole number.");
  }
}

TEST_F(Env, Flag_KnowsItsWords) {
  for (const char* text : {"1", "true", "yes", "on"}) {
    Set(text);
    EXPECT_EQ(EnvFlag(kName).value(), true) << text;
  }
  for (const char* text : {"0", "false", "no", "off"}) {
    Set(text);
    EXPECT_EQ(EnvFlag(kName).value(), false) << text;
  }
}

TEST_F(Env, FlagWithOtherWord_IsInvalid) {
  Set("maybe");
  EXPECT_EQ(EnvFlag(kName).error().kind, ErrorKind::kInvalidArgument);
}

}  // namespace
}  // namespace tandem
