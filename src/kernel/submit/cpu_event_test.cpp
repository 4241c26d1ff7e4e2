#include "kernel/submit/cpu_event.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace tandem::kernel {
namespace {

HANDLE HandleOf(int fd) { return reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(fd)); }

TEST(CpuEvent, Eventfd_IsSet_AndKeepsItsCountWhenItIsFull) {
  const UniqueFd fd(eventfd(0, EFD_CLOEXEC));  // blocks a writer
  CpuEvent event;
  ASSERT_EQ(CpuEvent::Open(HandleOf(fd.get()), event), STATUS_SUCCESS);
  event.Set();
  eventfd_t count = 0;
  ASSERT_EQ(eventfd_read(fd.get(), &count), 0);
  EXPECT_EQ(count, 1U);
  constexpr eventfd_t kMost = UINT64_MAX - 1;
  ASSERT_EQ(eventfd_write(fd.get(), kMost), 0);
  event.Set();  // would wait for a reader
  ASSERT_EQ(eventfd_read(fd.get(), &count), 0);
  EXPECT_EQ(count, kMost);
}

TEST(CpuEvent, PipeOrClosedDescriptor_IsRefused) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  CpuEvent event;
  EXPECT_EQ(CpuEvent::Open(HandleOf(writing.get()), event), STATUS_OBJECT_TYPE_MISMATCH);
  const int closed = writing.get();
  writing = UniqueFd();
  EXPECT_EQ(CpuEvent::Open(HandleOf(closed), event), STATUS_INVALID_HANDLE);
}

}  // namespace
}  // namespace tandem::kernel
