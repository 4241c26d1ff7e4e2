// libvulkan_tandem.so: programs through Tandem's Vulkan driver see what they see through its layer.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"
#include "tests/integration/x_server.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

std::string DriverManifest() {
  return std::string(TANDEM_DRIVER).substr(0, std::string(TANDEM_DRIVER).rfind('/')) + "/share/tandem/icd.d/tandem_icd.json";
}

// The program through one form, its frames in `raw`.
TandemRun Through(const char* form, const std::vector<VulkanDriver>& drivers, const std::vector<std::string>& program,
                  const std::string& raw) {
  TandemRun run;
  run.environment = WithDrivers(drivers);
  // Runs with one folder share what the first keeps of the drivers.
  run.environment.emplace_back("XDG_CACHE_HOME", (fs::path(raw).parent_path() / "cache").string());
  run.options = {"--as", form, "--render", drivers.front().selector, "--display", "soft", "--output", "raw:" + raw};
  run.program = program;
  run.limit_ms = 60000;
  return run;
}

std::vector<RawFrame> FramesOf(const std::string& file) {
  std::vector<RawFrame> frames;
  const auto broken = ForEachRawFrame(file, [&](const RawFrame& frame) { frames.push_back(frame); });
  EXPECT_FALSE(broken.has_value()) << *broken;
  return frames;
}

// Frames 0 to `count` - 1, each with the program's pattern.
void ExpectFrames(const TandemRun& run, const std::string& raw, std::uint32_t count) {
  const TandemResult result = RunTandem(run);
  EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
  ASSERT_TRUE(result.stats.is_object()) << result.process.err;
  EXPECT_EQ(result.stats["frames_shown"], count) << result.process.err;
  std::uint32_t expected = 0;
  for (const RawFrame& frame : FramesOf(raw)) {
    std::uint32_t number = 0;
    const auto wrong = CheckPattern(frame, number);
    EXPECT_FALSE(wrong.has_value()) << *wrong;
    EXPECT_EQ(number, expected++);
  }
  EXPECT_EQ(expected, count);
}

std::vector<std::string> Paint(const std::string& frames) {
  return {Program("tandem_paint"), "--frames", frames, "--mode", "fifo", "--size", "333x251"};
}

TEST(DriverLibrary, DynamicSymbols_AreThoseThatADriverMustExport) {
  const ProcessResult result = RunProcess({"nm", "--dynamic", "--defined-only", "--format=posix", TANDEM_DRIVER}, {}, 20000);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::set<std::string> symbols;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) symbols.insert(line.substr(0, line.find_first_of(" @")));
  EXPECT_EQ(symbols, (std::set<std::string>{"vk_icdGetInstanceProcAddr", "vk_icdGetPhysicalDeviceProcAddr",
                                            "vk_icdNegotiateLoaderICDInterfaceVersion"}));
}

struct Picture {
  const char* path;
  const char* format;
  const char* size;
};

class DriverForm : public testing::TestWithParam<Picture> {};

