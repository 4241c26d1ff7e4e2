#include "cli/gpu_report_text.h"

#include <gtest/gtest.h>

namespace tandem::cli {
namespace {

using Json = nlohmann::ordered_json;

Json Sample(const char* state) {
  Json rows = Json::array();
  rows.push_back({{"task", "encode | decode"}, {"coding_us", 14.25}, {"bits", "the processor's"}});
  rows.push_back({{"task", "decode"}, {"coding_us", nullptr}, {"same", true}});
  Json section{{"title", "Shaders"}, {"sentence", "What they do."}, {"state", state}, {"reason", "It crashed."}};
  section["rows"] = rows;
  Json device{{"name", "GPU"}, {"is_processor", false}};
  device["sections"].push_back(section);
  Json report{{"machine", {{"processor", "P"}, {"processors", 2}}}, {"verdict", "Nothing is wrong."}};
  report["devices"].push_back(device);
  return report;
}

TEST(GpuReportText, Rows_BecomeATableOfAllTheirColumns) {
  const std::string text = ToMarkdown(Sample("done"));
  EXPECT_NE(text.find("## GPU\n\n### Shaders\n\nWhat they do.\n\n"
                      "| task | coding us | bits | same |\n| --- | --- | --- | --- |\n"
                      "| encode \\| decode | 14.2 | the processor's |  |\n| decode | - |  | yes |\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("crashed"), std::string::npos);
  EXPECT_NE(text.find("**Nothing is wrong.**"), std::string::npos);
  EXPECT_EQ(text.find("software driver"), std::string::npos);
}

TEST(GpuReportText, SectionThatEndedEarly_SaysWhy) {
  EXPECT_NE(ToMarkdown(Sample("failed")).find("What they do. **Failed: It crashed.**"), std::string::npos);
  EXPECT_NE(ToMarkdown(Sample("partial")).find("What they do. **Partial: It crashed.**"), std::string::npos);
}

TEST(GpuReportText, SoftwareDevice_IsCalledOne) {
  Json report = Sample("done");
  report["devices"][0]["is_processor"] = true;
  EXPECT_NE(ToMarkdown(report).find("processor with a software driver. Its figures say nothing about a GPU."), std::string::npos);
}

}  // namespace
}  // namespace tandem::cli
