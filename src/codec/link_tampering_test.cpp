// What others do to a link surface while a frame is in it: no slice of another frame, place or picture is shown, in any encoding.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "codec/testing/link_crossing.h"

namespace tandem::codec {
namespace {

constexpr std::uint32_t kWidth = 100;
constexpr std::uint32_t kHeight = 60;
constexpr std::uint32_t kSlices = 4;
constexpr color::Format kBgra = color::Format::kB8G8R8A8Unorm;

class LinkTampering : public ::testing::TestWithParam<LinkEncoding> {
 protected:
  void SetUp() override {
    if (!IsBuilt(GetParam())) GTEST_SKIP() << "This encoding is not in this build.";
  }
  // A frame that is encoded and waits for its decoding.
  [[nodiscard]] static Crossing Sent(std::uint64_t frame) {
    Crossing crossing(kWidth, kHeight, kBgra);
    EXPECT_TRUE(crossing.Encode(frame, GetParam()).ok());
    return crossing;
  }
};

// The pages say that a slice was decoded before. It was not.
TEST_P(LinkTampering, SliceThatIsSaidToBeHeld_IsDecodedAllTheSame) {
  Crossing whole = Sent(2);
  ASSERT_TRUE(whole.Decode().ok());
  Crossing crossing = Sent(2);
  crossing.SetHeld(1, 2);
  ASSERT_TRUE(crossing.Decode().ok());
  EXPECT_EQ(crossing.out(), whole.out());
}

// The same when the slice refers to a frame that its destination does hold.
TEST_P(LinkTampering, SliceWithAReferenceThatIsSaidToBeHeld_IsDecodedAllTheSame) {
  Crossing crossing = Sent(2);
  ASSERT_TRUE(crossing.Decode().ok());
  crossing.pixel(50, 20, 0) ^= std::byte{0x40};
  ASSERT_TRUE(crossing.Encode(3, GetParam()).ok());
  Crossing whole = crossing;
  ASSERT_TRUE(whole.Decode().ok());
  for (std::uint32_t slice = 0; slice < kSlices; ++slice) crossing.SetHeld(slice, 3);
  ASSERT_TRUE(crossing.Decode().ok());
  EXPECT_EQ(crossing.out(), whole.out());
}

std::string Named(const ::testing::TestParamInfo<LinkEncoding>& info) {
  std::string name = "of_" + std::string(ToString(info.param));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Encodings, LinkTampering, ::testing::ValuesIn(kLinkEncodingsByPicture), Named);

}  // namespace
}  // namespace tandem::codec