TEST_P(DriverForm, EachDriverBelow_ShowsThePicturesOfTheLayer) {
  for (const VulkanDriver& driver : VulkanDrivers()) {
    SCOPED_TRACE(driver.name);
    const ScratchFolder scratch;
    std::vector<std::vector<RawFrame>> shown;
    // The first run through the driver opens the one below at once, the second at vkCreateDevice.
    for (const char* form : {"layer", "driver", "driver"}) {
      SCOPED_TRACE(form);
      fs::remove(scratch.File(form));
      const std::vector<std::string> program{
          Program("tandem_paint"), "--frames", "12", "--mode", "fifo", "--size", GetParam().size, "--format", GetParam().format};
      TandemRun run = Through(form, {driver}, program, scratch.File(form));
      run.options.insert(run.options.end(), {"--path", GetParam().path});
      ExpectFrames(run, scratch.File(form), 12);
      shown.push_back(FramesOf(scratch.File(form)));
    }
    for (std::size_t run = 1; run < shown.size(); ++run) {
      ASSERT_EQ(shown[0].size(), shown[run].size());
      for (std::size_t i = 0; i < shown[0].size(); ++i) EXPECT_EQ(shown[0][i].pixels, shown[run][i].pixels) << "frame " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pictures, DriverForm,
                         testing::Values(Picture{"auto", "bgra8", "640x480"}, Picture{"one-copy", "rgba16f", "333x251"},
                                         Picture{"two-copy", "a2b10g10r10", "17x13"}, Picture{"cpu", "rgba8-srgb", "333x251"}));

// The layer cannot serve such a program; the driver can.
TEST(DriverFormRefusals, LayersSwitchedOff_OnlyTheDriverShowsFrames) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  const ScratchFolder scratch;
  for (const char* form : {"layer", "driver"}) {
    TandemRun run = Through(form, drivers, Paint("8"), scratch.File(form));
    run.environment.emplace_back("VK_LOADER_LAYERS_DISABLE", "~all~");
    if (std::string(form) == "driver") {
      ExpectFrames(run, scratch.File(form), 8);
    } else {
      EXPECT_FALSE(RunTandem(run).stats.is_object());
    }
  }
}

TEST(DriverFormRefusals, InheritedDriverFilter_DoesNotDropTheDriver) {
  const auto drivers = VulkanDrivers();
  const ScratchFolder scratch;
  TandemRun run = Through("driver", drivers, Paint("4"), scratch.File("raw"));
  run.environment.emplace_back("VK_LOADER_DRIVERS_SELECT", "*lvp*");
  run.environment.emplace_back("VK_LOADER_DRIVERS_DISABLE", "*tandem*");
  ExpectFrames(run, scratch.File("raw"), 4);
}

TEST(DriverFormChain, LayerListedToo_StepsAside) {
  const ScratchFolder scratch;
  TandemRun run = Through("driver", VulkanDrivers(), Paint("8"), scratch.File("raw"));
  const std::string share = std::string(TANDEM_LAYER).substr(0, std::string(TANDEM_LAYER).rfind('/')) + "/share";
  run.environment.emplace_back("XDG_DATA_DIRS", "/usr/share:" + share);
  run.environment.emplace_back("VK_INSTANCE_LAYERS", "VK_LAYER_TANDEM_present_listed");
  run.environment.emplace_back("TANDEM_ENABLE", "1");
  ExpectFrames(run, scratch.File("raw"), 8);
}

TEST(DriverFormChain, KhronosValidationAbove_HasNothingToSay) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  if (!fs::exists("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json")) {
    GTEST_SKIP() << "The validation layer is not installed.";
  }
  for (const VulkanDriver& driver : VulkanDrivers()) {
    SCOPED_TRACE(driver.name);
    TandemRun run;
    run.environment = WithDrivers({driver});
    run.environment.emplace_back("DISPLAY", server->display());
    run.environment.emplace_back("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation");
    const ScratchFolder scratch;
    run.environment.emplace_back("XDG_CACHE_HOME", scratch.File("cache"));
    run.options = {"--as", "driver", "--display", "soft"};
    run.program = {Program("tandem_paint"), "--xcb", "--frames", "10", "--size", "320x240,333x251"};
    for (const char* below : {"opened at once", "asleep"}) {
      SCOPED_TRACE(below);
      const TandemResult result = RunTandem(run);
      EXPECT_EQ(result.process.exit_code, 0) << result.process.err;
      EXPECT_EQ(result.process.out.find("VUID"), std::string::npos) << result.process.out;
      EXPECT_EQ(result.process.err, "");
      ASSERT_TRUE(result.stats.is_object());
      EXPECT_EQ(result.stats["frames_presented"], 20);
    }
  }
}

