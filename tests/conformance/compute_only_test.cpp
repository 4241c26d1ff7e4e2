// A driver that only computes has no present and no surfaces of a desktop: its life is judged, and nothing that it lacks.
#include <gtest/gtest.h>

#include <cstdio>

#include <sys/wait.h>
#include <unistd.h>

#include "base/testing/sanitizer.h"
#include "conform/loaded_driver.h"
#include "conform/plan.h"
#include "system/conformance_drivers.h"
#include "tests/conformance/broken_drivers.h"

namespace tandem::conform {
namespace {

NTSTATUS QueryCompute(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) {
  const NTSTATUS status = SoundTable().DxgkDdiQueryAdapterInfo(adapter, query);
  if (query->Type != DXGKQAITYPE_DRIVERCAPS) return status;
  auto& caps = *static_cast<DXGK_DRIVERCAPS*>(query->pOutputData);
  caps.MiscCaps.ComputeOnly = 1;
  caps.MemoryManagementCaps.CrossAdapterResource = caps.MemoryManagementCaps.CrossAdapterResourceTexture =
      caps.MemoryManagementCaps.CrossAdapterResourceScanout = 0;
  return status;
}

NTSTATUS StartWithoutScreen(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE kernel, PULONG sources,
                            PULONG children) {
  const NTSTATUS status = SoundTable().DxgkDdiStartDevice(context, info, kernel, sources, children);
  *sources = *children = 0;
  return status;
}

NTSTATUS DescribeNothing(HANDLE, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA*) {
  std::fputs("A compute-only driver was asked for a surface.\n", stderr);
  _exit(2);
}

void LeaveComputingAlone(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiQueryAdapterInfo = &QueryCompute;
  table.DxgkDdiStartDevice = &StartWithoutScreen;
  table.DxgkDdiGetStandardAllocationDriverData = &DescribeNothing;
  table.DxgkDdiPresent = nullptr;
  table.DxgkDdiQueryCurrentFence = nullptr;
}

Verdict VerdictOf(const DriverUnderTest& driver, const std::string& rule) {
  for (const Trial& trial : PlanFor(driver, driver)) {
    if (trial.rule->id != rule) continue;
    const Outcome outcome = RunTrial(trial);
    std::fprintf(stderr, "%s: %s\n", rule.c_str(), outcome.seen.c_str());
    return outcome.verdict;
  }
  return Verdict::kFail;
}

// The edited table stays in its process.
int VerdictInChild(const std::string& rule) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kUnderSanitizer ? 300 : 60);
    DriverUnderTest driver = Break(system::SoftUnderTest(), {"Computes", rule, &LeaveComputingAlone});
    driver.describe = &DescribeStandard;  // as for a driver in a shared object
    _exit(10 + static_cast<int>(VerdictOf(driver, rule)));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) - 10 : -WTERMSIG(status);
}

TEST(ComputeOnlyDriver, LifeIsJudged) {
  for (const char* rule : {"LifeCycle.Restart", "Leak.Contexts", "Leak.Adapter"}) {
    EXPECT_EQ(VerdictInChild(rule), static_cast<int>(Verdict::kPass)) << rule;
  }
}

TEST(ComputeOnlyDriver, WhatItLacksDoesNotApply) {
  for (const char* rule : {"Standard.Surfaces", "Present.Blt.Sizes", "CrossAdapter.Tiers", "Memory.Evict"}) {
    EXPECT_EQ(VerdictInChild(rule), static_cast<int>(Verdict::kNotApplicable)) << rule;
  }
}

}  // namespace
}  // namespace tandem::conform
