#include "outputs/headless/headless_output.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <png.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/testing/fake_clock.h"
#include "color/format.h"
#include "color/yuv.h"
#include "outputs/headless/png_file.h"
#include "outputs/headless/raw_stream.h"

namespace tandem::outputs {
namespace {

class HeadlessTest : public testing::Test {
 protected:
  HeadlessTest() {
    folder_ = std::filesystem::temp_directory_path() / ("tandem-headless-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~HeadlessTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string Path(const char* name) const { return (folder_ / name).string(); }
  static std::vector<char> Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  static std::unique_ptr<Output> Open(HeadlessKind kind, const std::string& path) {
    auto output = CreateHeadlessOutput({kind, path, 60.0});
    EXPECT_TRUE(output.ok()) << output.error().message;
    return *std::move(output);
  }
  // A surface of one colour with rows of 64 bytes.
  Surface Plain(std::uint32_t width, std::uint32_t height, std::uint32_t bgra) {
    pixels_.assign(std::size_t{16} * height, bgra);
    Surface surface;
    surface.id = 1;
    surface.pixels = reinterpret_cast<const std::byte*>(pixels_.data());
    surface.width = width;
    surface.height = height;
    surface.pitch = 64;
    surface.format = color::Format::kB8G8R8A8Unorm;
    return surface;
  }
  static std::vector<std::uint8_t> DecodePng(const std::string& path, std::uint32_t* width, std::uint32_t* height) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&image, path.c_str()) == 0) return {};
    image.format = PNG_FORMAT_RGB;
    std::vector<std::uint8_t> rgb(PNG_IMAGE_SIZE(image));
    png_image_finish_read(&image, nullptr, rgb.data(), 0, nullptr);
    *width = image.width;
    *height = image.height;
    return rgb;
  }

  std::filesystem::path folder_;
  std::vector<std::uint32_t> pixels_;
};

TEST_F(HeadlessTest, None_TakesFramesAndCopiesNothing) {
  const auto output = Open(HeadlessKind::kNone, "");
  EXPECT_TRUE(output->Show(Plain(5, 3, 0)).ok());
  EXPECT_EQ(output->LastShowCopiedBytes(), 0U);
  EXPECT_EQ(output->Status().state, OutputState::kOk);
  EXPECT_EQ(output->info().refresh_period_ns, 16'666'667);
}

TEST_F(HeadlessTest, Raw_TwoFrames_AreHeadersAndTightRows) {
  {
    const auto output = Open(HeadlessKind::kRaw, Path("raw"));
    ASSERT_TRUE(output->Show(Plain(5, 3, 0x11223344)).ok());
    EXPECT_EQ(output->LastShowCopiedBytes(), 60U);
    ASSERT_TRUE(output->Show(Plain(16, 2, 0x55667788)).ok());
  }
  const auto file = Read(Path("raw"));
  ASSERT_EQ(file.size(), 2 * kRawHeaderBytes + 60 + 128);
  const auto bytes = std::as_bytes(std::span(file));
  const auto first = DecodeRawHeader(bytes);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->frame_index, 0U);
  EXPECT_EQ(first->width, 5U);
  EXPECT_EQ(first->height, 3U);
  EXPECT_EQ(first->pitch, 20U);
  EXPECT_EQ(first->bytes, 60U);
  EXPECT_EQ(first->format, color::Format::kB8G8R8A8Unorm);
  std::uint32_t pixel = 0;
  std::memcpy(&pixel, bytes.data() + kRawHeaderBytes + 56, sizeof(pixel));
  EXPECT_EQ(pixel, 0x11223344U);
  const auto second = DecodeRawHeader(bytes.subspan(kRawHeaderBytes + 60));
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->frame_index, 1U);
}

TEST_F(HeadlessTest, Png_TenBits_AreRoundedOrDithered) {
  const std::uint32_t grey = 0x100401 * 302;  // 75.28 of 255
  for (const bool dithers : {false, true}) {
    Surface surface = Plain(16, 16, grey);
    surface.format = color::Format::kR10G10B10A2Unorm;
    surface.dithers = dithers;
    ASSERT_TRUE(Open(HeadlessKind::kPng, Path("ten.png"))->Show(surface).ok());
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    const auto rgb = DecodePng(Path("ten.png"), &width, &height);
    ASSERT_EQ(rgb.size(), 3U * 16 * 16);
    EXPECT_EQ(std::count(rgb.begin(), rgb.end(), 76), dithers ? 3 * 4 * 18 : 0);
    EXPECT_EQ(std::count(rgb.begin(), rgb.end(), 75), dithers ? 3 * 4 * 46 : 3 * 16 * 16);
  }
}