TEST(DriverFormPrograms, WindowsQueriesHandlesAndThreads_EndWell) {
  const auto server = XServer::Start();
  if (server == nullptr) GTEST_SKIP() << "Xvfb is not installed.";
  const std::vector<std::vector<std::string>> programs{{Program("tandem_queries"), "--xcb", "--windows", "3", "--resizes", "20"},
                                                       {Program("tandem_handles")},
                                                       {Program("tandem_threads")},
                                                       {Program("tandem_misbehave"), "fork"},
                                                       {Program("tandem_misbehave"), "exit"},
                                                       {Program("tandem_misbehave"), "close-window"}};
  for (const auto& program : programs) {
    SCOPED_TRACE(program[0] + " " + (program.size() > 1 ? program[1] : ""));
    TandemRun run;
    run.environment = WithDrivers(VulkanDrivers());
    run.environment.emplace_back("DISPLAY", server->display());
    run.program = program;
    run.limit_ms = 60000;
    const ScratchFolder scratch;
    run.environment.emplace_back("XDG_CACHE_HOME", scratch.File("cache"));
    std::vector<int> codes;
    for (const char* form : {"layer", "driver", "driver"}) {
      run.options = {"--as", form, "--display", "soft"};
      const TandemResult result = RunTandem(run);
      EXPECT_FALSE(result.process.timed_out);
      codes.push_back(result.process.exit_code);
      EXPECT_EQ(result.process.exit_code, codes.front()) << result.process.err;
      EXPECT_LT(result.process.exit_code, 128) << result.process.err;
    }
  }
}

// Finds the library named by lavapipe's manifest.
std::string LavapipeLibrary() {
  std::ifstream file(VulkanDrivers().front().manifest);
  return nlohmann::json::parse(file, nullptr, false).value("/ICD/library_path"_json_pointer, "");
}

// The driver in a program that no command started.
Environment DriverAlone(const std::string& below) {
  return {{"VK_DRIVER_FILES", DriverManifest()},
          {"VK_ICD_FILENAMES", DriverManifest()},
          {"TANDEM_DRIVER_FILES", below},
          {"TANDEM_DISPLAY", "soft"},
          {"TANDEM_OUTPUT", "headless"},
          {"TANDEM_STATS", "1"},
          {"NODEVICE_SELECT", "1"},
          {"XDG_CONFIG_HOME", "/nonexistent"},
          {"XDG_CACHE_HOME", "/dev/null"},
          {"TANDEM_TEST_REAL_DRIVER", LavapipeLibrary()}};
}

TEST(DriverFormBelow, DriverWithoutSurfaces_ShowsFrames) {
  Environment environment = DriverAlone(Program("lying_icd.json"));
  environment.emplace_back("TANDEM_TEST_LIE", "no-surfaces");
  const ProcessResult result = RunProcess(Paint("5"), environment, 60000);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("5 frames presented, 5 shown"), std::string::npos) << result.err;
}

TEST(DriverFormBelow, BrokenDriver_IsAnIncompatibleDriverAndNoCrash) {
  const ScratchFolder scratch;
  const auto manifest = [&scratch](const std::string& name, const std::string& library) {
    std::ofstream(scratch.File(name)) << R"({"file_format_version": "1.0.0", "ICD": {"api_version": "1.3.0", "library_path": ")"
                                      << library << "\"}}";
    return scratch.File(name);
  };
  const std::pair<const char*, std::string> cases[] = {
      {"no entry points", Program("lying_icd.json")},
      {"no library", manifest("missing.json", "/nonexistent/libvulkan_nothing.so")},
      {"no driver", manifest("other.json", TANDEM_LAYER)},
      {"no manifest", scratch.File("none.json")},
      {"itself", manifest("self.json", TANDEM_DRIVER)},
  };
  for (const auto& [name, below] : cases) {
    SCOPED_TRACE(name);
    const ProcessResult result = RunProcess(Paint("5"), DriverAlone(below), 60000);
    EXPECT_FALSE(result.timed_out);
    EXPECT_NE(result.err.find("vkCreateInstance answered -"), std::string::npos) << result.err;
    EXPECT_LT(result.exit_code, 128) << result.err;
  }
}

// No variable is needed but the loader's own.
TEST(DriverFormBelow, ManifestAlone_FindsTheMachinesDrivers) {
  Environment environment = DriverAlone("");
  environment.emplace_back("TANDEM_RENDER", "llvmpipe");
  const ProcessResult result = RunProcess(Paint("5"), environment, 60000);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("5 frames presented, 5 shown"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace tandem::test
