#include "kernel/feature/feature_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::kernel {
namespace {

using ::testing::HasSubstr;

const FeatureMessage kQuery{FeatureMessageKind::kQuery, 7, DXGK_FEATURE_SAMPLE, {3, 5}};

std::string Wrong(const FeatureMessage& answer) {
  const auto checked = CheckAnswer(kQuery, answer);
  return checked.ok() ? "right" : checked.error().message;
}

TEST(FeatureMessage, EncodeThenDecode_IsTheSame) {
  for (const FeatureMessage& message :
       {kQuery, FeatureMessage{FeatureMessageKind::kAnswer, 0xFFFFFFFF, DXGK_FEATURE_QUERYSTATISTICS_EXTENSIONS, {}},
        FeatureMessage{FeatureMessageKind::kHello, 1, {}, {1, 1}}}) {
    const auto decoded = Decode(Encode(message));
    ASSERT_TRUE(decoded.ok()) << decoded.error().message;
    EXPECT_EQ(*decoded, message);
  }
}

TEST(FeatureMessage, Decode_OneByteWrong_SaysWhich) {
  struct Case {
    std::size_t offset;
    int value;
    const char* said;
  };
  for (const Case& wrong : {Case{0, 0, "starts with"}, Case{4, 0, "Kind 0"}, Case{4, 5, "Kind 5"}, Case{6, 1, "Reserved"},
                            Case{23, 1, "Reserved"}, Case{16, 0, "Versions 0 to 5"}, Case{16, 6, "Versions 6 to 5"}}) {
    FeatureMessageBytes bytes = Encode(kQuery);
    bytes[wrong.offset] = static_cast<std::byte>(wrong.value);
    const auto decoded = Decode(bytes);
    ASSERT_FALSE(decoded.ok()) << wrong.said;
    EXPECT_THAT(decoded.error().message, HasSubstr(wrong.said));
  }
}

TEST(FeatureMessage, CheckAnswer_WhatDoesNotFit_IsSaid) {
  FeatureMessage answer = kQuery;
  answer.kind = FeatureMessageKind::kAnswer;
  EXPECT_EQ(Wrong(answer), "right");
  answer.versions = {};
  EXPECT_EQ(Wrong(answer), "right");
  for (const VersionRange lie : {VersionRange{2, 4}, VersionRange{4, 6}, VersionRange{9, 9}}) {
    answer.versions = lie;
    EXPECT_THAT(Wrong(answer), HasSubstr("answer a question for 3 to 5"));
  }
  answer = kQuery;
  EXPECT_THAT(Wrong(answer), HasSubstr("kind 3 does not answer"));
  answer.kind = FeatureMessageKind::kAnswer;
  answer.sequence = 6;
  EXPECT_THAT(Wrong(answer), HasSubstr("does not answer message 7"));
  answer.sequence = 7;
  answer.id = DXGK_FEATURE_HWSCH;
  EXPECT_THAT(Wrong(answer), HasSubstr("does not answer message 7"));
}

}  // namespace
}  // namespace tandem::kernel
