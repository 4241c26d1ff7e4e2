// Drivers for the tests of `tandem fuzz`, and the command's reports about them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/integration/process.h"

namespace tandem::test {

class BuiltDriver : public testing::Test {
 protected:
  BuiltDriver();
  ~BuiltDriver() override;

  [[nodiscard]] std::string File(const std::string& name) const { return (folder_ / name).string(); }
  static std::string Module(const std::string& name);
  // The display-only example with one fault of broken_display/Broken.cpp. Returns its file.
  std::string Build(const std::string& fault, const std::vector<std::string>& options = {});
  // A driver of the folders' sources. Returns its file.
  std::string BuildFrom(const std::vector<std::string>& folders, const std::vector<std::string>& options);
  // A command of `tandem`; `exit_code` and the report are checked by the caller.
  static ProcessResult Tandem(const std::vector<std::string>& words);
  // The report of `tandem fuzz`.
  nlohmann::json Fuzz(const std::string& driver, const std::vector<std::string>& options);
  // The finding whose sentence has `words`; null if there is none.
  static nlohmann::json FindingWith(const nlohmann::json& report, const std::string& words);

  const std::filesystem::path folder_;
};

}  // namespace tandem::test
