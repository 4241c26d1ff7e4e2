#include "base/unique_fd.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include <gtest/gtest.h>

namespace tandem {
namespace {

UniqueFd OpenNull() { return UniqueFd(open("/dev/null", O_RDWR | O_CLOEXEC)); }
bool IsOpen(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST(UniqueFd, Destroyed_ClosesDescriptor) {
  int raw = -1;
  {
    const UniqueFd fd = OpenNull();
    raw = fd.get();
    ASSERT_TRUE(IsOpen(raw));
  }
  EXPECT_FALSE(IsOpen(raw));
}

TEST(UniqueFd, Moved_LeavesNoneBehind) {
  UniqueFd from = OpenNull();
  const int raw = from.get();
  UniqueFd to = std::move(from);
  EXPECT_FALSE(from.valid());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(to.get(), raw);
  UniqueFd other = OpenNull();
  const int replaced = other.get();
  other = std::move(to);
  EXPECT_EQ(other.get(), raw);
  EXPECT_FALSE(IsOpen(replaced));
}

TEST(UniqueFd, Release_LeavesDescriptorOpen) {
  UniqueFd fd = OpenNull();
  const int raw = fd.Release();
  EXPECT_FALSE(fd.valid());
  EXPECT_TRUE(IsOpen(raw));
  close(raw);
}

TEST(UniqueFd, NegativeValue_IsNone) {
  const UniqueFd fd(-5);
  EXPECT_FALSE(fd.valid());
  EXPECT_EQ(fd.get(), -1);
}

TEST(UniqueFd, Reset_KeepsErrno) {
  UniqueFd fd = OpenNull();
  errno = ENOTTY;
  fd.Reset();
  EXPECT_EQ(errno, ENOTTY);
}

TEST(UniqueFd, Duplicate_IsAnotherDescriptorAndCloseOnExec) {
  const UniqueFd fd = OpenNull();
  const auto copy = fd.Duplicate();
  ASSERT_TRUE(copy.ok());
  EXPECT_NE(copy->get(), fd.get());
  EXPECT_EQ(fcntl(copy->get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST(UniqueFd, DuplicateOfNone_Fails) {
  const auto copy = UniqueFd().Duplicate();
  ASSERT_FALSE(copy.ok());
  EXPECT_EQ(copy.error().kind, ErrorKind::kInvalidArgument);
}

}  // namespace
}  // namespace tandem
