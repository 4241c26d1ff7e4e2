// Walks through every order of steps of application, copy engine, display thread, display adapter and vertical blank. Rings are
// small and frames few. The rules of ring_world.h hold in each state, and wrong schedules are found.
#include <algorithm>
#include <cstdio>
#include <string>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/sanitizer.h"
#include "swapchain/testing/ring_world.h"

namespace tandem::swapchain {

void PrintTo(PresentMode mode, std::ostream* out) { *out << ToString(mode); }

namespace {

struct Walk {
  std::uint64_t states = 0;
  std::uint64_t steps = 0;
  std::uint64_t overlaps = 0;  // states in which one picture is drawn while another is copied
  std::string broken;          // broken rule and the steps to it; empty: none
};

// Walks depth first and visits each state once. The schedule is copied before each step.
template <class Schedule>
class Walker {
 public:
  [[nodiscard]] static Walk All(const RingCase& test) {
    Walker walker;
    walker.From(RingWorld<Schedule>(test));
    walker.walk_.states = walker.seen_.size();
    return walker.walk_;
  }

 private:
  void From(const RingWorld<Schedule>& world) {
    std::uint64_t sum = 0;
    world.VisitState([&sum](std::uint64_t number) { sum = Mixed(sum, number); });
    if (!seen_.insert(sum).second) return;
    walk_.overlaps += world.overlaps() ? 1 : 0;
    bool at_rest = true;
    for (std::uint8_t i = 0; i < kRingSteps && walk_.broken.empty(); ++i) {
      const auto step = static_cast<RingStep>(i);
      RingWorld<Schedule> next = world;
      if (!next.Do(step)) continue;
      ++walk_.steps;
      at_rest = at_rest && IsFree(step);
      trail_.push_back(step);
      next.broken() != nullptr ? Report(next.broken()) : From(next);
      trail_.pop_back();
    }
    if (!at_rest || !walk_.broken.empty()) return;
    RingWorld<Schedule> end = world;
    end.CheckAtRest();
    if (end.broken() != nullptr) Report(end.broken());
  }
  void Report(const char* rule) {
    walk_.broken = rule;
    for (const RingStep step : trail_) walk_.broken += std::string(" ") + ToString(step);
  }

