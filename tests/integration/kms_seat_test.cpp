// A user without root on a console of his own: seatd opens the card, and gives it back as consoles are switched (scripts/vm.sh).
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/vt.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/unique_fd.h"
#include "tests/integration/screen_picture.h"
#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

constexpr std::uint32_t kSeatFrames = 200;
// Another Mesa may lie in root's home, where the user may not read.
constexpr char kManifest[] = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";

class KmsSeat : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kManifest)) GTEST_SKIP() << "Debian's lavapipe is not installed.";
    if (geteuid() != 0 || !CardOf("virtio_gpu") || std::getenv("TANDEM_VM_SCREENDUMP") == nullptr)
      GTEST_SKIP() << "Needs root and an emulated card of virtio_gpu; scripts/vm.sh has both.";
    if (RunProcess({"sh", "-c", "command -v seatd setpriv"}, {}, 10'000).exit_code != 0)
      GTEST_SKIP() << "seatd is not installed (package seatd).";
    console_ = UniqueFd(open("/dev/tty0", O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (!console_.valid()) GTEST_SKIP() << "The kernel has no consoles.";
  }

  // The program as the user "nobody", who may open neither card nor console.
  [[nodiscard]] static std::vector<std::string> Command() {
    return {"setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            TANDEM_COMMAND,
            "run",
            "--render",
            "llvmpipe",
            "--display",
            "kms:virtio_gpu",
            "--",
            Program("tandem_paint"),
            "--mode",
            "fifo",
            "--frames",
            std::to_string(kSeatFrames),
            "--hold"};
  }

  // Returns when the kernel has switched.
  void SwitchTo(int console) const {
    ASSERT_EQ(ioctl(console_.get(), VT_ACTIVATE, console), 0);
    ASSERT_EQ(ioctl(console_.get(), VT_WAITACTIVE, console), 0);
  }

  [[nodiscard]] int ActiveConsole() const {
    vt_stat state{};
    return ioctl(console_.get(), VT_GETSTATE, &state) == 0 ? state.v_active : 0;
  }

  UniqueFd console_;
};

TEST_F(KmsSeat, ConsoleSwitchedAwayAmongFramesAndBack_ShowsTheLastFrame) {
  if (!OthersMayRead(TANDEM_COMMAND)) GTEST_SKIP() << "Other users than root cannot read " << TANDEM_COMMAND << ".";
  const Process seatd({"seatd", "-u", "nobody"}, {});
  ASSERT_EQ(RunProcess({"sh", "-c", "until [ -S /run/seatd.sock ]; do sleep 0.1; done"}, {}, 30'000).exit_code, 0);
  Environment environment = WithDrivers({{"lavapipe", "llvmpipe", kManifest}});
  environment.emplace_back("LIBSEAT_BACKEND", "seatd");
  Process program(Command(), environment);
  if (!program.WaitForOutput("painting", 120'000)) {
    program.Kill(SIGTERM);
    FAIL() << program.Wait(10'000).err;
  }
  const int own = ActiveConsole();
  SwitchTo(own == 1 ? 2 : 1);
  // The card is free for the session that has the console now, and the program goes on.
  const std::string masters = "awk '$4 == \"y\"' /sys/kernel/debug/dri/" + CardOf("virtio_gpu")->substr(4) + "/clients";
  EXPECT_EQ(RunProcess({"sh", "-c", masters}, {}, 10'000).out, "");
  EXPECT_TRUE(program.WaitForOutput("painted", 120'000)) << program.output();
  SwitchTo(own);
  const auto fault = FaultOnScreen("virtio-gpu", [](const ScreenPicture& shot) { return FaultOf(shot, kSeatFrames - 1); });
  EXPECT_FALSE(fault) << *fault;
  program.Kill(SIGTERM);
  const ProcessResult result = program.Wait(10'000);
  EXPECT_EQ(result.err.find("surface"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace tandem::test
