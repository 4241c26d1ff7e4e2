// 3D of a virtio GPU as a driver sees it, drawn by virglrenderer: what was rendered arrives at the output and in the driver's
// memory.
#include "bus/virtio/virgl_renderer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <link.h>

#include "bus/testing/gpu_3d_guest.h"
#include "bus/testing/picture_output.h"
#include "bus/virtio/virtio_gpu.h"

namespace tandem::bus {
namespace {

using namespace virtio;  // NOLINT(google-build-using-namespace)
using testing::Each;
using testing::HasSubstr;

constexpr std::uint32_t kWide = 40, kHigh = 24;
constexpr GpuRect kScreen{0, 0, kWide, kHigh};
constexpr GpuBox kBox{0, 0, 0, kWide, kHigh, 1};
constexpr auto kDone = static_cast<std::uint32_t>(GpuAnswer::kOk);
constexpr std::uint32_t kBgrx = 2;  // VIRGL_FORMAT_B8G8R8X8_UNORM

std::uint32_t Number(GpuAnswer answer) { return static_cast<std::uint32_t>(answer); }

std::uint32_t Bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// Commands of the virgl protocol.
constexpr std::uint32_t Command(std::uint32_t number, std::uint32_t object, std::uint32_t words) {
  return number | object << 8 | words << 16;
}
std::vector<std::uint32_t> ClearTo(std::uint32_t resource, std::uint32_t surface, float red, float green, float blue) {
  constexpr std::uint32_t kCreateObject = 1, kSurface = 8, kSetFramebuffer = 5, kClear = 7, kColor0 = 4;
  return {Command(kCreateObject, kSurface, 5),
          surface,
          resource,
          kBgrx,
          0,
          0,  //
          Command(kSetFramebuffer, 0, 3),
          1,
          0,
          surface,  //
          Command(kClear, 0, 8),
          kColor0,
          Bits(red),
          Bits(green),
          Bits(blue),
          Bits(1),
          0,
          0,
          0};
}

void Append(std::vector<std::uint32_t>& words, std::initializer_list<std::uint32_t> more) {
  words.insert(words.end(), more.begin(), more.end());
}

// Creates a shader (stage 0: of vertices, 1: of fragments) from its text, and binds it.
void AppendShader(std::vector<std::uint32_t>& words, std::uint32_t handle, std::uint32_t stage, const std::string& text) {
  constexpr std::uint32_t kCreateObject = 1, kShader = 4, kBindShader = 31, kTokens = 300;
  const auto bytes = static_cast<std::uint32_t>(text.size() + 1);
  const std::uint32_t length = (bytes + 3) / 4;
  Append(words, {Command(kCreateObject, kShader, 5 + length), handle, stage, bytes, kTokens, 0});
  words.resize(words.size() + length);
  std::memcpy(words.data() + words.size() - length, text.c_str(), bytes);
  Append(words, {Command(kBindShader, 0, 2), handle, stage});
}

// Draws a green triangle over the left half of the render target, from its first row on. Its three vertices go into buffer
// `vertices`.
std::vector<std::uint32_t> DrawTriangle(std::uint32_t vertices) {
  constexpr std::uint32_t kCreateObject = 1, kBindObject = 2, kSetViewport = 4, kSetVertexBuffers = 6, kDraw = 8,
                          kInlineWrite = 9;
  constexpr std::uint32_t kBlend = 1, kRasterizer = 2, kDepthStencil = 3, kVertexElements = 5;
  constexpr std::uint32_t kAllChannels = 0xFu << 27, kHalfPixelCenter = 1u << 29, kTwoFloats = 29, kTriangles = 4;
  std::vector<std::uint32_t> words{Command(kCreateObject, kBlend, 11), 20, 0, 0, kAllChannels, 0, 0, 0, 0, 0, 0, 0};
  Append(words, {Command(kCreateObject, kRasterizer, 9), 21, kHalfPixelCenter, Bits(1), 0, 0, Bits(1), 0, 0, 0});
  Append(words, {Command(kCreateObject, kDepthStencil, 5), 22, 0, 0, 0, 0});
  Append(words, {Command(kCreateObject, kVertexElements, 5), 23, 0, 0, 0, kTwoFloats});
  for (const auto& [object, handle] :
       {std::pair{kBlend, 20u}, {kRasterizer, 21u}, {kDepthStencil, 22u}, {kVertexElements, 23u}}) {
    Append(words, {Command(kBindObject, object, 1), handle});
  }
  AppendShader(words, 24, 0, "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n");
  AppendShader(words, 25, 1, "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 { 0.0, 1.0, 0.0, 1.0}\n  0: MOV OUT[0], IMM[0]\n  1: END\n");
  const float across = kWide / 2.0F, down = kHigh / 2.0F;
  Append(words, {Command(kSetViewport, 0, 7), 0, Bits(across), Bits(down), Bits(0.5F), Bits(across), Bits(down), Bits(0.5F)});
  Append(words, {Command(kInlineWrite, 0, 11 + 6), vertices, 0, 0, 0, 0, 0, 0, 0, 24, 1, 1});
  for (const float coordinate : {-1.0F, -1.0F, -1.0F, 1.0F, 1.0F, -1.0F}) words.push_back(Bits(coordinate));
  Append(words, {Command(kSetVertexBuffers, 0, 3), 8, 0, vertices});
  Append(words, {Command(kDraw, 0, 12), 0, 3, kTriangles, 0, 1, 0, 0, 0, 0, 0, 2, 0});
  return words;
}

class NobodyListens final : public Renderer3d::Host {
  void OnFence(std::uint32_t /*fence*/) override {}
};

// Keeps the OpenGL driver that EGL has loaded. A suppression of its leaks needs the module's name at the end of the process.
void KeepDriverLoaded() {
  std::vector<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t /*bytes*/, void* found) {
        const std::string name = module->dlpi_name;
        if (name.ends_with("_dri.so")) static_cast<std::vector<std::string>*>(found)->push_back(name);
        return 0;
      },
      &names);
  for (const std::string& name : names) dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

class VirglRendererTest : public testing::Test {
 protected:
  void SetUp() override {
    NobodyListens nobody;
    const auto made = VirglRenderer::Start(nobody);
    if (!made.ok()) GTEST_SKIP() << made.error().message;
    KeepDriverLoaded();
  }
  // Context 1, with texture 1 in it.
  void StartWithTexture(std::uint32_t flags = 0) {
    ASSERT_EQ(driver_.Start(), std::uint32_t{kAcknowledge | kDriver | kFeaturesOk | kDriverOk});
    ASSERT_EQ(driver_.CreateContext(1), kDone);
    ASSERT_EQ(driver_.Send(Gpu3dGuest::Texture2d(1, kWide, kHigh, kBgrx, flags)), kDone);
    ASSERT_EQ(driver_.Link(1, 1), kDone);
  }
  // Pixels without the byte that a screen does not show.
  static std::vector<std::uint32_t> Shown(std::vector<std::uint32_t> pixels) {
    for (std::uint32_t& pixel : pixels) pixel &= 0xFFFFFF;
    return pixels;
  }
  std::vector<std::uint32_t> Show() {
    EXPECT_TRUE(gpu_.Show(output_, {0, 0, kWide, kHigh}).ok());
    return Shown(output_.pixels);
  }