  std::unordered_set<std::uint64_t> seen_;
  std::vector<RingStep> trail_;
  Walk walk_;
};

constexpr std::array kShapes = {Shape::kScanOut, Shape::kDirect, Shape::kBehind, Shape::kInTurn, Shape::kPicture};

bool TakesTurns(Shape shape) { return shape == Shape::kInTurn || shape == Shape::kPicture; }

struct Pacing {
  PresentMode mode = PresentMode::kFifo;
  bool slow_flips = false;
  [[nodiscard]] bool replaces() const { return Replaces(mode, slow_flips); }
};

RingCase Case(Shape shape, PresentMode mode, std::uint32_t images, std::uint32_t buffers) {
  RingCase test;
  test.shape = shape;
  test.schedule.mode = mode;
  test.schedule.image_count = images;
  test.schedule.buffer_count = buffers;
  test.schedule.primary_count = TakesTurns(shape) ? 2 : 0;
  test.schedule.buffers = shape == Shape::kDirect ? BufferKind::kTheImages : BufferKind::kRing;
  test.schedule.acquire_when = AcquireWhen::kCopyComplete;
  return test;
}

std::string Named(const RingCase& test) {
  static constexpr std::array kNames = {"scan-out", "direct", "behind", "in-turn", "picture"};
  const ScheduleDesc& desc = test.schedule;
  return std::string(kNames[static_cast<std::size_t>(test.shape)]) + " " + std::string(ToString(desc.mode)) + ": " +
         std::to_string(desc.image_count) + " images, " + std::to_string(desc.buffer_count) + " buffers, " +
         std::to_string(desc.primary_count) + " primaries, " + std::to_string(desc.slices) + " slices" +
         (desc.acquire_when == AcquireWhen::kCopyComplete ? ", by processor" : ", by GPU") + (test.removal ? ", removal" : "") +
         (test.follows ? ", another follows" : "");
}

// A flipped surface stays on the screen until the next flip, so there must be two surfaces.
bool IsLargeEnough(const RingCase& test) {
  return (TakesTurns(test.shape) ? test.schedule.primary_count : test.schedule.buffer_count) >= 2;
}

// All small rings of a shape, under a sanitizer the smallest alone. Frames are one more than the largest ring has buffers, or as
// many where orders are numerous. Copies of sliced frames include processor work, so the GPU does not draw those.
std::vector<RingCase> SmallRings(Shape shape, const Pacing& pacing) {
  std::vector<RingCase> cases;
  const bool sliced = !pacing.replaces();
  const std::uint32_t most_slices = shape == Shape::kBehind && sliced ? kMostInWorld : shape == Shape::kPicture && sliced ? 2 : 1;
  const std::uint32_t most_primaries = TakesTurns(shape) ? kMostInWorld : 1;
  const std::uint32_t most = kUnderSanitizer ? kMostInWorld - 1 : kMostInWorld;
  for (std::uint32_t images = 1; images <= most; ++images) {
    for (std::uint32_t buffers = 1; buffers <= most; ++buffers) {
      if (shape == Shape::kDirect && buffers != images) continue;
      for (std::uint32_t slices = 1; slices <= most_slices; ++slices) {
        for (std::uint32_t primaries = 1; primaries <= most_primaries; ++primaries) {
          RingCase test = Case(shape, pacing.mode, images, buffers);
          test.schedule.slow_flips = pacing.slow_flips;
          test.schedule.slices = slices;
          test.frames = slices < kMostInWorld ? 4 : 3;
          if (TakesTurns(shape)) test.schedule.primary_count = primaries;
          if (shape == Shape::kPicture) test.frames = 3;
          cases.push_back(test);
          if (shape == Shape::kPicture) continue;  // frames are encoded, in part by the processor
          test.schedule.acquire_when = AcquireWhen::kCopySubmitted;
          if (shape == Shape::kInTurn) test.frames = 3;
          if (slices == 1) cases.push_back(test);
        }
      }
    }
  }
  return cases;
}

class EveryOrder : public testing::TestWithParam<Pacing> {
 protected:
  [[nodiscard]] static RingCase CaseOf(Shape shape, std::uint32_t images, std::uint32_t buffers) {
    RingCase test = Case(shape, GetParam().mode, images, buffers);
    test.schedule.slow_flips = GetParam().slow_flips;
    return test;
  }
  void Try(const RingCase& test) {
    const Walk walk = Walker<FrameSchedule>::All(test);
    states_ += walk.states;
    steps_ += walk.steps;
    ASSERT_EQ(walk.broken.empty(), IsLargeEnough(test)) << Named(test) << ": " << walk.broken;
    const bool can_overlap = test.schedule.image_count >= 2 && walk.broken.empty();
    ASSERT_TRUE(walk.overlaps != 0 || !can_overlap) << Named(test);
  }
  ~EveryOrder() override {
    std::printf("             %llu states, %llu steps\n", static_cast<unsigned long long>(states_),
                static_cast<unsigned long long>(steps_));
  }

