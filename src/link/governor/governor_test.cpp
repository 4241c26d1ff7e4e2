#include "link/governor/governor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace tandem::link {
namespace {

constexpr std::uint32_t kWidth = 1920;
constexpr std::uint32_t kHeight = 1080;
constexpr std::int64_t kRefreshNs = 16'666'667;
constexpr double kPlainBytes = 4.0 * kWidth * kHeight;

// Adapters, a link and a program, as the governor knows them.
struct World {
  double link_bytes_per_second = 250e6;  // 0: none
  double ratio = 3.5;                    // plain size divided by lossless size
  double plain_ns = 0.5e6;               // to encode, and again to decode; packed frames, too
  double tiles_ratio = 7;                // plain size divided by that of 4:2:0 in tiles
  double lossless_ns = 4e6;
  double yuv_ns = 1e6;
  double tiles_ns = 3e6;
  double blocks_ns = 1e6;
  std::uint32_t unchanged = 0;  // per mille
  bool waits = true;            // the program draws as fast as it may
  std::int64_t pace_ns = kRefreshNs;
};

class Drive {
 public:
  explicit Drive(EncodingRequest request = {}, ContentKind content = ContentKind::kAuto)
      : Drive(GovernorDesc{request, content, kWidth, kHeight, kRefreshNs, 0, 0}) {}
  explicit Drive(const GovernorDesc& desc) : governor_(desc) {}

  LinkEncoding Frame(const World& world) {
    now_ns_ += world.pace_ns;
    const auto choice = governor_.Choose(now_ns_, world.waits);
    SentFrame sent;
    sent.encoding = choice.encoding;
    double bytes = kPlainBytes;
    double engine_ns = world.plain_ns;
    if (choice.encoding == LinkEncoding::kLossless) {
      bytes = kPlainBytes / world.ratio * (1 - world.unchanged / 1000.0);
      engine_ns = world.lossless_ns;
      sent.unchanged = world.unchanged;
    } else if (choice.encoding == LinkEncoding::kPacked) {
      bytes *= 0.75;
    } else if (choice.encoding == LinkEncoding::kYuv420) {
      bytes *= 0.375;
      engine_ns = world.yuv_ns;
    } else if (choice.encoding == LinkEncoding::kYuv420Tiles) {
      bytes = std::min(bytes * 0.375, bytes / world.tiles_ratio) * (1 - world.unchanged / 1000.0);
      sent.unchanged = world.unchanged;
      engine_ns = world.tiles_ns;
    } else if (choice.encoding == LinkEncoding::kBc1) {
      bytes *= 0.125;
      engine_ns = world.blocks_ns;
    }
    sent.bytes = static_cast<std::uint64_t>(bytes);
    sent.encode_ns = static_cast<std::int64_t>(engine_ns);
    sent.decoded = choice.encoding;
    sent.decode_ns = sent.encode_ns;
    if (world.link_bytes_per_second > 0) sent.link_ns = static_cast<std::int64_t>(bytes * 1e9 / world.link_bytes_per_second);
    if (choice.probes) {
      sent.probed_bytes = static_cast<std::uint64_t>(kPlainBytes / world.ratio);
      sent.probed_ns = static_cast<std::int64_t>(world.lossless_ns);
      ++probes_;
    }
    governor_.Sent(sent);
    return choice.encoding;
  }
  // Returns the choices for `count` frames.
  std::vector<LinkEncoding> Frames(const World& world, int count) {
    std::vector<LinkEncoding> choices;
    for (int i = 0; i < count; ++i) choices.push_back(Frame(world));
    return choices;
  }
  LinkEncoding After(const World& world, int count) { return Frames(world, count).back(); }
  [[nodiscard]] const Governor& governor() const { return governor_; }
  [[nodiscard]] int probes() const { return probes_; }

