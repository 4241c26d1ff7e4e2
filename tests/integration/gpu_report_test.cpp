// tandem gpu-report on software drivers: its sections, their figures, and what it says of drivers that are wrong.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

using Json = nlohmann::json;

struct Report {
  ProcessResult process;
  Json json;
  std::string markdown;
};

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Report RunReport(const Environment& environment, const ScratchFolder& folder, const std::string& minutes) {
  Report report;
  const std::string out = folder.File("new/report");
  report.process = RunProcess({TANDEM_COMMAND, "gpu-report", "--minutes", minutes, "--adapter", "0", "-o", out, "--json"},
                              environment, 280'000);
  report.json = Json::parse(report.process.out, nullptr, false);
  report.markdown = ReadAll(out + "/report.md");
  EXPECT_EQ(report.json, Json::parse(ReadAll(out + "/report.json"), nullptr, false));
  return report;
}

Json SectionOf(const Report& report, const std::string& name) {
  for (const Json& section : report.json["devices"][0]["sections"]) {
    if (section["name"] == name) return section;
  }
  return {};
}

bool Has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(GpuReport, EachDriver_HasEverySectionAndNothingWrong) {
  const auto drivers = VulkanDrivers();
  ASSERT_FALSE(drivers.empty()) << "There is no lavapipe; install mesa-vulkan-drivers.";
  for (const VulkanDriver& driver : drivers) {
    SCOPED_TRACE(driver.name);
    const ScratchFolder folder;
    const Report report = RunReport(WithDrivers({driver}), folder, "1.5");
    ASSERT_TRUE(report.json.is_object()) << report.process.out << report.process.err;
    // 2: the rules take longer than their share.
    EXPECT_TRUE(report.process.exit_code == 0 || report.process.exit_code == 2) << report.process.out;
    EXPECT_EQ(report.json["exit_code"], report.process.exit_code);
    EXPECT_EQ(report.json["devices"].size(), 1U);
    EXPECT_EQ(report.json["devices"][0]["is_processor"], true);
    EXPECT_TRUE(Has(report.markdown, "This device is the processor with a software driver."));
    for (const char* const name : {"device", "sharing", "pairs", "memory", "coding", "frames"}) {
      SCOPED_TRACE(name);
      const Json section = SectionOf(report, name);
      EXPECT_EQ(section["state"], "done") << section.dump();
      EXPECT_FALSE(section["rows"].empty());
      EXPECT_TRUE(Has(report.markdown, "### " + section["title"].get<std::string>())) << report.markdown;
      EXPECT_TRUE(Has(report.process.err, section["title"].get<std::string>())) << report.process.err;
    }
    const Json frames = SectionOf(report, "frames");
    const Json coding = SectionOf(report, "coding");
    std::vector<std::string> right;
    for (const Json& row : frames["rows"]) {
      if (row["pixels"] == "24 frames right") right.push_back(row["asked"]);
    }
    for (const char* const asked : {"one-copy", "two-copy", "encoded plain", "encoded lossless"}) {
      EXPECT_NE(std::find(right.begin(), right.end(), asked), right.end()) << asked << frames.dump(1);
    }
    std::size_t same = 0;
    for (const Json& row : coding["rows"]) same += row["bits"] == "the processor's" ? 1 : 0;
    EXPECT_GE(same, 2U) << coding.dump(1);
    const Json rules = SectionOf(report, "conform");
    EXPECT_TRUE(Has(rules["rows"][0]["seen"], " 0 failed")) << rules.dump(1);
  }
}

TEST(GpuReport, DriverWithAWrongPixel_IsWrongInItsFrames) {
  const ScratchFolder folder;
  const Report report = RunReport(WithLie("last-row", {Liar()}).environment, folder, "0.5");
  EXPECT_EQ(report.process.exit_code, 1) << report.process.err;
  const Json frames = SectionOf(report, "frames");
  std::size_t wrong = 0;
  for (const Json& row : frames["rows"]) wrong += Has(row["pixels"], "WRONG") ? 1 : 0;
  EXPECT_GT(wrong, 0U) << frames.dump(1);
}

TEST(GpuReport, DriverThatLosesItsDevice_FailsItsSectionsAndTheOthersGoOn) {
  const ScratchFolder folder;
  const Report report = RunReport(WithLie("lose-device:20", {Liar()}).environment, folder, "0.5");
  EXPECT_EQ(report.process.exit_code, 1) << report.process.err;
  EXPECT_EQ(SectionOf(report, "device")["state"], "done");
  const Json memory = SectionOf(report, "memory");
  EXPECT_EQ(memory["state"], "failed") << memory.dump();
  EXPECT_TRUE(Has(memory["reason"], "VK_ERROR_DEVICE_LOST")) << memory.dump();
  EXPECT_TRUE(Has(report.markdown, "**Failed: ")) << report.markdown;
  EXPECT_FALSE(SectionOf(report, "conform").is_null());
}

TEST(GpuReport, NoVulkanDevice_IsAFailureWithoutAFolder) {
  const ScratchFolder folder;
  const VulkanDriver nowhere{"nowhere", "nowhere", folder.File("no.json")};
  const ProcessResult result =
      RunProcess({TANDEM_COMMAND, "gpu-report", "-o", folder.File("report")}, WithDrivers({nowhere}), 60'000);
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_TRUE(Has(result.err, "no such Vulkan device")) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder.File("report")));
}

}  // namespace
}  // namespace tandem::test
