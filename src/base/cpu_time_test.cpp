#include "base/cpu_time.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(ProcessCpuNs, WhileTheProcessWorks_Grows) {
  const std::int64_t before = ProcessCpuNs();
  EXPECT_GE(before, 0);
  volatile std::uint64_t work = 0;
  while (ProcessCpuNs() < before + 1'000'000) work = work + 1;
}

}  // namespace
}  // namespace tandem
