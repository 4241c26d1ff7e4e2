// Frames of a program on cards of the kernel's mode setting, by photographs of their emulated screens (scripts/vm.sh).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/utsname.h>

#include "tests/integration/screen_picture.h"
#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

constexpr int kCardFrames = 20;

struct EmulatedCard {
  const char* driver;  // in sysfs
  const char* screen;  // the emulator's name for it
  // The path that frames take by themselves: cirrus shows memory of others, and bochs its own that others draw into. Linux 6.1's
  // bochs exports none.
  const char* path;
  const char* path_on_61;
};
std::ostream& operator<<(std::ostream& out, const EmulatedCard& card) { return out << card.driver; }

// The screen has the mode of 640 x 480 pixels and shows the frame.
ScreenJudge Shows(std::uint32_t frame) {
  return [frame](const ScreenPicture& shot) { return FaultOf(shot, frame); };
}

class KmsFrames : public testing::TestWithParam<EmulatedCard> {
 protected:
  void SetUp() override {
    if (VulkanDrivers().empty()) GTEST_SKIP() << "No Vulkan driver is installed.";
    const auto card = CardOf(GetParam().driver);
    if (!card || std::getenv("TANDEM_VM_SCREENDUMP") == nullptr)
      GTEST_SKIP() << "The machine has no emulated card with the driver " << GetParam().driver << "; scripts/vm.sh has one.";
    card_ = *card;
  }

