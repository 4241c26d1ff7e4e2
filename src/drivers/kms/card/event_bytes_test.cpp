#include "drivers/kms/card/event_bytes.h"

#include <cstring>
#include <vector>

#include <drm.h>
#include <gtest/gtest.h>

namespace tandem::kms {
namespace {

template <class Kernel>
void Append(std::vector<std::byte>& bytes, const Kernel& event) {
  const auto raw = std::as_bytes(std::span(&event, 1));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

drm_event_vblank Flip(std::uint32_t sequence) {
  drm_event_vblank event{};
  event.base = {DRM_EVENT_FLIP_COMPLETE, sizeof(event)};
  event.user_data = 0x1122334455667788;
  event.tv_sec = 4'000;
  event.tv_usec = 16'667;
  event.sequence = sequence;
  event.crtc_id = 42;
  return event;
}

TEST(KmsEventBytes, SeveralEvents_AreTakenInOrder) {
  std::vector<std::byte> bytes;
  Append(bytes, Flip(7));
  drm_event other{0x80000001, 16};
  Append(bytes, other);
  bytes.resize(bytes.size() + 8);
  drm_event_crtc_sequence reached{};
  reached.base = {DRM_EVENT_CRTC_SEQUENCE, sizeof(reached)};
  reached.user_data = 9;
  reached.time_ns = 123'456'789'012;
  reached.sequence = 0x100000001;
  Append(bytes, reached);
  std::span<const std::byte> rest(bytes);
  const auto first = TakeEvent(rest);
  ASSERT_TRUE(first && std::holds_alternative<FlipEvent>(*first));
  const auto& flip = std::get<FlipEvent>(*first);
  EXPECT_EQ(flip.crtc_id, 42U);
  EXPECT_EQ(flip.sequence, 7U);
  EXPECT_EQ(flip.time_ns, 4'000'016'667'000);
  EXPECT_EQ(flip.user_data, 0x1122334455667788U);
  const auto second = TakeEvent(rest);
  ASSERT_TRUE(second && std::holds_alternative<OtherEvent>(*second));
  const auto third = TakeEvent(rest);
  ASSERT_TRUE(third && std::holds_alternative<SequenceEvent>(*third));
  EXPECT_EQ(std::get<SequenceEvent>(*third).sequence, 0x100000001U);
  EXPECT_EQ(std::get<SequenceEvent>(*third).time_ns, 123'456'789'012);
  EXPECT_FALSE(TakeEvent(rest).has_value());
}

TEST(KmsEventBytes, LengthsThatCannotBe_EndTheReading) {
  for (const std::uint32_t length : {0U, 1U, 7U, 33U, 0xFFFFFFFFU}) {
    drm_event_vblank event = Flip(1);
    event.base.length = length;
    std::vector<std::byte> bytes;
    Append(bytes, event);
    std::span<const std::byte> rest(bytes);
    EXPECT_FALSE(TakeEvent(rest).has_value()) << length;
    EXPECT_TRUE(rest.empty());
  }
}

TEST(KmsEventBytes, EventShorterThanItsKind_IsSkipped) {
  drm_event_vblank event = Flip(1);
  event.base.length = 16;
  std::vector<std::byte> bytes;
  Append(bytes, event);
  bytes.resize(16);
  Append(bytes, Flip(2));
  std::span<const std::byte> rest(bytes);
  EXPECT_TRUE(std::holds_alternative<OtherEvent>(*TakeEvent(rest)));
  EXPECT_EQ(std::get<FlipEvent>(*TakeEvent(rest)).sequence, 2U);
}

}  // namespace
}  // namespace tandem::kms
