// `tandem status` with running programs.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>

#include <signal.h>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

constexpr int kLimitMs = 60000;

class Status : public testing::Test {
 protected:
  [[nodiscard]] Environment Surroundings() const {
    Environment environment = WithDrivers(VulkanDrivers());
    environment.emplace_back("XDG_RUNTIME_DIR", scratch_.File("runtime"));
    return environment;
  }
  void SetUp() override {
    if (VulkanDrivers().empty()) GTEST_SKIP() << "There is no Vulkan driver here.";
    ASSERT_TRUE(std::filesystem::create_directory(scratch_.File("runtime")));
  }

  // Shows three frames and runs until it is killed.
  [[nodiscard]] std::unique_ptr<Process> TestApplication(std::vector<std::string> options) const {
    std::vector<std::string> argv{TANDEM_COMMAND, "run", "--output", "headless"};
    argv.insert(argv.end(), options.begin(), options.end());
    for (const char* word : {"--", "", "--frames", "3", "--size", "64x48", "--hold"}) argv.emplace_back(word);
    argv[argv.size() - 6] = Program("tandem_paint");
    auto application = std::make_unique<Process>(argv, Surroundings());
    EXPECT_TRUE(application->WaitForOutput("painted", kLimitMs));
    return application;
  }
  [[nodiscard]] ProcessResult Ask(std::vector<std::string> options) const {
    options.insert(options.begin(), {TANDEM_COMMAND, "status"});
    return RunProcess(options, Surroundings(), kLimitMs);
  }
  // Waits until `count` programs have shown their frames.
  [[nodiscard]] nlohmann::json Programs(std::size_t count) const { return Programs(count, Surroundings()); }
  [[nodiscard]] nlohmann::json Programs(std::size_t count, const Environment& environment) const {
    for (int i = 0; i < 1000; ++i) {
      const ProcessResult told = RunProcess({TANDEM_COMMAND, "status", "--json"}, environment, kLimitMs);
      const auto json = nlohmann::json::parse(told.out, nullptr, false);
      bool shown = json.is_object() && json["programs"].size() == count;
      for (std::size_t at = 0; shown && at < count; ++at) {
        const auto& chains = json["programs"][at]["swap_chains"];  // none before the first figures
        shown = !chains.empty() && chains[0]["frames_shown"] == 3;
      }
      if (shown) return json["programs"];
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ADD_FAILURE() << Ask({"--json"}).out;
    return nlohmann::json::array();
  }
  [[nodiscard]] static std::ptrdiff_t Lines(const std::string& path) {
    std::ifstream file(path);
    return std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n');
  }
  static void AwaitLines(const std::string& path, std::ptrdiff_t lines) {
    for (int i = 0; i < 1000 && Lines(path) < lines; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  [[nodiscard]] std::size_t Files() const {
    const std::filesystem::directory_iterator files(scratch_.File("runtime/tandem"));
    return static_cast<std::size_t>(std::distance(files, std::filesystem::directory_iterator()));
  }

  const ScratchFolder scratch_;
};

TEST_F(Status, TwoProgramsAndAKilledOne_AreToldApart) {
  const auto plain = TestApplication({"--path", "one-copy"});
  const auto encoded = TestApplication({"--encode", "lossless", "--link-limit", "250MB/s"});
  auto programs = Programs(2);
  ASSERT_EQ(programs.size(), 2U);
  if (programs[0]["swap_chains"][0]["path"] != "one-copy") std::swap(programs[0], programs[1]);
  EXPECT_EQ(programs[0]["program"], "tandem_paint");
  const auto& one = programs[0]["swap_chains"][0];
  EXPECT_EQ(one["path"], "one-copy");
  EXPECT_NE(one["path_reason"].get<std::string>().find("It was asked for."), std::string::npos) << one;
  EXPECT_EQ(one["width"], 64);
  EXPECT_EQ(one["height"], 48);
  EXPECT_TRUE(one["encoding"].is_null());
  EXPECT_EQ(one["emulated_link_bytes_per_second"], 0);
  const auto& other = programs[1]["swap_chains"][0];
  EXPECT_EQ(other["path"], "compressed");
  EXPECT_EQ(other["encoding"], "lossless");
  EXPECT_NE(other["encoding_reason"].get<std::string>().find("lossless"), std::string::npos) << other;
  EXPECT_EQ(other["emulated_link_bytes_per_second"], 250'000'000);
  const std::string table = Ask({}).out;
  EXPECT_NE(table.find("compressed  lossless"), std::string::npos) << table;
  EXPECT_NE(table.find("Link: 250 MB/s, emulated"), std::string::npos) << table;
  EXPECT_EQ(Files(), 2U);
  kill(programs[0]["pid"].get<pid_t>(), SIGKILL);
  EXPECT_EQ(plain->Wait(kLimitMs).exit_code, 128 + SIGKILL);
  EXPECT_EQ(Programs(1)[0]["swap_chains"][0]["path"], "compressed");
  EXPECT_EQ(Files(), 1U) << "what the killed one left is removed";
}

TEST_F(Status, EndedProgram_LeavesNothing) {
  TandemRun run;
  run.environment = Surroundings();
  run.options = {"--output", "headless"};
  run.program = {Program("tandem_paint"), "--frames", "3", "--size", "64x48"};
  ASSERT_EQ(RunTandem(run).process.exit_code, 0);
  EXPECT_EQ(Files(), 0U);
  EXPECT_EQ(Ask({}).out, "No program shows frames through Tandem now.\n");
}

TEST_F(Status, DamagedFile_IsSaidAndTheProgramGoesOn) {
  const auto application = TestApplication({});
  ASSERT_EQ(Programs(1).size(), 1U);
  const auto file = std::filesystem::directory_iterator(scratch_.File("runtime/tandem"))->path();
  std::filesystem::resize_file(file, 1000);
  const ProcessResult result = Ask({});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find(file.string() + ": The file has 1000 bytes"), std::string::npos) << result.err;
  application->Kill(SIGTERM);
  EXPECT_EQ(application->Wait(kLimitMs).exit_code, 128 + SIGTERM);
}

TEST_F(Status, Watch_TellsAgainAndAgain) {
  Environment environment = Surroundings();
  Process watch({TANDEM_COMMAND, "status", "--json", "--watch=0.1"}, environment);
  const std::string line = "{\"programs\":[],\"unreadable\":[]}\n";
  EXPECT_TRUE(watch.WaitForOutput(line + line + line, kLimitMs)) << watch.output();
}

// Runs once with a folder for running programs, and once without.
TEST_F(Status, ProgramThatASignalEnds_LeavesItsFiguresAllTheSame) {
  ASSERT_TRUE(std::filesystem::create_directory(scratch_.File("tmp")));
  for (const bool folder : {true, false}) {
    SCOPED_TRACE(folder);
    Environment environment = Surroundings();
    environment.emplace_back("TMPDIR", scratch_.File("tmp"));
    if (!folder) environment.emplace_back("XDG_RUNTIME_DIR", "");
    const std::string stats = scratch_.File("stats.json");
    Process application(
        {TANDEM_COMMAND, "run", "--output", "headless", "--path", "one-copy", "--stats", "--stats-json", stats, "--frame-log",
         scratch_.File("frames.csv"), "--", Program("tandem_paint"), "--frames", "3", "--size", "64x48", "--hold"},
        environment);
    ASSERT_TRUE(application.WaitForOutput("painted", kLimitMs));
    EXPECT_EQ(std::filesystem::is_empty(scratch_.File("tmp")), folder);
    for (const auto& entry : std::filesystem::directory_iterator(scratch_.File("tmp"))) {
      if (entry.is_directory()) environment.emplace_back("TANDEM_RUN_FOLDER", entry.path());
    }
    const auto programs = Programs(1, environment);
    ASSERT_EQ(programs.size(), 1U);
    const std::string log = scratch_.File("frames.csv");
    AwaitLines(log + "." + std::to_string(programs[0]["pid"].get<pid_t>()), 4);
    application.Kill(SIGTERM);
    const ProcessResult ended = application.Wait(kLimitMs);
    EXPECT_EQ(Lines(log), 4) << "the columns' names and three frames";
    EXPECT_EQ(ended.exit_code, 128 + SIGTERM);
    EXPECT_NE(ended.err.find("was ended by signal 15 (SIGTERM)"), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find("tandem:   path one-copy: "), std::string::npos) << ended.err;
    std::ifstream file(stats);
    const auto json = nlohmann::json::parse(file, nullptr, false);
    ASSERT_TRUE(json.is_object()) << ended.err;
    EXPECT_EQ(json["ended_by_signal"], SIGTERM);
    EXPECT_EQ(json["path"], "one-copy");
    EXPECT_EQ(json["frames_shown"], 3);
    EXPECT_EQ(json["swap_chains"][0]["width"], 64);
    EXPECT_EQ(Files(), 0U);
    EXPECT_TRUE(std::filesystem::is_empty(scratch_.File("tmp")));
  }
}

TEST_F(Status, NoRuntimeFolder_IsSaidAndProgramsRunAllTheSame) {
  TandemRun run;
  run.environment = Surroundings();
  run.environment.emplace_back("XDG_RUNTIME_DIR", "");
  run.options = {"--output", "headless"};
  run.program = {Program("tandem_paint"), "--frames", "3", "--size", "64x48"};
  const ProcessResult painted = RunTandem(run).process;
  EXPECT_EQ(painted.exit_code, 0) << painted.err;
  EXPECT_EQ(painted.err, "");
  const ProcessResult result = RunProcess({TANDEM_COMMAND, "status"}, run.environment, kLimitMs);
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_EQ(result.err, "tandem status: XDG_RUNTIME_DIR is not set, so programs have no place to tell about themselves.\n");
}

}  // namespace
}  // namespace tandem::test
