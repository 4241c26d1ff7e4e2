#include "swapchain/frame_schedule.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace tandem::swapchain {
namespace {

ScheduleDesc Desc(PresentMode mode) {
  ScheduleDesc desc;
  desc.mode = mode;
  return desc;
}

// Acquires and presents one frame; fails the test if no image is given out.
std::uint32_t PresentOne(FrameSchedule& schedule, std::uint64_t id, std::int64_t now_ns) {
  const auto image = schedule.Acquire();
  EXPECT_TRUE(image.has_value()) << "frame " << id;
  if (!image) return 0;
  EXPECT_TRUE(schedule.QueueFrame(*image, id, now_ns).ok());
  return *image;
}

// Queues and completes all copies at once.
void CopyAll(FrameSchedule& schedule) {
  while (const auto copy = schedule.NextCopy()) schedule.SlicesDone(copy->serial);
}

TEST(FrameSchedule_Fifo, OneFrame_GoesItsWay) {
  FrameSchedule schedule(Desc(PresentMode::kFifo));
  const std::uint32_t image = PresentOne(schedule, 7, 100);
  const auto copy = schedule.NextCopy();
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->image, image);
  EXPECT_EQ(copy->serial, 1U);
  EXPECT_FALSE(schedule.NextCopy());
  EXPECT_FALSE(schedule.NextFlip(0)) << "the copy is not complete";
  schedule.SlicesDone(1);
  const auto flip = schedule.NextFlip(0);
  ASSERT_TRUE(flip);
  EXPECT_EQ(flip->buffer, copy->buffer);
  EXPECT_EQ(flip->when, FlipWhen::kVerticalBlank);
  EXPECT_FALSE(schedule.NextShown(0, 0));
  EXPECT_EQ(schedule.shown_id(), 0U);
  const auto shown = schedule.NextShown(1, 200);
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->presented_ns, 100);
  EXPECT_EQ(schedule.shown_id(), 7U);
  EXPECT_TRUE(schedule.idle());
}

TEST(FrameSchedule_Fifo, RingFull_OneWaitsAndTheGateCloses) {
  FrameSchedule schedule(Desc(PresentMode::kFifo));
  for (std::uint64_t id = 1; id <= 3; ++id) {
    PresentOne(schedule, id, 0);
    ASSERT_TRUE(schedule.NextCopy());
  }
  PresentOne(schedule, 4, 0);
  EXPECT_FALSE(schedule.NextCopy()) << "no buffer is free";
  EXPECT_EQ(schedule.waiting(), 1U);
  EXPECT_FALSE(schedule.Acquire()) << "one frame waits";
  schedule.SlicesDone(3);
  ASSERT_TRUE(schedule.NextFlip(0));
  ASSERT_TRUE(schedule.NextFlip(0));
  EXPECT_FALSE(schedule.NextFlip(0)) << "two flips are pending";
  ASSERT_TRUE(schedule.NextShown(1, 0));
  EXPECT_FALSE(schedule.NextCopy()) << "the first buffer is on the screen";
  ASSERT_TRUE(schedule.NextShown(2, 0));
  EXPECT_TRUE(schedule.NextCopy());
  EXPECT_TRUE(schedule.Acquire());
}

TEST(FrameSchedule_Fifo, FramesInSlices_TheNextIsCopiedWhenAFewOfTheLastOnesAreLeft) {
  ScheduleDesc desc = Desc(PresentMode::kFifo);
  desc.slices = 16;
  FrameSchedule schedule(desc);
  PresentOne(schedule, 1, 0);
  ASSERT_TRUE(schedule.NextCopy());
  PresentOne(schedule, 2, 0);
  EXPECT_FALSE(schedule.NextCopy());
  EXPECT_FALSE(schedule.Acquire()) << "The gate closes meanwhile.";
  schedule.SlicesDone(11);
  EXPECT_FALSE(schedule.NextCopy());
  schedule.SlicesDone(12);
  EXPECT_TRUE(schedule.NextCopy());
  EXPECT_TRUE(schedule.Acquire());
}

