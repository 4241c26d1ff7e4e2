#include "cli/pairs.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "config/adapter_info.h"

namespace tandem::cli {
namespace {

system::PairReport Report() {
  config::AdapterInfo gpu;
  gpu.index = 0;
  gpu.name = "A GPU \xff";
  gpu.can_render = true;
  gpu.tier = 1;
  config::AdapterInfo soft;
  soft.index = 1;
  soft.name = "soft";
  soft.can_display = true;
  soft.tier = 3;
  system::PairReport report;
  report.adapters = {gpu, soft};
  const system::PageAbility no{false, "It refuses.", 0, 0};
  const system::PageAbility yes{true, "Patterns passed both ways.", 2'500'000'000, 1'250'000'000};
  report.pairs =
      system::PairsOf(report.adapters, {{{no, no, no, yes}, "The processor waits."}, {system::ProcessorAbilities(), ""}});
  return report;
}

TEST(Pairs, Table_SaysWayRatesPathAndReason) {
  const std::string table = PairsTable(Report());
  for (const char* expected :
       {"0 A GPU", " -> 1 soft\n", "*d       anonymous pages", "writes 2.50 GB/s, reads 1.25 GB/s", "render: no. It refuses.",
        "path     one-copy: ", "fences   The processor waits.", "Not a memfd, render adapter: It refuses."}) {
    EXPECT_NE(table.find(expected), std::string::npos) << expected << '\n' << table;
  }
  EXPECT_EQ(table.find("from the cache"), std::string::npos);
}

TEST(Pairs, Json_HasEachWay) {
  const auto json = nlohmann::json::parse(PairsJson(Report()));
  ASSERT_EQ(json["pairs"].size(), 1U);
  const auto& pair = json["pairs"][0];
  EXPECT_EQ(pair["render"], 0);
  EXPECT_EQ(pair["display"], 1);
  EXPECT_EQ(pair["way"], "d");
  EXPECT_EQ(pair["path"], "one-copy");
  ASSERT_EQ(pair["ways"].size(), 4U);
  EXPECT_EQ(pair["ways"][0]["works"], false);
  EXPECT_EQ(pair["ways"][3]["render"]["write_bytes_per_second"], 2'500'000'000U);
  EXPECT_EQ(json["cached"], false);
}

TEST(Pairs, AdapterThatNeedsTheProcessor_HasNoWay) {
  system::PairReport report = Report();
  const system::PageAbility no{false, "It refuses.", 0, 0};
  report.pairs = system::PairsOf(report.adapters, {{{no, no, no, no}, ""}, {system::ProcessorAbilities(), ""}});
  const auto json = nlohmann::json::parse(PairsJson(report));
  EXPECT_TRUE(json["pairs"][0]["way"].is_null());
  EXPECT_EQ(json["pairs"][0]["path"], "cpu");
}

}  // namespace
}  // namespace tandem::cli
