// A virtio GPU as a driver sees it: registers, queues, 2D commands, and what arrives at the output.
#include "bus/virtio/virtio_gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "bus/testing/picture_output.h"
#include "bus/testing/virtio_guest.h"
#include "bus/virtio/edid.h"

namespace tandem::bus {
namespace {

using namespace virtio;  // NOLINT(google-build-using-namespace)
using testing::ElementsAre;

constexpr std::uint32_t kWidth = 80, kHeight = 70;
constexpr auto kOk = static_cast<std::uint32_t>(GpuAnswer::kOk);

GpuHeader Header(GpuCommand command) { return {static_cast<std::uint32_t>(command), 0, 0, 0, 0}; }
std::uint32_t Code(GpuAnswer answer) { return static_cast<std::uint32_t>(answer); }

class VirtioGpuTest : public testing::Test {
 protected:
  std::uint32_t Create(std::uint32_t id, std::uint32_t width, std::uint32_t height, GpuFormat format = GpuFormat::kB8G8R8X8) {
    return guest_.Send(GpuCreate2d{Header(GpuCommand::kResourceCreate2d), id, static_cast<std::uint32_t>(format), width, height});
  }
  std::uint32_t Attach(std::uint32_t id, const std::vector<GpuBackingEntry>& entries) {
    return guest_.Send<GpuAttachBacking, GpuBackingEntry>(
        {Header(GpuCommand::kResourceAttachBacking), id, static_cast<std::uint32_t>(entries.size())}, 0, entries);
  }
  std::uint32_t AttachPixels(std::uint32_t id, const std::vector<std::uint32_t>& pixels) {
    const auto address = reinterpret_cast<std::uintptr_t>(pixels.data());
    const auto half = static_cast<std::uint32_t>(pixels.size() / 2 * 4);
    return Attach(id, {{address, half, 0}, {address + half, static_cast<std::uint32_t>(pixels.size() * 4) - half, 0}});
  }
  std::uint32_t Transfer(std::uint32_t id, const GpuRect& rect, std::uint64_t offset) {
    return guest_.Send(GpuTransfer{Header(GpuCommand::kTransferToHost2d), rect, offset, id, 0});
  }
  std::uint32_t SetScanout(std::uint32_t id, const GpuRect& rect, std::uint32_t scanout = 0) {
    return guest_.Send(GpuSetScanout{Header(GpuCommand::kSetScanout), rect, scanout, id});
  }
  std::uint32_t Flush(std::uint32_t id, const GpuRect& rect) {
    return guest_.Send(GpuFlush{Header(GpuCommand::kResourceFlush), rect, id, 0});
  }
  // A picture of the display's size in resource 1, which is scanned out.
  void ShowPicture() {
    std::iota(picture_.begin(), picture_.end(), 0x10203u);
    ASSERT_EQ(Create(1, kWidth, kHeight), kOk);
    ASSERT_EQ(AttachPixels(1, picture_), kOk);
    ASSERT_EQ(SetScanout(1, kAll), kOk);
    ASSERT_EQ(Transfer(1, kAll, 0), kOk);
    ASSERT_EQ(Flush(1, kAll), kOk);
  }

