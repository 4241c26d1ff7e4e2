// Vertical blanks, pending flips and fences of real DRM drivers, in scripts/vm.sh.
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/dma-buf.h>
#include <sys/ioctl.h>

#include "drivers/kms/card/card_events.h"
#include "drivers/kms/card/card_list.h"
#include "drivers/kms/card/drm.h"
#include "drivers/kms/card/testing/lit_card_test.h"

namespace tandem::kms {
namespace {

class KmsFlips : public LitCardTest {
 protected:
  void SetUp() override {
    LitCardTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    for (LitBuffer& screen : screens_) screen = *lit_->MakeScreen(DRM_FORMAT_XRGB8888);
    ASSERT_TRUE(lit_->Light(screens_[0].framebuffer.id()).done());
    auto events = CardEvents::Start(lit_->card(), kept_);
    ASSERT_TRUE(events.ok()) << events.error().message;
    events_ = *std::move(events);
  }
  void TearDown() override { events_.reset(); }

  CommitResult FlipTo(std::size_t screen, std::uint64_t user_data) {
    return lit_->Flip(screens_[screen % 2].framebuffer.id(), {.nonblocking = true, .event = true}, user_data);
  }
  [[nodiscard]] bool HasVerticalBlanks() const { return LastSequence(lit_->card(), lit_->crtc().id).ok(); }

