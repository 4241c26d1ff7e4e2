// Frames over a narrow link, from a Vulkan program to the soft adapter. The shown picture equals the encoded and decoded one,
// bit for bit.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "link/governor/encodings.h"
#include "link/surface/link_surface.h"
#include "tests/integration/linked_pattern.h"
#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

using link::LinkEncoding;

struct Case {
  std::string encode;
  LinkEncoding encoding;
  std::string format;
  std::string size;
  std::string mode = "fifo";
  std::string engine = "auto";
  std::string scan_out_nv12 = "off";  // on: the coded picture is scanned out, and no copy decodes
  std::string passes = "auto";
  std::string dither = "off";
  std::string yuv = "auto";
};

// Runs tandem_paint on a driver with further options; the software adapter shows the frames and keeps none.
TandemResult PaintBySoft(const VulkanDriver& driver, const std::vector<std::string>& options, const std::string& frames,
                         const std::string& size) {
  TandemRun run;
  run.environment = WithDrivers({driver});
  run.options = {"--display", "soft", "--output", "headless"};
  run.options.insert(run.options.end(), options.begin(), options.end());
  run.program = {Program("tandem_paint"), "--frames", frames, "--size", size};
  return RunTandem(run);
}

class Link : public testing::TestWithParam<Case> {};

