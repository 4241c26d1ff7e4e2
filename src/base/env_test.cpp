#include "base/env.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace tandem {
namespace {

constexpr const char* kName = "TANDEM_ENV_TEST";

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
  EXPECT_EQ(EnvFlag(kName).value(), std::nullopt);
}

TEST_F(Env, String_IsTheValue) {
  Set("a b");
  EXPECT_EQ(EnvString(kName), "a b");
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
