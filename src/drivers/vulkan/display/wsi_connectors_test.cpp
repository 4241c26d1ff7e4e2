#include "drivers/vulkan/display/wsi_connectors.h"

#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "outputs/output.h"

namespace tandem::vulkan {
namespace {

// A head that answers on a thread of its own; it never has a real surface.
class FakeHead final : public WsiConnectorsImpl::Listener {
 public:
  FakeHead(WsiConnectorsImpl& connectors, bool succeeds) : connectors_(connectors), succeeds_(succeeds) {
    auto thread = Thread::Start("fake-head", [this] { Run(); });
    EXPECT_TRUE(thread.ok());
    thread_ = *std::move(thread);
    connectors_.Attach(0, *this);
  }
  ~FakeHead() override {
    connectors_.Detach(0);
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
    if (connectors_.Take(0)) {
      const Error failure = Fail(ErrorKind::kUnsupported, "The window is made of glass.");
      connectors_.Opened(0, nullptr, succeeds_ ? nullptr : &failure);
      return succeeds_;
    }
    if (connectors_.IsPlugged(0)) return true;
    connectors_.Close(0);
    connectors_.Released(0);
    return false;
  }

  WsiConnectorsImpl& connectors_;
  const bool succeeds_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool changed_ = false;
  bool has_window_ = false;
  bool stop_ = false;
  Thread thread_;
};

TEST(WsiConnectorsImpl, Plug_WithoutAHead_TakesTheFirstFreeSocket) {
  WsiConnectorsImpl connectors(2);
  EXPECT_EQ(connectors.Status(0).state, outputs::OutputState::kLost);
  EXPECT_EQ(*connectors.Plug({}), 0u);
  EXPECT_EQ(*connectors.Plug({}), 1u);
  EXPECT_EQ(connectors.Status(1).state, outputs::OutputState::kOk);
  connectors.Unplug(0);
  EXPECT_EQ(*connectors.Plug({}), 0u);
}

TEST(WsiConnectorsImpl, Plug_AllTaken_NamesTheLimit) {
  WsiConnectorsImpl connectors(1);
  ASSERT_TRUE(connectors.Plug({}).ok());
  const auto second = connectors.Plug({});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, ErrorKind::kLimit);
}

TEST(WsiConnectorsImpl, Plug_HeadRefuses_AnswersItsReasonAndTheSocketStaysFree) {
  WsiConnectorsImpl connectors(1);
  FakeHead head(connectors, false);
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto connector = connectors.Plug({});
    ASSERT_FALSE(connector.ok());
    EXPECT_EQ(connector.error().kind, ErrorKind::kUnsupported);
  }
}

TEST(WsiConnectorsImpl, Unplug_HeadHasTheWindow_ReturnsWhenItLetGo) {
  WsiConnectorsImpl connectors(1);
  FakeHead head(connectors, true);
  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(connectors.Plug({}).ok());
    EXPECT_TRUE(connectors.IsPlugged(0));
    connectors.Unplug(0);
    EXPECT_FALSE(connectors.IsPlugged(0));
    EXPECT_EQ(connectors.Status(0).state, outputs::OutputState::kLost);
  }
}

TEST(WsiConnectorsImpl, Attach_PluggedBefore_HeadGetsTheWindow) {
  WsiConnectorsImpl connectors(1);
  ASSERT_TRUE(connectors.Plug({}).ok());
  FakeHead head(connectors, true);
  while (!head.has_window()) std::this_thread::yield();
  connectors.Unplug(0);
}

TEST(WsiConnectorsImpl, UnknownSocket_IsIgnored) {
  WsiConnectorsImpl connectors(1);
  connectors.Unplug(7);
  EXPECT_EQ(connectors.Status(7).state, outputs::OutputState::kLost);
  EXPECT_EQ(connectors.CountersOf(7).shown, 0u);
}

TEST(WsiConnectorsImpl, CreateWsiConnector_CountOutOfRange_IsBroughtIntoIt) {
  EXPECT_EQ(std::static_pointer_cast<WsiConnectorsImpl>(CreateWsiConnectors(0))->count(), 1u);
  EXPECT_EQ(std::static_pointer_cast<WsiConnectorsImpl>(CreateWsiConnectors(1000))->count(), kMaxVidPnSources);
}

}  // namespace
}  // namespace tandem::vulkan
