// tandem-switcheroo on a private bus, asked by Debian's switcherooctl and by GIO's gdbus.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/desktop/private_bus.h"

namespace tandem::test {
namespace {

constexpr char kName[] = "net.hadess.SwitcherooControl";
constexpr char kPath[] = "/net/hadess/SwitcherooControl";
const std::string kPolicy = std::string(TANDEM_SOURCE_DIR) + "/src/desktop/bus/tandem-switcheroo.conf";

class Switcheroo : public testing::Test {
 protected:
  // `policy`: as for PrivateBus::Start().
  void Start(const std::string& policy) {
    if (!std::filesystem::exists(TANDEM_SWITCHEROO)) {
      GTEST_SKIP() << "tandem-switcheroo is not built, because libsystemd is not installed.";
    }
    if (!IsInstalled("gdbus")) GTEST_SKIP() << "gdbus is not installed.";
    bus_ = PrivateBus::Start(policy);
    if (bus_ == nullptr) GTEST_SKIP() << "dbus-daemon is not installed.";
    environment_ = WithDrivers(VulkanDrivers());
    environment_.emplace_back("DBUS_SYSTEM_BUS_ADDRESS", bus_->address());
  }
  void Serve() {
    service_ = std::make_unique<Process>(std::vector<std::string>{TANDEM_SWITCHEROO}, environment_);
    const ProcessResult here = Run({"gdbus", "wait", "--system", "--timeout", "20", kName});
    ASSERT_EQ(here.exit_code, 0) << here.err << service_->Wait(0).err;
  }
  [[nodiscard]] ProcessResult Run(const std::vector<std::string>& argv) const { return RunProcess(argv, environment_, 30000); }
  [[nodiscard]] ProcessResult Call(const std::string& method, const std::vector<std::string>& arguments) const {
    std::vector<std::string> argv{"gdbus", "call", "--system", "-d", kName, "-o", kPath, "-m", method};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return Run(argv);
  }
  [[nodiscard]] std::string Property(const std::string& name) const {
    return Call("org.freedesktop.DBus.Properties.Get", {kName, name}).out;
  }