TEST(FrameSchedule_Mailbox, NewerFrame_TakesTheWaitingOnesPlaceBeforeItIsCopied) {
  FrameSchedule schedule(Desc(PresentMode::kMailbox));
  for (std::uint64_t id = 1; id <= 3; ++id) {
    PresentOne(schedule, id, 0);
    ASSERT_TRUE(schedule.NextCopy());
  }
  const std::uint32_t fourth = PresentOne(schedule, 4, 0);
  const std::uint32_t fifth = PresentOne(schedule, 5, 0);
  EXPECT_NE(fourth, fifth);
  EXPECT_EQ(schedule.waiting(), 1U);
  EXPECT_EQ(schedule.dropped(), 1U);
  schedule.SlicesDone(3);
  // Three buffers are ready: the newest is shown.
  ASSERT_TRUE(schedule.NextFlip(0));
  EXPECT_EQ(schedule.dropped(), 3U);
  ASSERT_TRUE(schedule.NextShown(1, 0));
  EXPECT_EQ(schedule.shown_id(), 3U);
  const auto copy = schedule.NextCopy();
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->image, fifth);
}

TEST(FrameSchedule_Mailbox, NewerFramesWhileAFlipIsPending_GiveTheImagesOfThoseBeforeBackAtOnce) {
  ScheduleDesc desc = Desc(PresentMode::kMailbox);
  desc.buffers = BufferKind::kTheImages;
  desc.image_count = desc.buffer_count = 4;
  FrameSchedule schedule(desc);
  for (std::uint64_t id = 1; id <= 2; ++id) {
    PresentOne(schedule, id, 0);
    CopyAll(schedule);
    ASSERT_TRUE(schedule.NextFlip(0));
    if (id == 1) {
      ASSERT_TRUE(schedule.NextShown(1, 0));
    }
  }
  // Frame 1 is on the screen, frame 2 waits for the vertical blank.
  for (std::uint64_t id = 3; id <= 50; ++id) {
    PresentOne(schedule, id, 0);
    CopyAll(schedule);
    EXPECT_FALSE(schedule.NextFlip(0));
    EXPECT_EQ(schedule.dropped(), id - 3);
  }
  ASSERT_TRUE(schedule.NextShown(2, 0));
  ASSERT_TRUE(schedule.NextFlip(0));
  ASSERT_TRUE(schedule.NextShown(3, 0));
  EXPECT_EQ(schedule.shown_id(), 50U);
  EXPECT_TRUE(schedule.idle());
}

TEST(FrameSchedule_Immediate, EveryFrame_IsFlippedAtOnce) {
  FrameSchedule schedule(Desc(PresentMode::kImmediate));
  for (std::uint64_t id = 1; id <= 100; ++id) {
    PresentOne(schedule, id, 0);
    CopyAll(schedule);
    const auto flip = schedule.NextFlip(0);
    ASSERT_TRUE(flip);
    EXPECT_EQ(flip->when, FlipWhen::kImmediate);
    ASSERT_TRUE(schedule.NextShown(flip->serial, 0));
    EXPECT_EQ(schedule.shown_id(), id);
  }
  EXPECT_EQ(schedule.dropped(), 0U);
}

TEST(FrameSchedule_Immediate, SlowFlip_FramesThatWaitAreReplacedAndTheNewestFlipsAtOnce) {
  ScheduleDesc desc = Desc(PresentMode::kImmediate);
  desc.slow_flips = true;
  FrameSchedule schedule(desc);
  PresentOne(schedule, 1, 0);
  CopyAll(schedule);
  ASSERT_TRUE(schedule.NextFlip(0));
  for (std::uint64_t id = 2; id <= 50; ++id) {
    PresentOne(schedule, id, 0);
    CopyAll(schedule);
    EXPECT_FALSE(schedule.NextFlip(0));
  }
  ASSERT_TRUE(schedule.NextShown(1, 0));
  const auto flip = schedule.NextFlip(0);
  ASSERT_TRUE(flip);
  EXPECT_EQ(flip->when, FlipWhen::kImmediate);
  ASSERT_TRUE(schedule.NextShown(flip->serial, 0));
  EXPECT_EQ(schedule.shown_id(), 50U);
  EXPECT_EQ(schedule.dropped(), 48U);
}

TEST(FrameSchedule_FifoRelaxed, LateFrame_DoesNotWaitForTheBlank) {
  ScheduleDesc desc = Desc(PresentMode::kFifoRelaxed);
  desc.refresh_period_ns = 10;
  FrameSchedule schedule(desc);
  const auto flip_at = [&](std::int64_t now_ns) {
    PresentOne(schedule, 0, now_ns);
    CopyAll(schedule);
    const auto flip = schedule.NextFlip(now_ns);
    EXPECT_TRUE(flip);
    EXPECT_TRUE(schedule.NextShown(flip->serial, now_ns + 1));
    return flip->when;
  };
  EXPECT_EQ(flip_at(1000), FlipWhen::kVerticalBlank) << "the first one is not late";
  EXPECT_EQ(flip_at(1009), FlipWhen::kVerticalBlank);
  EXPECT_EQ(flip_at(1030), FlipWhen::kImmediate);
  EXPECT_EQ(flip_at(1032), FlipWhen::kVerticalBlank);
}

