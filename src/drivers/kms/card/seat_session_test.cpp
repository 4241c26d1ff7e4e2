// A session of the seat, as seatd's own code inside libseat gives it to root: in scripts/vm.sh.
#include "drivers/kms/card/seat_session.h"

#include <cstdlib>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/vt.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "drivers/kms/card/card_list.h"
#include "drivers/kms/card/testing/lit_card.h"

namespace tandem::kms {
namespace {

constexpr std::int64_t kSwitchNs = 60'000'000'000;

class KeptSeat final : public SeatListener {
 public:
  void OnSeatEnabled() override { Count(enabled_); }
  void OnSeatDisabled() override { Count(disabled_); }
  [[nodiscard]] bool WaitForEnabled(int times) { return Wait(enabled_, times); }
  [[nodiscard]] bool WaitForDisabled(int times) { return Wait(disabled_, times); }

 private:
  void Count(int& counter) {
    const MutexLock lock(mutex_);
    ++counter;
    changed_.NotifyAll();
  }
  bool Wait(const int& counter, int times) {
    const std::int64_t deadline_ns = MonotonicClock().NowNs() + kSwitchNs;
    MutexLock lock(mutex_);
    while (counter < times && MonotonicClock().WaitUntil(lock.native(), changed_, deadline_ns)) {
    }
    return counter >= times;
  }

  Mutex mutex_;
  Condition changed_;
  int enabled_ = 0;
  int disabled_ = 0;
};

// From now on libseat knows no seat. Each test has a process of its own.
void ForgetSeats() {
  setenv("LIBSEAT_BACKEND", "seatd", 1);
  setenv("SEATD_SOCK", "/nonexistent/seatd.sock", 1);
}

TEST(KmsSeatSession, ConsoleSwitchedAwayAndBack_TakesTheCardAndGivesIt) {
  if (geteuid() != 0 || !FindDriver("vkms")) GTEST_SKIP() << "Needs root and a card of vkms; scripts/vm.sh has both.";
  const UniqueFd console(open("/dev/tty0", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!console.valid()) GTEST_SKIP() << "The kernel has no consoles.";
  const std::string path = *FindCardPath("vkms");
  setenv("LIBSEAT_BACKEND", "builtin", 1);
  KeptSeat kept;
  auto seated = SeatSession::Open(path, kept);
  ASSERT_TRUE(seated.ok()) << seated.error().message;
  auto adopted = Card::Adopt((*seated)->TakeCard(), false);
  ASSERT_TRUE(adopted.ok()) << adopted.error().message;
  const Card& card = **adopted;
  (*adopted)->KeepOpener(*std::move(seated));
  EXPECT_EQ(card.identity().path, path);
  EXPECT_FALSE(Card::Open(path).ok());
  auto buffer = MakeBuffer(card, 0x34325258, 64, 64);  // XR24
  ASSERT_TRUE(buffer.ok()) << buffer.error().message;
  const auto resources = ReadResources(card);
  ASSERT_TRUE(resources.ok()) << resources.error().message;
  AtomicRequest request;
  request.Set(resources->crtcs[0].id, resources->crtcs[0].properties.IdOf(Property::kActive), 0);
  const CommitFlags modeset{.allow_modeset = true};
  EXPECT_TRUE(request.Commit(card, modeset, 0).done());
  vt_stat before{};
  ASSERT_EQ(ioctl(console.get(), VT_GETSTATE, &before), 0);
  const int other = before.v_active == 1 ? 2 : 1;
  ASSERT_EQ(ioctl(console.get(), VT_ACTIVATE, other), 0);
  ASSERT_TRUE(kept.WaitForDisabled(1));
  ASSERT_EQ(ioctl(console.get(), VT_WAITACTIVE, other), 0);
  EXPECT_EQ(request.Commit(card, modeset, 0).outcome, CommitOutcome::kNotMaster);
  ASSERT_EQ(ioctl(console.get(), VT_ACTIVATE, static_cast<int>(before.v_active)), 0);
  ASSERT_TRUE(kept.WaitForEnabled(1));
  EXPECT_TRUE(request.Commit(card, modeset, 0).done());
  buffer->framebuffer.Reset();
  buffer = Fail(ErrorKind::kInternal, "Closed.");
  adopted->reset();
  EXPECT_TRUE(Card::Open(path).ok());
}

TEST(KmsSeatSession, UserWithoutSeatAndRights_IsToldOfBoth) {
  if (geteuid() != 0 || !FindDriver("vkms")) GTEST_SKIP() << "Needs root and a card of vkms; scripts/vm.sh has both.";
  const std::string path = *FindCardPath("vkms");
  ForgetSeats();
  KeptSeat kept;
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(seteuid(kNobody), 0);
  const auto card = FindCard({path, {}}, &kept);
  ASSERT_EQ(seteuid(0), 0);
  ASSERT_FALSE(card.ok());
  EXPECT_EQ(card.error().kind, ErrorKind::kIo);
  EXPECT_NE(card.error().message.find("may not be opened"), std::string::npos) << card.error().message;
  EXPECT_NE(card.error().message.find("seatd"), std::string::npos) << card.error().message;
}

TEST(KmsSeatSession, NoSeat_IsSaid) {
  ForgetSeats();
  KeptSeat kept;
  const auto seated = SeatSession::Open("/dev/dri/card0", kept);
  ASSERT_FALSE(seated.ok());
  EXPECT_EQ(seated.error().kind, ErrorKind::kUnsupported) << seated.error().message;
}

}  // namespace
}  // namespace tandem::kms
