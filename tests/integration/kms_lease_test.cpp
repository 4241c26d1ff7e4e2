// Displays that a desktop lends, by photographs of an emulated screen (scripts/vm.sh).
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <drm.h>
#include <drm_mode.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include "base/unique_fd.h"
#include "outputs/testing/wayland_compositor.h"
#include "outputs/testing/x_server.h"
#include "tests/integration/screen_picture.h"
#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

constexpr std::uint32_t kLeaseFrames = 20;

// A card whose master this is, as a compositor is.
class LeasedCard {
 public:
  explicit LeasedCard(const std::string& node) : card_(open(node.c_str(), O_RDWR | O_CLOEXEC)) {
    drm_mode_card_res resources{};
    resources.connector_id_ptr = reinterpret_cast<std::uint64_t>(&connector_);
    resources.crtc_id_ptr = reinterpret_cast<std::uint64_t>(&crtc_);
    resources.count_connectors = resources.count_crtcs = 1;
    ready_ = ioctl(card_.get(), DRM_IOCTL_MODE_GETRESOURCES, &resources) == 0 && resources.count_connectors == 1;
  }

  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] std::uint32_t connector() const { return connector_; }
  // The lease's descriptor, or -1. The kernel adds the CRTC's primary plane.
  int Lend() {
    std::uint32_t objects[] = {connector_, crtc_};
    drm_mode_create_lease lease{};
    lease.object_ids = reinterpret_cast<std::uint64_t>(objects);
    lease.object_count = 2;
    lease.flags = O_CLOEXEC;
    if (ioctl(card_.get(), DRM_IOCTL_MODE_CREATE_LEASE, &lease) != 0) return -1;
    lessee_ = lease.lessee_id;
    return static_cast<int>(lease.fd);
  }
  void Revoke() const {
    drm_mode_revoke_lease lease{lessee_};
    EXPECT_EQ(ioctl(card_.get(), DRM_IOCTL_MODE_REVOKE_LEASE, &lease), 0);
  }

 private:
  const UniqueFd card_;
  std::uint32_t connector_ = 0;
  std::uint32_t crtc_ = 0;
  std::uint32_t lessee_ = 0;
  bool ready_ = false;
};

class KmsLease : public testing::Test {
 protected:
  void SetUp() override {
    if (VulkanDrivers().empty()) GTEST_SKIP() << "No Vulkan driver is installed.";
    const auto card = CardOf("virtio_gpu");
    if (!card || std::getenv("TANDEM_VM_SCREENDUMP") == nullptr)
      GTEST_SKIP() << "The machine has no emulated card with the driver virtio_gpu; scripts/vm.sh has one.";
    card_ = "/dev/dri/" + *card;
  }

  // `desktop` is the variable and the value that name it.
  [[nodiscard]] static std::unique_ptr<Process> Start(std::uint32_t frames, const std::pair<std::string, std::string>& desktop,
                                                      const std::vector<std::string>& more = {"--hold"}) {
    Environment environment = WithDrivers(VulkanDrivers());
    environment.push_back(desktop);
    std::vector<std::string> command{TANDEM_COMMAND, "run",
                                     "--render",     "llvmpipe",
                                     "--display",    "kms:virtio_gpu:" + ConnectorOf(*CardOf("virtio_gpu")),
                                     "--",           Program("tandem_paint"),
                                     "--mode",       "fifo",
                                     "--frames",     std::to_string(frames)};
    command.insert(command.end(), more.begin(), more.end());
    return std::make_unique<Process>(command, environment);
  }

  static void ExpectLastOnScreen(Process& program) {
    if (!program.WaitForOutput("painted", 120'000)) {
      program.Kill(SIGTERM);
      FAIL() << program.Wait(10'000).err;
    }
    const auto fault = FaultOnScreen("virtio-gpu", [](const ScreenPicture& shot) { return FaultOf(shot, kLeaseFrames - 1); });
    EXPECT_FALSE(fault) << *fault;
    program.Kill(SIGTERM);
    static_cast<void>(program.Wait(10'000));
  }

  std::string card_;  // "/dev/dri/card1"
};

TEST_F(KmsLease, ConnectorOfAnXServer_ShowsTheFramesAgainAndAgain) {
  const auto other = CardOf("bochs-drm");
  if (!other) GTEST_SKIP() << "The X server needs a second card, of bochs-drm; scripts/vm.sh has one.";
  const auto server = outputs::testing::XServer::StartXorg(card_, "/dev/dri/" + *other);
  if (server == nullptr) GTEST_SKIP() << "Xorg is not installed (package xserver-xorg-core).";
  // A program that ends gives the connector back. One that is killed leaves that to udev, which the machine lacks.
  const ProcessResult first = Start(kLeaseFrames, {"DISPLAY", server->display()}, {})->Wait(120'000);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  const auto second = Start(kLeaseFrames, {"DISPLAY", server->display()});
  ExpectLastOnScreen(*second);
}

class KmsLeaseOfCompositor : public KmsLease {
 protected:
  void SetUp() override {
    KmsLease::SetUp();
    if (IsSkipped()) return;
    card_of_desktop_ = std::make_unique<LeasedCard>(card_);
    ASSERT_TRUE(card_of_desktop_->ready());
    outputs::testing::CompositorManners manners;
    manners.socket = "lender";
    manners.lease = {card_, card_of_desktop_->connector(), true, [this] { return card_of_desktop_->Lend(); }};
    compositor_ = outputs::testing::WaylandCompositor::Start(manners);
    ASSERT_NE(compositor_, nullptr);
  }

  RuntimeFolder folder_;
  std::unique_ptr<LeasedCard> card_of_desktop_;
  std::unique_ptr<outputs::testing::WaylandCompositor> compositor_;
};

TEST_F(KmsLeaseOfCompositor, LentConnector_ShowsTheFrames) {
  const auto program = Start(kLeaseFrames, {"WAYLAND_DISPLAY", "lender"});
  ExpectLastOnScreen(*program);
  EXPECT_EQ(compositor_->errors(), 0u);
}

TEST_F(KmsLeaseOfCompositor, LeaseRevokedAmongFrames_EndsTheProgramWithAReason) {
  const auto program = Start(100'000, {"WAYLAND_DISPLAY", "lender"});
  EXPECT_TRUE(program->WaitForOutput("painting", 120'000));
  card_of_desktop_->Revoke();
  const ProcessResult result = program->Wait(60'000);
  EXPECT_FALSE(result.timed_out);
  EXPECT_NE(result.exit_code, 0);
  EXPECT_NE(result.err.find("ended its lease"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace tandem::test
