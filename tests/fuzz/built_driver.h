// Drivers for the tests of `tandem fuzz`, and the command's reports about them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/integration/process.h"

namespace tandem::test {

class BuiltDriver : public testing::Test {
 protected:
  BuiltDriver() { std::filesystem::create_directories(folder_); }
  ~BuiltDriver() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string File(const std::string& name) const { return (folder_ / name).string(); }
  static std::string Module(const std::string& name) { return std::string(TANDEM_MODULES) + "/" + name + ".so"; }

  // The display-only example with one fault of broken_display/Broken.cpp. Returns its file.
  std::string Build(const std::string& fault, const std::vector<std::string>& options = {}) {
    const std::string file = File("broken.so");
    std::vector<std::string> argv{TANDEM_COMMAND,
                                  "driver",
                                  "build",
                                  TANDEM_SOURCE_DIR "/examples/display_only",
                                  TANDEM_SOURCE_DIR "/tests/fuzz/broken_display",
                                  "-o",
                                  file,
                                  "-D",
                                  "DxgkInitializeDisplayOnlyDriver=InnerInitialize",
                                  "-D",
                                  fault};
    argv.insert(argv.end(), options.begin(), options.end());
    const ProcessResult built = RunProcess(argv, {}, 120'000);
    EXPECT_EQ(built.exit_code, 0) << built.out << built.err;
    return file;
  }

  // A command of `tandem`; `exit_code` and the report are checked by the caller.
  ProcessResult Tandem(const std::vector<std::string>& words) {
    std::vector<std::string> argv{TANDEM_COMMAND};
    argv.insert(argv.end(), words.begin(), words.end());
    return RunProcess(argv, {}, 200'000);
  }
  nlohmann::json Fuzz(const std::string& driver, const std::vector<std::string>& options) {
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
  // The finding whose sentence has `words`; null if there is none.
  static nlohmann::json FindingWith(const nlohmann::json& report, const std::string& words) {
    for (const auto& finding : report["findings"]) {
      if (finding["sentence"].get<std::string>().find(words) != std::string::npos) return finding;
    }
    return nullptr;
  }

  const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / ("tandem_fuzz_" + std::to_string(getpid()));
};

}  // namespace tandem::test
