// Connectors that a compositor lends. The test's compositor has a node that stands for a card.
#include "outputs/wayland/lease.h"

#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outputs/testing/wayland_compositor.h"
#include "outputs/wayland/client.h"

namespace tandem::outputs {
namespace {

using testing::CompositorManners;
using testing::WaylandCompositor;

constexpr char kNode[] = "/dev/null";
constexpr char kLeased[] = "/dev/zero";
constexpr std::uint32_t kConnector = 40;

dev_t DeviceOf(const char* node) {
  struct stat status {};
  return stat(node, &status) == 0 ? status.st_rdev : 0;
}

dev_t DeviceOf(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 ? status.st_rdev : 0;
}

class WaylandLeaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef TANDEM_WAYLAND_DRM_LEASE
    GTEST_SKIP() << "wayland-protocols lacks drm-lease.";
#endif
    unsetenv("WAYLAND_SOCKET");
    manners_.lease = {kNode, kConnector, true, [] { return open(kLeased, O_RDWR | O_CLOEXEC); }};
  }

  ErrorKind RefusalOf(dev_t card, std::uint32_t connector) {
    Begin();
    const auto lease = WaylandLease::Take(card, connector);
    EXPECT_FALSE(lease.ok());
    return lease.ok() ? ErrorKind::kInternal : lease.error().kind;
  }

  // Each test has a process of its own.
  void Begin() {
    char folder[] = "/tmp/tandem-lease-XXXXXX";
    folder_ = mkdtemp(folder);
    setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
    manners_.socket = "lender";
    setenv("WAYLAND_DISPLAY", "lender", 1);
    compositor_ = WaylandCompositor::Start(manners_);
    ASSERT_NE(compositor_, nullptr);
  }

  void TearDown() override {
    if (compositor_ != nullptr) {
      EXPECT_EQ(compositor_->errors(), 0u);
    }
    compositor_.reset();
    if (!folder_.empty()) {
      unlink((folder_ + "/lender.lock").c_str());
      rmdir(folder_.c_str());
    }
  }

  CompositorManners manners_;
  std::unique_ptr<WaylandCompositor> compositor_;
  std::string folder_;
};

TEST_F(WaylandLeaseTest, OfferedConnector_IsLent) {
  Begin();
  auto lease = WaylandLease::Take(DeviceOf(kNode), kConnector);
  ASSERT_TRUE(lease.ok()) << lease.error().message;
  const UniqueFd card = (*lease)->TakeCard();
  EXPECT_EQ(DeviceOf(card.get()), DeviceOf(kLeased));
  EXPECT_FALSE((*lease)->TakeCard().valid());
}

TEST_F(WaylandLeaseTest, OtherConnectorOrCard_IsNotFound) {
  EXPECT_EQ(RefusalOf(DeviceOf(kNode), kConnector + 1), ErrorKind::kNotFound);
  EXPECT_EQ(WaylandLease::Take(DeviceOf(kLeased), kConnector).error().kind, ErrorKind::kNotFound);
}

TEST_F(WaylandLeaseTest, RefusingCompositor_IsAnError) {
  manners_.lease.lend = [] { return -1; };
  EXPECT_EQ(RefusalOf(DeviceOf(kNode), kConnector), ErrorKind::kIo);
}

TEST_F(WaylandLeaseTest, CompositorThatDiesBeforeItsListEnds_IsAnError) {
  manners_.dies_at = "wl_registry.bind";
  manners_.lease.done = false;
  Begin();
  const auto lease = WaylandLease::Take(DeviceOf(kNode), kConnector);
  ASSERT_FALSE(lease.ok());
  EXPECT_EQ(lease.error().kind, ErrorKind::kSurfaceLost) << lease.error().message;
}

TEST_F(WaylandLeaseTest, CompositorWithoutTheProtocol_IsUnsupported) {
  manners_.lease.node.clear();
  EXPECT_EQ(RefusalOf(DeviceOf(kNode), kConnector), ErrorKind::kUnsupported);
}

TEST_F(WaylandLeaseTest, ProgramsOwnSocket_IsNotTaken) {
  setenv("WAYLAND_SOCKET", "99", 1);
  EXPECT_EQ(RefusalOf(DeviceOf(kNode), kConnector), ErrorKind::kUnsupported);
  EXPECT_STREQ(std::getenv("WAYLAND_SOCKET"), "99");
}

TEST_F(WaylandLeaseTest, NoCompositor_IsAnError) {
  setenv("XDG_RUNTIME_DIR", "/nonexistent", 1);
  EXPECT_EQ(WaylandLease::Take(DeviceOf(kNode), kConnector).error().kind, ErrorKind::kSurfaceLost);
}

}  // namespace
}  // namespace tandem::outputs
