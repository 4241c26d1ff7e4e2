// Pictures and flips on real DRM drivers, in scripts/vm.sh.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>
#include <poll.h>

#include "drivers/kms/card/card_events.h"
#include "drivers/kms/card/drm.h"
#include "drivers/kms/card/testing/lit_card_test.h"
#include "drivers/kms/card/writeback.h"

namespace tandem::kms {
namespace {

constexpr std::int64_t kCaptureNs = 60'000'000'000;

class KmsShown : public LitCardTest {};
INSTANTIATE_TEST_SUITE_P(Drivers, KmsShown, testing::ValuesIn(kDrivers), DriverOfTest);

// Bits of the colours in a little-endian pixel, repeated over 64 bits. Alpha is not written back: the screen is opaque.
std::uint64_t DefinedBits(std::uint32_t fourcc) {
  switch (fourcc) {
    case DRM_FORMAT_ARGB8888:
    case DRM_FORMAT_ABGR8888:
    case DRM_FORMAT_XRGB8888:
    case DRM_FORMAT_XBGR8888: return 0x00FFFFFF00FFFFFF;
    case DRM_FORMAT_XRGB2101010:
    case DRM_FORMAT_XBGR2101010: return 0x3FFFFFFF3FFFFFFF;
    case DRM_FORMAT_ARGB16161616:
    case DRM_FORMAT_ABGR16161616:
    case DRM_FORMAT_XRGB16161616:
    case DRM_FORMAT_XBGR16161616: return 0x0000FFFFFFFFFFFF;
    default: return ~std::uint64_t{0};
  }
}

// Groups of eight bytes in both pictures that differ in a compared bit.
std::size_t Differences(const LitBuffer& shown, const Writeback& read, const Mode& mode, std::uint32_t fourcc,
                        std::uint64_t compared) {
  const std::size_t row_bytes = std::size_t{mode.width} * BitsPerPixel(fourcc) / 8;
  std::size_t different = 0;
  for (std::size_t row = 0; row < mode.height; ++row) {
    const std::byte* a = shown.map.data() + row * shown.buffer.pitch_bytes();
    const std::byte* b = read.pixels() + row * read.pitch_bytes();
    for (std::size_t at = 0; at + 8 <= row_bytes; at += 8) {
      std::uint64_t left = 0, right = 0;
      std::memcpy(&left, a + at, 8);
      std::memcpy(&right, b + at, 8);
      different += ((left ^ right) & compared) != 0 ? 1 : 0;
    }
  }
  return different;
}

TEST_P(KmsShown, EachFormat_IsReadBackInEveryBit) {
  std::size_t read_back = 0;
  for (const PlaneFormat& format : lit_->primary().formats) {
    if (BitsPerPixel(format.fourcc) == 0 || HasChromaPlane(format.fourcc)) continue;
    SCOPED_TRACE(FourccText(format.fourcc));
    auto screen = lit_->MakeScreen(format.fourcc);
    if (!screen.ok() && screen.error().kind == ErrorKind::kUnsupported) continue;  // dumb buffers of 24 bits
    ASSERT_TRUE(screen.ok()) << screen.error().message;
    Paint(screen->map.data(), screen->map.size_bytes(), format.fourcc);
    ASSERT_TRUE(lit_->Light(screen->framebuffer.id(), true).done());
    const CommitResult shown = lit_->Light(screen->framebuffer.id());
    ASSERT_TRUE(shown.done()) << ToError(shown, "The picture").message;
    auto writeback =
        Writeback::Create(lit_->card(), lit_->resources(), lit_->crtc(), lit_->mode().width, lit_->mode().height, format.fourcc);
    if (!writeback.ok()) {
      EXPECT_EQ(writeback.error().kind, ErrorKind::kUnsupported) << writeback.error().message;
      continue;
    }
    const auto captured = writeback->Capture(kCaptureNs);
    ASSERT_TRUE(captured.ok()) << captured.error().message;
    // vkms 6.12 converts RGB565 one step too low.
    const std::uint64_t compared = format.fourcc == DRM_FORMAT_RGB565 ? 0 : DefinedBits(format.fourcc);
    EXPECT_EQ(Differences(*screen, *writeback, lit_->mode(), format.fourcc, compared), 0U);
    ++read_back;
    // A second picture in the same memory is seen, too.
    Paint(screen->map.data(), screen->map.size_bytes(), format.fourcc + 1);
    ASSERT_TRUE(writeback->Capture(kCaptureNs).ok());
    EXPECT_EQ(Differences(*screen, *writeback, lit_->mode(), format.fourcc, compared), 0U);
  }
  RecordProperty("formats_read_back", static_cast<int>(read_back));
  EXPECT_TRUE(read_back >= 3 || lit_->card().identity().driver != "vkms") << read_back;
}

TEST_P(KmsShown, ChecksumOfTheScreen_FollowsThePicture) {
  const std::string crc = "/sys/kernel/debug/dri/" + std::to_string(lit_->card().identity().minor) + "/crtc-0/crc/";
  if (!std::ifstream(crc + "control")) GTEST_SKIP() << "The driver has no CRC in debugfs.";
  auto first = lit_->MakeScreen(DRM_FORMAT_XRGB8888);
  auto second = lit_->MakeScreen(DRM_FORMAT_XRGB8888);
  ASSERT_TRUE(first.ok() && second.ok());
  Paint(first->map.data(), first->map.size_bytes(), 1);
  Paint(second->map.data(), second->map.size_bytes(), 2);
  const auto checksum = [&](std::uint32_t framebuffer_id) {
    EXPECT_TRUE(lit_->Light(framebuffer_id).done());
    EXPECT_TRUE(WriteSystemFile(crc + "control", "auto"));
    std::ifstream data(crc + "data");
    std::string frame, value;
    // The first one may be of the frame before.
    for (int i = 0; i < 3; ++i) data >> frame >> value;
    return value;
  };
  const std::string of_first = checksum(first->framebuffer.id());
  EXPECT_TRUE(of_first.starts_with("0x")) << of_first;
  EXPECT_NE(checksum(second->framebuffer.id()), of_first);
  EXPECT_EQ(checksum(first->framebuffer.id()), of_first);
}

TEST_P(KmsShown, Flips_ComeBackInOrder_WithTheirData) {
  LitBuffer screens[2] = {*lit_->MakeScreen(DRM_FORMAT_XRGB8888), *lit_->MakeScreen(DRM_FORMAT_XRGB8888)};
  ASSERT_TRUE(lit_->Light(screens[0].framebuffer.id()).done());
  KeptEvents kept;
  auto events = CardEvents::Start(lit_->card(), kept);
  ASSERT_TRUE(events.ok()) << events.error().message;
  std::int64_t last_ns = 0;
  for (std::uint64_t i = 1; i <= 30; ++i) {
    const CommitResult flip = lit_->Flip(screens[i % 2].framebuffer.id(), {.nonblocking = true, .event = true}, i << 32 | i);
    ASSERT_TRUE(flip.done()) << ToError(flip, "The flip").message;
    const auto event = kept.WaitForFlip();
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->user_data, i << 32 | i);
    EXPECT_EQ(event->crtc_id, lit_->crtc().id);
    EXPECT_GE(event->time_ns, last_ns);
    last_ns = event->time_ns;
  }
}

TEST_P(KmsShown, AsyncFlipOfADriverWithout_IsInvalid) {
  if (lit_->card().caps().atomic_async_flip) GTEST_SKIP() << "The driver has flips that tear.";
  auto screen = lit_->MakeScreen(DRM_FORMAT_XRGB8888);
  ASSERT_TRUE(lit_->Light(screen->framebuffer.id()).done());
  EXPECT_EQ(lit_->Flip(screen->framebuffer.id(), {.nonblocking = true, .event = true, .async_flip = true}, 1).outcome,
            CommitOutcome::kInvalid);
}

TEST_P(KmsShown, OutFence_SignalsWhenItIsShown) {
  LitBuffer screens[2] = {*lit_->MakeScreen(DRM_FORMAT_XRGB8888), *lit_->MakeScreen(DRM_FORMAT_XRGB8888)};
  ASSERT_TRUE(lit_->Light(screens[0].framebuffer.id()).done());
  std::int32_t fence = -1;
  AtomicRequest& request = lit_->request();
  request.Clear();
  request.Set(lit_->primary().id, lit_->primary().properties.IdOf(Property::kFbId), screens[1].framebuffer.id());
  request.Set(lit_->crtc().id, lit_->crtc().properties.IdOf(Property::kOutFencePtr), reinterpret_cast<std::uint64_t>(&fence));
  const CommitResult committed = request.Commit(lit_->card(), {.nonblocking = true}, 0);
  ASSERT_TRUE(committed.done()) << ToError(committed, "The flip").message;
  const UniqueFd owned(fence);
  ASSERT_TRUE(owned.valid());
  pollfd wait{owned.get(), POLLIN, 0};
  EXPECT_EQ(poll(&wait, 1, 60'000), 1);
}

TEST_P(KmsShown, PictureThatDoesNotFit_IsToldApart) {
  const Mode& mode = lit_->mode();
  auto screen = MakeBuffer(lit_->card(), DRM_FORMAT_XRGB8888, mode.width, mode.height - 16);
  ASSERT_TRUE(screen.ok()) << screen.error().message;
  const CommitResult small = lit_->Light(screen->framebuffer.id(), true);
  EXPECT_EQ(small.outcome, CommitOutcome::kNoSpace) << small.error;
  EXPECT_EQ(ToError(small, "The picture").kind, ErrorKind::kUnsupported);
  AtomicRequest& request = lit_->request();
  request.Clear();
  for (std::size_t i = 0; i <= AtomicRequest::kMaxProperties; ++i) request.Set(1, 1, 1);
  EXPECT_EQ(request.Commit(lit_->card(), {.test_only = true}, 0).outcome, CommitOutcome::kTooMany);
}

TEST_P(KmsShown, FramebufferThatCannotBe_IsUnsupported) {
  const Mode& mode = lit_->mode();
  auto buffer = DumbBuffer::Create(lit_->card(), mode.width, mode.height, 32);
  ASSERT_TRUE(buffer.ok()) << buffer.error().message;
  const FramebufferLayout good =
      LinearLayout(DRM_FORMAT_XRGB8888, mode.width, mode.height, buffer->handle(), buffer->pitch_bytes());
  ASSERT_TRUE(Framebuffer::Create(lit_->card(), good).ok());
  const auto expect_refused = [this](const FramebufferLayout& layout, const char* fault) {
    const auto made = Framebuffer::Create(lit_->card(), layout);
    ASSERT_FALSE(made.ok()) << fault;
    EXPECT_EQ(made.error().kind, ErrorKind::kUnsupported) << fault << ": " << made.error().message;
  };
  FramebufferLayout bad = good;
  bad.planes[0].pitch_bytes = 64;
  expect_refused(bad, "pitch too small");
  bad = good;
  bad.fourcc = 0x20202020;
  expect_refused(bad, "no such format");
  bad = good;
  bad.planes[0].handle = 0x7FFFFFFF;
  expect_refused(bad, "no such handle");
  bad = good;
  bad.modifier = DRM_FORMAT_MOD_LINEAR;
  EXPECT_EQ(Framebuffer::Create(lit_->card(), bad).ok(), lit_->card().caps().modifiers);
  // Linux 6.1 makes a framebuffer of another vendor's tiles, and refuses its commit.
  bad.modifier = I915_FORMAT_MOD_X_TILED;
  const auto tiles = Framebuffer::Create(lit_->card(), bad);
  EXPECT_TRUE(!tiles.ok() || lit_->Light(tiles->id(), true).outcome == CommitOutcome::kInvalid);
  // The driver of virtio-gpu does not compare a framebuffer with its memory.
  if (lit_->card().identity().driver == "virtio_gpu") return;
  bad = good;
  bad.height += 4096;
  expect_refused(bad, "taller than its memory");
  bad = good;
  bad.planes[0].offset_bytes = 1U << 30;
  expect_refused(bad, "offset past the end");
}

}  // namespace
}  // namespace tandem::kms