TEST_P(Link, EveryDriver_ShowsWhatTheEncodingMakesOfEachFrame) {
  if (!link::IsBuilt(GetParam().encoding)) GTEST_SKIP() << "TANDEM_YUV420 is OFF: the 4:2:0 encodings are not in this build.";
  constexpr std::uint32_t kFrames = 8;
  for (const VulkanDriver& driver : VulkanDrivers()) {
    SCOPED_TRACE(driver.name);
    const ScratchFolder scratch;
    TandemRun run;
    run.environment = WithDrivers({driver});
    run.environment.emplace_back("TANDEM_LINK_ENGINE", GetParam().engine);
    run.environment.emplace_back("TANDEM_YUV_PASSES", GetParam().passes);
    run.options = {"--render",        driver.selector,
                   "--display",       "soft",
                   "--output",        "raw:" + scratch.File("frames"),
                   "--encode",        GetParam().encode,
                   "--scan-out-nv12", GetParam().scan_out_nv12,
                   "--dither",        GetParam().dither,
                   "--yuv",           GetParam().yuv};
    run.program = {Program("tandem_paint"), "--frames", std::to_string(kFrames), "--size", GetParam().size, "--format",
                   GetParam().format,       "--mode",   GetParam().mode};
    const TandemResult result = RunTandem(run);
    ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
    ASSERT_TRUE(result.stats.is_object());
    EXPECT_EQ(result.stats["path"], GetParam().scan_out_nv12 == "on" ? "one-copy" : "compressed");
    EXPECT_EQ(result.stats["link"]["frames"][GetParam().encode], kFrames);
    EXPECT_EQ(result.stats["link"]["yuv"], link::LinkYuvText(*link::ParseYuv(GetParam().yuv)));
    EXPECT_EQ(result.stats["dithering"].get<std::string>().empty(), GetParam().dither == "off");
    // Frames are correct and in order; a frame may be scanned out twice.
    const auto expected = [](const RawFrame& frame, std::uint32_t number) {
      const auto shown = static_cast<color::Format>(frame.format);
      const color::Format painted = GetParam().format == "rgba16f" ? color::Format::kR16G16B16A16Float : shown;
      EXPECT_EQ(shown, link::LinkedFormat(painted, {.ten_bits = true}));
      const link::LinkColors colors{
          .dithers = GetParam().dither == "on", .ten_bits = true, .yuv = *link::ParseYuv(GetParam().yuv)};
      return LinkedPattern({frame.width, frame.height, painted, shown, colors}, number, GetParam().encoding);
    };
    std::uint32_t next = 0;
    const auto broken = ForEachRawFrame(scratch.File("frames"), [&](const RawFrame& frame) {
      if (next > 0 && frame.pixels == expected(frame, next - 1)) return;
      EXPECT_TRUE(frame.pixels == expected(frame, next)) << "frame " << next;
      ++next;
    });
    EXPECT_FALSE(broken.has_value()) << *broken;
    EXPECT_EQ(next, kFrames);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Encodings, Link,
    testing::Values(
        Case{"plain", LinkEncoding::kPlain, "bgra8", "333x251"}, Case{"lossless", LinkEncoding::kLossless, "bgra8", "1x1"},
        Case{"lossless", LinkEncoding::kLossless, "bgra8", "17x13"},
        Case{"lossless", LinkEncoding::kLossless, "bgra8", "1920x1080"},
        Case{"lossless", LinkEncoding::kLossless, "rgba8-srgb", "333x251"},
        Case{"lossless", LinkEncoding::kLossless, "bgra8-srgb", "333x251", "immediate"},
        Case{"420", LinkEncoding::kYuv420, "bgra8", "17x13"}, Case{"420", LinkEncoding::kYuv420, "bgra8", "1920x1080"},
        Case{"420", LinkEncoding::kYuv420, "bgra8", "1920x1080", "fifo", "auto", "on"},
        Case{"420", LinkEncoding::kYuv420, "bgra8-srgb", "70x46", "immediate", "auto", "on"},
        Case{"420", LinkEncoding::kYuv420, "bgra8", "70x46", "fifo", "shader", "on"},
        Case{"420", LinkEncoding::kYuv420, "bgra8", "1920x1080", "fifo", "shader", "on", "three"},
        Case{"420", LinkEncoding::kYuv420, "rgba8", "333x251"}, Case{"packed", LinkEncoding::kPacked, "bgra8", "333x251"},
        Case{"420-tiles", LinkEncoding::kYuv420Tiles, "bgra8", "17x13"},
        Case{"420-tiles", LinkEncoding::kYuv420Tiles, "rgba8", "333x251"},
        Case{"packed", LinkEncoding::kPacked, "a2b10g10r10", "333x251"},
        Case{"lossless", LinkEncoding::kLossless, "a2b10g10r10", "333x251"},
        Case{"420", LinkEncoding::kYuv420, "a2b10g10r10", "332x250"}, Case{"plain", LinkEncoding::kPlain, "rgba16f", "333x251"},
        Case{"lossless", LinkEncoding::kLossless, "rgba16f", "333x251"},
        Case{"packed", LinkEncoding::kPacked, "rgba16f", "333x251"}, Case{"420", LinkEncoding::kYuv420, "rgba16f", "333x251"},
        Case{"420-tiles", LinkEncoding::kYuv420Tiles, "rgba16f", "332x250"},
        Case{"420-tiles", LinkEncoding::kYuv420Tiles, "a2b10g10r10", "333x251", "fifo", "auto", "off", "auto", "on"},
        Case{"lossless", LinkEncoding::kLossless, "rgba16f", "70x46", "fifo", "auto", "off", "auto", "on"},
        Case{"bc1", LinkEncoding::kBc1, "rgba16f", "333x251", "fifo", "auto", "off", "auto", "on"},
        Case{"420", LinkEncoding::kYuv420, "bgra8", "333x251", "fifo", "auto", "off", "auto", "off", "bt601"},
        Case{"420", LinkEncoding::kYuv420, "rgba8", "332x251", "fifo", "auto", "off", "auto", "off", "bt2020,limited,bilinear"},
        Case{"420", LinkEncoding::kYuv420, "rgba8", "332x251", "fifo", "shader", "off", "auto", "off", "bt601,limited,bilinear"},
        Case{"420-tiles", LinkEncoding::kYuv420Tiles, "bgra8", "333x251", "fifo", "auto", "off", "auto", "off",
             "limited,bilinear"},
        Case{"bc1", LinkEncoding::kBc1, "bgra8", "17x13"}, Case{"bc1", LinkEncoding::kBc1, "rgba8-srgb", "333x251"},
        Case{"lossless", LinkEncoding::kLossless, "bgra8", "333x251", "fifo", "shader"},
        Case{"plain", LinkEncoding::kPlain, "rgba8", "333x251", "fifo", "shader"},
        Case{"420", LinkEncoding::kYuv420, "rgba8", "332x251", "fifo", "shader"},
        Case{"420", LinkEncoding::kYuv420, "rgba8", "332x251", "fifo", "shader", "off", "fused"},
        Case{"420", LinkEncoding::kYuv420, "bgra8", "332x251", "fifo", "shader", "off", "three"}));

TEST(LinkNv12, OddSize_IsDecodedAndTheReasonStandsInTheSummary) {
  if (!link::IsBuilt(LinkEncoding::kYuv420)) GTEST_SKIP() << "TANDEM_YUV420 is OFF: the 4:2:0 encodings are not in this build.";
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  const TandemResult result = PaintBySoft(drivers.front(), {"--encode", "420", "--stats"}, "5", "321x240");
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_EQ(result.stats["path"], "compressed");
  EXPECT_NE(result.process.err.find("refused: one-copy with NV12: NV12 has pictures of even extents and 321 x 240 is not."),
            std::string::npos)
      << result.process.err;
}

TEST(LinkNv12, AnotherYuv_IsDecodedAndTheReasonStandsInTheSummary) {
  if (!link::IsBuilt(LinkEncoding::kYuv420)) GTEST_SKIP() << "TANDEM_YUV420 is OFF: the 4:2:0 encodings are not in this build.";
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  const TandemResult result =
      PaintBySoft(drivers.front(), {"--encode", "420", "--yuv", "bt601,limited", "--stats"}, "5", "320x240");
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_EQ(result.stats["path"], "compressed");
  EXPECT_NE(result.process.err.find("NV12 is scanned out as bt709,full,nearest, and bt601,limited,nearest was asked for."),
            std::string::npos)
      << result.process.err;
  EXPECT_NE(result.process.err.find("5 420; 4:2:0 as bt601,limited,nearest"), std::string::npos) << result.process.err;
}

TEST(LinkLimit, EmulatedAndTooNarrow_CompressesAndSaysSo) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  const TandemResult result = PaintBySoft(drivers.front(), {"--link-limit", "30MB/s", "--stats"}, "20", "640x480");
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_EQ(result.stats["path"], "compressed");
  EXPECT_EQ(result.stats["link"]["emulated_bytes_per_second"], 30'000'000);
  EXPECT_LT(result.stats["link"]["bytes_per_frame"].get<double>(), 640 * 480 * 4);
  EXPECT_NE(result.process.err.find("30 MB/s (emulated)"), std::string::npos) << result.process.err;
}

