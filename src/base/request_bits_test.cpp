#include "base/request_bits.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace tandem {
namespace {

TEST(RequestBits, Take_GivesWhatWasPosted_Once) {
  RequestBits requests;
  EXPECT_EQ(requests.Post(1), 0u);
  EXPECT_EQ(requests.Post(4), 1u);
  EXPECT_EQ(requests.Post(4), 5u);
  EXPECT_EQ(requests.Take(), 5u);
  EXPECT_EQ(requests.Post(2 | 8), 0u);
  requests.Drop(2);
  EXPECT_EQ(requests.Take(), 8u);
}

TEST(RequestBits, Post_ToASleepingThread_WakesIt) {
  constexpr std::uint32_t kStop = 2;
  RequestBits requests, answers;
  std::thread server([&] {
    while ((requests.Take() & kStop) == 0) answers.Post(1);
  });
  for (int i = 0; i < 20'000; ++i) {
    EXPECT_EQ(requests.Post(1), 0u);
    EXPECT_EQ(answers.Take(), 1u);
  }
  requests.Post(kStop);
  server.join();
}

TEST(RequestBits, Post_FromManyThreads_LosesNothing) {
  constexpr int kThreads = 4, kPosts = 20'000;
  RequestBits requests;
  std::atomic<int> posted{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kPosts; ++i) {
        if ((requests.Post(1u << t) >> t & 1) == 0) ++posted;
      }
      requests.Post(16u << t);
    });
  }
  int taken = 0;
  std::uint32_t ended = 0;
  while (ended != 0xF0) {
    const std::uint32_t bits = requests.Take();
    ended |= bits & 0xF0;
    taken += __builtin_popcount(bits & 0xF);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, posted);
}

}  // namespace
}  // namespace tandem