  LitBuffer screens_[2];
  KeptEvents kept_;
  std::unique_ptr<CardEvents> events_;
};

INSTANTIATE_TEST_SUITE_P(Drivers, KmsFlips, testing::ValuesIn(kDrivers), DriverOfTest);

TEST_P(KmsFlips, ThreeHundred_AreShownAtConsecutiveVerticalBlanks) {
  if (!HasVerticalBlanks()) GTEST_SKIP() << "The driver counts no vertical blanks.";
  // A slow mode, because an emulated machine on a busy host runs late. A missed blank begins the count again.
  Mode mode = lit_->mode();
  mode.clock_khz /= 8;
  ASSERT_TRUE(lit_->ChooseMode(mode).ok());
  ASSERT_TRUE(lit_->Light(screens_[0].framebuffer.id()).done());
  constexpr std::uint64_t kWanted = 300, kMost = 700;
  std::uint64_t in_a_row = 0, flips = 0;
  std::optional<std::uint32_t> last;
  while (in_a_row < kWanted && flips < kMost) {
    ++flips;
    ASSERT_TRUE(FlipTo(flips, flips).done());
    const auto event = kept_.WaitForFlip();
    ASSERT_TRUE(event.has_value());
    ASSERT_EQ(event->user_data, flips);
    ASSERT_TRUE(!last || static_cast<std::int32_t>(event->sequence - *last) > 0) << event->sequence;
    in_a_row = last && event->sequence == *last + 1 ? in_a_row + 1 : 0;
    last = event->sequence;
  }
  RecordProperty("flips", static_cast<int>(flips));
  EXPECT_EQ(in_a_row, kWanted) << "after " << flips << " flips";
}

TEST_P(KmsFlips, SecondFlipBeforeTheFirstIsShown_IsBusy) {
  if (!HasVerticalBlanks()) GTEST_SKIP() << "The driver shows flips at once.";
  // A flip that is shown between both commits makes the second one right: it is tried again.
  bool busy = false;
  for (std::uint64_t i = 1; i <= 100 && !busy; ++i) {
    const CommitResult first = FlipTo(i, i);
    busy = first.outcome == CommitOutcome::kBusy;
    if (!busy) busy = FlipTo(i + 1, i).outcome == CommitOutcome::kBusy;
  }
  EXPECT_TRUE(busy);
}

// The kernel keeps 4096 bytes of events for each open file.
TEST_P(KmsFlips, EventsThatNobodyReads_LeaveNoMemoryForTheNext) {
  if (HasVerticalBlanks()) GTEST_SKIP() << "The driver shows a flip only at the next vertical blank.";
  events_.reset();
  std::uint64_t flips = 0;
  CommitResult last;
  while ((last.done() || last.outcome == CommitOutcome::kBusy) && flips < 200) {
    if (last.done()) ++flips;
    last = FlipTo(flips, flips);
  }
  EXPECT_EQ(last.outcome, CommitOutcome::kNoMemory) << last.error;
  EXPECT_EQ(flips, 129U);
}

TEST_P(KmsFlips, Sequences_AreReportedInOrder) {
  if (!HasVerticalBlanks()) {
    const auto queued = QueueSequence(lit_->card(), lit_->crtc().id, 0, 1);
    ASSERT_FALSE(queued.ok());
    EXPECT_EQ(queued.error().kind, ErrorKind::kUnsupported) << queued.error().message;
    return;
  }
  std::uint64_t last = LastSequence(lit_->card(), lit_->crtc().id)->sequence;
  for (std::uint64_t i = 0; i < 10; ++i) {
    const auto queued = QueueSequence(lit_->card(), lit_->crtc().id, static_cast<std::uint32_t>(i % 2), 1000 + i);
    ASSERT_TRUE(queued.ok()) << queued.error().message;
    const auto event = kept_.WaitForSequence();
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->user_data, 1000 + i);
    EXPECT_GT(event->sequence, last + i % 2);
    EXPECT_GT(event->time_ns, 0);
    last = event->sequence;
  }
}

// vgem's interface for fences that a test signals; libdrm's package lacks the header.
struct VgemAttach {
  std::uint32_t handle, flags, fence, pad;
};
struct VgemSignal {
  std::uint32_t fence, flags;
};
constexpr std::uint32_t kVgemWrite = 1;
constexpr unsigned long kVgemAttach = DRM_IOWR(DRM_COMMAND_BASE + 1, VgemAttach);
constexpr unsigned long kVgemSignal = DRM_IOW(DRM_COMMAND_BASE + 2, VgemSignal);

TEST_P(KmsFlips, PendingInFence_HoldsTheFlipBack) {
  if (!FindDriver("vgem")) GTEST_SKIP() << "No card of driver vgem is here; scripts/vm.sh --devices has one.";
  std::string vgem_path;
  for (const CardNode& node : ListCardNodes()) {
    auto card = Card::Open(node.path);
    if (!card.ok() && card.error().message.find("only renders") != std::string::npos) vgem_path = node.path;
  }
  const UniqueFd vgem(open(vgem_path.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(vgem.valid());
  std::uint32_t handle = 0, pitch = 0;
  std::uint64_t size = 0;
  ASSERT_EQ(Drm().ModeCreateDumbBuffer(vgem.get(), 64, 64, 32, 0, &handle, &pitch, &size), 0);
  VgemAttach attach{handle, kVgemWrite, 0, 0};
  ASSERT_EQ(Drm().Ioctl(vgem.get(), kVgemAttach, &attach), 0);
  int dma_buf = -1;
  ASSERT_EQ(Drm().PrimeHandleToFD(vgem.get(), handle, DRM_CLOEXEC, &dma_buf), 0);
  const UniqueFd owned(dma_buf);
  dma_buf_export_sync_file pending{DMA_BUF_SYNC_READ, -1};
  ASSERT_EQ(ioctl(dma_buf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &pending), 0);
  const UniqueFd fence(pending.fd);

  AtomicRequest& request = lit_->request();
  request.Clear();
  const Plane& primary = lit_->primary();
  request.Set(primary.id, primary.properties.IdOf(Property::kFbId), screens_[1].framebuffer.id());
  request.Set(primary.id, primary.properties.IdOf(Property::kInFenceFd), static_cast<std::uint64_t>(fence.get()));
  const CommitResult committed = request.Commit(lit_->card(), {.nonblocking = true, .event = true}, 77);
  ASSERT_TRUE(committed.done()) << ToError(committed, "The flip").message;
  // It stays pending: the next commit is refused, and blanks pass without it.
  EXPECT_EQ(FlipTo(0, 78).outcome, CommitOutcome::kBusy);
  for (std::uint64_t i = 0; i < 3 && HasVerticalBlanks(); ++i) {
    ASSERT_TRUE(QueueSequence(lit_->card(), lit_->crtc().id, 0, i).ok());
    ASSERT_TRUE(kept_.WaitForSequence().has_value());
  }
  EXPECT_EQ(kept_.flips(), 0U);
  VgemSignal signal{attach.fence, 0};
  // vgem gives up on a fence after ten seconds, and says so.
  ASSERT_EQ(Drm().Ioctl(vgem.get(), kVgemSignal, &signal), 0);
  const auto shown = kept_.WaitForFlip();
  ASSERT_TRUE(shown.has_value());
  EXPECT_EQ(shown->user_data, 77U);
}

TEST_P(KmsFlips, EventsThatStop_LeaveTheCardUsable) {
  ASSERT_TRUE(FlipTo(1, 1).done());
  events_.reset();
  auto again = CardEvents::Start(lit_->card(), kept_);
  ASSERT_TRUE(again.ok()) << again.error().message;
  // The first flip's event is read by whoever listens then.
  ASSERT_TRUE(kept_.WaitForFlip().has_value());
  ASSERT_TRUE(FlipTo(0, 2).done());
  const auto second = kept_.WaitForFlip();
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->user_data, 2U);
}

}  // namespace
}  // namespace tandem::kms
