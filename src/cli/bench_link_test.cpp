#include "cli/bench_link.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/exit_codes.h"
#include "link/surface/link_surface.h"

namespace tandem::cli {
namespace {

LinkBenchRow Row() {
  LinkBenchRow row;
  row.request.link_bytes_per_second = 250'000'000;
  row.fixed[0].frames_per_second = 47;
  row.fixed[1].frames_per_second = 90;
  row.fixed[2].frames_per_second = 100;
  row.governed.frames_per_second = 99;
  row.governed.frames = {0, 30, 60, 0, 10};
  return row;
}

LinkLatencyRow Latency() {
  LinkLatencyRow row;
  row.latency = {11'000'000, 10'000'000};
  return row;
}

TEST(BenchLink, TheTableSaysShareAndChoice) {
  const LinkBenchRow row = Row();
  EXPECT_NEAR(row.PlainLimit(), 47.7, 0.1);
  EXPECT_NEAR(row.Share(), 0.99, 1e-9);
  const std::string table = Heading() + ToLine(row) + LatencyHeading() + ToLine(Latency());
  EXPECT_NE(table.find("emulated"), std::string::npos);
  EXPECT_NE(table.find("1280x1024@60"), std::string::npos) << table;
  EXPECT_NE(table.find("lossless 30% 420 60% 420-tiles 10%"), std::string::npos) << table;
  EXPECT_NE(table.find("11.0 ms, 1.10 x 10.0 ms"), std::string::npos) << table;
}

TEST(BenchLink, LinesHaveNamesForPatterns) {
  EXPECT_EQ(NameOf(Row().request), "1280x1024@60 250MB/s game");
  EXPECT_EQ(LatencyNameOf(Row().request, link::LinkEncoding::kYuv420Tiles), "latency 250MB/s 420-tiles");
  BenchLinkCommand command;
  command.filter = "1280x1024@61*";
  EXPECT_EQ(BenchLink(command), kExitUsage);
}

TEST(BenchLink, JsonHasTheSameFigures) {
  const LinkBenchRow row = Row();
  const auto json = nlohmann::json::parse(ToJson({{row}, {Latency()}}));
  EXPECT_EQ(json["link"][0]["420"]["frames_per_second"], 100);
  EXPECT_EQ(json["link"][0]["governor"]["of_best"], 0.99);
  EXPECT_EQ(json["latency"][0]["ratio"], 1.1);
}

}  // namespace
}  // namespace tandem::cli
