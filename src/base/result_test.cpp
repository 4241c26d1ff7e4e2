#include "base/result.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

struct Animal {
  virtual ~Animal() = default;
  [[nodiscard]] virtual int Legs() const = 0;
};
struct Dog final : Animal {
  [[nodiscard]] int Legs() const override { return 4; }
};

Result<std::unique_ptr<Animal>> MakeDog() { return std::make_unique<Dog>(); }
Result<int> Half(int value) {
  if (value % 2 != 0) return Fail(ErrorKind::kInvalidArgument, "Value {} is not a multiple of {}.", value, 2);
  return value / 2;
}
Result<void> Check(bool good) {
  if (!good) return Fail(ErrorKind::kLimit, "Not good.");
  return {};
}

TEST(Result, Value_IsReachedByEachAccessor) {
  auto result = Half(8);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value(), 4);
  EXPECT_EQ(*result, 4);
  *result = 5;
  EXPECT_EQ(std::as_const(result).value(), 5);
}

TEST(Result, Error_CarriesKindAndFormattedSentence) {
  const auto result = Half(7);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(result.error().message, "Value 7 is not a multiple of 2.");
}

TEST(Result, UniquePtrToDerived_ConvertsAndMovesOut) {
  auto result = MakeDog();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ((*result)->Legs(), 4);
  const std::unique_ptr<Animal> owned = std::move(result).value();
  EXPECT_EQ(owned->Legs(), 4);
}

TEST(Result, Arrow_ReachesMembers) {
  const Result<std::string> result = "four";
  EXPECT_EQ(result->size(), 4U);
}

TEST(Result, Void_IsOkWhenEmptyAndFailsWithError) {
  EXPECT_TRUE(Check(true).ok());
  const auto failed = Check(false);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind, ErrorKind::kLimit);
}

TEST(Result, ErrorOfTemporary_MovesOut) {
  const Error error = Half(1).error();
  EXPECT_EQ(error.message, "Value 1 is not a multiple of 2.");
}

TEST(Error, Context_PutsPrefixBeforeMessageAndKeepsKind) {
  const Error error = Half(7).error().Context("Reading the pair").Context("Start");
  EXPECT_EQ(error.message, "Start: Reading the pair: Value 7 is not a multiple of 2.");
  EXPECT_EQ(error.kind, ErrorKind::kInvalidArgument);
}

TEST(ErrorKind, ToString_NamesEachKind) {
  EXPECT_EQ(ToString(ErrorKind::kInvalidArgument), "invalid argument");
  EXPECT_EQ(ToString(ErrorKind::kInternal), "internal error");
  EXPECT_EQ(ToString(static_cast<ErrorKind>(99)), "unknown");
}

TEST(ResultDeathTest, ValueOfFailure_EndsProcess) {
  const auto failed = Half(7);
  EXPECT_DEATH(static_cast<void>(failed.value()), "check failed: ok\\(\\)");
}

TEST(ResultDeathTest, ErrorOfSuccess_EndsProcess) {
  const auto good = Half(8);
  EXPECT_DEATH(static_cast<void>(good.error()), "check failed: !ok\\(\\)");
}

}  // namespace
}  // namespace tandem
