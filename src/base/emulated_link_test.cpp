#include "base/emulated_link.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <vector>

#include "base/testing/fake_clock.h"

namespace tandem {
namespace {

// Records the delivered tickets in order.
class Far {
 public:
  [[nodiscard]] std::function<void(std::uint64_t)> Deliver() {
    return [this](std::uint64_t ticket) {
      const MutexLock lock(mutex_);
      tickets_.push_back(ticket);
      came_.notify_all();
    };
  }
  std::vector<std::uint64_t> Await(std::size_t count) {
    MutexLock lock(mutex_);
    while (tickets_.size() < count) came_.wait(lock.native());
    return tickets_;
  }
  [[nodiscard]] std::size_t count() {
    const MutexLock lock(mutex_);
    return tickets_.size();
  }

 private:
  Mutex mutex_;
  std::condition_variable came_;
  std::vector<std::uint64_t> tickets_;
};

TEST(EmulatedLink, BytesTakeTheirTimeAndKeepTheirOrder) {
  FakeClock clock(1000);
  Far far;
  auto link = EmulatedLink::Start(1'000'000, clock, far.Deliver());  // a microsecond a byte
  ASSERT_TRUE(link.ok());
  (*link)->Send(1, 10);
  (*link)->Send(2, 0);
  (*link)->Send(3, 20);
  clock.AwaitWaiters(1);
  clock.Advance(9'999);
  clock.AwaitWaiters(1);
  EXPECT_EQ(far.count(), 0U);
  clock.Advance(1);
  EXPECT_EQ(far.Await(2), (std::vector<std::uint64_t>{1, 2}));
  clock.AwaitWaiters(1);
  EXPECT_FALSE((*link)->idle());
  clock.Advance(20'000);
  EXPECT_EQ(far.Await(3), (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(EmulatedLink, FlushDeliversAtOnce) {
  FakeClock clock(0);
  Far far;
  auto link = EmulatedLink::Start(kMinLinkBytesPerSecond, clock, far.Deliver());
  ASSERT_TRUE(link.ok());
  for (std::uint64_t ticket = 0; ticket < 5; ++ticket) (*link)->Send(ticket, 1'000'000'000);
  (*link)->Flush();
  EXPECT_EQ(far.count(), 5U);
  EXPECT_TRUE((*link)->idle());
}

TEST(EmulatedLink, EndsWithWorkOnIt) {
  FakeClock clock(0);
  Far far;
  auto link = EmulatedLink::Start(kMinLinkBytesPerSecond, clock, far.Deliver());
  ASSERT_TRUE(link.ok());
  (*link)->Send(1, 1'000'000);
  link->reset();
  EXPECT_EQ(far.count(), 0U);
}

TEST(EmulatedLink, RefusesBandwidthsOutOfRange) {
  FakeClock clock(0);
  EXPECT_FALSE(EmulatedLink::Start(kMinLinkBytesPerSecond - 1, clock, [](std::uint64_t) {}).ok());
  EXPECT_FALSE(EmulatedLink::Start(kMaxLinkBytesPerSecond + 1, clock, [](std::uint64_t) {}).ok());
}

}  // namespace
}  // namespace tandem
