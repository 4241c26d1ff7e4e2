// Files that a user names for `tandem run`. Only regular files are replaced, nothing is changed before the program runs, and an
// unwritable file is reported instead of running it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

ProcessResult Started(const std::vector<std::string>& options, const std::vector<std::string>& program) {
  std::vector<std::string> argv{TANDEM_COMMAND, "run", "--render", "llvmpipe", "--display", "soft"};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.emplace_back("--");
  argv.insert(argv.end(), program.begin(), program.end());
  return RunProcess(argv, WithDrivers(VulkanDrivers()), 60000);
}

ProcessResult PaintThree(const std::vector<std::string>& options) {
  std::vector<std::string> all = options;
  if (std::find(all.begin(), all.end(), "--output") == all.end()) all.insert(all.end(), {"--output", "headless"});
  return Started(all, {Program("tandem_paint"), "--frames", "3", "--size", "64x48"});
}

class FigureFiles : public testing::Test {
 protected:
  [[nodiscard]] std::string File(const std::string& name) const { return scratch_.File(name); }
  // A program that leaves a mark if it runs.
  [[nodiscard]] std::vector<std::string> Marking() const { return {"touch", File("ran")}; }
  [[nodiscard]] bool Ran() const { return fs::exists(File("ran")); }

  const ScratchFolder scratch_;
};

TEST_F(FigureFiles, ProgramThatIsNotThere_OldFiguresStay) {
  for (const char* name : {"stats", "log", "picture"}) std::ofstream(File(name)) << "old";
  const ProcessResult result =
      Started({"--stats-json", File("stats"), "--frame-log", File("log"), "--output", "png:" + File("picture")},
              {"there-is-no-such-program"});
  EXPECT_EQ(result.exit_code, 127) << result.err;
  for (const char* name : {"stats", "log", "picture"}) EXPECT_EQ(TextOf(File(name)), "old") << name;
}

