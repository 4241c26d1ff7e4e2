// Memory that others made, shown by real DRM drivers in scripts/vm.sh.
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/utsname.h>

#include "base/dma_buf.h"
#include "drivers/kms/card/card_list.h"
#include "drivers/kms/card/drm.h"
#include "drivers/kms/card/testing/lit_card_test.h"
#include "drivers/kms/card/writeback.h"

namespace tandem::kms {
namespace {

constexpr std::int64_t kReadNs = 60'000'000'000;

class KmsImport : public LitCardTest {
 protected:
  enum class Step { kImport, kFramebuffer, kTest, kCommit, kShown };

  // The last step that takes a dma-buf of `pitch_bytes` a row. A step that refuses names its reason.
  Step ShowImported(int dma_buf, std::uint32_t pitch_bytes) {
    auto imported = ImportedBuffer::Import(lit_->handles(), dma_buf);
    if (!imported.ok()) return Refused(Step::kImport, imported.error());
    const Mode& mode = lit_->mode();
    auto framebuffer = Framebuffer::Create(
        lit_->card(), LinearLayout(DRM_FORMAT_XRGB8888, mode.width, mode.height, imported->handle(), pitch_bytes));
    if (!framebuffer.ok()) return Refused(Step::kFramebuffer, framebuffer.error());
    const CommitResult tested = lit_->Light(framebuffer->id(), true);
    if (!tested.done()) return Refused(Step::kTest, ToError(tested, "The test"));
    const CommitResult committed = lit_->Light(framebuffer->id());
    if (!committed.done()) return Refused(Step::kCommit, ToError(committed, "The commit"));
    shown_ = *std::move(framebuffer);
    imported_ = *std::move(imported);
    return Step::kShown;
  }

  Step Refused(Step step, const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::kUnsupported) << error.message;
    reason_ = error.message;
    return step;
  }