  VirtioGpu gpu_{GpuDisplay{kWide, kHigh, 16'666'667}, nullptr, &VirglRenderer::Start};
  Gpu3dGuest driver_{gpu_};
  std::vector<std::uint32_t> memory_ = std::vector<std::uint32_t>(std::size_t{kWide} * kHigh);
  PictureOutput output_;
};

TEST_F(VirglRendererTest, Capsets_AreDescribedAndFilled) {
  driver_.Start();
  for (std::uint32_t index = 0; index < 2; ++index) {
    GpuCapsetInfo info{};
    EXPECT_EQ(driver_.Send(GpuGetCapsetInfo{Gpu3dGuest::Header(GpuCommand::kGetCapsetInfo), index, 0}, {}, &info, sizeof(info)),
              Number(GpuAnswer::kCapsetInfo));
    EXPECT_EQ(info.id, kCapsets[index]);
    ASSERT_GE(info.max_bytes, 308U);
    std::vector<std::byte> capset(sizeof(GpuHeader) + info.max_bytes);
    EXPECT_EQ(driver_.Send(GpuGetCapset{Gpu3dGuest::Header(GpuCommand::kGetCapset), info.id, info.max_version}, {}, capset.data(),
                           static_cast<std::uint32_t>(capset.size())),
              Number(GpuAnswer::kCapset));
    std::uint32_t version = 0;
    std::memcpy(&version, capset.data() + sizeof(GpuHeader), sizeof(version));
    EXPECT_EQ(version, info.max_version);
  }
}

TEST_F(VirglRendererTest, ClearedTexture_IsScannedOutAndReadBack) {
  StartWithTexture();
  ASSERT_EQ(driver_.Submit(1, ClearTo(1, 5, 1, 0.5F, 0.25F), 99), kDone);
  ASSERT_EQ(driver_.SetScanout(1, kScreen), kDone);
  ASSERT_EQ(driver_.Flush(1, kScreen), kDone);
  EXPECT_THAT(Show(), Each(0xFF8040));
  EXPECT_EQ(gpu_.copied_bytes(), memory_.size() * 4);
  ASSERT_EQ(driver_.Attach(1, memory_), kDone);
  ASSERT_EQ(driver_.Transfer(false, 1, {0, 1, 0, kWide, 2, 1}, kWide * 4, 0, 0, 1), kDone);
  EXPECT_EQ(memory_[0], 0U);
  EXPECT_EQ(memory_[kWide] & 0xFFFFFF, 0xFF8040U);
  EXPECT_EQ(memory_[std::size_t{3} * kWide - 1] & 0xFFFFFF, 0xFF8040U);
  EXPECT_EQ(memory_[std::size_t{3} * kWide], 0U);
  EXPECT_EQ(gpu_.broken(), "");
}

class VirglRows : public VirglRendererTest, public testing::WithParamInterface<std::uint32_t> {};

// The first row of a transfer is the top of the screen, with VIRTIO_GPU_RESOURCE_FLAG_Y_0_TOP and without.
TEST_P(VirglRows, UploadedRows_ArriveInTheirOrder) {
  StartWithTexture(GetParam());
  std::iota(memory_.begin(), memory_.end(), 0x10203u);
  const std::vector<std::uint32_t> picture = memory_;
  ASSERT_EQ(driver_.Attach(1, memory_), kDone);
  ASSERT_EQ(driver_.Transfer(true, 1, kBox), kDone);
  ASSERT_EQ(driver_.SetScanout(1, kScreen), kDone);
  ASSERT_EQ(driver_.Flush(1, {3, 4, 5, 6}), kDone);  // the first flush reads all
  EXPECT_EQ(Show(), picture);
  std::fill(memory_.begin(), memory_.end(), 0);
  ASSERT_EQ(driver_.Transfer(false, 1, kBox), kDone);
  EXPECT_EQ(Shown(memory_), picture);
  // A part, with rows of another stride, moves to where it came from.
  std::fill(memory_.begin(), memory_.end(), 0xABCDEF);
  ASSERT_EQ(driver_.Transfer(true, 1, {2, 3, 0, 4, 2, 1}, 8, 32), kDone);
  ASSERT_EQ(driver_.Flush(1, {2, 3, 4, 2}), kDone);
  std::vector<std::uint32_t> expected = picture;
  for (const std::size_t row : {3u, 4u})
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(row * kWide + 2), 4, 0xABCDEF);
  EXPECT_EQ(Show(), expected);
}