  std::unique_ptr<PrivateBus> bus_;
  Environment environment_;
  std::unique_ptr<Process> service_;
};

TEST_F(Switcheroo, Switcherooctl_ListsTheAdaptersByTheirNames) {
  Start(kPolicy);
  if (IsSkipped()) return;
  if (!IsInstalled("switcherooctl")) GTEST_SKIP() << "switcheroo-control is not installed.";
  Serve();
  const ProcessResult list = Run({"switcherooctl", "list"});
  EXPECT_NE(list.out.find("Name:        llvmpipe"), std::string::npos) << list.out << list.err;
  EXPECT_NE(list.out.find("TANDEM_RENDER="), std::string::npos) << list.out;
  const std::size_t count = VulkanDrivers().size();
  EXPECT_NE(Property("NumGPUs").find("uint32 " + std::to_string(count) + ">"), std::string::npos) << Property("NumGPUs");
  EXPECT_NE(Property("HasDualGpu").find(count > 1 ? "true" : "false"), std::string::npos);
  service_->Kill(SIGTERM);
  EXPECT_EQ(service_->Wait(10000).exit_code, 0);
}

TEST_F(Switcheroo, SwitcherooctlLaunch_PresentsOnTheChosenAdapterThroughTheDriver) {
  Start(kPolicy);
  if (IsSkipped()) return;
  if (!IsInstalled("switcherooctl")) GTEST_SKIP() << "switcheroo-control is not installed.";
  Serve();
  const ScratchFolder folder;
  const std::string listed = Run({"switcherooctl", "list"}).out;
  for (std::size_t device = 0; device < VulkanDrivers().size(); ++device) {
    Environment environment = environment_;
    const std::string stats = folder.File("stats" + std::to_string(device));
    environment.emplace_back("TANDEM_STATS_JSON", stats);
    environment.emplace_back("TANDEM_OUTPUT", "headless");
    const ProcessResult ran =
        RunProcess({"switcherooctl", "launch", "--gpu", std::to_string(device), Program("tandem_paint"), "--frames", "5"},
                   environment, 60000);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    std::ifstream file(stats);
    ASSERT_TRUE(file) << ran.err;
    const auto figures = nlohmann::json::parse(file, nullptr, false);
    ASSERT_TRUE(figures.is_object());
    const std::string adapter = figures["render_adapter"];
    EXPECT_NE(listed.find("Device: " + std::to_string(device) + "\n  Name:        " + adapter + "\n"), std::string::npos)
        << adapter << " rendered; " << listed;
    EXPECT_EQ(figures["frames_shown"], 5);
    EXPECT_GE(figures["ddi_presents"], 5);
  }
}

TEST_F(Switcheroo, SecondService_LeavesTheNameToTheFirst) {
  Start("");
  if (IsSkipped()) return;
  Serve();
  const ProcessResult second = Run({TANDEM_SWITCHEROO});
  EXPECT_EQ(second.exit_code, 69);
  EXPECT_EQ(second.err, "tandem-switcheroo: Another service has the name net.hadess.SwitcherooControl already, and keeps it.\n");
  EXPECT_NE(Property("NumGPUs").find("uint32"), std::string::npos);
}

TEST_F(Switcheroo, BusThatGivesNoName_IsOneSentence) {
  const ScratchFolder folder;
  std::ofstream(folder.File("nobody.conf")) << "<busconfig/>\n";
  Start(folder.File("nobody.conf"));
  if (IsSkipped()) return;
  const ProcessResult refused = Run({TANDEM_SWITCHEROO});
  EXPECT_EQ(refused.exit_code, 125);
  EXPECT_EQ(refused.err, "tandem-switcheroo: The bus does not give the name net.hadess.SwitcherooControl: Permission denied.\n");
}

TEST_F(Switcheroo, BusThatGoesAway_EndsTheService) {
  Start("");
  if (IsSkipped()) return;
  Serve();
  bus_->Stop();
  const ProcessResult ended = service_->Wait(10000);
  EXPECT_EQ(ended.exit_code, 125);
  EXPECT_EQ(ended.err, "tandem-switcheroo: The bus went away.\n");
  const ProcessResult without = Run({TANDEM_SWITCHEROO});
  EXPECT_EQ(without.exit_code, 125);
  EXPECT_NE(without.err.find("The system bus is not there"), std::string::npos) << without.err;
}

TEST_F(Switcheroo, HostileMessages_AreRefusedAndTheServiceAnswers) {
  Start("");
  if (IsSkipped()) return;
  Serve();
  EXPECT_NE(Call("org.freedesktop.DBus.Properties.Set", {kName, "NumGPUs", "<uint32 7>"}).exit_code, 0);
  EXPECT_NE(Call("org.freedesktop.DBus.Properties.Get", {kName, std::string(100000, 'A')}).exit_code, 0);
  EXPECT_NE(Call("org.freedesktop.DBus.Properties.Get", {kName}).exit_code, 0);
  EXPECT_NE(Call("org.freedesktop.DBus.Properties.Get", {"['a','b']", "{1: <(1, 2, [<'x'>])>}"}).exit_code, 0);
  EXPECT_NE(Call("net.hadess.SwitcherooControl.GPUs", {"'" + std::string(100000, 'B') + "'"}).exit_code, 0);
  EXPECT_NE(Property("NumGPUs").find("uint32 " + std::to_string(VulkanDrivers().size())), std::string::npos);
}

TEST_F(Switcheroo, GpuThatComes_IsSignalled) {
  Start("");
  if (IsSkipped()) return;
  const ScratchFolder folder;
  const auto drivers = VulkanDrivers();
  if (drivers.empty()) GTEST_SKIP() << "Mesa's lavapipe is not installed.";
  const std::string manifest = folder.File("driver.json");
  environment_.emplace_back("VK_ICD_FILENAMES", manifest);
  Serve();
  EXPECT_NE(Property("NumGPUs").find("uint32 0>"), std::string::npos) << Property("NumGPUs");
  Process monitor({"gdbus", "monitor", "--system", "-d", kName, "-o", kPath}, environment_);
  ASSERT_TRUE(monitor.WaitForOutput("is owned by", 10000));
  std::filesystem::copy_file(drivers[0].manifest, manifest);
  service_->Kill(SIGHUP);
  EXPECT_TRUE(monitor.WaitForOutput("'NumGPUs': <uint32 1>", 20000)) << monitor.output();
  EXPECT_NE(Property("GPUs").find("'Default': <true>"), std::string::npos) << Property("GPUs");
}

}  // namespace
}  // namespace tandem::test