TEST_F(HeadlessTest, RawHeader_Broken_IsRefused) {
  auto bytes = EncodeRawHeader({0, 5, 3, color::Format::kB8G8R8A8Unorm, 20, 60});
  EXPECT_TRUE(DecodeRawHeader(bytes).ok());
  EXPECT_FALSE(DecodeRawHeader(std::span(bytes).first(43)).ok());
  bytes[0] = std::byte{'X'};
  EXPECT_FALSE(DecodeRawHeader(bytes).ok());
  EXPECT_FALSE(DecodeRawHeader(EncodeRawHeader({0, 5, 3, color::Format::kB8G8R8A8Unorm, 24, 60})).ok());
  EXPECT_FALSE(DecodeRawHeader(EncodeRawHeader({0, 5, 3, color::Format::kB8G8R8A8Unorm, 20, 61})).ok());
  EXPECT_FALSE(DecodeRawHeader(EncodeRawHeader({0, 5, 3, color::Format::kUnknown, 0, 0})).ok());
  EXPECT_FALSE(DecodeRawHeader(EncodeRawHeader({0, 99999, 3, color::Format::kB8G8R8A8Unorm, 399996, 1199988})).ok());
}

TEST_F(HeadlessTest, Png_HoldsTheLastFrameAfterTheEnd) {
  {
    const auto output = Open(HeadlessKind::kPng, Path("last.png"));
    ASSERT_TRUE(output->Show(Plain(5, 3, 0xFF000000)).ok());
    ASSERT_TRUE(output->Show(Plain(7, 2, 0x00336699)).ok());
  }
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  const auto rgb = DecodePng(Path("last.png"), &width, &height);
  EXPECT_EQ(width, 7U);
  EXPECT_EQ(height, 2U);
  ASSERT_EQ(rgb.size(), 42U);
  EXPECT_EQ(rgb[39], 0x33);
  EXPECT_EQ(rgb[40], 0x66);
  EXPECT_EQ(rgb[41], 0x99);
  EXPECT_FALSE(std::filesystem::exists(Path("last.png.") + std::to_string(getpid())));
}

TEST_F(HeadlessTest, Png_ManyFrames_IsWrittenAtMostOnceASecond) {
  FakeClock clock(0);
  auto sink = *CreatePngSink(Path("clock.png"), clock);
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  const auto red = [&] { return DecodePng(Path("clock.png"), &width, &height)[0]; };
  ASSERT_TRUE(sink->Write(Plain(5, 3, 0x00010000)).ok());
  EXPECT_EQ(red(), 1);
  clock.Advance(999'999'999);
  ASSERT_TRUE(sink->Write(Plain(5, 3, 0x00020000)).ok());
  EXPECT_EQ(red(), 1);
  clock.Advance(1);
  ASSERT_TRUE(sink->Write(Plain(5, 3, 0x00030000)).ok());
  EXPECT_EQ(red(), 3);
  ASSERT_TRUE(sink->Write(Plain(5, 3, 0x00040000)).ok());
  sink.reset();
  EXPECT_EQ(red(), 4);
}

TEST_F(HeadlessTest, Y4m_KnownColours_HaveTheirBt709Values) {
  if (!color::kHasYuv420) GTEST_SKIP() << "This build leaves YUV 4:2:0 out.";
  struct Case {
    std::uint32_t bgra;
    int y, cb, cr;
  };
  for (const Case& c : {Case{0xFFFFFFFF, 235, 128, 128}, Case{0xFF000000, 16, 128, 128}, Case{0xFFFF0000, 63, 102, 240},
                        Case{0xFF00FF00, 173, 42, 26}, Case{0xFF0000FF, 32, 240, 118}}) {
    {
      const auto output = Open(HeadlessKind::kY4m, Path("video.y4m"));
      ASSERT_TRUE(output->Show(Plain(5, 3, c.bgra)).ok());
    }
    const auto file = Read(Path("video.y4m"));
    const std::string text(file.begin(), file.end());
    const std::size_t at = text.find("FRAME\n");
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(text.substr(0, at), "YUV4MPEG2 W5 H3 F60000:1000 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n");
    constexpr std::size_t kChroma = 6;
    ASSERT_EQ(text.size(), at + 6 + 15 + 2 * kChroma);
    const auto value = [&](std::size_t i) { return static_cast<int>(static_cast<std::uint8_t>(text[at + 6 + i])); };
    EXPECT_NEAR(value(0), c.y, 1);
    EXPECT_NEAR(value(14), c.y, 1);
    EXPECT_NEAR(value(15), c.cb, 1);
    EXPECT_NEAR(value(15 + kChroma), c.cr, 1);
    EXPECT_NEAR(value(15 + 2 * kChroma - 1), c.cr, 1);
  }
}

