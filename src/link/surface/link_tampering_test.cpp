// Other processes change a link surface while it contains a frame. A slice of another frame, place or picture is never shown.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "color/format.h"
#include "link/testing/link_crossing.h"

namespace tandem::link {

void PrintTo(LinkEncoding encoding, std::ostream* out) { *out << ToString(encoding); }

namespace {

constexpr std::uint32_t kWidth = 100;
constexpr std::uint32_t kHeight = 60;
constexpr std::uint32_t kSlices = 4;

class LinkTampering : public ::testing::TestWithParam<LinkEncoding> {
 protected:
  void SetUp() override {
    if (!IsBuilt(GetParam())) GTEST_SKIP() << "This encoding is not in this build.";
  }
  // A frame that is encoded and not yet decoded.
  [[nodiscard]] static Crossing Sent(std::uint64_t frame) {
    Crossing crossing(kWidth, kHeight, kBgra);
    EXPECT_TRUE(crossing.Encode(frame, GetParam()).ok());
    return crossing;
  }
};

// The pages claim that a slice was decoded, which is false.
TEST_P(LinkTampering, SliceThatIsSaidToBeHeld_IsDecodedAllTheSame) {
  Crossing whole = Sent(2);
  ASSERT_TRUE(whole.Decode().ok());
  Crossing crossing = Sent(2);
  crossing.SetHeld(1, 2);
  ASSERT_TRUE(crossing.Decode().ok());
  EXPECT_EQ(crossing.out(), whole.out());
}

// The pages claim that falsely of a slice whose reference frame the destination holds.
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

// Replaces a slice's record and payload by those of another surface.
void Move(const Crossing& from, std::uint32_t slice, Crossing& to, std::uint32_t place) {
  const auto at = [](const Crossing& of, std::uint32_t index) {
    return static_cast<std::ptrdiff_t>(LinkPayloadOffset(of.from().width, index * of.slice_rows()));
  };
  std::copy_n(from.surface().begin() + at(from, slice), from.Slice(slice).bytes, to.surface().begin() + at(to, place));
  to.SetSlice(place, from.Slice(slice));
}

void ExpectNothingShown(Crossing& crossing, const std::string& what) {
  const std::vector<std::byte> before = crossing.out();
  EXPECT_FALSE(crossing.Decode().ok()) << what;
  EXPECT_EQ(crossing.out(), before) << what;
}

// Payloads are cut at every length, so also where a plane or its table ends.
TEST_P(LinkTampering, SliceThatIsTruncatedAnywhere_ShowsNothing) {
  Crossing crossing(24, 40, kBgra);
  ASSERT_TRUE(crossing.Encode(2, GetParam()).ok());
  const LinkSlice good = crossing.Slice(1);
  for (std::uint32_t bytes = 0; bytes < good.bytes + 20; ++bytes) {
    if (bytes == good.bytes) continue;
    LinkSlice slice = good;
    slice.bytes = bytes;
    crossing.SetSlice(1, slice);
    ASSERT_NO_FATAL_FAILURE(ExpectNothingShown(crossing, std::to_string(bytes)));
  }
  crossing.SetSlice(1, good);
  EXPECT_TRUE(crossing.Decode().ok());
}

TEST_P(LinkTampering, FrameThatIsReplayed_ShowsNothing) {
  Crossing crossing = Sent(2);
  ASSERT_TRUE(crossing.Decode().ok());
  const Crossing before = crossing;
  crossing.pixel(50, 20, 0) ^= std::byte{0x40};
  ASSERT_TRUE(crossing.Encode(3, GetParam()).ok());
  // The previous frame in place of the awaited one: all of it, then one slice.
  Crossing replayed = crossing;
  for (std::uint32_t slice = 0; slice < kSlices; ++slice) Move(before, slice, replayed, slice);
  ExpectNothingShown(replayed, "all");
  replayed = crossing;
  Move(before, 1, replayed, 1);
  ExpectNothingShown(replayed, "slice 1");
  // The previous frame again, after the awaited one.
  ASSERT_TRUE(crossing.Decode().ok());
  for (std::uint32_t slice = 0; slice < kSlices; ++slice) Move(before, slice, crossing, slice);
  RequestLinkFrame(crossing.surface(), 2, GetParam());
  ExpectNothingShown(crossing, "later");
}

TEST_P(LinkTampering, SlicesThatChangedPlaces_ShowNothing) {
  const Crossing sent = Sent(2);
  Crossing crossing = sent;
  Move(sent, 1, crossing, 2);
  Move(sent, 2, crossing, 1);
  ExpectNothingShown(crossing, "1 and 2");
}

// One command for each slice, the last slice first.
TEST_P(LinkTampering, SlicesInAnyOrder_MakeTheFrame) {
  Crossing whole = Sent(2);
  ASSERT_TRUE(whole.Decode().ok());
  Crossing crossing(kWidth, kHeight, kBgra);
  RequestLinkFrame(crossing.surface(), 2, GetParam());
  std::vector<std::byte> room;
  for (const std::uint32_t slice : {3U, 1U, 0U, 2U}) {
    const std::uint32_t first = slice * crossing.slice_rows();
    const LinkRows rows = crossing.rows(first, std::min(first + crossing.slice_rows(), kHeight));
    ASSERT_TRUE(EncodeLinkRows(rows, crossing.from(), MonotonicClock(), room).ok());
    ASSERT_TRUE(DecodeLinkRows(rows, crossing.to(), MonotonicClock(), room).ok());
  }
  EXPECT_EQ(crossing.out(), whole.out());
}

// The picture is wider, higher or in another encoding.
TEST_P(LinkTampering, SliceOfAnotherPicture_ShowsNothing) {
  Crossing wider(kWidth + 4, kHeight, kBgra);
  Crossing higher(kWidth, kHeight + 2, kBgra);
  ASSERT_TRUE(wider.Encode(2, GetParam()).ok() && higher.Encode(2, GetParam()).ok());
  Crossing crossing = Sent(2);
  Move(wider, 1, crossing, 1);
  ExpectNothingShown(crossing, "wider");
  crossing = Sent(2);
  Move(higher, kSlices - 1, crossing, kSlices - 1);
  ExpectNothingShown(crossing, "higher");
  for (const LinkEncoding encoding : kLinkEncodingsByPicture) {
    crossing = Sent(2);
    LinkSlice slice = crossing.Slice(1);
    if (slice.encoding == static_cast<std::uint32_t>(encoding)) continue;
    slice.encoding = static_cast<std::uint32_t>(encoding);
    crossing.SetSlice(1, slice);
    ExpectNothingShown(crossing, std::string(ToString(encoding)));
  }
}

// The render adapter is lost after some slices; the other slices belong to the previous frame.
TEST_P(LinkTampering, FrameThatEndsAfterSomeSlices_ShowsNothing) {
  for (std::uint32_t count = 0; count < kSlices; ++count) {
    Crossing crossing = Sent(2);
    ASSERT_TRUE(crossing.Decode().ok());
    crossing.pixel(50, 20, 0) ^= std::byte{0x40};
    RequestLinkFrame(crossing.surface(), 3, GetParam());
    std::vector<std::byte> room;
    if (count > 0) {
      ASSERT_TRUE(EncodeLinkRows(crossing.rows(0, count * crossing.slice_rows()), crossing.from(), MonotonicClock(), room).ok());
    }
    ExpectNothingShown(crossing, std::to_string(count));
  }
}

std::string Named(const ::testing::TestParamInfo<LinkEncoding>& info) {
  std::string name = "of_" + std::string(ToString(info.param));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Encodings, LinkTampering, ::testing::ValuesIn(kLinkEncodingsByPicture), Named);

}  // namespace
}  // namespace tandem::link
