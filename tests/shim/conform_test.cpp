// The rules through a shim: sound drivers keep them in each form, and each fault beneath the shim breaks one.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <sys/wait.h>
#include <unistd.h>

#include "conform/through_shim.h"
#include "system/conformance_drivers.h"
#include "tests/shim/partners.h"

namespace tandem::shim_test {
namespace {

using conform::DriverUnderTest;
using conform::Outcome;
using conform::ShimForm;
using conform::Trial;
using conform::Verdict;

// The soft driver with the partners' user-mode halves.
DriverUnderTest WithPartner(PFND3D10DDI_OPENADAPTER open) {
  DriverUnderTest driver = system::SoftUnderTest();
  driver.open_adapter = open;
  return driver;
}

std::vector<Trial> Plan(const DriverUnderTest& render, const DriverUnderTest& display) {
  std::vector<Trial> plan;
  for (Trial trial : conform::PlanThroughShim(render, display, TANDEM_SHIM_LIBRARY)) {
    trial.pair = {&render, &display};
    plan.push_back(trial);
  }
  return plan;
}

Outcome Try(const std::vector<Trial>& plan, std::string_view rule, ShimForm form) {
  const auto found =
      std::find_if(plan.begin(), plan.end(), [&](const Trial& trial) { return trial.rule->id == rule && trial.form == form; });
  if (found == plan.end()) return {Verdict::kFail, "There is no such trial.", conform::SeenBy::kNobody};
  return conform::RunTrial(*found);
}

TEST(ThroughShim, SoundDrivers_KeepEveryRuleInEachForm) {
  display_partner = {};
  render_partner = {};
  const DriverUnderTest& soft = system::SoftUnderTest();
  std::set<std::string> forms;
  for (const Trial& trial : conform::PlanThroughShim(soft, soft, TANDEM_SHIM_LIBRARY)) {
    const Outcome outcome = conform::RunTrial(trial);
    EXPECT_EQ(outcome.verdict, Verdict::kPass) << trial.name() << ": " << outcome.seen;
    forms.emplace(ToString(*trial.form));
  }
  EXPECT_EQ(forms, (std::set<std::string>{"hidden", "inside", "library"}));
}

struct BrokenPartner {
  const char* name;
  Fault fault;
  bool renders;  // else it displays
  const char* rule;
  const char* seen;
};
void PrintTo(const BrokenPartner& broken, std::ostream* out) { *out << broken.name; }

class BrokenBeneath : public ::testing::TestWithParam<BrokenPartner> {};

TEST_P(BrokenBeneath, Driver_IsCaughtInTheLibraryAndOverAHiddenAdapter_AndTheOtherSideIsClosed) {
  const DriverUnderTest render = WithPartner(RenderPartnerOpenAdapter);
  const DriverUnderTest display = WithPartner(DisplayPartnerOpenAdapter);
  for (const ShimForm form : {ShimForm::kLibrary, ShimForm::kHidden}) {
    display_partner = {};
    render_partner = {};
    (GetParam().renders ? render_partner : display_partner).fault = GetParam().fault;
    const Outcome outcome = Try(Plan(render, display), GetParam().rule, form);
    EXPECT_EQ(outcome.verdict, Verdict::kFail) << ToString(form);
    EXPECT_NE(outcome.seen.find(GetParam().seen), std::string::npos) << outcome.seen;
    EXPECT_TRUE(display_partner.closed()) << ToString(form);
    EXPECT_TRUE(render_partner.closed()) << ToString(form);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shim, BrokenBeneath,
    ::testing::Values(BrokenPartner{"render_fails_to_open", Fault::kFailsToOpen, true, "Shim.Open", "does not open"},
                      BrokenPartner{"display_fails_to_open", Fault::kFailsToOpen, false, "Shim.Open", "does not open"},
                      BrokenPartner{"render_has_no_functions", Fault::kOpensWithoutFunctions, true, "Shim.Open", "does not open"},
                      BrokenPartner{"render_fails_at_device", Fault::kFailsAtDevice, true, "Shim.Open", "does not open"},
                      BrokenPartner{"display_fails_at_device", Fault::kFailsAtDevice, false, "Shim.Open", "does not open"},
                      BrokenPartner{"render_talks_back_as_it_opens", Fault::kTalksBackAtOpen, true, "Shim.Open", "does not open"},
                      BrokenPartner{"render_talks_back_as_it_copies", Fault::kTalksBackAtPresent, true, "Shim.Frames",
                                    "Drawing answered 0x80004005"},
                      BrokenPartner{"render_answers_late", Fault::kAnswersLate, true, "Shim.SharedFrames",
                                    "Drawing answered 0x80004005"},
                      BrokenPartner{"display_answers_late", Fault::kAnswersLate, false, "Shim.Frames", "Presenting frame 1"}),
    [](const auto& broken) { return std::string(broken.param.name); });

}  // namespace
}  // namespace tandem::shim_test
