// Programs with more rights than their user: set-id copies, and one with a file capability, run by another user.
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

// Folders that the loader searches in a secure execution, too.
constexpr const char* kLayerFolder = "/usr/share/vulkan/implicit_layer.d";
constexpr const char* kDriverFolder = "/usr/share/vulkan/icd.d";
constexpr const char* kNobody = "65534";

enum class Rights { kNone, kSetUser, kSetGroup, kCapability };

bool GiveCapability(const std::string& file) {
  vfs_cap_data data{};
  data.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
  data.data[0].permitted = 1U << CAP_SYS_NICE;
  return setxattr(file.c_str(), "security.capability", &data, sizeof(data), 0) == 0;
}

bool Give(Rights rights, const std::string& file) {
  switch (rights) {
    case Rights::kNone: return chmod(file.c_str(), 0755) == 0;
    case Rights::kSetUser: return chmod(file.c_str(), 04755) == 0;
    case Rights::kSetGroup: return chmod(file.c_str(), 02755) == 0;
    case Rights::kCapability: return chmod(file.c_str(), 0755) == 0 && GiveCapability(file);
  }
  return false;
}

// Copies of the program, the layer and the driver, and a folder writable by everybody.
class SecureExecution : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "Only root makes set-id copies and runs them as another user.";
    if (!fs::is_directory(kLayerFolder)) GTEST_SKIP() << kLayerFolder << " is not there to be covered.";
    fs::permissions(scratch_.File(""), fs::perms(0755));
    for (const char* folder : {"layers", "drivers", "out", "home", "home/tandem"}) fs::create_directory(scratch_.File(folder));
    fs::permissions(scratch_.File("out"), fs::perms(0777));
    fs::copy_file(TANDEM_LAYER, scratch_.File("libVkLayer_tandem.so"));
    fs::copy_file(TANDEM_DRIVER, scratch_.File("libvulkan_tandem.so"));
    fs::copy_file(Program("tandem_misbehave"), scratch_.File("program"));
    std::ifstream built(std::string(TANDEM_LAYER).substr(0, std::string(TANDEM_LAYER).rfind('/')) +
                        "/share/vulkan/implicit_layer.d/VkLayer_tandem.json");
    auto manifest = nlohmann::json::parse(built);
    manifest["layer"]["library_path"] = scratch_.File("libVkLayer_tandem.so");
    std::ofstream(scratch_.File("layers/VkLayer_tandem.json")) << manifest;
    std::ofstream(scratch_.File("drivers/tandem_icd.json"))
        << R"({"file_format_version": "1.0.0", "ICD": {"api_version": "1.3.0", "library_path": ")"
        << scratch_.File("libvulkan_tandem.so") << "\"}}";
    const std::string lavapipe = VulkanDrivers().front().manifest;
    fs::copy_file(lavapipe, scratch_.File("drivers/" + fs::path(lavapipe).filename().string()));
    std::ofstream(scratch_.File("home/tandem/tandem.toml"))
        << "[default]\nstats_json = \"" << scratch_.File("out/stats.json") << "\"\n";
  }

  // Runs the copy as nobody, in a mount namespace where the layer, or the driver, is installed in the system.
  ProcessResult RunCopy(Rights rights, const char* form = "layer") {
    if (!Give(rights, scratch_.File("program"))) return {};
    const bool driver = std::string(form) == "driver";
    const std::string command = "mount --bind " + scratch_.File(driver ? "drivers" : "layers") + " " +
                                (driver ? kDriverFolder : kLayerFolder) + " && exec setpriv --reuid " + kNobody + " --regid " +
                                kNobody + " --clear-groups " + scratch_.File("program") + " look-around";
    return RunProcess({"unshare", "--mount", "sh", "-c", command},
                      {{"TANDEM_ENABLE", driver ? "" : "1"},
                       {"TANDEM_AS", form},
                       {"TANDEM_OUTPUT", "headless"},
                       {"TANDEM_STATS", "1"},
                       {"TANDEM_FRAME_LOG", scratch_.File("out/frames.csv")},
                       {"TANDEM_TRACE", scratch_.File("out/trace.json")},
                       {"TANDEM_LOG", "debug,file=" + scratch_.File("out/log")},
                       {"XDG_CONFIG_HOME", scratch_.File("home")},
                       {"XDG_RUNTIME_DIR", scratch_.File("out")},
                       {"VK_ICD_FILENAMES", ""},
                       {"VK_DRIVER_FILES", ""}},
                      60000);
  }
  [[nodiscard]] std::vector<std::string> Written() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(scratch_.File("out"))) names.push_back(entry.path().filename());
    return names;
  }

  const ScratchFolder scratch_;
};

TEST_F(SecureExecution, ProgramWithItsUsersRights_IsServed) {
  const ProcessResult result = RunCopy(Rights::kNone);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("layer: libVkLayer_tandem.so"), std::string::npos) << result.out;
  EXPECT_TRUE(fs::exists(scratch_.File("out/log")) && fs::exists(scratch_.File("out/stats.json")));
}

TEST_F(SecureExecution, ProgramWithMoreRights_IsLeftAloneAndNothingIsWrittenOrSaid) {
  for (const Rights rights : {Rights::kSetUser, Rights::kSetGroup, Rights::kCapability}) {
    SCOPED_TRACE(static_cast<int>(rights));
    const ProcessResult result = RunCopy(rights);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    if (result.out.find("secure execution: yes") == std::string::npos) GTEST_SKIP() << "The file system gives no rights.";
    EXPECT_NE(result.out.find("layer: libVkLayer_tandem.so"), std::string::npos) << result.out;
    EXPECT_TRUE(Written().empty()) << Written().front();
    EXPECT_EQ(result.err, "");
  }
}

TEST_F(SecureExecution, DriverForm_ServesUsersRightsAndLeavesMoreAlone) {
  const ProcessResult served = RunCopy(Rights::kNone, "driver");
  ASSERT_EQ(served.exit_code, 0) << served.err;
  EXPECT_NE(served.out.find("driver: libvulkan_tandem.so"), std::string::npos) << served.out;
  EXPECT_TRUE(fs::exists(scratch_.File("out/log")) && fs::exists(scratch_.File("out/stats.json")));
  for (const std::string& name : Written()) fs::remove_all(scratch_.File("out/" + name));
  for (const Rights rights : {Rights::kSetUser, Rights::kSetGroup, Rights::kCapability}) {
    SCOPED_TRACE(static_cast<int>(rights));
    const ProcessResult result = RunCopy(rights, "driver");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    if (result.out.find("secure execution: yes") == std::string::npos) GTEST_SKIP() << "The file system gives no rights.";
    // The other drivers serve it.
    EXPECT_NE(result.out.find("driver: libvulkan_lvp.so"), std::string::npos) << result.out;
    EXPECT_TRUE(Written().empty()) << Written().front();
    EXPECT_EQ(result.err, "");
  }
}

}  // namespace
}  // namespace tandem::test