  static constexpr GpuRect kAll{0, 0, kWidth, kHeight};
  VirtioGpu gpu_{GpuDisplay{kWidth, kHeight, 16'666'667}};
  VirtioGuest guest_{gpu_};
  std::vector<std::uint32_t> picture_ = std::vector<std::uint32_t>(std::size_t{kWidth} * kHeight);
  PictureOutput output_;
};

TEST_F(VirtioGpuTest, CableThatIsPulled_IsAnEventAndADarkScreen) {
  guest_.Start();
  ShowPicture();
  const auto enabled = [&] {
    GpuDisplayInfo info{};
    const GpuHeader command = Header(GpuCommand::kGetDisplayInfo);
    guest_.Send(0, std::as_bytes(std::span(&command, 1)), &info, sizeof(info));
    return info.scanouts[0].enabled;
  };
  const std::uint32_t generation = guest_.Read(kGeneration, 1);
  gpu_.SetConnected(true);  // as it was
  EXPECT_EQ(guest_.Read(kDevice, 4), 0U);
  guest_.host.raised.clear();
  EXPECT_EQ(guest_.Read(kInterrupt, 1), kQueueInterrupt);
  gpu_.SetConnected(false);
  EXPECT_THAT(guest_.host.raised, ElementsAre(0));  // the message of kConfigVector
  EXPECT_NE(guest_.Read(kGeneration, 1), generation);
  EXPECT_EQ(guest_.Read(kInterrupt, 1), kConfigInterrupt | kQueueInterrupt);
  EXPECT_EQ(guest_.Read(kDevice, 4), 1U);
  EXPECT_EQ(enabled(), 0U);
  EXPECT_TRUE(gpu_.Show(output_, {0, 0, kWidth, kHeight}).ok());
  EXPECT_EQ(output_.shown, 0);
  guest_.Write(kDevice + 4, 4, 1);
  EXPECT_EQ(guest_.Read(kDevice, 4), 0U);
  gpu_.SetConnected(true);
  EXPECT_EQ(enabled(), 1U);
  EXPECT_TRUE(gpu_.Show(output_, {0, 0, kWidth, kHeight}).ok());
  EXPECT_EQ(output_.shown, 1);
}

TEST_F(VirtioGpuTest, GetDisplayInfo_OneScanoutOfTheDisplaysSize) {
  guest_.Start();
  GpuDisplayInfo info{};
  const GpuHeader command = Header(GpuCommand::kGetDisplayInfo);
  EXPECT_EQ(guest_.Send(0, std::as_bytes(std::span(&command, 1)), &info, sizeof(info)), sizeof(info));
  EXPECT_EQ(info.header.type, Code(GpuAnswer::kDisplayInfo));
  EXPECT_EQ(info.scanouts[0].rect.width, kWidth);
  EXPECT_EQ(info.scanouts[0].rect.height, kHeight);
  EXPECT_EQ(info.scanouts[0].enabled, 1U);
  EXPECT_EQ(info.scanouts[1].enabled, 0U);
  EXPECT_EQ(guest_.Read(kDevice + 8, 4), 1U);
}

TEST_F(VirtioGpuTest, GetEdid_DescribesTheDisplay) {
  guest_.Start();
  GpuEdidAnswer answer{};
  const GpuGetEdid command{Header(GpuCommand::kGetEdid), 0, 0};
  guest_.Send(0, std::as_bytes(std::span(&command, 1)), &answer, sizeof(answer));
  ASSERT_EQ(answer.header.type, Code(GpuAnswer::kEdid));
  ASSERT_EQ(answer.bytes, kEdidBytes);
  EXPECT_EQ(std::accumulate(answer.edid.begin(), answer.edid.begin() + kEdidBytes, 0u) % 256, 0u);
  EXPECT_EQ(answer.edid[54 + 2], kWidth);
  EXPECT_EQ(answer.edid[54 + 5], kHeight);
  EXPECT_EQ(guest_.Send(GpuGetEdid{Header(GpuCommand::kGetEdid), 1, 0}), Code(GpuAnswer::kInvalidScanout));
}

TEST(VirtioEdid, MakeEdid_ModeBeyondADetailedTiming_HasNone) {
  const auto small = MakeEdid(3840, 2160, 16'666'667), large = MakeEdid(7680, 4320, 16'666'667);
  EXPECT_NE(small[54], 0);
  EXPECT_EQ(large[54], 0);
  EXPECT_EQ(large[54 + 3], 0xFC);  // the name comes first
}

TEST_F(VirtioGpuTest, Flush_WholePicture_ArrivesBitEqual) {
  guest_.Start();
  ShowPicture();
  EXPECT_EQ(gpu_.flushes(), 1U);
  ASSERT_TRUE(gpu_.Show(output_, {0, 0, kWidth, kHeight}).ok());
  EXPECT_EQ(output_.pixels, picture_);
  EXPECT_EQ(output_.format, color::Format::kB8G8R8X8Unorm);
  EXPECT_EQ(gpu_.copied_bytes(), picture_.size() * 4);
}

TEST_F(VirtioGpuTest, Transfer_Part_ChangesThatPartAlone) {
  guest_.Start();
  ShowPicture();
  const std::vector<std::uint32_t> before = picture_;
  std::fill(picture_.begin(), picture_.end(), 0xFFFFFFu);
  const GpuRect part{3, 5, 7, 2};
  EXPECT_EQ(Transfer(1, part, (part.y * kWidth + part.x) * 4), kOk);
  ASSERT_TRUE(gpu_.Show(output_, {0, 0, kWidth, kHeight}).ok());
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      const bool inside = x >= part.x && x < part.x + part.width && y >= part.y && y < part.y + part.height;
      ASSERT_EQ(output_.pixels[y * kWidth + x], inside ? 0xFFFFFFu : before[y * kWidth + x]) << x << ", " << y;
    }
  }
}