TEST(FrameBytes, WhatIsLost_IsCountedAndNotCalledLossless) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  const TandemResult result =
      PaintBySoft(drivers.front(), {"--encode", "lossless", "--frame-bytes", "50kB", "--stats"}, "8", "640x480");
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  const auto& link = result.stats["link"];
  EXPECT_EQ(link["frame_bytes"], 50'000);
  EXPECT_LE(link["bytes_per_frame"].get<double>(), 50'000);
  EXPECT_GT(link["frames"]["lossy"], 0);
  EXPECT_EQ(link["frames"]["lossy"].get<int>() + link["frames"]["lossless"].get<int>(), 8);
  EXPECT_NE(result.process.err.find("in tiles that lost low bits to stay within 50000 bytes"), std::string::npos)
      << result.process.err;
}

TEST(FrameBytes, ADesktop_StaysExactAndSaysSo) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  const TandemResult result = PaintBySoft(
      drivers.front(), {"--encode", "lossless", "--frame-bytes", "50kB", "--content", "desktop", "--stats"}, "5", "640x480");
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_EQ(result.stats["link"]["frames"]["lossless"], 5);
  EXPECT_EQ(result.stats["link"]["frame_bytes"], 0);
  EXPECT_NE(result.process.err.find("Frames may have more than 50kB: content desktop keeps them exact."), std::string::npos)
      << result.process.err;
}

TEST(FrameBytes, TooFew_RefuseTheSwapChainWithTheLeast) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  const TandemResult result = PaintBySoft(drivers.front(), {"--encode", "420", "--frame-bytes", "50kB"}, "5", "640x480");
  EXPECT_NE(result.process.exit_code, 0);
  ASSERT_TRUE(result.stats.contains("refused_swap_chain"));
  const auto why = result.stats["refused_swap_chain"].get<std::string>();
  EXPECT_NE(why.find("(420) keeps a frame of 640 x 480 pixels within 50kB; lossless, which may lose bits for it, does from "),
            std::string::npos)
      << why;
}

TEST(LinkLimit, EncodeOff_FramesCrossAsTheyAre) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  const TandemResult result = PaintBySoft(drivers.front(), {"--link-limit", "30MB/s", "--encode", "off"}, "5", "320x240");
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  EXPECT_EQ(result.stats["path"], "one-copy");
}

}  // namespace
}  // namespace tandem::test