  std::string reason_;
  ImportedBuffer imported_;
  Framebuffer shown_;
};

INSTANTIATE_TEST_SUITE_P(Drivers, KmsImport, testing::ValuesIn(kDrivers), DriverOfTest);

// The kernel's version times 100: 6.12 is 612.
int KernelVersion() {
  utsname name{};
  uname(&name);
  int major = 0, minor = 0;
  return std::sscanf(name.release, "%d.%d", &major, &minor) == 2 ? major * 100 + minor : 0;
}

TEST_P(KmsImport, SharedPages_AreShownOrRefusedAsThisKernelDoes) {
  const Mode& mode = lit_->mode();
  const std::uint32_t pitch_bytes = (mode.width * 4 + 255) / 256 * 256;
  const std::size_t bytes = *RoundUpToPages(std::size_t{pitch_bytes} * mode.height);
  const UniqueFd pages = *CreateSharedPages("kms-import", bytes);
  const auto map = *MemoryMap::MapShared(pages, 0, bytes, MapAccess::kReadWrite);
  Paint(map.data(), bytes, 7);
  const auto dma_buf = CreateDmaBuf(pages.get(), 0, bytes);
  if (!dma_buf.ok()) GTEST_SKIP() << dma_buf.error().message;
  const Step reached = ShowImported(dma_buf->get(), pitch_bytes);
  RecordProperty("reached", static_cast<int>(reached));
  RecordProperty("reason", reason_);
  const std::string driver = GetParam();
  if (KernelVersion() == 612) {
    EXPECT_EQ(reached, driver == "vkms" || driver == "cirrus" ? Step::kShown : Step::kImport) << reason_;
  }
  if (KernelVersion() == 601) {
    // This kernel's udmabuf maps nothing for other drivers: the test says yes and the commit no.
    EXPECT_EQ(reached, driver == "vkms" || driver == "cirrus" ? Step::kCommit : Step::kImport) << reason_;
  }
  if (reached != Step::kShown || FindWriteback(lit_->resources(), lit_->crtc()) == nullptr) return;
  auto writeback = Writeback::Create(lit_->card(), lit_->resources(), lit_->crtc(), mode.width, mode.height, DRM_FORMAT_XRGB8888);
  ASSERT_TRUE(writeback.ok()) << writeback.error().message;
  // The second picture is written through the pages while the first one is shown: nothing was copied.
  for (const std::uint32_t seed : {7U, 8U}) {
    Paint(map.data(), bytes, seed);
    const auto captured = writeback->Capture(kReadNs);
    ASSERT_TRUE(captured.ok()) << captured.error().message;
    std::size_t different = 0;
    for (std::uint32_t row = 0; row < mode.height; ++row) {
      for (std::uint32_t x = 0; x < mode.width; ++x) {
        std::uint32_t written = 0, read = 0;
        std::memcpy(&written, map.data() + std::size_t{row} * pitch_bytes + x * 4, 4);
        std::memcpy(&read, writeback->pixels() + std::size_t{row} * writeback->pitch_bytes() + x * 4, 4);
        different += ((written ^ read) & 0xFFFFFF) != 0 ? 1 : 0;
      }
    }
    EXPECT_EQ(different, 0U);
  }
}

TEST_P(KmsImport, OwnBuffer_CountsItsUsers) {
  auto screen = lit_->MakeScreen(DRM_FORMAT_XRGB8888);
  ASSERT_TRUE(screen.ok()) << screen.error().message;
  auto exported = screen->buffer.Export();
  if (!exported.ok()) {
    EXPECT_EQ(exported.error().kind, ErrorKind::kUnsupported) << exported.error().message;
    return;
  }
  // The kernel knows its own object again and gives the same handle each time; a dumb buffer's is not the importer's to close,
  // so the object comes from a second file of the card.
  ASSERT_TRUE(lit_->card().DropMaster().ok());
  auto other = Card::Open(lit_->card().identity().path);
  ASSERT_TRUE(other.ok()) << other.error().message;
  GemHandles handles(**other);
  auto first = ImportedBuffer::Import(handles, exported->get());
  ASSERT_TRUE(first.ok()) << first.error().message;
  auto second = ImportedBuffer::Import(handles, exported->get());
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(first->handle(), second->handle());
  const FramebufferLayout layout =
      LinearLayout(DRM_FORMAT_XRGB8888, lit_->mode().width, lit_->mode().height, first->handle(), screen->buffer.pitch_bytes());
  first->Reset();
  EXPECT_TRUE(Framebuffer::Create(**other, layout).ok());
  second->Reset();
  EXPECT_EQ(Framebuffer::Create(**other, layout).error().kind, ErrorKind::kUnsupported);
}

TEST_P(KmsImport, BufferOfEachOtherCard_IsShownOrRefusedInWords) {
  for (const CardNode& node : ListCardNodes()) {
    if (node.path == lit_->card().identity().path) continue;
    SCOPED_TRACE(node.path);
    auto other = Card::Open(node.path);
    if (!other.ok()) continue;  // vgem
    auto buffer = DumbBuffer::Create(**other, lit_->mode().width, lit_->mode().height, 32);
    ASSERT_TRUE(buffer.ok()) << buffer.error().message;
    auto exported = buffer->Export();
    if (!exported.ok()) {
      EXPECT_EQ(exported.error().kind, ErrorKind::kUnsupported) << exported.error().message;
      continue;
    }
    const Step reached = ShowImported(exported->get(), buffer->pitch_bytes());
    RecordProperty((*other)->identity().driver, static_cast<int>(reached));
    EXPECT_EQ(reached == Step::kShown, reason_.empty()) << reason_;
    reason_.clear();
  }
}

TEST_P(KmsImport, DescriptorThatIsNoDmaBuf_IsRefused) {
  const UniqueFd pages = *CreateSharedPages("kms-import", PageSize());
  for (const int fd : {pages.get(), -1, lit_->card().fd()}) {
    const auto imported = ImportedBuffer::Import(lit_->handles(), fd);
    ASSERT_FALSE(imported.ok()) << fd;
    EXPECT_TRUE(imported.error().kind == ErrorKind::kInvalidArgument || imported.error().kind == ErrorKind::kUnsupported)
        << imported.error().message;
  }
}

TEST_P(KmsImport, PagesSmallerThanThePicture_NeverReachTheScreen) {
  const UniqueFd pages = *CreateSharedPages("kms-import", PageSize());
  const auto dma_buf = CreateDmaBuf(pages.get(), 0, PageSize());
  if (!dma_buf.ok()) GTEST_SKIP() << dma_buf.error().message;
  EXPECT_LE(ShowImported(dma_buf->get(), lit_->mode().width * 4), Step::kFramebuffer) << reason_;
}

}  // namespace
}  // namespace tandem::kms
