// The 3D half of a virtio GPU with a renderer that renders nothing: what is let through to it, and when answers come.
#include "bus/virtio/gpu_3d.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "bus/testing/fake_renderer_3d.h"
#include "bus/testing/gpu_3d_guest.h"
#include "bus/testing/picture_output.h"
#include "bus/virtio/virtio_gpu.h"

namespace tandem::bus {
namespace {

using namespace virtio;  // NOLINT(google-build-using-namespace)
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t Is(GpuAnswer answer) { return static_cast<std::uint32_t>(answer); }

class Gpu3dTest : public testing::Test {
 protected:
  void StartWithContext() {
    ASSERT_EQ(driver_.Start(), std::uint32_t{kAcknowledge | kDriver | kFeaturesOk | kDriverOk});
    ASSERT_EQ(driver_.CreateContext(1), Is(GpuAnswer::kOk));
  }
  // Offers a command with a fence in three descriptors of its own, and does not wait for the answer.
  void Offer(std::uint16_t slot, const GpuHeader& command, GpuHeader& answer) {
    GuestQueue& ring = driver_.guest.queues[0];
    const auto first = static_cast<std::uint16_t>(3 * slot);
    const auto next = static_cast<std::uint16_t>(first + 1);
    ring.descriptors[first] = {reinterpret_cast<std::uintptr_t>(&command), sizeof(command), VirtioGuest::kNext, next};
    ring.descriptors[next] = {reinterpret_cast<std::uintptr_t>(&answer), sizeof(answer), VirtioGuest::kDeviceWrites, 0};
    ring.Offer(first);
    driver_.guest.Notify(0);
  }
  void Signal(std::uint32_t fence) {
    renderer_.host->OnFence(fence);
    driver_.guest.host.Run();
  }

