// Pictures of local memory on real DRM drivers, in scripts/vm.sh.
#include "drivers/kms/kmd/local_pictures.h"

#include <cstddef>

#include <gtest/gtest.h>

#include "drivers/kms/card/testing/lit_card_test.h"

namespace tandem::kms {
namespace {

constexpr std::uint64_t kLocalBytes = 1 << 20, kBytes = 64 * 4 * 48;
constexpr std::uint32_t kPitch = 64 * 4;

std::byte Written(std::uint64_t at) { return static_cast<std::byte>(at * 7 + (at >> 12)); }

class KmsLocalPictures : public LitCardTest {
 protected:
  void SetUp() override {
    LitCardTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    pictures_ = std::make_unique<LocalPictures>(lit_->card());
    auto memory = pictures_->Make(kLocalBytes);
    ASSERT_TRUE(memory.ok()) << memory.error().message;
    memory_ = *std::move(memory);
    for (std::uint64_t at = 0; at < kLocalBytes; ++at) memory_.map.data()[at] = Written(at);
  }
  void TearDown() override {
    pictures_.reset();
    LitCardTest::TearDown();
  }
  void ExpectEveryByte() const {
    for (std::uint64_t at = 0; at < kLocalBytes; ++at) ASSERT_EQ(memory_.map.data()[at], Written(at)) << at;
  }

  std::unique_ptr<LocalPictures> pictures_;
  processor::LocalMemory memory_;
};
INSTANTIATE_TEST_SUITE_P(Drivers, KmsLocalPictures, testing::ValuesIn(kDrivers), DriverOfTest);

TEST_P(KmsLocalPictures, Buffer_HasThePicturesBytesAndItsPlace) {
  const auto buffer = pictures_->BufferAt(8192, kBytes, kPitch);
  ASSERT_TRUE(buffer.ok()) << buffer.error().message;
  ExpectEveryByte();
  EXPECT_EQ(*pictures_->BufferAt(8192, kBytes, kPitch), *buffer);
  const auto map = (*buffer)->Map();
  ASSERT_TRUE(map.ok()) << map.error().message;
  EXPECT_EQ(map->data()[kBytes - 1], Written(8192 + kBytes - 1));
  memory_.map.data()[8192 + 5] = std::byte{9};
  EXPECT_EQ(map->data()[5], std::byte{9});
}

TEST_P(KmsLocalPictures, PictureOfAnotherShape_TakesThePlaceAndKeepsTheBytes) {
  const auto first = pictures_->BufferAt(8192, kBytes, kPitch);
  ASSERT_TRUE(first.ok()) << first.error().message;
  const auto second = pictures_->BufferAt(8192 + 4096, 2 * kBytes, 2 * kPitch);
  ASSERT_TRUE(second.ok()) << second.error().message;
  ExpectEveryByte();
  const auto again = pictures_->BufferAt(8192, kBytes, kPitch);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_NE(*again, *first);
  ExpectEveryByte();
}

TEST_P(KmsLocalPictures, PlaceOutsideOrInsideOfAPage_IsRefused) {
  EXPECT_EQ(pictures_->BufferAt(kLocalBytes - 4096, kBytes, kPitch).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(pictures_->BufferAt(~std::uint64_t{4095}, kBytes, kPitch).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(pictures_->BufferAt(64, kBytes, kPitch).error().kind, ErrorKind::kInvalidArgument);
  ExpectEveryByte();
}

}  // namespace
}  // namespace tandem::kms