// OpenGL's first row is the top of the screen; with the flag it is the bottom, as virtual machines show such a resource.
TEST_P(VirglRows, Triangle_CoversTheHalfWithTheFirstRow) {
  StartWithTexture(GetParam());
  constexpr std::uint32_t kVertexBuffer = 1u << 4;
  ASSERT_EQ(driver_.Send(Gpu3dGuest::Buffer(2, 24, kVertexBuffer)), kDone);
  ASSERT_EQ(driver_.Link(1, 2), kDone);
  ASSERT_EQ(driver_.Submit(1, ClearTo(1, 5, 1, 0, 0)), kDone);
  ASSERT_EQ(driver_.Submit(1, DrawTriangle(2), 1), kDone);
  ASSERT_EQ(driver_.SetScanout(1, kScreen), kDone);
  ASSERT_EQ(driver_.Flush(1, kScreen), kDone);
  const std::vector<std::uint32_t> shown = Show();
  constexpr std::uint32_t kEdge = 2 * kWide * kHigh, kNear = 2 * kWide;
  for (std::uint32_t y = 0; y < kHigh; ++y) {
    for (std::uint32_t x = 0; x < kWide; ++x) {
      const std::uint32_t place = (2 * x + 1) * kHigh + (2 * y + 1) * kWide;
      if (place + kNear > kEdge && place < kEdge + kNear) continue;
      const std::uint32_t row = GetParam() == kTopIsFirst ? kHigh - 1 - y : y;
      ASSERT_EQ(shown[row * kWide + x], place < kEdge ? 0x00FF00U : 0xFF0000U) << x << ", " << y;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Flags, VirglRows, testing::Values(0u, kTopIsFirst));

TEST_F(VirglRendererTest, CopiedRegion_OfAnotherTexture_LiesWhereTheCommandSays) {
  StartWithTexture();
  ASSERT_EQ(driver_.Send(Gpu3dGuest::Texture2d(2, kWide, kHigh)), kDone);
  ASSERT_EQ(driver_.Link(1, 2), kDone);
  ASSERT_EQ(driver_.Submit(1, ClearTo(1, 5, 0, 0, 1)), kDone);
  ASSERT_EQ(driver_.Submit(1, ClearTo(2, 6, 1, 0, 0)), kDone);
  constexpr std::uint32_t kCopyRegion = 17;
  constexpr std::uint32_t kLeft = 3, kTop = 2, kAcross = 8, kDown = 4;
  ASSERT_EQ(driver_.Submit(1, {Command(kCopyRegion, 0, 13), 1, 0, kLeft, kTop, 0, 2, 0, 0, 0, 0, kAcross, kDown, 1}, 7), kDone);
  ASSERT_EQ(driver_.SetScanout(1, kScreen), kDone);
  ASSERT_EQ(driver_.Flush(1, kScreen), kDone);
  std::vector<std::uint32_t> expected(memory_.size(), 0x0000FF);
  for (std::size_t row = kTop; row < kTop + kDown; ++row) {
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(row * kWide + kLeft), kAcross, 0xFF0000);
  }
  EXPECT_EQ(Show(), expected);
}

TEST_F(VirglRendererTest, QueryResult_IsInTheBackingWhenTheFenceIsAnswered) {
  StartWithTexture();
  std::vector<GpuQueryState> state(1, {0xAA, 0, 0});
  ASSERT_EQ(driver_.Send(Gpu3dGuest::Buffer(3, sizeof(GpuQueryState), kBindCustom)), kDone);
  ASSERT_EQ(driver_.Attach(3, state), kDone);
  ASSERT_EQ(driver_.Link(1, 3), kDone);
  constexpr std::uint32_t kCreateObject = 1, kQuery = 9, kEndQuery = 20, kGetResult = 21, kTimestamp = 2;
  ASSERT_EQ(driver_.Submit(1, {Command(kCreateObject, kQuery, 4), 8, kTimestamp, 0, 3}, 1), kDone);
  EXPECT_EQ(state[0].state, 0xAAU);
  ASSERT_EQ(driver_.Submit(1, {Command(kEndQuery, 0, 1), 8, Command(kGetResult, 0, 2), 8, 0}, 2), kDone);
  EXPECT_EQ(state[0].state, 1U);
  EXPECT_EQ(state[0].result_bytes, 8U);
  EXPECT_NE(state[0].result, 0U);
}

TEST_F(VirglRendererTest, Garbage_EndsItsContextAlone_AndPrintsNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  StartWithTexture();
  ASSERT_EQ(driver_.CreateContext(2), kDone);
  EXPECT_EQ(driver_.Submit(1, {0xFFFFFFFF, 0}), Number(GpuAnswer::kInvalidParameter));
  EXPECT_EQ(driver_.Submit(1, {Command(1, 8, 5), 5, 77, kBgrx, 0, 0}), Number(GpuAnswer::kInvalidParameter));  // no resource 77
  EXPECT_NE(driver_.Submit(1, {Command(5, 0, 3), 1, 0, 4711}, 3), 0U);  // no surface 4711; a fence behind an error
  ASSERT_EQ(driver_.Link(2, 1), kDone);
  ASSERT_EQ(driver_.Submit(2, ClearTo(1, 5, 0, 1, 0), 4), kDone);
  ASSERT_EQ(driver_.SetScanout(1, kScreen), kDone);
  ASSERT_EQ(driver_.Flush(1, kScreen), kDone);
  EXPECT_THAT(Show(), Each(0x00FF00));
  EXPECT_EQ(driver_.Of(GpuCommand::kResourceUnref, 1), kDone);  // attached, and scanned out
  EXPECT_FALSE(gpu_.Show(output_, {0, 0, 1, 1}).ok());
  EXPECT_EQ(driver_.DestroyContext(2), kDone);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(gpu_.broken(), "");
}

TEST_F(VirglRendererTest, ShaderThatIsNone_IsRefused) {
  StartWithTexture();
  std::vector<std::uint32_t> shader;
  AppendShader(shader, 9, 0, "VERT\nDCL OUT[0], NOWHERE\n  0: LEAVE\n");
  testing::internal::CaptureStderr();  // virglrenderer's parser writes there (decision 0039)
  EXPECT_EQ(driver_.Submit(1, shader), Number(GpuAnswer::kInvalidParameter));
  testing::internal::GetCapturedStderr();
}

TEST_F(VirglRendererTest, Reset_WhileFencesAreOpen_StartsAnew) {
  for (int round = 0; round < 3; ++round) {
    StartWithTexture();
    auto words = ClearTo(1, 5, 1, 1, 1);
    std::vector<std::byte> sent(sizeof(GpuSubmit3d) + words.size() * 4);
    const GpuSubmit3d command{
        {static_cast<std::uint32_t>(GpuCommand::kSubmit3d), kGpuFence, 1, 1, 0}, static_cast<std::uint32_t>(words.size() * 4), 0};
    std::memcpy(sent.data(), &command, sizeof(command));
    std::memcpy(sent.data() + sizeof(command), words.data(), words.size() * 4);
    GpuHeader answer{};
    driver_.guest.Send(0, sent, &answer, sizeof(answer));
    driver_.guest.Reset();
    EXPECT_EQ(driver_.guest.Read(kStatus, 1), 0U);
  }
}

TEST_F(VirglRendererTest, SecondDevice_HasNo3dUntilTheFirstIsReset) {
  StartWithTexture();
  NobodyListens nobody;
  const auto refused = VirglRenderer::Start(nobody);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kLimit);
  EXPECT_THAT(refused.error().message, HasSubstr("Another virtio GPU"));
  driver_.guest.Reset();
  EXPECT_TRUE(VirglRenderer::Start(nobody).ok());
}