 private:
  std::uint64_t states_ = 0;
  std::uint64_t steps_ = 0;
};

TEST_P(EveryOrder, SmallRings_KeepTheRulesUnlessNothingCanBeFlippedTo) {
  for (const Shape shape : kShapes) {
    for (const RingCase& test : SmallRings(shape, GetParam())) ASSERT_NO_FATAL_FAILURE(Try(test));
  }
}

TEST_P(EveryOrder, ImagesGivenBackUndrawn_KeepTheRules) {
  for (const Shape shape : kShapes) {
    RingCase test = CaseOf(shape, 3, 3);
    test.releases = 2;
    test.frames = 3;
    ASSERT_NO_FATAL_FAILURE(Try(test));
  }
}

TEST_P(EveryOrder, AdapterGoesAtAnyPoint_NothingHalfIsShownAndNobodyWaits) {
  for (const Shape shape : kShapes) {
    for (const std::uint32_t slices : {1U, 2U}) {
      const bool in_slices = shape == Shape::kBehind || shape == Shape::kPicture;
      if (slices > 1 && (!in_slices || GetParam().replaces())) continue;
      RingCase test = CaseOf(shape, 2, 2);
      test.schedule.slices = slices;
      test.removal = true;
      test.frames = 3;
      ASSERT_NO_FATAL_FAILURE(Try(test));
    }
  }
}

TEST_P(EveryOrder, DisplayAdapterGoesAtAnyPoint_FramesGoOnWholeAndInOrderOnTheNext) {
  for (const Shape shape : kShapes) {
    for (const std::uint32_t slices : {1U, 2U}) {
      const bool in_slices = shape == Shape::kBehind || shape == Shape::kPicture;
      if (slices > 1 && (!in_slices || GetParam().replaces())) continue;
      RingCase test = CaseOf(shape, 2, 2);
      test.schedule.slices = slices;
      test.removal = test.follows = true;
      test.frames = 3;
      ASSERT_NO_FATAL_FAILURE(Try(test));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryOrder,
                         testing::Values(Pacing{PresentMode::kFifo}, Pacing{PresentMode::kFifoRelaxed},
                                         Pacing{PresentMode::kMailbox}, Pacing{PresentMode::kImmediate},
                                         Pacing{PresentMode::kImmediate, true}, Pacing{PresentMode::kFifoLatestReady}),
                         [](const auto& pacing) {
                           std::string name(ToString(pacing.param.mode));
                           if (pacing.param.slow_flips) name += "ofslowflips";
                           name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                           return name;
                         });

// Schedules with one mistake each, which the walk must find.

struct SignalsBeforeTheLastSlice : FrameSchedule {
  explicit SignalsBeforeTheLastSlice(const ScheduleDesc& desc) : FrameSchedule(desc), slices(desc.slices) {}
  void SlicesDone(std::uint64_t done) { FrameSchedule::SlicesDone(done % slices == slices - 1 ? done + 1 : done); }
  std::uint64_t slices;
};

struct GivesOneSliceTwice : FrameSchedule {
  using FrameSchedule::FrameSchedule;
  std::optional<SliceWork> NextSlice() {
    auto work = FrameSchedule::NextSlice();
    if (work) work->slice = 0;
    return work;
  }
};

struct FreesImagesAtSubmission : FrameSchedule {
  explicit FreesImagesAtSubmission(ScheduleDesc desc) : FrameSchedule((desc.acquire_when = AcquireWhen::kCopySubmitted, desc)) {}
};

struct FreesImagesOnTheScreen : FrameSchedule {
  explicit FreesImagesOnTheScreen(ScheduleDesc desc) : FrameSchedule((desc.buffers = BufferKind::kRing, desc)) {}
};

struct ReportsTheBlankBefore : FrameSchedule {
  using FrameSchedule::FrameSchedule;
  std::optional<ShownFrame> NextShown(std::uint64_t serial, std::int64_t now_ns) {
    return FrameSchedule::NextShown(serial + 1, now_ns);
  }
};

struct FreesBuffersBeforeTheSecondCopy : FrameSchedule {
  using FrameSchedule::FrameSchedule;
  void CopiedOn(std::uint64_t serial) { FrameSchedule::CopiedOn(serial + 1); }
};

struct UsesOnePrimary : FrameSchedule {
  using FrameSchedule::FrameSchedule;
  std::optional<FlipWork> NextFlip(std::int64_t now_ns) {
    auto work = FrameSchedule::NextFlip(now_ns);
    if (work) work->primary = 0;
    return work;
  }
};

struct UsesOneBuffer : FrameSchedule {
  using FrameSchedule::FrameSchedule;
  std::optional<CopyWork> NextCopy() {
    auto work = FrameSchedule::NextCopy();
    if (work) work->buffer = 0;
    return work;
  }
};

struct DropsWhatItMayNot : FrameSchedule {
  explicit DropsWhatItMayNot(ScheduleDesc desc) : FrameSchedule((desc.mode = PresentMode::kMailbox, desc)) {}
};

struct KeepsWhatWasReplaced : FrameSchedule {
  explicit KeepsWhatWasReplaced(ScheduleDesc desc) : FrameSchedule((desc.mode = PresentMode::kFifo, desc)) {}
};

struct DropsBetweenBlanks : FrameSchedule {
  explicit DropsBetweenBlanks(ScheduleDesc desc) : FrameSchedule((desc.mode = PresentMode::kMailbox, desc)) {}
};

struct KeepsTheLastFrame : FrameSchedule {
  using FrameSchedule::FrameSchedule;
  std::optional<FlipWork> NextFlip(std::int64_t now_ns) {
    return last_flip() + 1 < presented() ? FrameSchedule::NextFlip(now_ns) : std::nullopt;
  }
};

struct KeepsTheGateShut : FrameSchedule {
  using FrameSchedule::FrameSchedule;
  std::optional<std::uint32_t> Acquire() { return presented() < 2 ? FrameSchedule::Acquire() : std::nullopt; }
};

struct FlipsAtOnce : FrameSchedule {
  using FrameSchedule::FrameSchedule;
  std::optional<FlipWork> NextFlip(std::int64_t now_ns) {
    auto work = FrameSchedule::NextFlip(now_ns);
    if (work && work->serial > 1) work->when = FlipWhen::kImmediate;
    return work;
  }
};

struct KeepsImagesOfTheLostDisplay : FrameSchedule {
  using FrameSchedule::FrameSchedule;
  std::uint64_t LoseDisplay() {
    while (FrameSchedule::Acquire()) {
    }
    return FrameSchedule::LoseDisplay();
  }
};

struct Mistake {
  Walk (*walk)(const RingCase& test);
  RingCase test;
  const char* rule;
};

RingCase Sliced(Shape shape) {
  RingCase test = Case(shape, PresentMode::kFifo, 2, 2);
  test.schedule.slices = 2;
  return test;
}

RingCase Moving(Shape shape) {
  RingCase test = Case(shape, PresentMode::kFifo, 2, 2);
  test.removal = test.follows = true;
  return test;
}

TEST(EveryOrderOfAWrongSchedule, OneMistake_IsFoundByItsRule) {
  constexpr PresentMode kFifo = PresentMode::kFifo;
  const Mistake mistakes[] = {
      {Walker<SignalsBeforeTheLastSlice>::All, Sliced(Shape::kBehind), "A frame is flipped to before it is whole."},
      {Walker<SignalsBeforeTheLastSlice>::All, Case(Shape::kScanOut, kFifo, 2, 2), "A buffer is written while it is seen."},
      {Walker<GivesOneSliceTwice>::All, Sliced(Shape::kBehind), "A frame is flipped to before it is whole."},
      {Walker<FreesImagesAtSubmission>::All, Case(Shape::kScanOut, kFifo, 2, 3),
       "An image that the processor draws into is given out while it is copied from."},
      {Walker<FreesImagesOnTheScreen>::All, Case(Shape::kDirect, kFifo, 3, 3),
       "An image is given out while the display adapter reads it."},
      {Walker<ReportsTheBlankBefore>::All, Case(Shape::kScanOut, kFifo, 2, 3), "A frame is reported as shown that is not."},
      {Walker<FreesBuffersBeforeTheSecondCopy>::All, Case(Shape::kInTurn, kFifo, 2, 2),
       "A buffer is given to a copy while the display adapter reads it."},
      {Walker<FreesBuffersBeforeTheSecondCopy>::All, Case(Shape::kPicture, kFifo, 2, 2),
       "A buffer is given to a copy while the display adapter reads it."},
      {Walker<GivesOneSliceTwice>::All, Sliced(Shape::kPicture), "A frame is flipped to before it is whole."},
      {Walker<UsesOnePrimary>::All, Case(Shape::kInTurn, kFifo, 2, 2), "A primary is written while it is seen."},
      {Walker<UsesOneBuffer>::All, Case(Shape::kScanOut, kFifo, 2, 3), "A buffer is given to two copies."},
      {Walker<DropsWhatItMayNot>::All, Case(Shape::kScanOut, kFifo, 3, 3), "A frame is lost."},
      {Walker<KeepsWhatWasReplaced>::All, Case(Shape::kDirect, PresentMode::kMailbox, 3, 3),
       "A frame that was replaced keeps its image."},
      {Walker<DropsBetweenBlanks>::All, Case(Shape::kScanOut, PresentMode::kFifoLatestReady, 3, 3),
       "A frame is dropped without a vertical blank."},
      {Walker<KeepsWhatWasReplaced>::All, Case(Shape::kScanOut, PresentMode::kFifoLatestReady, 3, 3),
       "A ready frame stays in the queue at a vertical blank."},
      {Walker<KeepsTheLastFrame>::All, Case(Shape::kScanOut, kFifo, 2, 3), "The last frame does not come to the screen."},
      {Walker<KeepsTheGateShut>::All, Case(Shape::kScanOut, kFifo, 2, 3), "An acquire waits for ever."},
      {Walker<FlipsAtOnce>::All, Case(Shape::kScanOut, kFifo, 2, 3), "A flip overtakes another."},
      {Walker<KeepsImagesOfTheLostDisplay>::All, Moving(Shape::kScanOut), "An acquire waits for ever."},
  };
  for (const Mistake& mistake : mistakes) {
    const std::string broken = mistake.walk(mistake.test).broken;
    EXPECT_TRUE(broken.starts_with(mistake.rule)) << mistake.rule << "\nnot in: " << broken;
  }
}

}  // namespace
}  // namespace tandem::swapchain