TEST(FrameSchedule_AcquireWhen, CopyComplete_KeepsTheImageUntilThen) {
  ScheduleDesc desc = Desc(PresentMode::kFifo);
  desc.image_count = 2;
  desc.acquire_when = AcquireWhen::kCopyComplete;
  FrameSchedule schedule(desc);
  const std::uint32_t first = PresentOne(schedule, 1, 0);
  ASSERT_TRUE(schedule.NextCopy());
  PresentOne(schedule, 2, 0);
  ASSERT_TRUE(schedule.NextCopy());
  EXPECT_FALSE(schedule.Acquire());
  schedule.SlicesDone(1);
  EXPECT_EQ(schedule.Acquire(), first);
  EXPECT_FALSE(schedule.Acquire());
}

TEST(FrameSchedule_AcquireWhen, CopySubmitted_GivesTheImageBackAtOnce) {
  ScheduleDesc desc = Desc(PresentMode::kFifo);
  desc.image_count = 2;
  FrameSchedule schedule(desc);
  PresentOne(schedule, 1, 0);
  ASSERT_TRUE(schedule.NextCopy());
  EXPECT_TRUE(schedule.Acquire());
  EXPECT_TRUE(schedule.Acquire());
  EXPECT_FALSE(schedule.Acquire());
}

TEST(FrameSchedule_Direct, Image_ComesBackWhenItLeavesTheScreen) {
  ScheduleDesc desc = Desc(PresentMode::kFifo);
  desc.buffers = BufferKind::kTheImages;
  FrameSchedule schedule(desc);
  const std::uint32_t first = PresentOne(schedule, 1, 0);
  const auto copy = schedule.NextCopy();
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->buffer, first);
  for (std::uint64_t id = 2; id <= 3; ++id) {
    PresentOne(schedule, id, 0);
    ASSERT_TRUE(schedule.NextCopy()) << "a flush needs no buffer";
  }
  schedule.SlicesDone(3);
  EXPECT_FALSE(schedule.Acquire());
  ASSERT_TRUE(schedule.NextFlip(0));
  ASSERT_TRUE(schedule.NextFlip(0));
  ASSERT_TRUE(schedule.NextShown(1, 0));
  EXPECT_FALSE(schedule.Acquire()) << "it is on the screen";
  ASSERT_TRUE(schedule.NextShown(2, 0));
  EXPECT_EQ(schedule.Acquire(), first);
}

TEST(FrameSchedule_Misuse, NotAcquired_IsRefusedWithNumbers) {
  FrameSchedule schedule(Desc(PresentMode::kFifo));
  EXPECT_EQ(schedule.QueueFrame(0, 0, 0).error().message, "Image 0 of 3 is presented without being acquired.");
  EXPECT_EQ(schedule.Release(3).error().message, "Image 3 of 3 is released without being acquired.");
  const auto image = schedule.Acquire();
  ASSERT_TRUE(image);
  EXPECT_TRUE(schedule.Release(*image).ok());
  EXPECT_FALSE(schedule.Release(*image).ok());
  EXPECT_FALSE(schedule.QueueFrame(*image, 0, 0).ok());
}

TEST(FrameSchedule_DropWaiting, SeveralWait_AllGo) {
  FrameSchedule schedule(Desc(PresentMode::kFifo));
  const auto a = schedule.Acquire();
  const auto b = schedule.Acquire();
  ASSERT_TRUE(a && b);
  ASSERT_TRUE(schedule.QueueFrame(*a, 1, 0).ok());
  ASSERT_TRUE(schedule.QueueFrame(*b, 2, 0).ok());
  schedule.DropWaiting();
  EXPECT_EQ(schedule.dropped(), 2U);
  EXPECT_TRUE(schedule.idle());
  EXPECT_TRUE(schedule.Acquire());
}

// A world around the schedule that takes legal steps at random and checks the invariants.
class World {
 public:
  World(const ScheduleDesc& desc, std::uint32_t seed) : desc_(desc), schedule_(desc), random_(seed) {}

