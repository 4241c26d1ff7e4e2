#include "cli/conform_text.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "conform/driver_under_test.h"
#include "conform/plan.h"
#include "conform/rule.h"

namespace tandem::cli {
namespace {

using conform::Needs;
using conform::Rule;
using conform::Verdict;

constexpr Rule kHolds{"Paint.Dry",
                      "What was painted dries, on any surface and in any weather, before the next coat is put on it.",
                      "The handbook of paint, chapter 3",
                      Needs::kRender,
                      nullptr,
                      "The handbook is silent about rain; this rule is not."};
constexpr Rule kBroken{"Paint.Even", "Paint is even.", "The handbook of paint, chapter 4", Needs::kRender, nullptr};
constexpr Rule kElsewhere{"Wood.Sanded", "Wood is sanded first.", "The carpenter's handbook", Needs::kRender, nullptr};

class ConformTextTest : public testing::Test {
 protected:
  ConformTextTest() { driver_.name = "brush"; }
  [[nodiscard]] TrialResult Result(const Rule& rule, Verdict verdict, std::string seen) const {
    return {"brush", {&rule, {&driver_, &driver_}}, {verdict, std::move(seen)}, "", 1'500'000'000};
  }
  [[nodiscard]] std::vector<TrialResult> Three() const {
    return {Result(kHolds, Verdict::kPass, ""), Result(kBroken, Verdict::kFail, "A <drop> runs down from \"here\" & stays."),
            Result(kElsewhere, Verdict::kNotApplicable, "The wall is of stone.")};
  }

  conform::DriverUnderTest driver_;
};

std::size_t LongestLine(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST_F(ConformTextTest, AnyWidth_NoLinePassesIt) {
  for (const std::size_t width : {80u, 120u, 200u}) {
    const TextStyle style{width, false};
    for (const TrialResult& result : Three()) EXPECT_LE(LongestLine(ToText(result, style, Printed::kExcerpt)), width);
    EXPECT_LE(LongestLine(Summary(Three(), style)), width);
    const std::vector<conform::Trial> plan{Three()[0].trial};
    EXPECT_LE(LongestLine(ListOfRules(plan, style)), width);
  }
}

TEST_F(ConformTextTest, Summary_SaysWhatHoldsWhatIsBrokenAndWhatCouldNotBeTried) {
  const std::string text = Summary(Three(), {80, false});
  EXPECT_NE(text.find("  Paint                1     1     -\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  Wood                 -     -     1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  The wall is of stone.\n      Wood.Sanded\n"), std::string::npos) << text;
  EXPECT_NE(text.find("source  The handbook of paint, chapter 4"), std::string::npos) << text;
  EXPECT_NE(text.find("disagree, these rules decide (--list says how)\n  Paint.Dry\n"), std::string::npos) << text;
  EXPECT_NE(text.find("brush does not conform: 1 rule is broken,\n1 holds, 1 does not apply (4.5 s, seed 1).\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find('\033'), std::string::npos);
}

TEST_F(ConformTextTest, Colours_AreThereWhenTheTerminalHasThem) {
  EXPECT_NE(Summary(Three(), {80, true}).find("\033[1;31mbrush does not conform"), std::string::npos);
  EXPECT_EQ(ToText(Three()[0], {80, true}, Printed::kExcerpt), "\033[32mpass\033[0m  Paint.Dry on brush\n");
}

TEST_F(ConformTextTest, List_SaysWhatARuleDecides) {
  const std::vector<conform::Trial> plan{Three()[0].trial};
  EXPECT_NE(ListOfRules(plan, {200, false}).find("Decides: The handbook is silent about rain"), std::string::npos);
}

TEST_F(ConformTextTest, Printed_StandsBelowABrokenRule_AndForEveryOneWhenAllIsAskedFor) {
  TrialResult broken = Three()[1], holds = Three()[0];
  broken.printed = holds.printed = "one\n\033[31mtwo";
  EXPECT_NE(ToText(broken, {80, false}, Printed::kExcerpt).find("      | one\n      | ?[31mtwo\n"), std::string::npos);
  EXPECT_EQ(ToText(broken, {80, false}, Printed::kNothing).find("one"), std::string::npos);
  EXPECT_EQ(ToText(holds, {80, false}, Printed::kExcerpt).find("one"), std::string::npos);
  EXPECT_NE(ToText(holds, {80, false}, Printed::kAll).find("      | one\n"), std::string::npos);
  EXPECT_NE(ToJunit({&broken, 1}).find("stays.&#10;Printed:&#10;one&#10;?[31mtwo"), std::string::npos) << ToJunit({&broken, 1});
}

TEST_F(ConformTextTest, EqualFailures_StandOnce) {
  const std::vector<TrialResult> results{Result(kHolds, Verdict::kFail, "It rains."),
                                         Result(kBroken, Verdict::kFail, "It rains."),
                                         Result(kElsewhere, Verdict::kFail, "It burns.")};
  const std::string text = Summary(results, {80, false});
  EXPECT_NE(
      text.find("  2 trials see the same\n        seen    It rains.\n        trials  Paint.Dry on brush, Paint.Even on brush"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("  Wood.Sanded on brush\n"), std::string::npos) << text;
}

TEST_F(ConformTextTest, Seeds_AreSaid) {
  std::vector<TrialResult> results{Result(kBroken, Verdict::kFail, "It rains."), Result(kBroken, Verdict::kPass, "")};
  results[0].trial.seed = 7;
  results[1].trial.seed = 8;
  const std::string text = Summary(results, {80, false});
  EXPECT_NE(text.find("  Paint.Even on brush (seed 7)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("(3.0 s, seeds 7 to 8).\n"), std::string::npos) << text;
}

TEST_F(ConformTextTest, Junit_IsASuiteForEachDriver_AndEscapes) {
  std::vector<TrialResult> results = Three();
  results.push_back(Result(kHolds, Verdict::kPass, ""));
  results.back().driver = "roller";
  const std::string xml = ToJunit(results);
  EXPECT_NE(xml.find("<testsuite name=\"tandem conform: brush\" tests=\"3\" failures=\"1\" skipped=\"1\">"), std::string::npos)
      << xml;
  EXPECT_NE(xml.find("<testsuite name=\"tandem conform: roller\" tests=\"1\" failures=\"0\" skipped=\"0\">"), std::string::npos)
      << xml;
  EXPECT_NE(xml.find("type=\"Paint.Even\" message=\"A &lt;drop&gt; runs down from &quot;here&quot; &amp; stays.\""),
            std::string::npos)
      << xml;
}

}  // namespace
}  // namespace tandem::cli