  [[nodiscard]] std::vector<std::string> Command(const std::vector<std::string>& options,
                                                 const std::vector<std::string>& more) const {
    std::vector<std::string> argv{TANDEM_COMMAND, "run",       "--render",
                                  "llvmpipe",     "--display", std::string("kms:") + GetParam().driver};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(), {"--", Program("tandem_paint"), "--mode", "fifo"});
    argv.insert(argv.end(), more.begin(), more.end());
    return argv;
  }

  // Runs the program until its last frame stays, and compares the screen with it.
  void ExpectOnScreen(const std::vector<std::string>& options, const std::vector<std::string>& more,
                      const ScreenJudge& fault_of) {
    std::vector<std::string> arguments = more;
    arguments.insert(arguments.end(), {"--frames", std::to_string(kCardFrames), "--hold"});
    Process program(Command(options, arguments), WithDrivers(VulkanDrivers()));
    ExpectLastOnScreen(program, fault_of);
  }

  void ExpectLastOnScreen(Process& program, const ScreenJudge& fault_of) {
    if (!program.WaitForOutput("painted", 120'000)) {
      program.Kill(SIGTERM);
      FAIL() << program.Wait(10'000).err;
    }
    const std::optional<std::string> fault = FaultOnScreen(GetParam().screen, fault_of);
    EXPECT_FALSE(fault) << *fault;
    program.Kill(SIGTERM);
    static_cast<void>(program.Wait(10'000));
  }

  std::string card_;  // "card1"
};
INSTANTIATE_TEST_SUITE_P(Cards, KmsFrames,
                         testing::Values(EmulatedCard{"virtio_gpu", "virtio-gpu", "two-copy", "two-copy"},
                                         EmulatedCard{"bochs-drm", "bochs", "direct", "two-copy"},
                                         EmulatedCard{"cirrus", "cirrus", "direct", "direct"}),
                         [](const auto& tested) {
                           return std::string(tested.param.screen).substr(0, std::string(tested.param.screen).find('-'));
                         });

TEST_P(KmsFrames, LastFrame_IsOnTheScreenInEveryPixel) {
  ExpectOnScreen({}, {}, Shows(kCardFrames - 1));
  ExpectOnScreen({"--path", "two-copy"}, {}, Shows(kCardFrames - 1));
}

TEST_P(KmsFrames, EachSize_SetsItsMode) {
  ExpectOnScreen({}, {"--size", "800x600,1024x768,640x480"}, Shows(3 * kCardFrames - 1));
}

TEST_P(KmsFrames, SizeThatNoModeHas_IsInTheMiddleOfTheScreen) {
  ExpectOnScreen({}, {"--size", "500x300"},
                 [](const ScreenPicture& shot) { return FaultInTheMiddle(shot, kCardFrames - 1, 500, 300); });
}

TEST_P(KmsFrames, EachFrame_IsCountedOnTheCard) {
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.options = {"--render", "llvmpipe", "--display", "kms:" + card_};
  run.program = {Program("tandem_paint"), "--mode", "fifo", "--frames", "30"};
  const TandemResult result = RunTandem(run);
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_TRUE(result.stats.is_object());
  utsname kernel{};
  ASSERT_EQ(uname(&kernel), 0);
  const bool is_61 = std::string_view(kernel.release).starts_with("6.1.");
  EXPECT_EQ(result.stats["path"], is_61 ? GetParam().path_on_61 : GetParam().path) << result.stats["path_reason"];
  EXPECT_EQ(result.stats["frames_shown"], 30) << result.stats.dump();
  // Planes read each frame where it is. A card that refuses in a commit what it took in a test (Linux 6.1) has some frames
  // written by the processor, until the swap chain copies into its own memory: at most those that are on their way then, in three
  // images and three shared buffers.
  constexpr double kFrameBytes = 640 * 480 * 4;
  const double written = result.stats["output_bytes_per_frame"].get<double>() * 30 / kFrameBytes;
  EXPECT_EQ(written != 0, result.stats["frames_composed"] != 0) << result.stats.dump();
  EXPECT_LE(written, 6);
  EXPECT_EQ(result.stats["display_report"]["seen"], 30) << result.stats["display_report"];  // by the card's answers
}

// The driver vkms reports its vertical blanks as the multiples of a period that they are, however late its event is read.
TEST(KmsTimes, Frames_AreShownAtTheCardsVerticalBlanks) {
  if (VulkanDrivers().empty()) GTEST_SKIP() << "No Vulkan driver is installed.";
  if (!CardOf("vkms")) GTEST_SKIP() << "The machine has no card with the driver vkms; scripts/vm.sh has one.";
  const std::string log = testing::TempDir() + "kms-times.csv";
  TandemRun run;
  run.environment = WithDrivers(VulkanDrivers());
  run.options = {"--render", "llvmpipe", "--display", "kms:vkms", "--frame-log", log};
  run.program = {Program("tandem_paint"), "--mode", "fifo", "--frames", "60"};
  const TandemResult result = RunTandem(run);
  ASSERT_EQ(result.process.exit_code, 0) << result.process.err;
  std::vector<double> shown_ms;
  std::ifstream lines(log);
  std::string line, field;
  std::getline(lines, line);
  ASSERT_EQ(line.find("swap_chain,frame,outcome,held,acquired_ms,presented_ms,shown_ms,"), 0U) << line;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    for (int column = 0; column < 7; ++column) std::getline(fields, field, ',');
    shown_ms.push_back(std::stod(field));
  }
  ASSERT_EQ(shown_ms.size(), 60U);
  shown_ms.erase(shown_ms.begin(), shown_ms.begin() + 2);  // the first one sets the mode
  // The period is a step between two frames. A thread that slept over two flips knows the time of the last one alone.
  const double all_ms = shown_ms.back() - shown_ms.front();
  std::ptrdiff_t most = 0;
  for (std::size_t i = 1; i < shown_ms.size(); ++i) {
    const double step_ms = shown_ms[i] - shown_ms[i - 1];
    if (step_ms < 4 || step_ms > 50) continue;
    const double period_ms = all_ms / std::round(all_ms / step_ms);
    most = std::max(most, std::ranges::count_if(shown_ms, [&](double at_ms) {
                      const double periods = (at_ms - shown_ms.front()) / period_ms;
                      return std::abs(periods - std::round(periods)) * period_ms <= 0.1;
                    }));
  }
  EXPECT_GE(most, 50);
}

TEST_P(KmsFrames, DisplayUnpluggedAmongFramesAndPlugged_ShowsTheLastFrame) {
  constexpr std::uint32_t kMany = 150;
  const std::string sysfs = "/sys/class/drm/" + card_;
  const auto plug = [&](const char* status) {
    std::ofstream(sysfs + "-" + ConnectorOf(card_) + "/status") << status << std::flush;
    std::ofstream(sysfs + "/uevent") << "change" << std::flush;  // nobody else is there to tell
  };
  const auto await_enabled = [&](const char* due) {
    std::string word;
    for (int tries = 0; tries < 200 && word != due; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      std::ifstream(sysfs + "-" + ConnectorOf(card_) + "/enabled") >> word;
    }
    EXPECT_EQ(word, due);
  };
  Process program(Command({}, {"--frames", std::to_string(kMany), "--hold"}), WithDrivers(VulkanDrivers()));
  EXPECT_TRUE(program.WaitForOutput("painting", 60'000));
  await_enabled("enabled");
  plug("off");
  EXPECT_FALSE(program.WaitForOutput("painted", 1'000)) << "All frames are shown before the display is plugged again.";
  await_enabled("disabled");
  plug("detect");
  await_enabled("enabled");
  ExpectLastOnScreen(program, Shows(kMany - 1));
}

TEST_P(KmsFrames, CardRemovedAmongFrames_EndsTheProgramWithAReason) {
  const std::string device = "/sys/class/drm/" + card_ + "/device";
  Process program(Command({}, {"--frames", "100000", "--hold"}), WithDrivers(VulkanDrivers()));
  EXPECT_TRUE(program.WaitForOutput("painting", 60'000));
  std::ofstream(device + "/remove") << "1" << std::flush;
  const ProcessResult result = program.Wait(60'000);
  std::ofstream("/sys/bus/pci/rescan") << "1" << std::flush;
  EXPECT_FALSE(result.timed_out);
  EXPECT_NE(result.exit_code, 0);
  EXPECT_NE(result.err.find("is gone"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace tandem::test