TEST_F(FigureFiles, SeveralPrograms_HaveFilesOfTheirOwn) {
  std::ofstream(File("paint-0.json")) << "old";
  const std::string paint = "'" + Program("tandem_paint") + "' --size 64x48 --frames ";
  const ProcessResult result =
      Started({"--output", "headless", "--stats-json", File("%e-%p.json"), "--frame-log", File("%p.csv")},
              {"sh", "-c", paint + "3; " + paint + "5"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  std::vector<int> presented;
  for (const auto& entry : fs::directory_iterator(File(""))) {
    const std::string name = entry.path().filename().string();
    if (name == "paint-0.json" || !name.ends_with(".json")) continue;
    const auto figures = nlohmann::json::parse(TextOf(entry.path().string()), nullptr, false);
    ASSERT_TRUE(figures.is_object()) << name;
    const std::string pid = std::to_string(figures.value("pid", 0));
    EXPECT_EQ(name, "tandem_paint-" + pid + ".json");
    presented.push_back(figures.value("frames_presented", 0));
    const std::string log = TextOf(File(pid + ".csv"));
    EXPECT_EQ(std::ranges::count(log, '\n'), presented.back() + 1) << log;
  }
  std::ranges::sort(presented);
  EXPECT_EQ(presented, (std::vector<int>{3, 5}));
  EXPECT_EQ(TextOf(File("paint-0.json")), "old");
}

TEST_F(FigureFiles, WindowsProgram_IsNamedInPlaceOfWinesLoader) {
  // A loader of wine that has named itself after its program.
  fs::copy_file(Program("tandem_paint"), File("wine64"));
  const ProcessResult result =
      Started({"--output", "headless", "--stats-json", File("%e.json")},
              {"bash", "-c", "exec -a 'C:\\Games\\A b\\Game.EXE' '" + File("wine64") + "' --size 64x48 --frames 2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto figures = nlohmann::json::parse(TextOf(File("Game.EXE.json")), nullptr, false);
  ASSERT_TRUE(figures.is_object()) << result.err;
  EXPECT_EQ(figures.value("program", ""), "C:\\Games\\A b\\Game.EXE");
}

// The first program is killed, the second one ends by itself.
TEST_F(FigureFiles, ProgramThatIsKilled_GetsItsFileBesideThatOfAnother) {
  const std::string paint = "'" + Program("tandem_paint") + "' --size 64x48 --frames ";
  const ProcessResult result = Started({"--output", "headless", "--stats-json", File("%p.json"), "--frame-log", File("%p.csv")},
                                       {"sh", "-c",
                                        paint + "100000 & " + paint + "3; until test -e " + File("$!.csv.$!") +
                                            "; do sleep 0.1; done; " + "sleep 1; kill -9 $!; wait $!; echo $!"});
  const std::string killed = result.out.substr(0, result.out.find('\n'));
  EXPECT_NE(result.err.find(File(killed + ".json") + " has what it reported before"), std::string::npos) << result.err;
  EXPECT_GT(nlohmann::json::parse(TextOf(File(killed + ".json")), nullptr, false).value("frames_presented", 0), 0);
  EXPECT_GT(fs::file_size(File(killed + ".csv")), 200U);
  EXPECT_EQ(std::distance(fs::directory_iterator(File("")), fs::directory_iterator()), 4) << result.err;
}

TEST_F(FigureFiles, FrameLogFormat_ReachesTheProgram) {
  const auto log = [this](const std::string& format) {
    const ProcessResult result = PaintThree({"--frame-log", File(format), "--frame-log-format", format});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return TextOf(File(format));
  };
  const std::string presentmon = log("presentmon");
  EXPECT_TRUE(presentmon.starts_with("Application,ProcessID,SwapChainAddress,")) << presentmon;
  EXPECT_EQ(std::ranges::count(presentmon, '\n'), 4) << presentmon;
  EXPECT_NE(presentmon.find("\ntandem_paint,"), std::string::npos) << presentmon;
  const std::string mangohud = log("mangohud");
  EXPECT_TRUE(mangohud.starts_with("os,cpu,gpu,ram,kernel,driver,cpuscheduler\n")) << mangohud;
  EXPECT_NE(mangohud.find(",llvmpipe"), std::string::npos) << mangohud;
  EXPECT_EQ(std::ranges::count(mangohud, '\n'), 5) << mangohud;
}

TEST_F(FigureFiles, Report_TakesWhatARunWrote) {
  ASSERT_EQ(PaintThree({"--frame-log", File("a.csv"), "--stats-json", File("a.json")}).exit_code, 0);
  const ProcessResult result = RunProcess(
      {TANDEM_COMMAND, "report", File("a.csv"), File("a.json"), "-o", File("page"), "--trace", File("trace")}, {}, 60000);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string page = TextOf(File("page"));
  EXPECT_NE(page.find("<th>a.csv, a.json</th>"), std::string::npos) << page;
  EXPECT_NE(page.find("<td>frames presented</td><td>3</td>"), std::string::npos) << page;
  EXPECT_NE(page.find("<td>program</td><td>tandem_paint</td>"), std::string::npos) << page;
  EXPECT_TRUE(nlohmann::json::parse(TextOf(File("trace")), nullptr, false).is_array());
}

TEST_F(FigureFiles, ProgramWithoutFrames_LeavesNoOldFigures) {
  std::ofstream(File("stats")) << "old";
  const ProcessResult result = Started({"--stats-json", File("stats")}, Marking());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(Ran());
  EXPECT_FALSE(fs::exists(File("stats")));
  EXPECT_NE(result.err.find("was not written"), std::string::npos) << result.err;
}

TEST_F(FigureFiles, PathThatCannotBeWritten_IsSaidBeforeTheProgramStarts) {
  fs::create_directory(File("folder"));
  fs::create_symlink(File("nothing"), File("link"));
  for (const std::string& path : {File("folder"), File("no/such/folder/file"), File("link")}) {
    for (const auto& [option, kind] : {std::pair("--stats-json", ""), std::pair("--frame-log", ""), std::pair("--output", "png:"),
                                       std::pair("--output", "y4m:"), std::pair("--output", "raw:")}) {
      SCOPED_TRACE(std::string(option) + " " + kind + path);
      const ProcessResult result = Started({option, kind + path}, Marking());
      EXPECT_EQ(result.exit_code, 125);
      EXPECT_TRUE(result.err.starts_with("tandem run: " + std::string(option) + ": " + path)) << result.err;
      EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
      EXPECT_FALSE(Ran());
      EXPECT_TRUE(fs::is_directory(File("folder")) && fs::is_symlink(File("link")));
    }
  }
}

TEST_F(FigureFiles, FileOfAnotherUser_IsSaidBeforeTheProgramStarts) {
  if (geteuid() != 0) GTEST_SKIP() << "Only root runs programs as another user.";
  fs::permissions(File(""), fs::perms(0777));
  std::ofstream(File("stats")) << "old";
  const ProcessResult result =
      RunProcess({"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", TANDEM_COMMAND, "run", "--render",
                  "llvmpipe", "--display", "soft", "--stats-json", File("stats"), "--", "touch", File("ran")},
                 WithDrivers(VulkanDrivers()), 60000);
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_NE(result.err.find("Permission denied"), std::string::npos) << result.err;
  EXPECT_EQ(TextOf(File("stats")), "old");
  EXPECT_FALSE(Ran());
}

TEST_F(FigureFiles, Device_IsWrittenToAndStaysADevice) {
  if (mknod(File("null").c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0) GTEST_SKIP() << "Only root makes device nodes.";
  const std::string null = File("null");
  const ProcessResult result = PaintThree({"--stats-json", null, "--frame-log", null, "--output", "raw:" + null});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(fs::is_character_file(null));
  const ProcessResult picture = Started({"--output", "png:" + null}, Marking());
  EXPECT_EQ(picture.exit_code, 125);
  EXPECT_NE(picture.err.find("is no regular file"), std::string::npos) << picture.err;
  EXPECT_FALSE(Ran());
  EXPECT_TRUE(fs::is_character_file(null));
}

TEST_F(FigureFiles, Link_StaysAndWhatItLeadsToIsReplaced) {
  fs::create_directory(File("folder"));
  for (const char* name : {"stats", "log", "picture"}) {
    std::ofstream(File("folder/" + std::string(name))) << "old";
    fs::create_symlink(File("folder/" + std::string(name)), File(name));
  }
  const ProcessResult result =
      PaintThree({"--stats-json", File("stats"), "--frame-log", File("log"), "--output", "png:" + File("picture")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const char* name : {"stats", "log", "picture"}) {
    EXPECT_TRUE(fs::is_symlink(File(name))) << name;
    EXPECT_NE(TextOf(File("folder/" + std::string(name))), "old") << name;
  }
  EXPECT_TRUE(nlohmann::json::parse(TextOf(File("stats")), nullptr, false).is_object());
  EXPECT_EQ(std::distance(fs::directory_iterator(File("folder")), fs::directory_iterator()), 3);
}

TEST_F(FigureFiles, StandardOutput_GetsTheFiguresOnceAndNothingIsReplaced) {
  fs::create_symlink("/proc/self/fd/1", File("stdout"));
  const ProcessResult piped = PaintThree({"--stats-json", File("stdout")});
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_EQ(nlohmann::json::parse(piped.out, nullptr, false).value("frames_presented", 0), 3) << piped.out;
  EXPECT_TRUE(fs::is_symlink(File("stdout")));
  const std::string command = "echo before; '" TANDEM_COMMAND
                              "' run --render llvmpipe --display soft --output headless --stats-json " +
                              File("stdout") + " -- " + Program("tandem_paint") + " --frames 3 --size 64x48; echo after";
  const ProcessResult result =
      RunProcess({"sh", "-c", "{ " + command + "; } > " + File("all")}, WithDrivers(VulkanDrivers()), 60000);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string all = TextOf(File("all"));
  EXPECT_TRUE(all.starts_with("before\n{") && all.ends_with("}\nafter\n")) << all;
}

TEST_F(FigureFiles, Pipe_IsWrittenTo) {
  ASSERT_EQ(mkfifo(File("pipe").c_str(), 0600), 0);
  const int reader = open(File("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  const ProcessResult result = PaintThree({"--stats-json", File("pipe")});
  std::string text(65536, '\0');
  const ssize_t got = read(reader, text.data(), text.size());
  close(reader);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  ASSERT_GT(got, 0);
  text.resize(static_cast<std::size_t>(got));
  EXPECT_TRUE(nlohmann::json::parse(text, nullptr, false).is_object()) << text;
  EXPECT_TRUE(fs::is_fifo(File("pipe")));
}

}  // namespace
}  // namespace tandem::test
