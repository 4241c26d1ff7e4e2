// Every rule on every driver of this build.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>

#include "conform/plan.h"
#include "conform/rules.h"
#include "system/conformance_drivers.h"

namespace tandem::conform {

void PrintTo(const Trial& trial, std::ostream* out) { *out << trial.rule->sentence; }

namespace {

const std::vector<DriverUnderTest>& VulkanDrivers() {
#ifdef TANDEM_CONFORMANCE_VULKAN
  static const std::vector<DriverUnderTest> drivers = [] {
    if (const char* second = std::getenv("TANDEM_TEST_SWIFTSHADER_ICD")) setenv("VK_ADD_DRIVER_FILES", second, 1);
    return system::VulkanUnderTest();
  }();
#else
  static const std::vector<DriverUnderTest> drivers;
#endif
  return drivers;
}

// The rules that open the user-mode half.
bool OpensUserMode(const Trial& trial) {
  const auto has = [&](std::span<const Rule> rules) { return std::ranges::count(rules, trial.rule->id, &Rule::id) != 0; };
  return has(UserModeRules()) || has(Nv12Rules());
}

std::vector<Trial> Plan() {
  std::vector<Trial> plan = PlanFor(system::SoftUnderTest(), system::SoftUnderTest());
  std::ranges::copy_if(PlanFor(system::SoftClass9UnderTest(), system::SoftUnderTest()), std::back_inserter(plan), OpensUserMode);
  for (const DriverUnderTest& driver : VulkanDrivers()) {
    const std::vector<Trial> more = PlanFor(driver, system::SoftUnderTest());
    plan.insert(plan.end(), more.begin(), more.end());
  }
  return plan;
}

std::string TestName(const testing::TestParamInfo<Trial>& trial) {
  std::string name = trial.param.name();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

class Conformance : public testing::TestWithParam<Trial> {};

TEST_P(Conformance, Rule_OnDriver_Holds) {
  const Outcome outcome = RunTrial(GetParam());
  if (outcome.verdict == Verdict::kNotApplicable) GTEST_SKIP() << outcome.seen;
  EXPECT_EQ(outcome.verdict, Verdict::kPass) << GetParam().rule->sentence << "\n" << outcome.seen;
}

INSTANTIATE_TEST_SUITE_P(Rules, Conformance, testing::ValuesIn(Plan()), TestName);

TEST(Rules, Ids_AreUnique) {
  for (const Rule& one : AllRules()) {
    int count = 0;
    for (const Rule& other : AllRules()) count += one.id == other.id ? 1 : 0;
    EXPECT_EQ(count, 1) << one.id;
  }
}

// Reports a machine without a Vulkan driver.
TEST(Drivers, Vulkan_IsThere) {
  if (VulkanDrivers().empty()) GTEST_SKIP() << "No Vulkan device, or a sanitizer build: the vulkan driver was not tested.";
}

}  // namespace
}  // namespace tandem::conform
