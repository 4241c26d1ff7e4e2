// A swap chain's thread: its priority, and the vertical blank that it reports to the application.
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/log.h"
#include "tests/swapchain/gate.h"
#include "tests/swapchain/soft_pair.h"

namespace tandem::swapchain_test {
namespace {

using swapchain::PathRequest;
using swapchain::PresentMode;
using swapchain::SwapChain;
using swapchain::SwapChainDesc;

SwapChainDesc WindowDesc() {
  SwapChainDesc desc;
  desc.width = 40;
  desc.height = 30;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  desc.path = PathRequest::kOneCopy;
  desc.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
  return desc;
}

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::optional<int> NiceOfDisplayThread() {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (TextOf(task.path() / "comm") != "tandem-display\n") continue;
    return getpriority(PRIO_PROCESS, static_cast<id_t>(std::stoul(task.path().filename())));
  }
  return std::nullopt;
}

// Applies to the calling thread and the threads that it starts.
void GiveUpPriority() {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NICE, &limit), 0);
  limit.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NICE, &limit), 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  ASSERT_EQ(syscall(SYS_capget, &header, data), 0);
  data[0].effective &= ~(1U << CAP_SYS_NICE);
  ASSERT_EQ(syscall(SYS_capset, &header, data), 0);
}

struct Seen {
  std::optional<int> nice;
  swapchain::Statistics statistics;
  std::string log;
};

Seen ShowTen() {
  Seen seen;
  const std::string log = testing::TempDir() + "display_thread_test_" + std::to_string(getpid()) + ".log";
  EXPECT_TRUE(ConfigureLog({LogLevel::kWarn, log}).ok());
  const auto pair = SoftPair::Create({});
  EXPECT_TRUE(pair);
  {
    auto chain = SwapChain::Create(pair->render(), pair->display(), WindowDesc(), MonotonicClock());
    EXPECT_TRUE(chain.ok());
    const TestApplication application(pair->render(), **chain, WindowDesc());
    EXPECT_TRUE(PresentFrames(**chain, application, 1, 10).ok());
    EXPECT_TRUE((*chain)->WaitForPresent(10, kPatienceNs).ok());
    seen.nice = NiceOfDisplayThread();
    seen.statistics = (*chain)->statistics();
  }
  EXPECT_TRUE(ConfigureLog({}).ok());
  seen.log = TextOf(log);
  std::filesystem::remove(log);
  return seen;
}

TEST(DisplayThread, MayRaiseItsPriority_IsAboveTheProgram) {
  Seen seen;
  bool may = false;
  Thread::Start("tandem-test",
                [&] {
                  may = SetThreadPriority(ThreadPriority::kDisplay).ok();
                  static_cast<void>(SetThreadPriority(ThreadPriority::kNormal));
                  if (may) seen = ShowTen();
                })
      .value()
      .Join();
  if (!may) GTEST_SKIP() << "This user may not raise a thread's priority.";
  EXPECT_EQ(seen.nice, -10);
  EXPECT_EQ(seen.statistics.frames_shown, 10U);
  EXPECT_EQ(seen.log.find("keeps its priority"), std::string::npos) << seen.log;
  EXPECT_EQ(seen.statistics.priority_refusal, "");
}

TEST(DisplayThread, MayNotRaiseItsPriority_GoesOnAndSaysSo) {
  Seen seen;
  Thread::Start("tandem-test",
                [&] {
                  GiveUpPriority();
                  seen = ShowTen();
                })
      .value()
      .Join();
  EXPECT_EQ(seen.nice, getpriority(PRIO_PROCESS, 0));
  EXPECT_EQ(seen.statistics.frames_shown, 10U);
  EXPECT_NE(seen.log.find("The display thread keeps its priority: Nice value -10 cannot be set"), std::string::npos) << seen.log;
  EXPECT_TRUE(seen.statistics.priority_refusal.starts_with("Nice value -10 cannot be set")) << seen.statistics.priority_refusal;
}

TEST(DisplayThread, Fifo_TheVerticalBlankLetsTheApplicationOn) {
  constexpr std::int64_t kSoonNs = 20'000'000;
  constexpr std::uint32_t kBlanks = 12;
  for (const PathRequest path : {PathRequest::kDirect, PathRequest::kOneCopy, PathRequest::kTwoCopy, PathRequest::kCompressed}) {
    SCOPED_TRACE(ToString(path));
    Gate gate;
    Just policy(link::LinkEncoding::kLossless);
    PairOptions options;
    options.before_show = [&gate] { gate.Pass(); };
    const auto pair = SoftPair::Create(options);
    ASSERT_TRUE(pair);
    SwapChainDesc desc = WindowDesc();
    desc.path = path;
    desc.encodings = &policy;
    auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
    ASSERT_TRUE(chain.ok()) << chain.error().message;
    const TestApplication application(pair->render(), **chain, desc);
    std::uint32_t accepted = 0;
    const auto present_what_goes = [&] {
      for (;;) {
        const auto image = (*chain)->Acquire(kSoonNs);
        if (!image.ok()) return image.error().kind;
        application.Draw(*image, ++accepted);
        EXPECT_TRUE((*chain)->Present(*image, accepted).ok());
        // At most one frame more than the ring holds, which waits for a buffer.
        EXPECT_LE(accepted, (*chain)->statistics().frames_shown + desc.ring_buffers + 1);
      }
    };
    EXPECT_EQ(present_what_goes(), ErrorKind::kTimeout);
    EXPECT_EQ((*chain)->statistics().frames_shown, 0U) << "no blank came";
    for (std::uint32_t blank = 1; blank <= kBlanks; ++blank) {
      gate.Open(1);
      EXPECT_EQ(present_what_goes(), ErrorKind::kTimeout);
      EXPECT_LE((*chain)->statistics().frames_shown, blank);
    }
    if (accepted <= desc.ring_buffers + 1) {
      const auto image = (*chain)->Acquire(kPatienceNs);
      ASSERT_TRUE(image.ok()) << "blanks came: " << image.error().message;
      ASSERT_TRUE((*chain)->Release(*image).ok());
    }
    gate.Open(Gate::kAll);
    ASSERT_TRUE((*chain)->WaitForPresent(accepted, kPatienceNs).ok());
  }
}

}  // namespace
}  // namespace tandem::swapchain_test
