#include "drivers/vulkan/display/wsi_sockets.h"

#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "outputs/output.h"

namespace tandem::vulkan {
namespace {

// A head that answers on a thread of its own; it never has a real surface.
class FakeHead final : public WsiSockets::Listener {
 public:
  FakeHead(WsiSockets& sockets, bool succeeds) : sockets_(sockets), succeeds_(succeeds) {
    auto thread = Thread::Start("fake-head", [this] { Run(); });
    EXPECT_TRUE(thread.ok());
    thread_ = *std::move(thread);
    sockets_.Attach(0, *this);
  }
  ~FakeHead() override {
    sockets_.Detach(0);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    thread_.Join();
  }
  void OnPlugChanged() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      changed_ = true;
    }
    wake_.notify_all();
  }
  [[nodiscard]] bool has_window() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return has_window_;
  }

 private:
  void Run() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return changed_ || stop_; });
      if (stop_) return;
      changed_ = false;
      lock.unlock();
      const bool has = Update();
      lock.lock();
      has_window_ = has;
    }
  }
  bool Update() {
    if (sockets_.Take(0)) {
      const Error failure = Fail(ErrorKind::kUnsupported, "The window is made of glass.");
      sockets_.Opened(0, nullptr, succeeds_ ? nullptr : &failure);
      return succeeds_;
    }
    if (sockets_.IsPlugged(0)) return true;
    sockets_.Close(0);
    sockets_.Released(0);
    return false;
  }

  WsiSockets& sockets_;
  const bool succeeds_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool changed_ = false;
  bool has_window_ = false;
  bool stop_ = false;
  Thread thread_;
};

TEST(WsiSockets, Plug_WithoutAHead_TakesTheFirstFreeSocket) {
  WsiSockets sockets(2);
  EXPECT_EQ(sockets.Status(0).state, outputs::OutputState::kLost);
  EXPECT_EQ(*sockets.Plug({}), 0u);
  EXPECT_EQ(*sockets.Plug({}), 1u);
  EXPECT_EQ(sockets.Status(1).state, outputs::OutputState::kOk);
  sockets.Unplug(0);
  EXPECT_EQ(*sockets.Plug({}), 0u);
}

TEST(WsiSockets, Plug_AllTaken_NamesTheLimit) {
  WsiSockets sockets(1);
  ASSERT_TRUE(sockets.Plug({}).ok());
  const auto second = sockets.Plug({});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, ErrorKind::kLimit);
}

TEST(WsiSockets, Plug_HeadRefuses_AnswersItsReasonAndTheSocketStaysFree) {
  WsiSockets sockets(1);
  FakeHead head(sockets, false);
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto socket = sockets.Plug({});
    ASSERT_FALSE(socket.ok());
    EXPECT_EQ(socket.error().kind, ErrorKind::kUnsupported);
  }
}

TEST(WsiSockets, Unplug_HeadHasTheWindow_ReturnsWhenItLetGo) {
  WsiSockets sockets(1);
  FakeHead head(sockets, true);
  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(sockets.Plug({}).ok());
    EXPECT_TRUE(sockets.IsPlugged(0));
    sockets.Unplug(0);
    EXPECT_FALSE(sockets.IsPlugged(0));
    EXPECT_EQ(sockets.Status(0).state, outputs::OutputState::kLost);
  }
}

TEST(WsiSockets, Attach_PluggedBefore_HeadGetsTheWindow) {
  WsiSockets sockets(1);
  ASSERT_TRUE(sockets.Plug({}).ok());
  FakeHead head(sockets, true);
  while (!head.has_window()) std::this_thread::yield();
  sockets.Unplug(0);
}

TEST(WsiSockets, UnknownSocket_IsIgnored) {
  WsiSockets sockets(1);
  sockets.Unplug(7);
  EXPECT_EQ(sockets.Status(7).state, outputs::OutputState::kLost);
  EXPECT_EQ(sockets.CountersOf(7).shown, 0u);
}

TEST(WsiSockets, CreateWsiConnector_CountOutOfRange_IsBroughtIntoIt) {
  EXPECT_EQ(std::static_pointer_cast<WsiSockets>(CreateWsiConnector(0))->count(), 1u);
  EXPECT_EQ(std::static_pointer_cast<WsiSockets>(CreateWsiConnector(1000))->count(), kMaxVidPnSources);
}

}  // namespace
}  // namespace tandem::vulkan
