#include "tests/fuzz/built_driver.h"

#include <unistd.h>

namespace tandem::test {

BuiltDriver::BuiltDriver() : folder_(std::filesystem::path(testing::TempDir()) / ("tandem_fuzz_" + std::to_string(getpid()))) {
  std::filesystem::create_directories(folder_);
}

BuiltDriver::~BuiltDriver() { std::filesystem::remove_all(folder_); }

std::string BuiltDriver::Module(const std::string& name) { return std::string(TANDEM_MODULES) + "/" + name + ".so"; }

std::string BuiltDriver::BuildFrom(const std::vector<std::string>& folders, const std::vector<std::string>& options) {
  const std::string file = File("broken.so");
  std::vector<std::string> argv{TANDEM_COMMAND, "driver", "build"};
  argv.insert(argv.end(), folders.begin(), folders.end());
  argv.insert(argv.end(), {"-o", file});
  argv.insert(argv.end(), options.begin(), options.end());
  const ProcessResult built = RunProcess(argv, {}, 120'000);
  EXPECT_EQ(built.exit_code, 0) << built.out << built.err;
  return file;
}

std::string BuiltDriver::Build(const std::string& fault, const std::vector<std::string>& options) {
  std::vector<std::string> words{"-D", "DxgkInitializeDisplayOnlyDriver=InnerInitialize", "-D", fault};
  words.insert(words.end(), options.begin(), options.end());
  return BuildFrom({TANDEM_SOURCE_DIR "/examples/display_only", TANDEM_SOURCE_DIR "/tests/fuzz/broken_display"}, words);
}

ProcessResult BuiltDriver::Tandem(const std::vector<std::string>& words) {
  std::vector<std::string> argv{TANDEM_COMMAND};
  argv.insert(argv.end(), words.begin(), words.end());
  return RunProcess(argv, {}, 200'000);
}

nlohmann::json BuiltDriver::Fuzz(const std::string& driver, const std::vector<std::string>& options) {
  std::vector<std::string> words{"fuzz", "--driver", driver, "--json", "--folder", File("findings")};
  words.insert(words.end(), options.begin(), options.end());
  const ProcessResult result = Tandem(words);
  auto report = nlohmann::json::parse(result.out, nullptr, false);
  EXPECT_TRUE(report.is_object()) << result.out << result.err;
  if (report.is_object()) {
    EXPECT_EQ(result.exit_code, report["findings"].empty() ? 0 : 1) << result.err;
  }
  return report;
}

nlohmann::json BuiltDriver::FindingWith(const nlohmann::json& report, const std::string& words) {
  for (const auto& finding : report["findings"]) {
    if (finding["sentence"].get<std::string>().find(words) != std::string::npos) return finding;
  }
  return nullptr;
}

}  // namespace tandem::test
