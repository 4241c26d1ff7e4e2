// Two kernels' features, joined by a socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <thread>

#include <sys/socket.h>

#include "base/testing/fake_clock.h"
#include "kernel/feature/adapter_features.h"
#include "kernel/feature/feature_guest.h"
#include "kernel/feature/remote_feature_host.h"
#include "kernel/testing/fake_feature_driver.h"
#include "kernel/testing/test_features.h"

namespace tandem::kernel {
namespace {

using ::testing::HasSubstr;

std::array<UniqueFd, 2> SocketPair() {
  int fds[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

// One side: a kernel with a driver that has SAMPLE 3 to 5, backing-store sharing, and both features switched on that hosts
// decide.
struct Side {
  Side() {
    driver.supports[DXGK_FEATURE_SAMPLE] = {{3, 5}, true, false};
    driver.supports[DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD] = {{1, 1}, true, false};
    EXPECT_TRUE(kernel.SetOverrides({{DXGK_FEATURE_64K_PT_DEMOTION_FIX, true, {}, {}, {}}}).ok());
  }
  AdapterFeatures& features() {
    if (made == nullptr) made = std::make_unique<AdapterFeatures>(kernel, driver);
    return *made;
  }
  DXGK_ISFEATUREENABLED_RESULT Query(DXGK_FEATURE_ID id) { return features().Query(id); }

  FakeFeatureDriver driver;
  KernelFeatures kernel{BuiltInRegistry()};
  std::unique_ptr<AdapterFeatures> made;
};

class FeatureChannel : public ::testing::Test {
 protected:
  void Join() {
    auto sockets = SocketPair();
    auto served = FeatureGuest::Create(std::move(sockets[0]), host_.features());
    ASSERT_TRUE(served.ok()) << served.error().message;
    served_ = *std::move(served);
    auto remote = RemoteFeatureHost::Create(std::move(sockets[1]), clock_);
    ASSERT_TRUE(remote.ok()) << remote.error().message;
    remote_ = remote->get();
    guest_.kernel.SetHost(*std::move(remote));
  }

  FakeClock clock_{0};
  Side host_, guest_;
  std::unique_ptr<FeatureGuest> served_;
  RemoteFeatureHost* remote_ = nullptr;
};

TEST_F(FeatureChannel, Negotiate_AllFourHalves_GiveTheHighestCommonVersion) {
  host_.driver.supports[DXGK_FEATURE_SAMPLE].versions = {3, 4};
  Join();
  EXPECT_EQ(guest_.Query(DXGK_FEATURE_SAMPLE).Version, 4);
  EXPECT_EQ(guest_.Query(DXGK_FEATURE_SAMPLE).Value, 0xF);
  EXPECT_EQ(guest_.driver.asked[DXGK_FEATURE_SAMPLE], 1);
  EXPECT_EQ(host_.driver.asked[DXGK_FEATURE_SAMPLE], 1);
  EXPECT_EQ(remote_->broken(), "");
}

TEST_F(FeatureChannel, Negotiate_OneSideWithoutIt_IsOffInTheGuest) {
  host_.driver.supports.erase(DXGK_FEATURE_SAMPLE);
  Join();
  EXPECT_EQ(guest_.Query(DXGK_FEATURE_SAMPLE).Value, 0xE);
  EXPECT_EQ(host_.Query(DXGK_FEATURE_SAMPLE).Enabled, 0);
}

TEST_F(FeatureChannel, Negotiate_NoVersionOfBoth_IsOffInTheGuestOnly) {
  host_.driver.supports[DXGK_FEATURE_SAMPLE].versions = {5, 5};
  guest_.driver.supports[DXGK_FEATURE_SAMPLE].versions = {3, 4};
  Join();
  EXPECT_EQ(guest_.Query(DXGK_FEATURE_SAMPLE).Enabled, 0);
  EXPECT_EQ(host_.Query(DXGK_FEATURE_SAMPLE).Version, 5);
}

TEST_F(FeatureChannel, HostOnly_IsOnInTheHostAndNeverInTheGuest) {
  Join();
  EXPECT_EQ(host_.Query(DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD).Enabled, 1);
  EXPECT_EQ(guest_.Query(DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD).Enabled, 0);
  // A guest that asks all the same is told nothing.
  EXPECT_TRUE(host_.features().AnswerGuest(DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD, {1, 1}).empty());
  EXPECT_TRUE(host_.features().AnswerGuest(DXGK_FEATURE_GPUVAIOMMU, {1, 1}).empty());
}

TEST_F(FeatureChannel, DeferToHost_IsAsTheHostHasIt) {
  Join();
  EXPECT_EQ(guest_.Query(DXGK_FEATURE_64K_PT_DEMOTION_FIX).Version, 1);
  EXPECT_EQ(guest_.Query(DXGK_FEATURE_GPUPV_PRESENT_HWQUEUE).Enabled, 0);
  EXPECT_EQ(guest_.driver.asked.count(DXGK_FEATURE_64K_PT_DEMOTION_FIX), 0U);
}

TEST_F(FeatureChannel, HostGoesAway_NewQuestionsAreOffAndOldAnswersStay) {
  Join();
  EXPECT_EQ(guest_.Query(DXGK_FEATURE_SAMPLE).Enabled, 1);
  served_.reset();
  EXPECT_EQ(guest_.Query(DXGK_FEATURE_64K_PT_DEMOTION_FIX).Enabled, 0);
  EXPECT_EQ(guest_.Query(DXGK_FEATURE_SAMPLE).Enabled, 1);
  // Seen by whoever is first: the receiver ("is gone") or the sender ("takes no message").
  EXPECT_THAT(remote_->broken(), HasSubstr("other end of the channel"));
}

// A host that the test plays: it welcomes, then does what the test says.
class PlayedHost : public ::testing::Test {
 protected:
  void SetUp() override {
    auto sockets = SocketPair();
    played_ = std::make_unique<FeatureSocket>(std::move(sockets[0]));
    std::thread welcome([this] {
      auto hello = played_->Receive();
      ASSERT_TRUE(hello.ok());
      hello->kind = FeatureMessageKind::kWelcome;
      ASSERT_TRUE(played_->Send(*hello).ok());
    });
    auto remote = RemoteFeatureHost::Create(std::move(sockets[1]), clock_);
    welcome.join();
    ASSERT_TRUE(remote.ok()) << remote.error().message;
    remote_ = *std::move(remote);
    ASSERT_EQ(remote_->broken(), "");
  }
  // Asks for SAMPLE; the host answers with the question, bent.
  VersionRange Ask(const std::function<void(FeatureMessage&)>& bend) {
    std::thread host([&] {
      auto query = played_->Receive();
      ASSERT_TRUE(query.ok());
      query->kind = FeatureMessageKind::kAnswer;
      bend(*query);
      ASSERT_TRUE(played_->Send(*query).ok());
    });
    const VersionRange answer = remote_->Ask(DXGK_FEATURE_SAMPLE, {3, 5});
    host.join();
    return answer;
  }

  FakeClock clock_{0};
  std::unique_ptr<FeatureSocket> played_;
  std::unique_ptr<RemoteFeatureHost> remote_;
};

TEST_F(PlayedHost, HonestAnswer_IsTaken) {
  const VersionRange answer = Ask([](FeatureMessage& message) { message.versions = {4, 5}; });
  EXPECT_EQ(answer.min, 4);
  EXPECT_EQ(answer.max, 5);
}

TEST_F(PlayedHost, AnyLie_EndsTheTalk) {
  struct Lie {
    const char* said;
    void (*bend)(FeatureMessage&);
  };
  for (const Lie& lie : {Lie{"answer a question for",
                             [](FeatureMessage& m) {
                               m.versions = {3, 6};
                             }},
                         Lie{"does not answer message", [](FeatureMessage& m) { ++m.sequence; }},
                         Lie{"does not answer message", [](FeatureMessage& m) { m.id = DXGK_FEATURE_HWSCH; }},
                         Lie{"does not answer one", [](FeatureMessage& m) { m.kind = FeatureMessageKind::kWelcome; }},
                         Lie{"no range", [](FeatureMessage& m) {
                               m.versions = {5, 3};
                             }}}) {
    SetUp();
    EXPECT_TRUE(Ask(lie.bend).empty()) << lie.said;
    EXPECT_THAT(remote_->broken(), HasSubstr(lie.said));
    EXPECT_TRUE(remote_->Ask(DXGK_FEATURE_SAMPLE, {3, 5}).empty());
  }
}

TEST_F(PlayedHost, MessageThatNobodyWaitsFor_EndsTheTalk) {
  ASSERT_TRUE(played_->Send({FeatureMessageKind::kAnswer, 2, DXGK_FEATURE_SAMPLE, {5, 5}}).ok());
  EXPECT_FALSE(played_->Receive().ok());  // the guest hung up
  EXPECT_THAT(remote_->broken(), HasSubstr("nobody waits for"));
}

TEST_F(PlayedHost, HostThatStalls_IsGivenUpAfterTheLimit) {
  std::thread guest([this] { EXPECT_TRUE(remote_->Ask(DXGK_FEATURE_SAMPLE, {3, 5}).empty()); });
  clock_.AwaitWaiters(1);
  clock_.Advance(kFeatureHostTimeoutNs);
  guest.join();
  EXPECT_THAT(remote_->broken(), HasSubstr("did not answer for feature 0x1f within 2000 ms"));
}

TEST(RemoteFeatureHostTest, HostWithoutAWelcome_IsGivenUp) {
  FakeClock clock(0);
  auto sockets = SocketPair();
  std::thread time([&] {
    clock.AwaitWaiters(1);
    clock.Advance(kFeatureHostTimeoutNs);
  });
  auto remote = RemoteFeatureHost::Create(std::move(sockets[1]), clock);
  time.join();
  ASSERT_TRUE(remote.ok());
  EXPECT_THAT((*remote)->broken(), HasSubstr("did not answer"));
}

TEST(RemoteFeatureHostTest, HostOfAnotherProtocol_IsNotAsked) {
  FakeClock clock(0);
  auto sockets = SocketPair();
  FeatureSocket played(std::move(sockets[0]));
  std::thread host([&] {
    auto hello = played.Receive();
    ASSERT_TRUE(hello.ok());
    hello->kind = FeatureMessageKind::kWelcome;
    hello->versions = {};
    ASSERT_TRUE(played.Send(*hello).ok());
  });
  auto remote = RemoteFeatureHost::Create(std::move(sockets[1]), clock);
  host.join();
  ASSERT_TRUE(remote.ok());
  EXPECT_THAT((*remote)->broken(), HasSubstr("does not speak protocol 1"));
}

TEST(FeatureGuestTest, GuestOutOfTurn_IsCutOff) {
  Side side;
  for (const FeatureMessageKind kind : {FeatureMessageKind::kQuery, FeatureMessageKind::kAnswer, FeatureMessageKind::kWelcome}) {
    auto sockets = SocketPair();
    auto served = FeatureGuest::Create(std::move(sockets[0]), side.features());
    ASSERT_TRUE(served.ok());
    FeatureSocket guest(std::move(sockets[1]));
    ASSERT_TRUE(guest.Send({kind, 1, DXGK_FEATURE_SAMPLE, {3, 5}}).ok());
    EXPECT_FALSE(guest.Receive().ok());
  }
  EXPECT_TRUE(side.driver.asked.empty());
}

TEST(FeatureGuestTest, HelloTwice_IsCutOff) {
  Side side;
  auto sockets = SocketPair();
  auto served = FeatureGuest::Create(std::move(sockets[0]), side.features());
  ASSERT_TRUE(served.ok());
  FeatureSocket guest(std::move(sockets[1]));
  const FeatureMessage hello{FeatureMessageKind::kHello, 1, {}, {1, 9}};
  ASSERT_TRUE(guest.Send(hello).ok());
  const auto welcome = guest.Receive();
  ASSERT_TRUE(welcome.ok());
  EXPECT_EQ(welcome->versions.max, kFeatureProtocol);
  ASSERT_TRUE(guest.Send(hello).ok());
  EXPECT_FALSE(guest.Receive().ok());
}

}  // namespace
}  // namespace tandem::kernel
