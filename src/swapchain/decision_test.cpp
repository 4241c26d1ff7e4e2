#include "swapchain/decision.h"

#include <gtest/gtest.h>

#include "link/surface/link_surface.h"

namespace tandem::swapchain {
namespace {

PairFacts Facts(std::uint32_t render_tier, std::uint32_t display_tier) {
  return {"R", "D", render_tier, display_tier, false, {}, {}, false};
}

BuildFailure Failure(BuildStep step) { return {step, Fail(ErrorKind::kUnsupported, "Because.")}; }

struct CapsCase {
  std::uint32_t render_tier;
  std::uint32_t display_tier;
  Path path;
  std::vector<std::string> refused;
};

TEST(PathCandidates_Caps, EachPairOfTiers_StartsOnTheBestCandidate) {
  const auto scan_out = [](const char* path, int tier) {
    return std::string(path) + ": display adapter D has cross-adapter tier " + std::to_string(tier) +
           " and tier 3 is needed (scan-out of shared memory).";
  };
  const std::string no_draw =
      "direct: render adapter R has cross-adapter tier 1 and tier 2 is needed (drawing into shared memory).";
  const CapsCase cases[] = {
      {3, 3, Path::kDirect, {}},
      {2, 3, Path::kDirect, {}},
      {1, 3, Path::kOneCopy, {no_draw}},
      {3, 2, Path::kTwoCopy, {scan_out("direct", 2), scan_out("one-copy", 2)}},
      {1, 1, Path::kTwoCopy, {scan_out("direct", 1), scan_out("one-copy", 1)}},
  };
  for (const CapsCase& test : cases) {
    const PathCandidates candidates(PathRequest::kAuto, Facts(test.render_tier, test.display_tier));
    ASSERT_EQ(candidates.current(), test.path) << test.render_tier << " " << test.display_tier;
    EXPECT_EQ(candidates.Accept().refused, test.refused);
    EXPECT_EQ(candidates.Accept().path, test.path);
  }
}

TEST(PathCandidates_Caps, TierZero_HasNoPath) {
  EXPECT_FALSE(PathCandidates(PathRequest::kAuto, Facts(0, 3)).current());
  const PathCandidates candidates(PathRequest::kAuto, Facts(3, 0));
  EXPECT_FALSE(candidates.current());
  EXPECT_EQ(
      candidates.Failure().message,
      "No path for the frames (asked for: auto). direct: display adapter D has cross-adapter tier 0 and tier 3 is needed "
      "(scan-out of "
      "shared memory). one-copy: display adapter D has cross-adapter tier 0 and tier 3 is needed (scan-out of shared memory). "
      "two-copy: display adapter D has cross-adapter tier 0 and tier 1 is needed (copies from shared memory). cpu: display "
      "adapter D "
      "has cross-adapter tier 0 and tier 1 is needed (copies from shared memory).");
}

TEST(PathCandidates_Link, AMeasuredLink_CountsAsAnEmulatedOneDoes) {
  PairFacts facts = Facts(2, 1);
  facts.has_encodings = true;
  facts.plain_bytes = 497'000'000;
  EXPECT_EQ(PathCandidates(PathRequest::kAuto, facts).current(), Path::kTwoCopy);
  facts.measured_link = 400'000'000;
  const PathDecision narrow = PathCandidates(PathRequest::kAuto, facts).Accept();
  EXPECT_EQ(narrow.path, Path::kCompressed);
  EXPECT_NE(narrow.reason.find("the link carries 400 MB/s (measured), plain frames would need 497 MB/s"), std::string::npos)
      << narrow.reason;
  facts.measured_link = 12'000'000'000;
  const PathDecision wide = PathCandidates(PathRequest::kAuto, facts).Accept();
  EXPECT_EQ(wide.path, Path::kTwoCopy);
  EXPECT_EQ(wide.refused[0], "compressed: the link carries 12000 MB/s (measured), which is enough for plain frames at 497 MB/s.");
  // The emulated link is narrower than the measured one, and it counts.
  facts.emulated_link = 250'000'000;
  EXPECT_NE(PathCandidates(PathRequest::kAuto, facts).Accept().reason.find("250 MB/s (emulated)"), std::string::npos);
}

TEST(PathCandidates_Link, FramesThatWouldCrossAsTheyAre_AreNotEncodedUnasked) {
  PairFacts facts = Facts(2, 1);
  facts.has_encodings = true;
  facts.plain_bytes = 497'000'000;
  facts.measured_link = 400'000'000;
  facts.encode_refusal = "no queue of R takes the shaders that encode before the link";
  const PathCandidates candidates(PathRequest::kAuto, facts);
  EXPECT_EQ(candidates.current(), Path::kTwoCopy);
  EXPECT_EQ(candidates.Accept().refused[0], "compressed: no queue of R takes the shaders that encode before the link.");
  EXPECT_EQ(PathCandidates(PathRequest::kCompressed, facts).current(), Path::kCompressed);
  // An emulated link stands behind both ways to encode.
  facts.emulated_link = 250'000'000;
  EXPECT_EQ(PathCandidates(PathRequest::kAuto, facts).current(), Path::kCompressed);
}

TEST(PathCandidates_Bounce, DriverCopiesByCpu_IsSaidAndHasOnlyThatPath) {
  PairFacts facts = Facts(2, 3);
  facts.render_bounce_reason = "The device lacks VK_EXT_external_memory_host.";
  PathCandidates candidates(PathRequest::kAuto, facts);
  ASSERT_EQ(candidates.current(), Path::kCpuCopy);
  EXPECT_EQ(candidates.Accept().reason,
            "The processor copies what R drew into memory that D reads: The device lacks VK_EXT_external_memory_host.");
  EXPECT_EQ(candidates.Accept().refused.size(), 3U);
  EXPECT_EQ(candidates.Accept().refused[1],
            "one-copy: render adapter R does not reach shared memory itself: The device lacks VK_EXT_external_memory_host.");
  const PathCandidates asked(PathRequest::kCpuCopy, Facts(2, 3));
  EXPECT_FALSE(asked.current());
  EXPECT_EQ(asked.Failure().message,
            "No path for the frames (asked for: cpu). cpu: R and D reach shared memory themselves, so there is nothing for the "
            "processor "
            "to copy.");
  facts = Facts(2, 1);
  facts.display_bounce_reason = "No import.";
  const PathCandidates shown(PathRequest::kAuto, facts);
  EXPECT_EQ(shown.current(), Path::kCpuCopy);
  EXPECT_EQ(shown.Accept().refused[2], "two-copy: display adapter D does not reach shared memory itself: No import.");
  EXPECT_EQ(shown.Accept().reason, "The processor copies what R drew into memory that D reads: No import.");
}

TEST(PathCandidates_Discrete, Unasked_DoesNotDrawIntoSystemMemory) {
  PairFacts facts = Facts(3, 3);
  facts.render_is_discrete = true;
  const PathCandidates candidates(PathRequest::kAuto, facts);
  EXPECT_EQ(candidates.current(), Path::kOneCopy);
  EXPECT_EQ(candidates.Accept().refused.at(0),
            "direct: render adapter R is discrete: all that it draws would cross the bus, overdrawn pixels several times.");
  EXPECT_EQ(PathCandidates(PathRequest::kDirect, facts).current(), Path::kDirect);
}

TEST(PathCandidates_Refuse, EachStep_HasItsSentence) {
  const std::pair<BuildStep, const char*> cases[] = {
      {BuildStep::kScanOutBuffer, "direct: display adapter D did not create a shared primary: Because."},
      {BuildStep::kNoScanout, "direct: display adapter D does not scan this surface out of shared memory (NO_SCANOUT)."},
      {BuildStep::kStaticCheck, "direct: display adapter D cannot scan this surface out as it is set up now (StaticCheck)."},
      {BuildStep::kSharedBuffer, "direct: display adapter D did not create a shared buffer: Because."},
      {BuildStep::kOpen, "direct: render adapter R did not open the shared buffer: Because."},
      {BuildStep::kPrimary, "direct: display adapter D did not create a primary: Because."},
      {BuildStep::kImages, "direct: render adapter R did not create the images: Because."},
  };
  for (const auto& [step, sentence] : cases) {
    PathCandidates candidates(PathRequest::kAuto, Facts(3, 3));
    candidates.Refuse(Failure(step));
    ASSERT_EQ(candidates.current(), Path::kOneCopy);
    EXPECT_EQ(candidates.Accept().refused, std::vector<std::string>{sentence});
  }
}

TEST(PathCandidates_Refuse, NoScanoutWithinTheMinimum_SaysThatItIsNotAllowed) {
  PairFacts facts = Facts(3, 3);
  facts.within_minimum = true;
  PathCandidates candidates(PathRequest::kAuto, facts);
  candidates.Refuse(Failure(BuildStep::kNoScanout));
  EXPECT_EQ(
      candidates.Accept().refused.at(0),
      "direct: display adapter D does not scan this surface out of shared memory (NO_SCANOUT), which tier 3 does not allow it "
      "for one of up to 1920 x 1080 pixels.");
}

TEST(ScanOutMinimum, SizesAndFormats) {
  EXPECT_TRUE(IsWithinScanOutMinimum(1920, 1080, DXGI_FORMAT_R16G16B16A16_FLOAT));
  EXPECT_TRUE(IsWithinScanOutMinimum(1, 1, DXGI_FORMAT_B8G8R8A8_UNORM_SRGB));
  EXPECT_FALSE(IsWithinScanOutMinimum(1921, 1080, DXGI_FORMAT_B8G8R8A8_UNORM));
  EXPECT_FALSE(IsWithinScanOutMinimum(1920, 1081, DXGI_FORMAT_B8G8R8A8_UNORM));
  EXPECT_FALSE(IsWithinScanOutMinimum(64, 64, DXGI_FORMAT_B8G8R8X8_UNORM));
}

TEST(PathCandidates_Refuse, EveryCandidate_EndsWithAllReasons) {
  PathCandidates candidates(PathRequest::kAuto, Facts(3, 3));
  for (const Path path : {Path::kDirect, Path::kOneCopy, Path::kTwoCopy}) {
    ASSERT_EQ(candidates.current(), path);
    candidates.Refuse(Failure(BuildStep::kImages));
  }
  EXPECT_FALSE(candidates.current());
  EXPECT_EQ(candidates.Failure().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(
      candidates.Failure().message,
      "No path for the frames (asked for: auto). direct: render adapter R did not create the images: Because. one-copy: render "
      "adapter R did not create the images: Because. two-copy: render adapter R did not create the images: Because. cpu: R and D "
      "reach shared memory themselves, so there is nothing for the processor to copy.");
}

TEST(PathCandidates_AskedFor, IsTheOnlyRung) {
  for (const PathRequest request : {PathRequest::kDirect, PathRequest::kOneCopy, PathRequest::kTwoCopy, PathRequest::kCpuCopy}) {
    PairFacts facts = Facts(3, 3);
    if (request == PathRequest::kCpuCopy) facts.render_bounce_reason = "No import.";
    PathCandidates candidates(request, facts);
    ASSERT_TRUE(candidates.current());
    EXPECT_EQ(ToString(*candidates.current()), ToString(request));
    EXPECT_TRUE(candidates.Accept().reason.ends_with("It was asked for."));
    candidates.Refuse(Failure(BuildStep::kOpen));
    EXPECT_FALSE(candidates.current());
  }
  EXPECT_FALSE(PathCandidates(PathRequest::kDirect, Facts(3, 2)).current());
  EXPECT_FALSE(PathCandidates(PathRequest::kTwoCopy, Facts(0, 3)).current());
}

using link::LinkEncoding;

PairFacts Only420() {
  PairFacts facts = Facts(3, 3);
  facts.has_encodings = true;
  facts.only_yuv420 = true;
  facts.width = 64;
  facts.height = 48;
  return facts;
}

TEST(PathCandidates_Nv12, ComesFirstWhereFramesAreEncodedOrCopiedOnce) {
  for (const PathRequest request : {PathRequest::kCompressed, PathRequest::kOneCopy}) {
    PathCandidates candidates(request, Only420());
    ASSERT_EQ(candidates.current(), Path::kOneCopy);
    EXPECT_EQ(candidates.encoding(), LinkEncoding::kYuv420);
    EXPECT_EQ(candidates.Accept().encoding, LinkEncoding::kYuv420);
    EXPECT_EQ(candidates.Accept().reason,
              "R copies as 4:2:0 into memory that D scans out as NV12, so no copy decodes. It was asked for.");
    candidates.Refuse(Failure(BuildStep::kNoScanout));
    ASSERT_EQ(candidates.current(), request == PathRequest::kOneCopy ? Path::kOneCopy : Path::kCompressed);
    EXPECT_EQ(candidates.encoding(), LinkEncoding::kPlain);
    EXPECT_EQ(candidates.Accept().encoding, LinkEncoding::kPlain);
    EXPECT_EQ(candidates.Accept().refused.at(0),
              "one-copy with NV12: display adapter D does not scan this surface out of shared memory (NO_SCANOUT).");
  }
  PairFacts facts = Only420();
  EXPECT_EQ(PathCandidates(PathRequest::kAuto, facts).encoding(), LinkEncoding::kPlain);
  EXPECT_EQ(PathCandidates(PathRequest::kDirect, facts).encoding(), LinkEncoding::kPlain);
  facts.emulated_link = 1'000'000;
  facts.plain_bytes = 2'000'000;
  EXPECT_EQ(PathCandidates(PathRequest::kAuto, facts).encoding(), LinkEncoding::kYuv420);
  facts.plain_bytes = 500'000;
  const PathCandidates wide(PathRequest::kAuto, facts);
  EXPECT_EQ(wide.current(), Path::kOneCopy);
  EXPECT_EQ(wide.encoding(), LinkEncoding::kPlain);
  EXPECT_TRUE(wide.Accept().refused.at(0).starts_with("one-copy with NV12: the link carries 1 MB/s (emulated), which is enough"));
}

TEST(PathCandidates_Nv12, WhatStandsAgainstIt_IsSaidAndTheNextCandidateDecodes) {
  const auto refusal = [](auto change) {
    PairFacts facts = Only420();
    change(facts);
    const PathCandidates candidates(PathRequest::kCompressed, facts);
    EXPECT_EQ(candidates.current(), Path::kCompressed);
    return candidates.Accept().refused.at(0);
  };
  EXPECT_EQ(refusal([](PairFacts& facts) { facts.width = 801; }),
            "one-copy with NV12: NV12 has pictures of even extents and 801 x 48 is not.");
  EXPECT_EQ(refusal([](PairFacts& facts) { facts.height = 1; }),
            "one-copy with NV12: NV12 has pictures of even extents and 64 x 1 is not.");
  EXPECT_EQ(refusal([](PairFacts& facts) { facts.display_tier = 2; }),
            "one-copy with NV12: display adapter D has cross-adapter tier 2 and tier 3 is needed (scan-out of shared memory).");
  EXPECT_EQ(refusal([](PairFacts& facts) {
              facts.measured_link = 2'500'000'000;
              facts.encode_refusal = "R encodes by the processor.";
            }),
            "one-copy with NV12: frames would become NV12 behind the link of 2500 MB/s (measured), and cross it as they are.");
  EXPECT_EQ(refusal([](PairFacts& facts) { facts.other_yuv = "bt601,limited,nearest"; }),
            "one-copy with NV12: NV12 is scanned out as bt709,full,nearest, and bt601,limited,nearest was asked for.");
  // Shaders encode before the link.
  PairFacts shaders = Only420();
  shaders.measured_link = 2'500'000'000;
  EXPECT_EQ(PathCandidates(PathRequest::kCompressed, shaders).encoding(), LinkEncoding::kYuv420);
  // A bounce buffer does not matter, because the processor encodes.
  PairFacts facts = Only420();
  facts.render_bounce_reason = "No import.";
  EXPECT_EQ(PathCandidates(PathRequest::kCompressed, facts).encoding(), LinkEncoding::kYuv420);
}

TEST(PathCandidates_Refuse, AdapterIsGone_EndsTheChoice) {
  for (const ErrorKind kind : {ErrorKind::kDeviceLost, ErrorKind::kSurfaceLost}) {
    PathCandidates candidates(PathRequest::kAuto, Facts(3, 3));
    candidates.Refuse({BuildStep::kImages, Fail(kind, "Gone.")});
    EXPECT_FALSE(candidates.current());
    EXPECT_EQ(candidates.Failure().kind, kind);
  }
}

}  // namespace
}  // namespace tandem::swapchain
