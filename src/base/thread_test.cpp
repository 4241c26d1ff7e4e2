#include "base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>

#include <gtest/gtest.h>

namespace tandem {
namespace {

std::string CurrentName() {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return name.data();
}

class Counter {
 public:
  void Add() {
    const MutexLock lock(mutex_);
    ++value_;
    changed_.notify_all();
  }
  int AwaitAtLeast(int wanted) {
    MutexLock lock(mutex_);
    while (value_ < wanted) changed_.wait(lock.native());
    return value_;
  }

 private:
  Mutex mutex_;
  std::condition_variable changed_;
  int value_ TANDEM_GUARDED_BY(mutex_) = 0;
};

TEST(Thread, Started_RunsUnderItsName) {
  std::string name;
  auto thread = Thread::Start("tandem-display", [&] { name = CurrentName(); });
  ASSERT_TRUE(thread.ok());
  thread->Join();
  EXPECT_EQ(name, "tandem-display");
}

TEST(Thread, LongName_IsCutTo15Characters) {
  std::string name;
  auto thread = Thread::Start("tandem-display-thread", [&] { name = CurrentName(); });
  ASSERT_TRUE(thread.ok());
  thread->Join();
  EXPECT_EQ(name, "tandem-display-");
}

TEST(Thread, Started_BlocksEverySignalButFaults) {
  sigset_t before;
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &before), 0);
  sigset_t inside;
  sigemptyset(&inside);
  auto thread = Thread::Start("tandem-test", [&] { pthread_sigmask(SIG_SETMASK, nullptr, &inside); });
  ASSERT_TRUE(thread.ok());
  thread->Join();
  for (const int signal : {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGPROF, SIGPIPE, SIGRTMIN, SIGRTMAX}) {
    EXPECT_EQ(sigismember(&inside, signal), 1) << signal;
  }
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) {
    EXPECT_EQ(sigismember(&inside, fault), 0) << fault;
  }
  sigset_t after;
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &after), 0);
  for (int signal = 1; signal < SIGRTMAX; ++signal)
    EXPECT_EQ(sigismember(&after, signal), sigismember(&before, signal)) << signal;
}

TEST(Thread, Destroyed_WaitsForItsBody) {
  std::atomic<bool> finished{false};
  {
    Counter started;
    auto thread = Thread::Start("tandem-test", [&] {
      started.Add();
      finished = true;
    });
    ASSERT_TRUE(thread.ok());
    EXPECT_EQ(started.AwaitAtLeast(1), 1);
  }
  EXPECT_TRUE(finished);
}

TEST(Thread, MoveAssigned_JoinsTheOneBefore) {
  std::atomic<int> finished{0};
  Thread thread = Thread::Start("tandem-one", [&] { ++finished; }).value();
  thread = Thread::Start("tandem-two", [&] { ++finished; }).value();
  EXPECT_GE(finished, 1);
  thread.Join();
  EXPECT_EQ(finished, 2);
  EXPECT_FALSE(thread.joinable());
  thread.Join();
}

TEST(Mutex, ManyThreads_CountEachStep) {
  constexpr int kThreads = 4;
  constexpr int kSteps = 1000;
  Counter counter;
  {
    std::array<Thread, kThreads> threads;
    for (Thread& thread : threads) {
      thread = Thread::Start("tandem-count", [&] {
                 for (int i = 0; i < kSteps; ++i) counter.Add();
               }).value();
    }
  }
  EXPECT_EQ(counter.AwaitAtLeast(0), kThreads * kSteps);
}

TEST(Mutex, Held_CannotBeTakenByAnother) {
  Mutex mutex;
  mutex.Lock();
  bool taken = true;
  Thread::Start("tandem-try",
                [&] {
                  if (mutex.TryLock()) {
                    mutex.Unlock();
                  } else {
                    taken = false;
                  }
                })
      .value()
      .Join();
  mutex.Unlock();
  EXPECT_FALSE(taken);
}

TEST(SetThreadPriority, Display_RaisesOrSaysWhyNot) {
  Thread::Start("tandem-nice",
                [] {
                  const int slack_ns = prctl(PR_GET_TIMERSLACK);
                  const auto raised = SetThreadPriority(ThreadPriority::kDisplay);
                  const int nice_value = getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()));
                  if (raised.ok()) {
                    EXPECT_EQ(nice_value, -10);
                  } else {
                    EXPECT_EQ(raised.error().kind, ErrorKind::kUnsupported);
                    EXPECT_EQ(nice_value, 0);
                  }
                  EXPECT_EQ(prctl(PR_GET_TIMERSLACK), 1);
                  EXPECT_TRUE(SetThreadPriority(ThreadPriority::kNormal).ok());
                  EXPECT_EQ(prctl(PR_GET_TIMERSLACK), slack_ns);
                })
      .value()
      .Join();
}

TEST(RequestDisplayPriority, RefusedOrNot_AsksForAllOfIt) {
  Thread::Start("tandem-nice",
                [] {
                  const bool may = SetThreadPriority(ThreadPriority::kDisplay).ok();
                  ASSERT_TRUE(SetThreadPriority(ThreadPriority::kNormal).ok());
                  RequestDisplayPriority();
                  EXPECT_EQ(getpriority(PRIO_PROCESS, static_cast<id_t>(gettid())), may ? -10 : 0);
                  EXPECT_EQ(prctl(PR_GET_TIMERSLACK), 1);
                })
      .value()
      .Join();
}

}  // namespace
}  // namespace tandem