TEST_F(HeadlessTest, Y4m_AnotherSize_LiesInTheUpperLeftCorner) {
  if (!color::kHasYuv420) GTEST_SKIP() << "This build leaves YUV 4:2:0 out.";
  {
    const auto output = Open(HeadlessKind::kY4m, Path("video.y4m"));
    ASSERT_TRUE(output->Show(Plain(4, 4, 0xFFFF0000)).ok());
    ASSERT_TRUE(output->Show(Plain(5, 2, 0xFFFFFFFF)).ok());
    ASSERT_TRUE(output->Show(Plain(3, 6, 0xFFFFFFFF)).ok());
  }
  const auto file = Read(Path("video.y4m"));
  const std::string text(file.begin(), file.end());
  const std::size_t first = text.find("FRAME\n");
  constexpr std::size_t kFrameBytes = 6 + 16 + 2 * 4;
  ASSERT_EQ(text.size(), first + 3 * kFrameBytes);
  EXPECT_EQ(text.substr(first + kFrameBytes + 6, 16), std::string(8, '\xEB') + std::string(8, '\x10'));
  EXPECT_EQ(text.substr(first + 2 * kFrameBytes + 6, 8), "\xEB\xEB\xEB\x10\xEB\xEB\xEB\x10");
}

TEST_F(HeadlessTest, UnwritablePath_SaysWhichAndWhy) {
  for (const HeadlessKind kind : {HeadlessKind::kPng, HeadlessKind::kY4m, HeadlessKind::kRaw}) {
    if (kind == HeadlessKind::kY4m && !color::kHasYuv420) continue;
    const auto output = CreateHeadlessOutput({kind, "/nonexistent/file", 60.0});
    ASSERT_FALSE(output.ok());
    EXPECT_EQ(output.error().kind, ErrorKind::kIo);
    EXPECT_NE(output.error().message.find("/nonexistent/file"), std::string::npos);
    EXPECT_NE(output.error().message.find("No such file"), std::string::npos);
  }
}

TEST_F(HeadlessTest, FullDevice_ShowAnswersIo) {
  const auto output = Open(HeadlessKind::kRaw, "/dev/full");
  const auto shown = output->Show(Plain(5, 3, 0));
  ASSERT_FALSE(shown.ok());
  EXPECT_EQ(shown.error().kind, ErrorKind::kIo);
}

TEST_F(HeadlessTest, PipeWithoutAReader_FramesAreMissingUntilThereIsOne) {
  ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0600), 0);
  const auto output = Open(HeadlessKind::kRaw, Path("fifo"));
  EXPECT_EQ(output->Show(Plain(5, 3, 0)).error().kind, ErrorKind::kNotFound);
  const int reader = open(Path("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  EXPECT_TRUE(output->Show(Plain(5, 3, 0)).ok());
  std::array<std::byte, 2 * kRawHeaderBytes + 60> bytes{};
  EXPECT_EQ(read(reader, bytes.data(), bytes.size()), static_cast<ssize_t>(kRawHeaderBytes + 60));
  EXPECT_EQ(DecodeRawHeader(bytes)->frame_index, 0U);
  close(reader);
}

TEST_F(HeadlessTest, Picture_ReplacesNothingButAFile) {
  ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0600), 0);
  std::filesystem::create_directory(Path("folder"));
  EXPECT_EQ(CreateHeadlessOutput({HeadlessKind::kPng, Path("fifo"), 60.0}).error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(CreateHeadlessOutput({HeadlessKind::kPng, Path("folder"), 60.0}).error().kind, ErrorKind::kIo);
  EXPECT_TRUE(std::filesystem::is_fifo(Path("fifo")) && std::filesystem::is_directory(Path("folder")));
}

TEST_F(HeadlessTest, ReaderOfAPipeLeaves_ShowAnswersIoAndTheProgramLives) {
  ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0600), 0);
  const int reader = open(Path("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const auto output = Open(HeadlessKind::kRaw, Path("fifo"));
  close(reader);
  const auto shown = output->Show(Plain(5, 3, 0));
  ASSERT_FALSE(shown.ok());
  EXPECT_EQ(shown.error().kind, ErrorKind::kIo);
}

TEST_F(HeadlessTest, Status_WithAWindow_IsTheWindows) {
  HeadlessOptions options;
  EXPECT_EQ((*CreateHeadlessOutput(options))->Status().width, 0U);
  OutputStatus window{OutputState::kOk, 300, 200};
  options.window_status = [&window] { return window; };
  const auto output = *CreateHeadlessOutput(options);
  EXPECT_EQ(output->Status().width, 300U);
  EXPECT_EQ(output->Status().height, 200U);
  window.state = OutputState::kLost;
  EXPECT_EQ(output->Status().state, OutputState::kLost);
}

TEST_F(HeadlessTest, Options_OutOfRange_AreRefused) {
  for (const double rate : {0.0, 0.5, 1001.0, -60.0}) {
    EXPECT_EQ(CreateHeadlessOutput({HeadlessKind::kNone, "", rate}).error().kind, ErrorKind::kInvalidArgument);
  }
  EXPECT_EQ(CreateHeadlessOutput({HeadlessKind::kRaw, "", 60.0}).error().kind, ErrorKind::kInvalidArgument);
}

}  // namespace
}  // namespace tandem::outputs