TEST_F(VirtioGpuTest, Show_PartOfAScanoutInsideItsResource_IsThatPart) {
  guest_.Start();
  ShowPicture();
  ASSERT_EQ(SetScanout(1, {10, 20, 30, 40}), kOk);
  ASSERT_TRUE(gpu_.Show(output_, {1, 2, 5, 4}).ok());
  EXPECT_EQ(output_.width, 4U);
  EXPECT_EQ(output_.height, 2U);
  EXPECT_EQ(output_.pixels[0], picture_[22 * kWidth + 11]);
  EXPECT_EQ(gpu_.Show(output_, {0, 0, 31, 1}).error().kind, ErrorKind::kUnsupported);
}

TEST_F(VirtioGpuTest, Unref_OfTheScanout_ScansNothingOut) {
  guest_.Start();
  ShowPicture();
  EXPECT_EQ(guest_.Send(GpuResourceCommand{Header(GpuCommand::kResourceDetachBacking), 1, 0}), kOk);
  EXPECT_EQ(Transfer(1, kAll, 0), Code(GpuAnswer::kInvalidResource));
  EXPECT_EQ(guest_.Send(GpuResourceCommand{Header(GpuCommand::kResourceUnref), 1, 0}), kOk);
  EXPECT_EQ(gpu_.Show(output_, {0, 0, 1, 1}).error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(Create(1, kWidth, kHeight), kOk);
}

TEST_F(VirtioGpuTest, Cursor_IsBlendedOverThePictureAndMoves) {
  guest_.Start();
  ShowPicture();
  std::vector<std::uint32_t> image(64 * 64);
  image[0] = 0xFF0000FF;  // opaque blue; all else is transparent
  ASSERT_EQ(Create(2, 64, 64, GpuFormat::kB8G8R8A8), kOk);
  ASSERT_EQ(AttachPixels(2, image), kOk);
  ASSERT_EQ(Transfer(2, {0, 0, 64, 64}, 0), kOk);
  EXPECT_EQ(guest_.Send(GpuCursor{Header(GpuCommand::kUpdateCursor), 0, 12, 13, 0, 2, 2, 3, 0}, 1), kOk);
  ASSERT_TRUE(gpu_.Show(output_, {0, 0, kWidth, kHeight}).ok());
  EXPECT_EQ(output_.pixels[10 * kWidth + 10] & 0xFFFFFF, 0xFFU);
  EXPECT_EQ(output_.pixels[10 * kWidth + 11], picture_[10 * kWidth + 11]);
  EXPECT_EQ(guest_.Send(GpuCursor{Header(GpuCommand::kMoveCursor), 0, 22, 13, 0, 2, 0, 0, 0}, 1), kOk);
  ASSERT_TRUE(gpu_.Show(output_, {0, 0, kWidth, kHeight}).ok());
  EXPECT_EQ(output_.pixels[10 * kWidth + 10], picture_[10 * kWidth + 10]);
  EXPECT_EQ(output_.pixels[10 * kWidth + 20] & 0xFFFFFF, 0xFFU);
  EXPECT_EQ(guest_.Send(GpuCursor{Header(GpuCommand::kUpdateCursor), 0, 0, 0, 0, 1, 0, 0, 0}, 1),
            Code(GpuAnswer::kInvalidResource));
  EXPECT_EQ(guest_.Send(GpuCursor{Header(GpuCommand::kUpdateCursor), 0, 0, 0, 0, 0, 0, 0, 0}, 1), kOk);
  ASSERT_TRUE(gpu_.Show(output_, {0, 0, kWidth, kHeight}).ok());
  EXPECT_EQ(output_.pixels, picture_);
}

TEST_F(VirtioGpuTest, Fence_ComesBackWithTheAnswer) {
  guest_.Start();
  GpuHeader command = Header(GpuCommand::kGetDisplayInfo), answer{};
  command.flags = kGpuFence;
  command.fence = 77;
  guest_.Send(0, std::as_bytes(std::span(&command, 1)), &answer, sizeof(answer));
  EXPECT_EQ(answer.flags, kGpuFence);
  EXPECT_EQ(answer.fence, 77U);
}

TEST_F(VirtioGpuTest, CommandsThatLie_AreAnsweredWithErrors) {
  guest_.Start();
  ShowPicture();
  const std::uint32_t parameter = Code(GpuAnswer::kInvalidParameter), resource = Code(GpuAnswer::kInvalidResource);
  EXPECT_EQ(Create(0, 1, 1), resource);
  EXPECT_EQ(Create(1, 1, 1), resource);
  EXPECT_EQ(Create(5, 0, 1), parameter);
  EXPECT_EQ(Create(5, 0xFFFFFFFF, 0xFFFFFFFF), parameter);
  EXPECT_EQ(Create(5, 1, 1, GpuFormat{3}), parameter);
  EXPECT_EQ(Create(5, 16384, 16384), Code(GpuAnswer::kOutOfMemory));
  EXPECT_EQ(SetScanout(9, kAll), resource);
  EXPECT_EQ(SetScanout(1, {1, 0, kWidth, kHeight}), parameter);
  EXPECT_EQ(SetScanout(1, {0xFFFFFFFF, 0, 2, 1}), parameter);
  EXPECT_EQ(SetScanout(1, kAll, 1), Code(GpuAnswer::kInvalidScanout));
  EXPECT_EQ(Flush(1, {0, 0, kWidth, 0}), parameter);
  EXPECT_EQ(Transfer(1, {0, 0, kWidth, kHeight + 1}, 0), parameter);
  EXPECT_EQ(Transfer(1, kAll, 4), parameter);  // the backing ends before
  EXPECT_EQ(Transfer(1, kAll, ~std::uint64_t{0} - 3), parameter);
  EXPECT_EQ(AttachPixels(1, picture_), Code(GpuAnswer::kUnspecified));
  EXPECT_EQ(guest_.Send(GpuAttachBacking{Header(GpuCommand::kResourceAttachBacking), 1, 0xFFFFFFFF}), parameter);
  EXPECT_EQ(guest_.Send(GpuAttachBacking{Header(GpuCommand::kResourceAttachBacking), 1, 100}), Code(GpuAnswer::kUnspecified));
  EXPECT_EQ(guest_.Send(Header(GpuCommand{0x108})), Code(GpuAnswer::kUnspecified));
  EXPECT_EQ(guest_.Send(Header(GpuCommand::kResourceCreate2d)), Code(GpuAnswer::kUnspecified));
  EXPECT_EQ(gpu_.broken(), "");
}

TEST_F(VirtioGpuTest, BackingWithoutMemory_TransferFails) {
  guest_.Start();
  ASSERT_EQ(Create(3, 16, 16), kOk);
  EXPECT_EQ(Attach(3, {{~std::uint64_t{0} - 15, 64, 0}}), Code(GpuAnswer::kInvalidParameter));
  ASSERT_EQ(Attach(3, {{16, 1024, 0}}), kOk);
  EXPECT_EQ(Transfer(3, {0, 0, 16, 16}, 0), Code(GpuAnswer::kUnspecified));
  EXPECT_EQ(gpu_.broken(), "");
}

TEST_F(VirtioGpuTest, Reset_ForgetsResourcesAndQueues) {
  guest_.Start();
  ShowPicture();
  guest_.Reset();
  EXPECT_EQ(guest_.Read(kStatus, 1), 0U);
  EXPECT_FALSE(gpu_.Show(output_, {0, 0, 1, 1}).ok());
  guest_.Start();
  EXPECT_EQ(Create(1, 4, 4), kOk);
  EXPECT_THAT(std::vector(guest_.host.raised.end() - 1, guest_.host.raised.end()), ElementsAre(1));
}

}  // namespace
}  // namespace tandem::bus