  FakeRenderer renderer_;
  VirtioGpu gpu_{GpuDisplay{64, 48, 16'666'667}, nullptr, renderer_.Maker()};
  Gpu3dGuest driver_{gpu_};
};

TEST_F(Gpu3dTest, DriverOf2d_GetsNoRenderer) {
  driver_.guest.Write(kDeviceFeatureSelect, 4, 0);
  EXPECT_EQ(driver_.guest.Read(kDeviceFeature, 4), kGpuVirgl | kGpuEdid);
  driver_.guest.Start();
  EXPECT_EQ(driver_.Send(GpuCreate2d{Gpu3dGuest::Header(GpuCommand::kResourceCreate2d), 1, 2, 4, 4}), Is(GpuAnswer::kOk));
  GpuHeader fenced = Gpu3dGuest::Header(GpuCommand::kGetDisplayInfo);
  fenced.flags = kGpuFence;
  EXPECT_EQ(driver_.Send(fenced), Is(GpuAnswer::kDisplayInfo));
  EXPECT_EQ(renderer_.made, 0);
}

// QEMU has no other contexts without VIRTIO_GPU_F_CONTEXT_INIT, and drivers name the set all the same.
TEST_F(Gpu3dTest, Context_MayNameACapsetOfTheDevice) {
  StartWithContext();
  for (const std::uint32_t capset : kCapsets) {
    const GpuContextCreate create{Gpu3dGuest::Header(GpuCommand::kContextCreate, 10 + capset), 0, capset, {}};
    EXPECT_EQ(driver_.Send(create), Is(GpuAnswer::kOk));
    EXPECT_EQ(driver_.DestroyContext(10 + capset), Is(GpuAnswer::kOk));
  }
}

// A driver may wait no more than a second for its first command.
TEST_F(Gpu3dTest, NumberOfCapsets_StartsTheRendererWithinTheRead) {
  EXPECT_EQ(driver_.guest.Read(kDevice + 12, 4), 2U);
  EXPECT_EQ(renderer_.made, 1);
  driver_.guest.Start();
  EXPECT_EQ(driver_.CreateContext(1), Is(GpuAnswer::kOk));
  EXPECT_EQ(renderer_.made, 1);
}

// QEMU's device executes 3D commands of a driver that did not take the feature, and drivers count on that.
TEST_F(Gpu3dTest, DriverThatLeavesTheFeature_HasItsCommandsExecuted) {
  driver_.guest.Start();
  EXPECT_EQ(driver_.CreateContext(1), Is(GpuAnswer::kOk));
  EXPECT_EQ(driver_.Send(Gpu3dGuest::Texture2d(1, 4, 4)), Is(GpuAnswer::kOk));
  EXPECT_EQ(renderer_.made, 1);
}

TEST_F(Gpu3dTest, DeviceWithout3d_LeavesTheFeatureOut) {
  VirtioGpu gpu{GpuDisplay{64, 48, 16'666'667}};
  Gpu3dGuest driver{gpu};
  driver.guest.Write(kDeviceFeatureSelect, 4, 0);
  EXPECT_EQ(driver.guest.Read(kDeviceFeature, 4), kGpuEdid);
  EXPECT_EQ(driver.guest.Read(kDevice + 12, 4), 0U);
  EXPECT_NE(driver.Start() & kFeaturesOk, 0U);
  driver.guest.Write(kDriverFeatureSelect, 4, 0);
  EXPECT_EQ(driver.guest.Read(kDriverFeature, 4) & ~kGpuEdid, 0U);
  driver.guest.Reset();
  driver.guest.Start();
  EXPECT_EQ(driver.CreateContext(1), Is(GpuAnswer::kUnspecified));
}

TEST_F(Gpu3dTest, RendererThatDoesNotStart_IsAskedOnce_And2dGoesOn) {
  int asked = 0;
  VirtioGpu gpu{GpuDisplay{64, 48, 16'666'667}, nullptr, [&](Renderer3d::Host&) -> Result<std::unique_ptr<Renderer3d>> {
                  ++asked;
                  return Fail(ErrorKind::kUnsupported, "No EGL.");
                }};
  Gpu3dGuest driver{gpu};
  driver.Start();
  EXPECT_EQ(driver.CreateContext(1), Is(GpuAnswer::kUnspecified));
  EXPECT_EQ(driver.Send(GpuGetCapsetInfo{Gpu3dGuest::Header(GpuCommand::kGetCapsetInfo), 0, 0}), Is(GpuAnswer::kUnspecified));
  EXPECT_EQ(driver.Send(GpuCreate2d{Gpu3dGuest::Header(GpuCommand::kResourceCreate2d), 1, 2, 4, 4}), Is(GpuAnswer::kOk));
  EXPECT_EQ(driver.guest.Read(kDevice + 12, 4), 0U);  // num_capsets
  EXPECT_EQ(asked, 1);
}

TEST_F(Gpu3dTest, Capset2_HasNoBitsThatNeedGuestMemoryInTheRenderer) {
  StartWithContext();
  std::vector<std::uint32_t> answer((sizeof(GpuHeader) + 1376) / 4);
  EXPECT_EQ(driver_.Send(GpuGetCapset{Gpu3dGuest::Header(GpuCommand::kGetCapset), 2, 2}, {}, answer.data(),
                         static_cast<std::uint32_t>(answer.size() * 4)),
            Is(GpuAnswer::kCapset));
  EXPECT_EQ(answer[(sizeof(GpuHeader) + kCapabilityBits) / 4],
            ~(kCapDebugFlags | kCapTransfer | kCapCopyTransfer | kCapBufferStorage));
  EXPECT_EQ(answer[(sizeof(GpuHeader) + kCapabilityBits2) / 4],
            ~(kCap2UntypedResource | kCap2VideoMemory | kCap2MemoryInfo | kCap2CopyBothWays));
  EXPECT_EQ(driver_.Send(GpuGetCapset{Gpu3dGuest::Header(GpuCommand::kGetCapset), 2, 3}), Is(GpuAnswer::kInvalidParameter));
  EXPECT_EQ(driver_.Send(GpuGetCapset{Gpu3dGuest::Header(GpuCommand::kGetCapset), 3, 0}), Is(GpuAnswer::kInvalidParameter));
  EXPECT_EQ(driver_.Send(GpuGetCapsetInfo{Gpu3dGuest::Header(GpuCommand::kGetCapsetInfo), 2, 0}),
            Is(GpuAnswer::kInvalidParameter));
}

TEST_F(Gpu3dTest, FencedCommands_AreAnsweredInOrder_OthersAtOnce) {
  StartWithContext();
  GpuHeader first = Gpu3dGuest::Header(GpuCommand::kGetDisplayInfo), second = first, plain = first;
  first.flags = second.flags = kGpuFence;
  first.fence = 10;
  second.fence = 11;
  GpuHeader first_answer{}, second_answer{}, plain_answer{}, pointer_answer{};
  const GuestQueue& control = driver_.guest.queues[0];
  const std::uint16_t before = control.used.index;
  Offer(0, first, first_answer);
  Offer(1, second, second_answer);
  EXPECT_EQ(control.used.index, before);
  Offer(2, plain, plain_answer);
  EXPECT_EQ(plain_answer.type, Is(GpuAnswer::kDisplayInfo));
  EXPECT_EQ(first_answer.type, 0U);
  const GpuCursor hide{Gpu3dGuest::Header(GpuCommand::kUpdateCursor), 0, 0, 0, 0, 0, 0, 0, 0};
  driver_.guest.Send(1, std::as_bytes(std::span(&hide, 1)), &pointer_answer, sizeof(pointer_answer));
  EXPECT_EQ(pointer_answer.type, Is(GpuAnswer::kOk));
  Signal(1);
  EXPECT_EQ(first_answer.fence, 10U);
  EXPECT_EQ(second_answer.type, 0U);
  Signal(2);
  EXPECT_EQ(second_answer.fence, 11U);
  EXPECT_EQ(control.used.index, before + 3);
  EXPECT_EQ(control.used.entries[(before + 2) % GuestQueue::kSize].head, 3U);
}

TEST_F(Gpu3dTest, Reset_WithOpenFences_EndsTheRendererAndAnswersNothing) {
  StartWithContext();
  GpuHeader fenced = Gpu3dGuest::Header(GpuCommand::kGetDisplayInfo), answer{};
  fenced.flags = kGpuFence;
  Offer(0, fenced, answer);
  driver_.guest.Reset();
  EXPECT_EQ(renderer_.alive, 0);
  EXPECT_EQ(answer.type, 0U);
  StartWithContext();
  Offer(0, fenced, answer);
  EXPECT_EQ(answer.type, 0U);
  Signal(1);
  EXPECT_EQ(answer.type, Is(GpuAnswer::kDisplayInfo));
  EXPECT_EQ(renderer_.made, 2);
}

TEST_F(Gpu3dTest, DescriptorsThatAreOfferedWhileTheyWait_StopTheDevice) {
  StartWithContext();
  GpuHeader fenced = Gpu3dGuest::Header(GpuCommand::kGetDisplayInfo), answer{};
  fenced.flags = kGpuFence;
  for (int i = 0; i < 256; ++i) Offer(0, fenced, answer);
  EXPECT_EQ(gpu_.broken(), "");
  Offer(0, fenced, answer);
  EXPECT_THAT(gpu_.broken(), HasSubstr("More than 256 commands"));
}

TEST_F(Gpu3dTest, RendererThatHangs_StopsTheDevice) {
  StartWithContext();
  renderer_.hangs = true;
  EXPECT_EQ(driver_.guest.Send(Gpu3dGuest::Header(GpuCommand::kContextDestroy, 1)), 0U);
  EXPECT_THAT(gpu_.broken(), HasSubstr("is not done"));
  renderer_.hangs = false;
  driver_.guest.Reset();
  StartWithContext();
}

TEST_F(Gpu3dTest, Contexts_ThatExistOrDoNot_AreChecked) {
  StartWithContext();
  const std::uint32_t context = Is(GpuAnswer::kInvalidContext);
  EXPECT_EQ(driver_.CreateContext(0), context);
  EXPECT_EQ(driver_.CreateContext(1), context);
  EXPECT_EQ(driver_.DestroyContext(2), context);
  EXPECT_EQ(driver_.Submit(2, {0}), context);
  EXPECT_EQ(driver_.Link(2, 1), context);
  EXPECT_EQ(driver_.Link(1, 1), Is(GpuAnswer::kInvalidResource));
  const auto created = [&](std::uint32_t name_bytes, std::uint32_t init) {
    return driver_.Send(GpuContextCreate{Gpu3dGuest::Header(GpuCommand::kContextCreate, 9), name_bytes, init, {}});
  };
  EXPECT_EQ(created(65, 0), Is(GpuAnswer::kInvalidParameter));
  EXPECT_EQ(created(0, 3), Is(GpuAnswer::kInvalidParameter));
  for (std::uint32_t id = 2; id <= Gpu3d::kMaxContexts; ++id) ASSERT_EQ(driver_.CreateContext(id), Is(GpuAnswer::kOk));
  EXPECT_EQ(driver_.CreateContext(100), Is(GpuAnswer::kOutOfMemory));
  EXPECT_EQ(driver_.DestroyContext(5), Is(GpuAnswer::kOk));
  EXPECT_EQ(driver_.CreateContext(100), Is(GpuAnswer::kOk));
}

TEST_F(Gpu3dTest, ResourcesOutsideOfTheLimits_AreRefused) {
  StartWithContext();
  const std::uint32_t parameter = Is(GpuAnswer::kInvalidParameter);
  const auto with = [&](auto change) {
    GpuCreate3d command = Gpu3dGuest::Texture2d(7, 4, 4);
    change(command);
    return driver_.Send(command);
  };
  EXPECT_EQ(with([](auto& it) { it.resource = 0; }), Is(GpuAnswer::kInvalidResource));
  EXPECT_EQ(with([](auto& it) { it.width = 0; }), parameter);
  EXPECT_EQ(with([](auto& it) { it.height = 16385; }), parameter);
  EXPECT_EQ(with([](auto& it) { it.depth = 0xFFFFFFFF; }), parameter);
  EXPECT_EQ(with([](auto& it) { it.array_size = 0x80000000; }), parameter);
  EXPECT_EQ(with([](auto& it) { it.last_level = 15; }), parameter);
  EXPECT_EQ(with([](auto& it) { it.samples = 17; }), parameter);
  EXPECT_EQ(with([](auto& it) { it.target = 9; }), parameter);
  EXPECT_EQ(with([](auto& it) { it.format = 0; }), parameter);
  EXPECT_EQ(with([](auto& it) { it.format = 166; }), parameter);  // NV12
  EXPECT_EQ(with([](auto& it) { it.format = 0xFFFFFFFF; }), parameter);
  EXPECT_EQ(with([](auto& it) { it.flags = 2; }), parameter);
  EXPECT_EQ(with([](auto& it) { it.bind = kBindStaging; }), parameter);
  EXPECT_EQ(with([](auto& it) {
              it.width = it.height = 16384;
              it.samples = 2;
            }),
            Is(GpuAnswer::kOutOfMemory));
  EXPECT_EQ(with([](auto& it) { it.width = it.height = it.depth = it.array_size = 2048; }), Is(GpuAnswer::kOutOfMemory));
  EXPECT_EQ(driver_.Send(Gpu3dGuest::Buffer(7, 8, kBindCustom)), parameter);  // no room for a result
  EXPECT_EQ(with([](auto& it) { it.target = 0; }), parameter);                // a buffer of four bytes each
  renderer_.refuses = true;
  EXPECT_EQ(with([](auto&) {}), parameter);
  renderer_.refuses = false;
  EXPECT_EQ(with([](auto&) {}), Is(GpuAnswer::kOk));
  EXPECT_EQ(with([](auto&) {}), Is(GpuAnswer::kInvalidResource));  // there is one
  EXPECT_EQ(driver_.Send(GpuCreate2d{Gpu3dGuest::Header(GpuCommand::kResourceCreate2d), 7, 2, 4, 4}),
            Is(GpuAnswer::kInvalidResource));
  EXPECT_EQ(driver_.Of(GpuCommand::kResourceUnref, 7), Is(GpuAnswer::kOk));
  EXPECT_TRUE(renderer_.bytes.empty());
}

TEST_F(Gpu3dTest, BuffersOfCommands_AreChecked) {
  StartWithContext();
  const std::uint32_t parameter = Is(GpuAnswer::kInvalidParameter);
  const auto sized = [&](std::uint32_t bytes) {
    return driver_.Send(GpuSubmit3d{Gpu3dGuest::Header(GpuCommand::kSubmit3d, 1), bytes, 0});
  };
  EXPECT_EQ(sized(0), Is(GpuAnswer::kOk));
  EXPECT_EQ(sized(3), parameter);
  EXPECT_EQ(sized(Gpu3d::kMaxSubmitBytes + 4), parameter);
  EXPECT_EQ(sized(0xFFFFFFFC), parameter);
  EXPECT_EQ(sized(64), Is(GpuAnswer::kUnspecified));  // the driver sent less
  EXPECT_EQ(driver_.Submit(1, {7 | 2u << 16, 0, 0, 9 | 1u << 16, 5}), Is(GpuAnswer::kOk));
  EXPECT_THAT(renderer_.words, ElementsAre(7 | 2u << 16, 0, 0, 9 | 1u << 16, 5));
  EXPECT_EQ(driver_.Submit(1, {7 | 2u << 16, 0}), parameter);  // ends before its command
  for (const std::uint32_t hidden : {41u, 43u, 45u, 48u, 49u, 50u, 53u, 61u, 255u}) {
    EXPECT_EQ(driver_.Submit(1, {hidden}), parameter) << hidden;
  }
}

TEST_F(Gpu3dTest, Transfer_OutsideOfTheResourceOrItsBacking_IsRefused) {
  StartWithContext();
  std::vector<std::uint32_t> memory(8 * 4);
  ASSERT_EQ(driver_.Send(Gpu3dGuest::Texture2d(1, 8, 4)), Is(GpuAnswer::kOk));
  EXPECT_EQ(driver_.Transfer(true, 1, {0, 0, 0, 8, 4, 1}), Is(GpuAnswer::kInvalidResource));  // no backing
  ASSERT_EQ(driver_.Attach(1, memory), Is(GpuAnswer::kOk));
  const std::uint32_t parameter = Is(GpuAnswer::kInvalidParameter);
  for (const bool to_host : {true, false}) {
    EXPECT_EQ(driver_.Transfer(to_host, 1, {0, 0, 0, 8, 4, 1}), Is(GpuAnswer::kOk));
    EXPECT_EQ(driver_.Transfer(to_host, 9, {0, 0, 0, 8, 4, 1}), Is(GpuAnswer::kInvalidResource));
    EXPECT_EQ(driver_.Transfer(to_host, 1, {0, 0, 0, 8, 4, 1}, 0, 0, 0, 3), Is(GpuAnswer::kInvalidContext));
    EXPECT_EQ(driver_.Transfer(to_host, 1, {1, 0, 0, 8, 4, 1}), parameter);
    EXPECT_EQ(driver_.Transfer(to_host, 1, {0xFFFFFFFF, 0, 0, 2, 1, 1}), parameter);
    EXPECT_EQ(driver_.Transfer(to_host, 1, {0, 0, 0, 0, 1, 1}), parameter);
    EXPECT_EQ(driver_.Transfer(to_host, 1, {0, 0, 1, 8, 4, 1}), parameter);
    EXPECT_EQ(driver_.Transfer(to_host, 1, {0, 0, 0, 8, 4, 2}), parameter);
    EXPECT_EQ(driver_.Transfer(to_host, 1, {0, 0, 0, 1, 1, 1}, 0, 0, 0, 0, 1), parameter);  // no level 1
    EXPECT_EQ(driver_.Transfer(to_host, 1, {0, 0, 0, 8, 4, 1}, 4), parameter);              // the backing ends before
    EXPECT_EQ(driver_.Transfer(to_host, 1, {0, 0, 0, 1, 1, 1}, ~std::uint64_t{0}), parameter);
    EXPECT_EQ(driver_.Transfer(to_host, 1, {0, 0, 0, 8, 1, 1}, 0, 28), parameter);  // less than a row
    EXPECT_EQ(driver_.Transfer(to_host, 1, {0, 0, 0, 1, 2, 1}, 0, 0xFFFFFFFF), parameter);
  }
  ASSERT_EQ(driver_.Of(GpuCommand::kResourceDetachBacking, 1), Is(GpuAnswer::kOk));
  EXPECT_EQ(driver_.Transfer(false, 1, {0, 0, 0, 1, 1, 1}), Is(GpuAnswer::kInvalidResource));
  const GpuBackingEntry nowhere{16, 4096, 0};
  ASSERT_EQ(driver_.Send(GpuAttachBacking{Gpu3dGuest::Header(GpuCommand::kResourceAttachBacking), 1, 1},
                         std::as_bytes(std::span(&nowhere, 1))),
            Is(GpuAnswer::kOk));
  EXPECT_EQ(driver_.Transfer(true, 1, {0, 0, 0, 8, 4, 1}), Is(GpuAnswer::kUnspecified));
  EXPECT_EQ(driver_.Transfer(false, 1, {0, 0, 0, 8, 4, 1}), Is(GpuAnswer::kUnspecified));
  EXPECT_EQ(gpu_.broken(), "");
}

TEST_F(Gpu3dTest, Transfer_OfLayers_MovesTheirRowsAlone) {
  StartWithContext();
  GpuCreate3d texture = Gpu3dGuest::Texture2d(1, 4, 4);
  texture.target = static_cast<std::uint32_t>(GpuTarget::kTexture3d);
  texture.depth = 4;
  ASSERT_EQ(driver_.Send(texture), Is(GpuAnswer::kOk));
  std::vector<std::uint32_t> memory(64);
  std::iota(memory.begin(), memory.end(), 0u);
  ASSERT_EQ(driver_.Attach(1, memory), Is(GpuAnswer::kOk));
  // Two layers of two rows of two texels; rows of 16 bytes, layers of 96.
  ASSERT_EQ(driver_.Transfer(true, 1, {1, 1, 2, 2, 2, 2}, 8, 16, 96), Is(GpuAnswer::kOk));
  std::vector<std::uint32_t> sent(renderer_.bytes[1].size() / 4);
  std::memcpy(sent.data(), renderer_.bytes[1].data(), sent.size() * 4);
  EXPECT_THAT(sent, ElementsAre(2, 3, 6, 7, 26, 27, 30, 31));
  EXPECT_EQ(renderer_.transfer.stride, 8U);
  EXPECT_EQ(renderer_.transfer.layer_stride, 16U);
  std::fill(memory.begin(), memory.end(), 99u);
  ASSERT_EQ(driver_.Transfer(false, 1, {1, 1, 2, 2, 2, 2}, 8, 16, 96), Is(GpuAnswer::kOk));
  EXPECT_EQ(std::count(memory.begin(), memory.end(), 99u), 56);
  EXPECT_EQ(memory[27], 27U);
  EXPECT_EQ(gpu_.copied_bytes(), 64U);
}

TEST_F(Gpu3dTest, CompressedTexture_MovesBlocks) {
  StartWithContext();
  constexpr std::uint32_t kDxt1 = 105;
  ASSERT_EQ(driver_.Send(Gpu3dGuest::Texture2d(1, 10, 6, kDxt1)), Is(GpuAnswer::kOk));
  std::vector<std::uint64_t> memory{1, 2, 3, 4, 5, 6};  // 3 x 2 blocks
  ASSERT_EQ(driver_.Attach(1, memory), Is(GpuAnswer::kOk));
  ASSERT_EQ(driver_.Transfer(true, 1, {4, 4, 0, 6, 2, 1}, 32), Is(GpuAnswer::kOk));
  std::array<std::uint64_t, 2> sent{};
  ASSERT_EQ(renderer_.bytes[1].size(), sizeof(sent));
  std::memcpy(sent.data(), renderer_.bytes[1].data(), sizeof(sent));
  EXPECT_THAT(sent, ElementsAre(5, 6));
  EXPECT_EQ(driver_.Transfer(true, 1, {1, 0, 0, 4, 4, 1}), Is(GpuAnswer::kInvalidParameter));
  EXPECT_EQ(driver_.Transfer(true, 1, {0, 0, 0, 5, 4, 1}), Is(GpuAnswer::kInvalidParameter));
}

TEST_F(Gpu3dTest, RowsOfThreeBytes_AreAlignedForOpenGl) {
  StartWithContext();
  constexpr std::uint32_t kRgb = 66;
  ASSERT_EQ(driver_.Send(Gpu3dGuest::Texture2d(1, 5, 2, kRgb)), Is(GpuAnswer::kOk));
  std::vector<std::uint8_t> memory(30, 1);
  ASSERT_EQ(driver_.Attach(1, memory), Is(GpuAnswer::kOk));
  ASSERT_EQ(driver_.Transfer(true, 1, {0, 0, 0, 5, 2, 1}), Is(GpuAnswer::kOk));
  EXPECT_EQ(renderer_.transfer.stride, 24U);
  EXPECT_EQ(renderer_.bytes[1].size(), 48U);
}

TEST_F(Gpu3dTest, ScanOut_OfWhatIsNoPicture_IsRefused) {
  StartWithContext();
  constexpr std::uint32_t kHalfFloats = 94;
  ASSERT_EQ(driver_.Send(Gpu3dGuest::Buffer(1, 4096, 0)), Is(GpuAnswer::kOk));
  ASSERT_EQ(driver_.Send(Gpu3dGuest::Texture2d(2, 64, 48, kHalfFloats)), Is(GpuAnswer::kOk));
  GpuCreate3d cube = Gpu3dGuest::Texture2d(3, 64, 64);
  cube.target = static_cast<std::uint32_t>(GpuTarget::kCube);
  cube.array_size = 6;
  ASSERT_EQ(driver_.Send(cube), Is(GpuAnswer::kOk));
  ASSERT_EQ(driver_.Send(Gpu3dGuest::Texture2d(4, 64, 48)), Is(GpuAnswer::kOk));
  const std::uint32_t parameter = Is(GpuAnswer::kInvalidParameter);
  EXPECT_EQ(driver_.SetScanout(1, {0, 0, 64, 1}), parameter);
  EXPECT_EQ(driver_.SetScanout(2, {0, 0, 64, 48}), parameter);
  EXPECT_EQ(driver_.SetScanout(3, {0, 0, 64, 48}), parameter);
  EXPECT_EQ(driver_.SetScanout(4, {0, 0, 64, 49}), parameter);
  EXPECT_EQ(driver_.SetScanout(4, {0, 0, 64, 48}), Is(GpuAnswer::kOk));
  EXPECT_EQ(driver_.Flush(4, {0, 0, 65, 48}), parameter);
  renderer_.refuses = true;
  EXPECT_EQ(driver_.Flush(4, {0, 0, 64, 48}), parameter);
  EXPECT_EQ(gpu_.flushes(), 0U);
  const GpuCursor pointer{Gpu3dGuest::Header(GpuCommand::kUpdateCursor), 0, 0, 0, 0, 4, 0, 0, 0};
  EXPECT_EQ(driver_.guest.Send(pointer, 1), Is(GpuAnswer::kInvalidResource));  // 64 x 48
}

TEST_F(Gpu3dTest, TransferToHost2d_OfATexture_GoesToTheRenderer) {
  StartWithContext();
  ASSERT_EQ(driver_.Send(Gpu3dGuest::Texture2d(1, 4, 2)), Is(GpuAnswer::kOk));
  std::vector<std::uint32_t> memory{0, 1, 2, 3, 4, 5, 6, 7};
  ASSERT_EQ(driver_.Attach(1, memory), Is(GpuAnswer::kOk));
  EXPECT_EQ(driver_.Send(GpuTransfer{Gpu3dGuest::Header(GpuCommand::kTransferToHost2d), {2, 1, 2, 1}, 24, 1, 0}),
            Is(GpuAnswer::kOk));
  std::array<std::uint32_t, 2> sent{};
  ASSERT_EQ(renderer_.bytes[1].size(), sizeof(sent));
  std::memcpy(sent.data(), renderer_.bytes[1].data(), sizeof(sent));
  EXPECT_THAT(sent, ElementsAre(6, 7));
}

TEST(TexelBlock, BlockOf_FormatsOfEachKind_HasTheirSize) {
  EXPECT_EQ(BlockOf(1)->bytes, 4U);    // B8G8R8A8_UNORM
  EXPECT_EQ(BlockOf(7)->bytes, 2U);    // B5G6R5_UNORM
  EXPECT_EQ(BlockOf(31)->bytes, 16U);  // R32G32B32A32_FLOAT
  EXPECT_EQ(BlockOf(64)->bytes, 1U);   // R8_UNORM
  EXPECT_EQ(BlockOf(94)->bytes, 8U);   // R16G16B16A16_FLOAT
  EXPECT_EQ(BlockOf(134)->bytes, 4U);  // R8G8B8X8_UNORM
  EXPECT_EQ(BlockOf(321)->bytes, 2U);  // R5G6B5_UNORM
  EXPECT_EQ(BlockOf(292)->width, 12U);
  EXPECT_EQ(BlockOf(306)->height, 12U);
  EXPECT_FALSE(BlockOf(0) || BlockOf(127) || BlockOf(314) || BlockOf(322));
}

}  // namespace
}  // namespace tandem::bus