 private:
  Governor governor_;
  std::int64_t now_ns_ = 0;
  int probes_ = 0;
};

TEST(Governor, NoLinkToSpeakOf_PlainFrames) {
  World world;
  world.link_bytes_per_second = 0;
  for (const LinkEncoding choice : Drive().Frames(world, 50)) EXPECT_EQ(choice, LinkEncoding::kPlain);
}

// The link was measured, so the first frame is right; later changes are tracked.
TEST(Governor, AMeasuredLink_IsKnownBeforeTheFirstFrameAndTrackedFromThere) {
  Drive drive(GovernorDesc{{}, ContentKind::kAuto, kWidth, kHeight, kRefreshNs, 250'000'000, 40'000});
  World world;
  EXPECT_EQ(drive.Frame(world), LinkEncoding::kLossless);
  world.link_bytes_per_second = 2e9;
  EXPECT_EQ(drive.After(world, 30), LinkEncoding::kPlain);
  world.link_bytes_per_second = 250e6;
  EXPECT_EQ(drive.After(world, 30), LinkEncoding::kLossless);
}

TEST(Governor, TransfersShorterThanTheLatency_TellNothingOfAMeasuredLink) {
  Drive drive(GovernorDesc{{}, ContentKind::kAuto, kWidth, kHeight, kRefreshNs, 250'000'000, 40'000});
  World still;
  still.unchanged = 999;              // two kilobytes a frame
  still.link_bytes_per_second = 1e9;  // sent in a microsecond or two, mostly latency
  EXPECT_EQ(drive.After(still, 60), LinkEncoding::kLossless);
  World none;
  none.link_bytes_per_second = 0;  // the driver cannot measure the link
  EXPECT_EQ(drive.After(none, 60), LinkEncoding::kLossless);
}

TEST(Governor, SettlesWithinTwoFramesOnEachLink) {
  struct Case {
    double link;
    double ratio;
    LinkEncoding best;
  };
  // Plain frames need 498 MB/s; lossless ones need that divided by their ratio.
  for (const auto& [link, ratio, best] :
       {Case{8e9, 3.5, LinkEncoding::kPlain}, Case{600e6, 3.5, LinkEncoding::kPlain}, Case{250e6, 3.5, LinkEncoding::kLossless},
        Case{250e6, 1.5, LinkEncoding::kYuv420}, Case{100e6, 8.0, LinkEncoding::kLossless}}) {
    World world;
    world.link_bytes_per_second = link;
    world.ratio = ratio;
    Drive drive;
    const auto choices = drive.Frames(world, 60);
    for (std::size_t i = 2; i < choices.size(); ++i) EXPECT_EQ(choices[i], best) << link << " " << ratio << " frame " << i;
  }
}

TEST(Governor, NothingFits_TheFastest) {
  World world;
  world.link_bytes_per_second = 20e6;
  EXPECT_EQ(Drive().After(world, 10), LinkEncoding::kBc1);
  world.tiles_ratio = 9;
  EXPECT_EQ(Drive(*ParseEncodings("420,420-tiles,bc1")).After(world, 10), LinkEncoding::kYuv420Tiles);
  const auto old = *ParseEncodings("plain,lossless,420");
  EXPECT_EQ(Drive(old).After(world, 10), LinkEncoding::kLossless);  // one part in 3.5 is less than 37.5 %
  world.ratio = 2;
  EXPECT_EQ(Drive(old).After(world, 10), LinkEncoding::kYuv420);
}

// The governor takes 4:2:0 in tiles before BC1, for its better picture, and both only if no better encoding fits.
TEST(Governor, TheLastSteps_OnlyAsFarDownAsTheLinkAsks) {
  World world;
  world.ratio = 2;
  const std::pair<double, LinkEncoding> cases[] = {{260e6, LinkEncoding::kLossless},
                                                   {200e6, LinkEncoding::kYuv420},
                                                   {140e6, LinkEncoding::kYuv420Tiles},
                                                   {66e6, LinkEncoding::kBc1}};
  for (const auto& [link, best] : cases) {
    world.link_bytes_per_second = link;
    const auto choices = Drive().Frames(world, 60);
    for (std::size_t i = 4; i < choices.size(); ++i) EXPECT_EQ(choices[i], best) << link << " frame " << i;
  }
  world.link_bytes_per_second = 66e6;
  for (const ContentKind exact : {ContentKind::kDesktop, ContentKind::kCad}) {
    for (const LinkEncoding choice : Drive({}, exact).Frames(world, 60)) EXPECT_NE(choice, LinkEncoding::kBc1);
  }
  EXPECT_EQ(Drive(*ParseEncodings("420-tiles,bc1"), ContentKind::kDesktop).After(world, 60), LinkEncoding::kBc1);
}

// Frames do not pack at all, so every size is the largest possible.
TEST(Governor, WorstPictures_TakeFixedSizes) {
  World world;
  world.ratio = 1.3;
  world.tiles_ratio = 1;
  world.link_bytes_per_second = 400e6;
  EXPECT_EQ(Drive().After(world, 30), LinkEncoding::kPacked);
  world.link_bytes_per_second = 250e6;
  EXPECT_EQ(Drive().After(world, 30), LinkEncoding::kYuv420);
  world.link_bytes_per_second = 100e6;
  EXPECT_EQ(Drive().After(world, 30), LinkEncoding::kBc1);
  world.link_bytes_per_second = 20e6;
  EXPECT_EQ(Drive().After(world, 30), LinkEncoding::kBc1);
}

// Packing plain frames or tiles of 4:2:0 saves bytes, not the engines' time.
TEST(Governor, EnginesThatAreTooSlow_AreNotTriedWithMoreWork) {
  World world;
  world.link_bytes_per_second = 8e9;
  world.plain_ns = 20e6;
  world.yuv_ns = 18e6;
  world.lossless_ns = 30e6;
  const auto choices = Drive().Frames(world, 60);
  EXPECT_EQ(std::ranges::count(choices, LinkEncoding::kPacked), 0);
  EXPECT_EQ(std::ranges::count(choices, LinkEncoding::kYuv420Tiles), 0);
  EXPECT_GT(std::ranges::count(choices, LinkEncoding::kBc1), 20);
}

TEST(Governor, WithoutMeasurements_PlainFramesThatAreAllowed) {
  for (const auto& [request, first] : {std::pair{"auto", LinkEncoding::kPlain},
                                       {"packed,lossless,bc1", LinkEncoding::kPacked},
                                       {"lossless,420", LinkEncoding::kLossless},
                                       {"420-tiles,bc1", LinkEncoding::kYuv420Tiles}}) {
    Governor governor({*ParseEncodings(request), ContentKind::kAuto, kWidth, kHeight, kRefreshNs, 0, 0});
    std::int64_t now_ns = 0;
    for (int i = 0; i < 50; ++i) EXPECT_EQ(governor.Choose(now_ns += kRefreshNs, true).encoding, first) << request;
    EXPECT_NE(governor.Reason().find(ToString(first)), std::string::npos) << governor.Reason();
    // Empty frames do not change the choice.
    governor.Sent({});
    EXPECT_EQ(governor.Choose(now_ns += kRefreshNs, true).encoding, first) << request;
  }
}

// One frame of unknown size is sent, and the next one after its cost is known. An encoding that is known to fit comes at once.
TEST(Governor, AnEncodingThatMayNotFit_IsTriedWithOneFrame) {
  const auto start = [](const char* request, std::uint64_t link) {
    Governor governor({*ParseEncodings(request), ContentKind::kAuto, kWidth, kHeight, kRefreshNs, link, 0});
    EXPECT_FALSE(governor.Waits()) << request;
    static_cast<void>(governor.Choose(kRefreshNs, true));
    return governor;
  };
  Governor governor = start("auto", 250'000'000);
  EXPECT_TRUE(governor.Waits());
  SentFrame large;
  large.encoding = large.decoded = LinkEncoding::kLossless;
  large.bytes = 8'000'000;
  large.link_ns = 32'000'000;
  governor.Sent(large);
  EXPECT_FALSE(governor.Waits());
  EXPECT_EQ(governor.Choose(2 * kRefreshNs, true).encoding, LinkEncoding::kYuv420);
  EXPECT_FALSE(governor.Waits());
  EXPECT_TRUE(start("420-tiles,bc1", 250'000'000).Waits());
  EXPECT_FALSE(start("auto", 8'000'000'000).Waits());
  EXPECT_FALSE(start("420,bc1", 20'000'000).Waits());
  EXPECT_FALSE(start("lossless", 250'000'000).Waits());
}

TEST(Governor, EncodersCountAsTheLinkDoes) {
  World world;
  world.lossless_ns = 30e6;
  EXPECT_EQ(Drive().After(world, 10), LinkEncoding::kYuv420);
}

// Each part fits, but frames still come slower.
TEST(Governor, TheClockHasTheLastWord) {
  World world;
  world.ratio = 2.4;
  world.lossless_ns = 12e6;
  world.pace_ns = 21'000'000;
  Drive drive;
  ASSERT_EQ(drive.Frame(world), LinkEncoding::kPlain);
  EXPECT_EQ(drive.After(world, 10), LinkEncoding::kLossless);
  EXPECT_EQ(drive.After(world, 20), LinkEncoding::kYuv420);
  world.pace_ns = kRefreshNs;
  EXPECT_EQ(drive.After(world, 60), LinkEncoding::kYuv420);
  EXPECT_EQ(drive.After(world, 1000), LinkEncoding::kLossless);
}

TEST(Governor, AProgramThatComesSlowerGetsTheBetterPicture) {
  World world;
  world.ratio = 1.4;  // 24 ms a frame on the link; its engines take more than those of packed frames
  world.waits = false;
  world.pace_ns = 40'000'000;
  Drive drive;
  EXPECT_EQ(drive.After(world, 30), LinkEncoding::kPlain);  // 33 ms
  world.pace_ns = 28'000'000;
  EXPECT_EQ(drive.After(world, 60), LinkEncoding::kPacked);  // 25 ms
  world.pace_ns = 24'500'000;
  EXPECT_EQ(drive.After(world, 60), LinkEncoding::kLossless);
}

// Both pictures are equal: the encoding that arrives sooner wins, without swinging between the two.
TEST(Governor, WherePackedFramesFit_LosslessOnesAreTriedFirst) {
  World world;
  world.link_bytes_per_second = 400e6;  // packed frames take 15.6 ms of 16.7
  EXPECT_EQ(Drive(GovernorDesc{{}, ContentKind::kAuto, kWidth, kHeight, kRefreshNs, 400'000'000, 0}).Frame(world),
            LinkEncoding::kLossless);
  Drive drive;
  ASSERT_EQ(drive.After(world, 30), LinkEncoding::kLossless);
  world.ratio = 1.3;  // 16 ms on the link and 8 ms of the engines
  ASSERT_EQ(drive.After(world, 60), LinkEncoding::kPacked);
  const auto choices = drive.Frames(world, 2000);
  EXPECT_EQ(std::ranges::count(choices, LinkEncoding::kPacked), 2000);
}

TEST(Governor, WhatStandsStillStaysExact) {
  World world;
  world.ratio = 1.2;
  world.unchanged = 900;
  Drive drive;
  EXPECT_EQ(drive.After(world, 20), LinkEncoding::kLossless);
  world.unchanged = 600;  // 11 ms
  EXPECT_EQ(drive.After(world, 20), LinkEncoding::kLossless);
  EXPECT_NE(drive.governor().Reason().find("stay exact"), std::string::npos) << drive.governor().Reason();
}

// Frames in 420-tiles report unchanged tiles as lossless frames do.
TEST(Governor, WhatComesToStandStill_BecomesExact) {
  World world;
  world.ratio = 2;
  world.link_bytes_per_second = 140e6;
  Drive drive;
  ASSERT_EQ(drive.After(world, 60), LinkEncoding::kYuv420Tiles);
  world.unchanged = 950;
  EXPECT_EQ(drive.After(world, 20), LinkEncoding::kLossless);
  world.unchanged = 1000;
  EXPECT_EQ(drive.After(world, 100), LinkEncoding::kLossless);
  world.unchanged = 0;
  EXPECT_EQ(drive.After(world, 60), LinkEncoding::kYuv420Tiles);
}

TEST(Governor, Desktop_ExactEvenWhenItIsTooSlow) {
  World world;
  world.ratio = 1.5;
  for (const LinkEncoding choice : Drive({}, ContentKind::kDesktop).Frames(world, 30)) {
    EXPECT_NE(choice, LinkEncoding::kYuv420);
  }
  EXPECT_EQ(Drive(*ParseEncodings("420"), ContentKind::kDesktop).After(world, 3), LinkEncoding::kYuv420);
}

TEST(Governor, OnlyWhatIsAllowed) {
  World world;
  world.ratio = 1.5;
  EXPECT_EQ(Drive(*ParseEncodings("plain")).After(world, 5), LinkEncoding::kPlain);
  EXPECT_EQ(Drive(*ParseEncodings("plain,lossless")).After(world, 5), LinkEncoding::kLossless);
  Drive fixed(*ParseEncodings("420"));
  EXPECT_EQ(fixed.Frame(world), LinkEncoding::kYuv420);
  EXPECT_EQ(fixed.probes(), 0);
}

TEST(Governor, AWiderLinkIsUsedWithinTwoFrames) {
  World world;
  Drive drive;
  ASSERT_EQ(drive.After(world, 30), LinkEncoding::kLossless);
  world.link_bytes_per_second = 2e9;
  EXPECT_EQ(drive.After(world, 2), LinkEncoding::kPlain);
  world.link_bytes_per_second = 250e6;
  EXPECT_EQ(drive.After(world, 2), LinkEncoding::kLossless);
}

TEST(Governor, ProbesFindTheWayBackFromBlocks) {
  World world;
  world.ratio = 1.5;
  world.tiles_ratio = 3;
  world.link_bytes_per_second = 80e6;
  Drive drive;
  ASSERT_EQ(drive.After(world, 30), LinkEncoding::kBc1);
  world.ratio = 3.5;
  world.tiles_ratio = 7;
  EXPECT_EQ(drive.After(world, 20), LinkEncoding::kYuv420Tiles);
  EXPECT_EQ(drive.After(world, 200), LinkEncoding::kYuv420Tiles);
  world.ratio = 8;
  EXPECT_EQ(drive.After(world, 40), LinkEncoding::kLossless);
}

TEST(Governor, ProbesFindTheWayBackFrom420) {
  World world;
  world.ratio = 1.5;
  Drive drive;
  ASSERT_EQ(drive.After(world, 30), LinkEncoding::kYuv420);
  EXPECT_GT(drive.probes(), 3);
  world.ratio = 4;
  EXPECT_EQ(drive.After(world, 12), LinkEncoding::kLossless);
}

// Visible quality.
int QualityStep(LinkEncoding encoding) {
  if (encoding == LinkEncoding::kBc1) return 2;
  return encoding == LinkEncoding::kYuv420 || encoding == LinkEncoding::kYuv420Tiles ? 1 : 0;
}

// A picture is better and worse to pack in turns; its visible quality does not change all the time.
TEST(Governor, DoesNotFlap) {
  for (const double link : {250e6, 80e6}) {
    World world;
    world.link_bytes_per_second = link;
    Drive drive;
    int changes = 0;
    LinkEncoding last = LinkEncoding::kPlain;
    for (int i = 0; i < 2000; ++i) {
      world.ratio = 2.0 + 1.0 * std::sin(i * 0.35);
      world.tiles_ratio = 2.5 * world.ratio;
      const LinkEncoding choice = drive.Frame(world);
      if (QualityStep(choice) != QualityStep(last)) ++changes;
      last = choice;
    }
    EXPECT_LT(changes, 30) << link;
  }
}

// The first frames of a program are slow, because they write to memory that was never touched.
TEST(Governor, AColdStartDoesNotCount) {
  World world;
  world.link_bytes_per_second = 8e9;
  world.plain_ns = 25e6;
  Drive drive;
  for (const LinkEncoding choice : drive.Frames(world, 4)) EXPECT_EQ(choice, LinkEncoding::kPlain);
  world.plain_ns = 5e6;
  for (const LinkEncoding choice : drive.Frames(world, 50)) EXPECT_EQ(choice, LinkEncoding::kPlain);
}

TEST(Governor, ABadTimeIsForgotten) {
  World world;
  world.link_bytes_per_second = 8e9;
  world.plain_ns = 25e6;
  Drive drive;
  ASSERT_EQ(drive.After(world, 10), LinkEncoding::kLossless);
  world.plain_ns = 5e6;
  EXPECT_EQ(drive.After(world, 300), LinkEncoding::kPlain);
}

// 1080p at 144 Hz over 250 MB/s: 4:2:0 in tiles keeps the pace, although every fortieth frame misses its blank.
TEST(Governor, AFrameThatIsLateNowAndThen_IsNotHeldAgainstItsEncoding) {
  constexpr std::int64_t kPeriodNs = 6'944'444;
  World world;
  Drive drive(GovernorDesc{{}, ContentKind::kAuto, kWidth, kHeight, kPeriodNs, 250'000'000, 0});
  world.lossless_ns = 2e6;
  std::uint32_t in_tiles = 0;
  for (std::uint32_t frame = 1; frame <= 2000; ++frame) {
    world.pace_ns = frame % 40 == 0 ? 2 * kPeriodNs : kPeriodNs;
    if (drive.Frame(world) == LinkEncoding::kYuv420Tiles) ++in_tiles;
  }
  EXPECT_GE(in_tiles, 1960U);
}

// A pace that lasts is no accident, even if it is only a little too slow.
TEST(Governor, FramesThatAreLateAgainAndAgain_TakeACheaperEncoding) {
  constexpr std::int64_t kPeriodNs = 6'944'444;
  World world;
  Drive drive(GovernorDesc{{}, ContentKind::kAuto, kWidth, kHeight, kPeriodNs, 250'000'000, 0});
  world.lossless_ns = 2e6;
  LinkEncoding last = LinkEncoding::kPlain;
  std::uint32_t in_tiles = 0;
  for (std::uint32_t frame = 1; frame <= 400; ++frame) {
    world.pace_ns = last == LinkEncoding::kYuv420Tiles ? kPeriodNs * 105 / 100 : kPeriodNs;
    last = drive.Frame(world);
    if (last == LinkEncoding::kYuv420Tiles) ++in_tiles;
  }
  EXPECT_LT(in_tiles, 200U);
}

TEST(Governor, AtTheEdgeItStays) {
  World world;
  world.link_bytes_per_second = kPlainBytes * 1e9 / kRefreshNs * 1.02;  // fits, without a reserve
  Drive drive;
  const auto choices = drive.Frames(world, 200);
  for (std::size_t i = 2; i < choices.size(); ++i) EXPECT_EQ(choices[i], choices[2]) << i;
}

}  // namespace
}  // namespace tandem::link
