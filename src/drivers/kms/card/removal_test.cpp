// Cards, displays and leases that go away: real DRM drivers in scripts/vm.sh.
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/sleep.h"
#include "drivers/kms/card/card_events.h"
#include "drivers/kms/card/card_list.h"
#include "drivers/kms/card/drm.h"
#include "drivers/kms/card/testing/lit_card_test.h"

namespace tandem::kms {
namespace {

constexpr std::int64_t kTenMs = 10'000'000;

class KmsRemoval : public LitCardTest {};
INSTANTIATE_TEST_SUITE_P(Drivers, KmsRemoval, testing::ValuesIn(kDrivers), DriverOfTest);

TEST_P(KmsRemoval, CardRemovedAmongFlips_EndsEverythingWithoutAHang) {
  const std::string bus = lit_->card().identity().bus;
  if (!bus.starts_with("pci:")) GTEST_SKIP() << "Only cards on a bus are removed by sysfs.";
  LitBuffer screens[2] = {*lit_->MakeScreen(DRM_FORMAT_XRGB8888), *lit_->MakeScreen(DRM_FORMAT_XRGB8888)};
  ASSERT_TRUE(lit_->Light(screens[0].framebuffer.id()).done());
  KeptEvents kept;
  auto events = CardEvents::Start(lit_->card(), kept);
  ASSERT_TRUE(events.ok()) << events.error().message;
  std::uint64_t flips = 0;
  CommitResult last;
  Thread remover;
  while (last.done()) {
    if (++flips == 20) {
      remover = *Thread::Start("remover",
                               [&] { EXPECT_TRUE(WriteSystemFile("/sys/bus/pci/devices/" + bus.substr(4) + "/remove", "1")); });
    }
    last = lit_->Flip(screens[flips % 2].framebuffer.id(), {.nonblocking = true, .event = true}, flips);
    if (last.done()) static_cast<void>(kept.WaitForFlip());
    ASSERT_LT(flips, 1'000'000U);
  }
  EXPECT_EQ(last.outcome, CommitOutcome::kGone) << last.error;
  EXPECT_EQ(ToError(last, "The flip").kind, ErrorKind::kDeviceLost);
  EXPECT_TRUE(kept.WaitForRemoval());
  remover.Join();
  EXPECT_FALSE(lit_->card().IsPresent());
  EXPECT_EQ(ReadResources(lit_->card()).error().kind, ErrorKind::kDeviceLost);
  EXPECT_EQ(lit_->MakeScreen(DRM_FORMAT_XRGB8888).error().kind, ErrorKind::kDeviceLost);
  EXPECT_EQ(lit_->Light(screens[0].framebuffer.id(), true).outcome, CommitOutcome::kGone);
  // Pixels of the removed card stay mapped.
  screens[0].map.data()[0] = std::byte{1};
  events->reset();
  for (LitBuffer& screen : screens) screen = LitBuffer{};
  lit_.reset();
  ASSERT_TRUE(WriteSystemFile("/sys/bus/pci/rescan", "1"));
  for (int i = 0; i < 3'000 && !FindDriver(GetParam()); ++i) SleepFor(MonotonicClock(), kTenMs);
  const auto back = LitCard::Open(FindDriver(GetParam()).value_or(""));
  EXPECT_TRUE(back.ok()) << back.error().message;
}

TEST_P(KmsRemoval, DisplayUnpluggedAndPlugged_IsReported) {
  KeptEvents kept;
  auto events = CardEvents::Start(lit_->card(), kept);
  ASSERT_TRUE(events.ok()) << events.error().message;
  const std::string card = "/sys/class/drm/" + lit_->card().identity().path.substr(std::string("/dev/dri/").size());
  const std::string name = lit_->connector().name;
  const auto status = [&] {
    const auto resources = ReadResources(lit_->card());
    return resources.ok() ? resources->FindConnector(name)->status : ConnectorStatus::kUnknown;
  };
  ASSERT_EQ(status(), ConnectorStatus::kConnected);
  ASSERT_TRUE(WriteSystemFile(card + "-" + name + "/status", "off"));
  ASSERT_TRUE(WriteSystemFile(card + "/uevent", "change"));
  EXPECT_TRUE(kept.WaitForHotPlug());
  EXPECT_EQ(status(), ConnectorStatus::kDisconnected);
  ASSERT_TRUE(WriteSystemFile(card + "-" + name + "/status", "detect"));
  ASSERT_TRUE(WriteSystemFile(card + "/uevent", "change"));
  EXPECT_TRUE(kept.WaitForHotPlug());
  EXPECT_EQ(status(), ConnectorStatus::kConnected);
}

TEST_P(KmsRemoval, Lease_ShowsUntilItIsRevoked) {
  const std::uint32_t objects[] = {lit_->connector().id, lit_->crtc().id, lit_->primary().id};
  std::uint32_t lessee = 0;
  const int fd = Drm().ModeCreateLease(lit_->card().fd(), objects, 3, O_CLOEXEC, &lessee);
  ASSERT_GE(fd, 0);
  auto leased = Card::Adopt(UniqueFd(fd), true);
  ASSERT_TRUE(leased.ok()) << leased.error().message;
  auto lit = LitCard::Adopt(*std::move(leased));
  ASSERT_TRUE(lit.ok()) << lit.error().message;
  EXPECT_EQ((*lit)->card().identity().path, lit_->card().identity().path);
  EXPECT_EQ((*lit)->resources().connectors.size(), 1U);
  EXPECT_EQ((*lit)->resources().crtcs.size(), 1U);
  EXPECT_EQ((*lit)->resources().planes.size(), 1U);
  LitBuffer screens[2] = {*(*lit)->MakeScreen(DRM_FORMAT_XRGB8888), *(*lit)->MakeScreen(DRM_FORMAT_XRGB8888)};
  ASSERT_TRUE((*lit)->Light(screens[0].framebuffer.id()).done());
  KeptEvents kept;
  auto events = CardEvents::Start((*lit)->card(), kept);
  ASSERT_TRUE(events.ok()) << events.error().message;
  ASSERT_TRUE((*lit)->Flip(screens[1].framebuffer.id(), {.nonblocking = true, .event = true}, 5).done());
  EXPECT_TRUE(kept.WaitForFlip().has_value());
  ASSERT_EQ(Drm().ModeRevokeLease(lit_->card().fd(), lessee), 0);
  const CommitResult refused = (*lit)->Light(screens[0].framebuffer.id());
  EXPECT_EQ(refused.outcome, CommitOutcome::kNoObject) << refused.error;
  EXPECT_EQ(ToError(refused, "The picture").kind, ErrorKind::kSurfaceLost);
  // The lessor has its connector again.
  auto screen = lit_->MakeScreen(DRM_FORMAT_XRGB8888);
  EXPECT_TRUE(lit_->Light(screen->framebuffer.id()).done());
}

}  // namespace
}  // namespace tandem::kms
