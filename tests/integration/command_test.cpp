// The subcommands other than `run`, as a person or a script calls them.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/unique_fd.h"
#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

ProcessResult Tandem(const std::vector<std::string>& arguments) {
  std::vector<std::string> argv{TANDEM_COMMAND};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return RunProcess(argv, WithDrivers(VulkanDrivers()), 120000);
}

TEST(Features, List_NamesThoseOfTheContract) {
  const ProcessResult result = Tandem({"features", "list"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("SHARE_BACKING_STORE_WITH_KMD"), std::string::npos) << result.out;
}

TEST(Explain, Pair_IsSaidWithItsPathAndReasons_AndTheProgramDoesNotRun) {
  if (VulkanDrivers().empty()) GTEST_SKIP() << "No Vulkan driver is installed.";
  const ScratchFolder folder;
  const ProcessResult result =
      Tandem({"explain", "--render", "llvmpipe", "--display", "soft", "--json", "--", "touch", folder.File("ran")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto all = nlohmann::json::parse(result.out, nullptr, false);
  ASSERT_TRUE(all.is_object()) << result.out;
  EXPECT_EQ(all["program"]["value"], "touch");
  EXPECT_EQ(all["path"]["value"], "direct");
  EXPECT_EQ(all["encoding"]["value"], "none");
  EXPECT_EQ(all["refused"], false);
  for (const char* const key : {"program", "render", "display", "memory", "fences", "path", "encoding", "on_lost"}) {
    EXPECT_FALSE(all[key]["reason"].get<std::string>().empty()) << key;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.File("ran")));
}

TEST(Explain, LostAdapters_AreFollowedByOthersUnlessTheUserWaits) {
  const auto drivers = VulkanDrivers();
  if (drivers.size() < 2) GTEST_SKIP() << "There is no second Vulkan driver.";
  const std::vector<std::string> words{"explain", "--render", drivers.front().selector, "--display", "soft", "--json"};
  const auto reason_of = [&](const std::string& answer) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--on-lost", answer, "--", "vkcube"});
    const ProcessResult result = Tandem(all);
    const auto explained = nlohmann::json::parse(result.out, nullptr, false);
    if (!explained.is_object()) return result.out + result.err;
    EXPECT_EQ(explained["on_lost"]["value"], answer);
    return explained["on_lost"]["reason"].get<std::string>();
  };
  const std::string next = reason_of("next");
  EXPECT_NE(next.find("next device is on SwiftShader"), std::string::npos) << next;
  EXPECT_EQ(next.find(drivers.front().selector), std::string::npos) << next;
  EXPECT_EQ(reason_of("wait"), "The program waits for the same adapter.");
}

TEST(Explain, NarrowLink_MakesThePathCompressed_AndNamesTheEncodings) {
  if (VulkanDrivers().empty()) GTEST_SKIP() << "No Vulkan driver is installed.";
  const ProcessResult result = Tandem({"explain", "--render", "llvmpipe", "--link-limit", "100MB/s", "--", "vkcube"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("Path      compressed\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("lossless"), std::string::npos) << result.out;
}

TEST(Explain, PairThatRunRefuses_IsRefusedWithTheSameReason) {
  if (VulkanDrivers().empty()) GTEST_SKIP() << "No Vulkan driver is installed.";
  const std::vector<std::string> pair{"--render", "llvmpipe", "--display", "llvmpipe", "--path", "direct", "--", "true"};
  std::vector<std::string> explain{"explain"}, run{"run"};
  explain.insert(explain.end(), pair.begin(), pair.end());
  run.insert(run.end(), pair.begin(), pair.end());
  const ProcessResult explained = Tandem(explain), refused = Tandem(run);
  EXPECT_EQ(explained.exit_code, 125) << explained.out;
  EXPECT_EQ(refused.exit_code, 125) << refused.err;
  EXPECT_NE(explained.out.find("tier"), std::string::npos) << explained.out;
  EXPECT_NE(refused.err.find("tier"), std::string::npos) << refused.err;
}

// `tandem features ACTION` with a feature file of its own, which has `overrides`.
std::vector<std::string> FeatureCommand(const ScratchFolder& folder, const std::string& overrides,
                                        std::vector<std::string> rest) {
  std::filesystem::create_directories(folder.File("tandem"));
  std::ofstream(folder.File("tandem/features.toml")) << overrides;
  rest.insert(rest.begin(), {"env", "XDG_CONFIG_HOME=" + folder.File(""), TANDEM_COMMAND, "features"});
  rest.insert(rest.end(), {"--adapter", "soft"});
  return rest;
}

// The versions of SAMPLE that are on in `json`, the states of one adapter; 0 for off.
int SampleVersion(const std::string& json) {
  const auto all = nlohmann::json::parse(json, nullptr, false);
  if (!all.is_object()) return -1;
  for (const auto& feature : all["adapters"][0]["features"]) {
    if (feature["name"] == "SAMPLE") return feature.value("enabled", false) ? feature["version"].get<int>() : 0;
  }
  return -1;
}

TEST(Features, GuestAndHost_InTwoProcesses_AgreeOnWhatBothHave) {
  const ScratchFolder host_folder, guest_folder;
  const std::string socket = host_folder.File("features.socket");
  const Environment none = WithDrivers({});
  const auto guest = [&] { return RunProcess(FeatureCommand(guest_folder, "", {"guest", socket, "--json"}), none, 120000); };
  const std::string alone = RunProcess(FeatureCommand(guest_folder, "", {"state", "--json"}), none, 120000).out;
  ASSERT_GT(SampleVersion(alone), 3) << alone;
  const ProcessResult early = guest();
  EXPECT_EQ(early.exit_code, 125);
  EXPECT_NE(early.err.find("cannot be connected: No such file or directory."), std::string::npos) << early.err;

  Process host(FeatureCommand(host_folder, "[all.SAMPLE]\nmin_version = 3\nmax_version = 3\n", {"serve", socket}), none);
  ASSERT_TRUE(host.WaitForOutput("Answering guests of", 120000));
  for (int i = 0; i < 2; ++i) {
    const ProcessResult agreed = guest();
    EXPECT_EQ(agreed.exit_code, 0) << agreed.err;
    EXPECT_EQ(SampleVersion(agreed.out), 3) << agreed.out;
  }
  const ProcessResult second = RunProcess(FeatureCommand(guest_folder, "", {"serve", socket}), none, 120000);
  EXPECT_EQ(second.exit_code, 125);
  EXPECT_NE(second.err.find("cannot be made: Address already in use."), std::string::npos) << second.err;
  host.Kill(SIGTERM);
  EXPECT_EQ(host.Wait(120000).exit_code, 0);
  EXPECT_NE(access(socket.c_str(), F_OK), 0);
}

TEST(Features, GuestOfASilentHost_IsAnError) {
  const ScratchFolder folder;
  const std::string socket = folder.File("silent.socket");
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  const ProcessResult result = RunProcess(FeatureCommand(folder, "", {"guest", socket}), WithDrivers({}), 120000);
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_NE(result.err.find("The host gives no welcome: The host did not answer"), std::string::npos) << result.err;
}

TEST(Features, LongSocketPath_IsRefusedWithTheLimit) {
  const ProcessResult result = Tandem({"features", "guest", std::string(108, 'a'), "--adapter", "soft"});
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_NE(result.err.find("The path of the socket has 108 bytes; it takes 1 to 107."), std::string::npos) << result.err;
}

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Command, UnknownWord_IsNamedWithTheNearest) {
  const ProcessResult command = Tandem({"adpaters"});
  EXPECT_EQ(command.exit_code, 125);
  EXPECT_TRUE(Has(command.err, "There is no command or program 'adpaters'; the nearest is 'adapters'.")) << command.err;
  EXPECT_TRUE(Has(Tandem({"bench", "lnik"}).err, "There is no command 'lnik'; the nearest is 'link'."));
  const ProcessResult option = Tandem({"conform", "--fliter", "Present.*"});
  EXPECT_EQ(option.exit_code, 125);
  EXPECT_TRUE(Has(option.err, "tandem conform: There is no option '--fliter'; the nearest is '--filter'.")) << option.err;
  EXPECT_TRUE(Has(Tandem({"frobnicate"}).err, "There is no command or program 'frobnicate'.\n"));
}

TEST(Command, HelpAndVersion_HaveTheirShortForms) {
  EXPECT_EQ(Tandem({"help"}).out, Tandem({"--help"}).out);
  EXPECT_EQ(Tandem({"help", "conform"}).out, Tandem({"conform", "--help"}).out);
  EXPECT_EQ(Tandem({"help"}).exit_code, 0);
  EXPECT_EQ(Tandem({"-v"}).out, Tandem({"--version"}).out);
  EXPECT_TRUE(Has(Tandem({"-v"}).out, "tandem "));
}

TEST(Command, ProgramAlone_IsRun) {
  EXPECT_EQ(Tandem({"sh", "-c", "exit 3"}).exit_code, 3);
  EXPECT_TRUE(Has(Tandem({"--help"}).out, "'tandem PROGRAM'"));
}

TEST(Command, MistypedCommandBeforeAProgram_StartsNothing) {
  const ScratchFolder folder;
  const ProcessResult result = Tandem({"rnu", "--", "touch", folder.File("started")});
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_TRUE(Has(result.err, "There is no command or program 'rnu'; the nearest is 'run'.")) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder.File("started")));
}

TEST(Command, FullDisk_IsNoSuccess) {
  for (const char* const arguments : {"adapters", "--help", "features list", "conform --adapter soft --list"}) {
    const ProcessResult result =
        RunProcess({"sh", "-c", std::string(TANDEM_COMMAND) + " " + arguments + " >/dev/full"}, WithDrivers({}), 120000);
    EXPECT_EQ(result.exit_code, 125) << arguments;
    EXPECT_TRUE(Has(result.err, "Standard output cannot be written: No space left on device.")) << arguments << result.err;
  }
}

TEST(Command, PathThatThePairCannotHave_IsRefusedBeforeTheStart) {
  if (VulkanDrivers().empty()) GTEST_SKIP() << "No Vulkan driver is here to render.";
  const std::string gpu = VulkanDrivers().front().selector;
  const ScratchFolder folder;
  const ProcessResult result =
      Tandem({"run", "--render", gpu, "--display", gpu, "--path", "direct", "--", "touch", folder.File("started")});
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_TRUE(Has(result.err, "tier 3 is needed")) << result.err;
  EXPECT_NE(access(folder.File("started").c_str(), F_OK), 0);
}

TEST(Command, Help_FitsAnyTerminal) {
  for (const std::size_t width : {60u, 80u, 120u, 200u}) {
    for (const char* const command :
         {"", "run", "config", "config show", "status", "adapters", "encodings", "bench link", "gpu-report", "report", "conform",
          "features", "features set", "features serve", "features guest"}) {
      const ProcessResult result = RunProcess({"sh", "-c", std::string(TANDEM_COMMAND) + " " + command + " --help"},
                                              {{"COLUMNS", std::to_string(width)}}, 120000);
      EXPECT_EQ(result.exit_code, 0) << command;
      std::istringstream lines(result.out);
      for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << command << ": " << line;
      for (const char* const type : {"TEXT", "UINT", ":INT", "FLOAT", " in [", "Excludes"}) {
        EXPECT_FALSE(Has(result.out, type)) << command << ": " << type << "\n" << result.out;
      }
    }
  }
}

TEST(Config, Show_NamesTheOriginOfEachValue) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.File("tandem"));
  std::ofstream(folder.File("tandem/tandem.toml")) << "[default]\ncontent = \"game\"\n[app.ls]\npath = \"cpu\"\n";
  const Environment environment{{"XDG_CONFIG_HOME", folder.File("")}, {"TANDEM_ENCODE", "no-bc1"}, {"COLUMNS", "100"}};
  const ProcessResult shown =
      RunProcess({TANDEM_COMMAND, "config", "show", "--stats", "--", "/bin/ls", "-l"}, environment, 120000);
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  for (const char* const origin : {"line 2, [default]\n", "line 4, [app.\"ls\"]\n", "no-bc1              TANDEM_ENCODE\n",
                                   "on                  --stats\n", "auto                default\n"}) {
    EXPECT_TRUE(Has(shown.out, origin)) << origin << shown.out;
  }
  const ProcessResult json = RunProcess({TANDEM_COMMAND, "config", "show", "--json"}, environment, 120000);
  EXPECT_TRUE(nlohmann::json::parse(json.out, nullptr, false).is_object()) << json.out;
  std::ofstream(folder.File("tandem/tandem.toml")) << "[default]\npath = \"x\"\n";
  const ProcessResult noted = RunProcess({TANDEM_COMMAND, "config", "show"}, environment, 120000);
  EXPECT_EQ(noted.exit_code, 0) << noted.err;
  EXPECT_TRUE(Has(noted.out, "tandem.toml:2: path: Path 'x' is not one of")) << noted.out;
}

TEST(Adapters, Json_IsOne) {
  const ProcessResult result = Tandem({"adapters", "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(nlohmann::json::parse(result.out, nullptr, false).is_object()) << result.out;
}

}  // namespace
}  // namespace tandem::test