  void Run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) Step();
    // The application stops here; all accepted frames must come to the screen.
    for (int i = 0; i < 200; ++i) {
      TryCopy();
      schedule_.SlicesDone(schedule_.last_copy());
      TryFlip();
      TryShow(schedule_.last_flip());
    }
    EXPECT_TRUE(schedule_.idle());
    EXPECT_EQ(schedule_.presented(), next_id_ - 1);
    if (!Replaces(desc_.mode, desc_.slow_flips)) {
      EXPECT_EQ(schedule_.shown(), next_id_ - 1);
    }
    EXPECT_EQ(schedule_.shown_id(), next_id_ - 1) << "the last frame is always shown";
  }

 private:
  void Step() {
    ++now_ns_;
    switch (random_() % 8) {
      case 0:
      case 1:
        if (const auto image = schedule_.Acquire()) {
          EXPECT_TRUE(acquired_.insert(*image).second) << "an image was given out twice";
          EXPECT_FALSE(desc_.buffers == BufferKind::kTheImages && InUse(*image));
        }
        break;
      case 2:
        if (!acquired_.empty()) {
          const std::uint32_t image = *acquired_.begin();
          acquired_.erase(image);
          EXPECT_TRUE(schedule_.QueueFrame(image, next_id_++, now_ns_).ok());
        }
        break;
      case 3:
        if (!acquired_.empty() && random_() % 4 == 0) {
          EXPECT_TRUE(schedule_.Release(*acquired_.begin()).ok());
          acquired_.erase(acquired_.begin());
        }
        break;
      case 4: TryCopy(); break;
      case 5:
        if (schedule_.copies_done() < schedule_.last_copy()) schedule_.SlicesDone(schedule_.copies_done() + 1);
        break;
      case 6: TryFlip(); break;
      case 7: TryShow(schedule_.flips_done() + random_() % 3); break;
    }
  }
  void TryCopy() {
    if (const auto copy = schedule_.NextCopy()) {
      EXPECT_EQ(copy->serial, ++copies_);
      EXPECT_FALSE(InUse(copy->buffer)) << "a buffer that is on its way to the screen was overwritten";
      copying_[copy->serial] = copy->buffer;
    }
  }
  void TryFlip() {
    if (const auto flip = schedule_.NextFlip(now_ns_)) {
      EXPECT_EQ(flip->serial, ++flips_);
      flipping_.push_back(flip->buffer);
    }
  }
  void TryShow(std::uint64_t serial) {
    serial = std::min(serial, flips_);
    while (schedule_.NextShown(serial, now_ns_)) {
      on_screen_ = flipping_.front();
      flipping_.erase(flipping_.begin());
      EXPECT_GE(schedule_.shown_id(), last_shown_id_);
      last_shown_id_ = schedule_.shown_id();
    }
  }
  [[nodiscard]] bool InUse(std::uint32_t buffer) const {
    if (on_screen_ == buffer) return true;
    for (const std::uint32_t other : flipping_) {
      if (other == buffer) return true;
    }
    for (const auto& [serial, other] : copying_) {
      if (serial > schedule_.copies_done() && other == buffer) return true;
    }
    return false;
  }

  ScheduleDesc desc_;
  FrameSchedule schedule_;
  std::mt19937 random_;
  std::set<std::uint32_t> acquired_;
  std::map<std::uint64_t, std::uint32_t> copying_;
  std::vector<std::uint32_t> flipping_;
  std::optional<std::uint32_t> on_screen_;
  std::uint64_t copies_ = 0;
  std::uint64_t flips_ = 0;
  std::uint64_t next_id_ = 1;
  std::uint64_t last_shown_id_ = 0;
  std::int64_t now_ns_ = 0;
};

TEST(FrameSchedule_RandomWorlds, AnyOrderOfEvents_KeepsTheRules) {
  for (const PresentMode mode : {PresentMode::kFifo, PresentMode::kFifoRelaxed, PresentMode::kMailbox, PresentMode::kImmediate,
                                 PresentMode::kFifoLatestReady}) {
    for (const BufferKind buffers : {BufferKind::kRing, BufferKind::kTheImages}) {
      for (const AcquireWhen when : {AcquireWhen::kCopySubmitted, AcquireWhen::kCopyComplete}) {
        for (std::uint32_t images = 2; images <= kMaxAppImages; images += 3) {
          for (std::uint32_t ring = 2; ring <= kMaxRingBuffers; ring += 2) {
            ScheduleDesc desc = Desc(mode);
            desc.buffers = buffers;
            desc.acquire_when = when;
            desc.image_count = images;
            desc.buffer_count = buffers == BufferKind::kTheImages ? images : ring;
            desc.refresh_period_ns = 5;
            World(desc, images * 100 + ring).Run(2000);
            ASSERT_FALSE(HasFailure()) << ToString(mode) << ", " << images << " images, " << ring << " buffers";
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tandem::swapchain
