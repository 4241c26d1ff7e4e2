#include "status/live_record.h"

#include <cstring>

#include <gtest/gtest.h>

#include "base/printable.h"
#include "color/yuv.h"
#include "link/surface/link_surface.h"

namespace tandem::status {
namespace {

LiveSwapChain Figures() {
  LiveSwapChain figures;
  figures.reported_ns = 5;
  figures.width = 640;
  figures.height = 480;
  figures.present_mode = swapchain::PresentMode::kMailbox;
  figures.path = swapchain::Path::kCompressed;
  figures.shown_by = swapchain::ShownBy::kComposition;
  figures.encoding = link::LinkEncoding::kLossless;
  figures.crossing_format = DXGI_FORMAT_R10G10B10A2_UNORM;
  figures.yuv = {{color::YuvMatrix::kBt2020, color::YuvRange::kLimited}, color::ChromaFilter::kBilinear};
  figures.frames.presented = 12;
  figures.frames.shown = 10;
  figures.frames.dropped = 1;
  figures.millihertz = 59'940;
  figures.link_bytes_per_second = 118'200'000;
  figures.latency_ns = 21'300'000;
  figures.measured_link = 7'900'000'000;
  figures.emulated_link = 250'000'000;
  figures.frame_bytes = 2'000'000;
  figures.lossy_frames = 7;
  figures.render = "Renderer";
  figures.display = "Display";
  figures.path_reason = "It can be had.";
  figures.encoding_reason = "It fits.";
  return figures;
}

LiveFileLayout File() {
  LiveFileLayout file = MakeLiveFile({42, 1000, 7}, {}, "vkcube");
  file.swap_chains[1][1] = MakeLiveCopy(Figures(), {}, 1);
  return file;
}

Result<LiveProgram> Parse(const LiveFileLayout& file) { return ParseLiveFile(std::as_bytes(std::span(&file, 1))); }

TEST(LiveRecord, WhatWasWritten_IsRead) {
  const auto program = Parse(File());
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_EQ(program->process, (LiveProcess{42, 1000, 7}));
  EXPECT_EQ(program->program, "vkcube");
  ASSERT_EQ(program->swap_chains.size(), 1U);
  const LiveSwapChain& read = program->swap_chains[0];
  const LiveSwapChain figures = Figures();
  EXPECT_EQ(read.reported_ns, figures.reported_ns);
  EXPECT_EQ(read.width, figures.width);
  EXPECT_EQ(read.height, figures.height);
  EXPECT_EQ(read.present_mode, figures.present_mode);
  EXPECT_EQ(read.path, figures.path);
  EXPECT_EQ(read.shown_by, figures.shown_by);
  EXPECT_EQ(read.encoding, figures.encoding);
  EXPECT_EQ(read.yuv, figures.yuv);
  EXPECT_EQ(read.crossing_format, figures.crossing_format);
  EXPECT_EQ(read.frames.presented, figures.frames.presented);
  EXPECT_EQ(read.frames.shown, figures.frames.shown);
  EXPECT_EQ(read.frames.dropped, figures.frames.dropped);
  EXPECT_EQ(read.millihertz, figures.millihertz);
  EXPECT_EQ(read.link_bytes_per_second, figures.link_bytes_per_second);
  EXPECT_EQ(read.latency_ns, figures.latency_ns);
  EXPECT_EQ(read.measured_link, figures.measured_link);
  EXPECT_EQ(read.emulated_link, figures.emulated_link);
  EXPECT_EQ(read.frame_bytes, figures.frame_bytes);
  EXPECT_EQ(read.lossy_frames, figures.lossy_frames);
  EXPECT_EQ(read.render, figures.render);
  EXPECT_EQ(read.display, figures.display);
  EXPECT_EQ(read.path_reason, figures.path_reason);
  EXPECT_EQ(read.encoding_reason, figures.encoding_reason);
}

TEST(LiveRecord, NewerCopy_Counts) {
  LiveFileLayout file = File();
  LiveSwapChain newer = Figures();
  newer.frames.shown = 11;
  file.swap_chains[1][0] = MakeLiveCopy(newer, {}, 2);
  EXPECT_EQ(Parse(file)->swap_chains[0].frames.shown, 11U);
}

TEST(LiveRecord, NewerCopyOnItsWay_LeavesTheOneBefore) {
  LiveFileLayout file = File();
  LiveSwapChain newer = Figures();
  newer.frames.shown = 11;
  file.swap_chains[1][0] = MakeLiveCopy(newer, {}, 2);
  file.swap_chains[1][0].frames.presented = 99;  // the checksum is still another's
  const auto program = Parse(file);
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_EQ(program->swap_chains[0].frames.shown, 10U);
}

TEST(LiveRecord, ClosedSwapChain_IsNotThere) {
  LiveFileLayout file = File();
  file.swap_chains[1][0] = MakeClosedCopy({}, 2);
  EXPECT_TRUE(Parse(file)->swap_chains.empty());
}

TEST(LiveRecord, WhatEarlierSwapChainsShowed_IsKeptOpenOrNot) {
  LiveFileLayout file = MakeLiveFile({42, 1000, 7}, {41, 999, 7}, "vkcube");
  file.swap_chains[0][0] = MakeClosedCopy({5, 4, 1}, 2);
  file.swap_chains[1][1] = MakeLiveCopy(Figures(), {10, 20, 30}, 1);
  const auto program = Parse(file);
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_EQ(program->earlier, (LiveCounts{15, 24, 31}));
  EXPECT_EQ(program->swap_chains.size(), 1U);
  EXPECT_EQ(program->run, (LiveProcess{41, 999, 7}));
}

TEST(LiveRecord, EveryFlippedBit_IsFoundOrChangesNothingButTheHead) {
  const LiveFileLayout file = File();
  constexpr std::size_t kHead = offsetof(LiveFileLayout, swap_chains);
  const std::size_t begin = kHead + 3 * sizeof(LiveCopy);
  for (std::size_t at = begin; at < begin + sizeof(LiveCopy); ++at) {
    LiveFileLayout bent = file;
    reinterpret_cast<unsigned char*>(&bent)[at] ^= 0x10;
    const auto program = Parse(bent);
    ASSERT_FALSE(program.ok()) << at;
    ASSERT_EQ(program.error().message, "The figures of swap chain 2 are damaged.") << at;
  }
}

std::string RefusalOf(void (*change)(LiveFileLayout& file)) {
  LiveFileLayout file = File();
  change(file);
  const auto program = Parse(file);
  return program.ok() ? std::string() : program.error().message;
}

// A copy with a correct checksum and invalid content.
template <class Change>
std::string RefusalOfCopy(Change change) {
  LiveFileLayout file = File();
  LiveCopy& copy = file.swap_chains[1][1];
  change(copy);
  copy.checksum = ChecksumOf(copy);
  const auto program = Parse(file);
  return program.ok() ? std::string() : program.error().message;
}

TEST(LiveRecord, WrongHead_IsRefusedWithValueAndLimit) {
  EXPECT_EQ(RefusalOf([](LiveFileLayout& file) { file.magic[0] = 'X'; }), "The file does not begin with TandemLv.");
  EXPECT_EQ(RefusalOf([](LiveFileLayout& file) { file.version = 9; }), "The file has version 9; this one reads 4.");
  const LiveFileLayout file = File();
  EXPECT_EQ(ParseLiveFile(std::as_bytes(std::span(&file, 1)).first(10)).error().message,
            "The file has 10 bytes in place of " + std::to_string(sizeof(LiveFileLayout)) + ".");
}

TEST(LiveRecord, FiguresBeyondTheirLimits_AreRefusedWithValueAndLimit) {
  EXPECT_EQ(RefusalOfCopy([](LiveCopy& copy) { copy.width = 70000; }), "Width 70000 is beyond 16384.");
  EXPECT_EQ(RefusalOfCopy([](LiveCopy& copy) { copy.height = 70000; }), "Height 70000 is beyond 16384.");
  EXPECT_EQ(RefusalOfCopy([](LiveCopy& copy) { copy.present_mode = 4; }), "Present mode 4 is beyond 3.");
  EXPECT_EQ(RefusalOfCopy([](LiveCopy& copy) { copy.path = 200; }), "Path 200 is beyond 4.");
  EXPECT_EQ(RefusalOfCopy([](LiveCopy& copy) { copy.shown_by = 2; }), "Way to the screen 2 is beyond 1.");
  EXPECT_NE(RefusalOfCopy([](LiveCopy& copy) { copy.encoding = 200; }).find("Encoding 200 is beyond"), std::string::npos);
  EXPECT_EQ(RefusalOfCopy([](LiveCopy& copy) { copy.yuv = 0x203; }), "4:2:0 0x203 is no way to make it.");
  EXPECT_NE(RefusalOfCopy([](LiveCopy& copy) { copy.millihertz = ~0ULL; }).find("Frame rate"), std::string::npos);
  EXPECT_NE(RefusalOfCopy([](LiveCopy& copy) { copy.link_bytes_per_second = ~0ULL; }).find("Bandwidth"), std::string::npos);
  EXPECT_NE(RefusalOfCopy([](LiveCopy& copy) { copy.measured_link = ~0ULL; }).find("Measured"), std::string::npos);
  EXPECT_NE(RefusalOfCopy([](LiveCopy& copy) { copy.emulated_link = ~0ULL; }).find("Emulated"), std::string::npos);
  EXPECT_NE(RefusalOfCopy([](LiveCopy& copy) { copy.frame_bytes = ~0ULL; }).find("Frame bytes"), std::string::npos);
  EXPECT_NE(RefusalOfCopy([](LiveCopy& copy) { copy.latency_ns = -1; }).find("Latency"), std::string::npos);
}

TEST(LiveRecord, TextWithoutAnEnd_EndsWithItsRoom) {
  LiveSwapChain figures = Figures();
  figures.render = std::string(500, 'r');
  figures.path_reason = std::string(kLiveReasonBytes - 1, 'p') + "\xC3\xA9";  // the last character does not fit
  LiveFileLayout file = File();
  file.swap_chains[1][0] = MakeLiveCopy(figures, {}, 2);
  const auto program = Parse(file);
  ASSERT_TRUE(program.ok()) << program.error().message;
  EXPECT_EQ(program->swap_chains[0].render, std::string(kLiveNameBytes, 'r'));
  EXPECT_EQ(program->swap_chains[0].path_reason, std::string(kLiveReasonBytes - 1, 'p'));
}

TEST(Printable, ControlsAndBrokenCharacters_BecomeQuestionMarks) {
  EXPECT_EQ(Printable("vkcube \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"), "vkcube \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(Printable("\033[2Jx\n\t\x7F"), "?[2Jx???");
  EXPECT_EQ(Printable("\xC2\x9Bx"), "??x") << "C1 control";
  EXPECT_EQ(Printable("\xE2\x80\xAEx"), "???x") << "right-to-left override";
  EXPECT_EQ(Printable("\xC0\xAF"), "??") << "overlong";
  EXPECT_EQ(Printable("\xED\xA0\x80"), "???") << "half of a pair";
  EXPECT_EQ(Printable("\xE2\x82"), "??") << "cut off";
  EXPECT_EQ(Printable("\xFF\xF5"), "??");
}

}  // namespace
}  // namespace tandem::status