TEST_F(VirglRendererTest, Pointer_IsTakenOutOfATexture) {
  StartWithTexture();
  std::vector<std::uint32_t> image(64 * 64);
  image[0] = 0xFF0000FF;  // opaque blue
  ASSERT_EQ(driver_.Send(Gpu3dGuest::Texture2d(2, 64, 64, 1)), kDone);
  ASSERT_EQ(driver_.Attach(2, image), kDone);
  ASSERT_EQ(driver_.Transfer(true, 2, {0, 0, 0, 64, 64, 1}), kDone);
  ASSERT_EQ(driver_.Submit(1, ClearTo(1, 5, 1, 0, 0), 1), kDone);
  ASSERT_EQ(driver_.SetScanout(1, kScreen), kDone);
  ASSERT_EQ(driver_.Flush(1, kScreen), kDone);
  EXPECT_EQ(driver_.guest.Send(GpuCursor{Gpu3dGuest::Header(GpuCommand::kUpdateCursor), 0, 5, 6, 0, 2, 0, 0, 0}, 1), kDone);
  const std::vector<std::uint32_t> shown = Show();
  EXPECT_EQ(shown[6 * kWide + 5], 0x0000FFU);
  EXPECT_EQ(shown[6 * kWide + 6], 0xFF0000U);
}

}  // namespace
}  // namespace tandem::bus
