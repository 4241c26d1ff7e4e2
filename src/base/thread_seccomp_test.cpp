// A seccomp filter refuses the calls that raise priority; the threads run on without it.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/log.h"
#include "base/thread.h"

namespace tandem {
namespace {

enum class Refused { kAll, kAllButTheNiceValue };

// Applies to the calling thread only and cannot be undone. False if filters are unavailable.
bool Refuse(Refused refused, int error) {
  const auto answer = SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error);
  std::vector<sock_filter> filter;
  const auto load = [&](std::size_t offset) {
    filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  };
  const auto answer_if = [&](std::uint32_t value) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, answer));
  };
  load(offsetof(seccomp_data, nr));
  answer_if(SYS_sched_getattr);
  answer_if(SYS_sched_setattr);
  if (refused == Refused::kAll) answer_if(SYS_setpriority);
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3));
  load(offsetof(seccomp_data, args));
  answer_if(PR_SET_TIMERSLACK);
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

class Sandboxed : public ::testing::TestWithParam<int> {
 protected:
  // Runs `body` on a thread under the filter and returns the log at `level`.
  template <class Body>
  std::string LogOf(LogLevel level, Refused refused, Body body) {
    const std::string path = testing::TempDir() + "thread_seccomp_test." + std::to_string(getpid());
    EXPECT_TRUE(ConfigureLog({level, path}).ok());
    Thread::Start("tandem-box",
                  [&] {
                    filtered_ = Refuse(refused, GetParam());
                    if (filtered_) body();
                  })
        .value()
        .Join();
    EXPECT_TRUE(ConfigureLog({}).ok());
    std::ifstream file(path);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::filesystem::remove(path);
    return text;
  }

  bool filtered_ = false;
};

TEST_P(Sandboxed, EveryCallIsRefused_TheThreadKeepsItsPriority_AndTheReasonIsTold) {
  const std::string log = LogOf(LogLevel::kDebug, Refused::kAll, [] {
    const int slack_ns = prctl(PR_GET_TIMERSLACK);
    const auto raised = SetThreadPriority(ThreadPriority::kDisplay);
    ASSERT_FALSE(raised.ok());
    EXPECT_EQ(raised.error().kind, ErrorKind::kUnsupported);
    EXPECT_EQ(prctl(PR_GET_TIMERSLACK), slack_ns);
  });
  if (!filtered_) GTEST_SKIP() << "System calls cannot be filtered here.";
  EXPECT_EQ(log, "");
}

TEST_P(Sandboxed, WhatIsNotRefusedIsHad_AndNothingIsSaid) {
  const std::string log = LogOf(LogLevel::kDebug, Refused::kAllButTheNiceValue, [] {
    bool may = false;
    Thread::Start("tandem-free", [&] { may = setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), -10) == 0; }).value().Join();
    EXPECT_EQ(SetThreadPriority(ThreadPriority::kDisplay).ok(), may);
  });
  if (!filtered_) GTEST_SKIP() << "System calls cannot be filtered here.";
  EXPECT_EQ(log, "");
}

TEST_P(Sandboxed, WhoRequestsTheDisplaysPriority_SaysItToTheLogAlone) {
  testing::internal::CaptureStderr();
  const std::string log = LogOf(LogLevel::kDebug, Refused::kAll, [] { RequestDisplayPriority(); });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  if (!filtered_) GTEST_SKIP() << "System calls cannot be filtered here.";
  EXPECT_NE(log.find("Thread 'tandem-box' keeps its priority: Nice value -10 cannot be set: "), std::string::npos) << log;
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
}

INSTANTIATE_TEST_SUITE_P(Answers, Sandboxed, ::testing::Values(EPERM, ENOSYS),
                         [](const auto& tested) { return tested.param == EPERM ? "EPERM" : "ENOSYS"; });

}  // namespace
}  // namespace tandem
