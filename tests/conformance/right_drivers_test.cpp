// Correct drivers that differ from those of this tree: rules hold for them, or do not apply.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "base/testing/sanitizer.h"
#include "conform/loaded_driver.h"
#include "conform/plan.h"
#include "drivers/soft/soft_device.h"
#include "system/conformance_drivers.h"
#include "tests/conformance/broken_drivers.h"

namespace tandem::conform {
namespace {

// A rule that hangs ends; under a sanitizer on a loaded machine the longest one takes more than a minute.
constexpr unsigned kLimitSeconds = kUnderSanitizer ? 300 : 60;

// The verdict, or a larger number if the process did not exit by itself.
int VerdictInChild(DriverUnderTest driver, void (*edit)(DRIVER_INITIALIZATION_DATA& table), const std::string& rule) {
  constexpr int kDied = 100, kNoSuchRule = 101;
  const pid_t child = fork();
  if (child == 0) {
    alarm(kLimitSeconds);
    driver = Break(driver, {driver.name, rule, edit});
    for (const Trial& trial : PlanFor(driver, driver)) {
      if (trial.rule->id != rule) continue;
      const Outcome outcome = RunTrial(trial);
      if (outcome.verdict != Verdict::kPass) std::fprintf(stderr, "%s: %s\n", rule.c_str(), outcome.seen.c_str());
      _exit(static_cast<int>(outcome.verdict));
    }
    _exit(kNoSuchRule);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kDied;
}

constexpr int kPass = static_cast<int>(Verdict::kPass);
constexpr int kNotApplicable = static_cast<int>(Verdict::kNotApplicable);

NTSTATUS ReadTheContext(HANDLE adapter, const DXGKARG_SETVIDPNSOURCEADDRESS* args) {
  const bool flips = args->Flags.ModeChange == 0;
  if (flips && (args->ContextCount == 0 || args->Context[0] == nullptr)) std::abort();
  return SoundTable().DxgkDdiSetVidPnSourceAddress(adapter, args);
}

TEST(RightDrivers, FlipContextIsRead_FlipRulesHold) {
  const auto edit = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiSetVidPnSourceAddress = &ReadTheContext; };
  for (const char* rule : {"Flip.Order", "Flip.NoOp", "Flip.BehindCopy", "Flip.Mode"})
    EXPECT_EQ(VerdictInChild(system::SoftUnderTest(), edit, rule), kPass) << rule;
}

class OneSocket final : public BusDevice {
 public:
  explicit OneSocket(std::shared_ptr<outputs::Output> output) {
    description_.local_memory_bytes = 16ULL << 20;
    if (output == nullptr) return;
    description_.connectors = soft::CreateConnectors(1);
    EXPECT_TRUE(description_.connectors->Plug(std::move(output)).ok());
  }
  void* extension() override { return &description_; }

 private:
  soft::DeviceDescription description_;
};

TEST(RightDrivers, OneHead_RulesOfTwoDoNotApply_OthersHold) {
  DriverUnderTest driver = system::SoftUnderTest();
  driver.make_device = [](std::shared_ptr<outputs::Output> output) { return std::make_unique<OneSocket>(std::move(output)); };
  for (const char* rule : {"Flip.Clone", "Present.Blt.RotateClone", "Flip.Sources"})
    EXPECT_EQ(VerdictInChild(driver, nullptr, rule), kNotApplicable) << rule;
  for (const char* rule : {"Flip.Order", "Present.Blt.Rotate", "Screen.Dark"})
    EXPECT_EQ(VerdictInChild(driver, nullptr, rule), kPass) << rule;
}

template <void (*kChange)(DXGK_DRIVERCAPS&)>
void Declare(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiQueryAdapterInfo = [](HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) {
    const NTSTATUS status = SoundTable().DxgkDdiQueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_DRIVERCAPS && NT_SUCCESS(status)) kChange(*static_cast<DXGK_DRIVERCAPS*>(query->pOutputData));
    return status;
  };
}

void NoImmediateFlips(DXGK_DRIVERCAPS& caps) { caps.FlipCaps.FlipImmediateMmIo = 0; }
void Integrated(DXGK_DRIVERCAPS& caps) { caps.HybridIntegrated = TRUE; }

TEST(RightDrivers, NoImmediateFlips_DisplayRulesHold) {
  for (const char* rule : {"Workload.Display", "CrossAdapter.InPlace", "Flip.Order"})
    EXPECT_EQ(VerdictInChild(system::SoftUnderTest(), &Declare<&NoImmediateFlips>, rule), kPass) << rule;
  EXPECT_EQ(VerdictInChild(system::SoftUnderTest(), &Declare<&NoImmediateFlips>, "Flip.Immediate"), kNotApplicable);
}

TEST(RightDrivers, HybridIntegratedWithScanOut_ItsRuleHolds) {
  EXPECT_EQ(VerdictInChild(system::SoftUnderTest(), &Declare<&Integrated>, "CrossAdapter.HybridIntegrated"), kPass);
}

NTSTATUS DescribeNoTextures(HANDLE adapter, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* args) {
  const bool texture = args->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_GDISURFACE &&
                       args->pCreateGdiSurfaceData->Type == D3DKMDT_GDISURFACE_TEXTURE;
  return texture ? STATUS_NOT_SUPPORTED : SoundTable().DxgkDdiGetStandardAllocationDriverData(adapter, args);
}

TEST(RightDrivers, NoGdiAcceleration_RulesAboutImagesHold) {
  DriverUnderTest driver = system::SoftUnderTest();
  driver.describe = &DescribeStandard;
  const auto edit = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiGetStandardAllocationDriverData = &DescribeNoTextures; };
  for (const char* rule : {"Present.Blt.Images", "Memory.Evict", "Patch.Moved", "Memory.Cleared", "Leak.Allocations"})
    EXPECT_EQ(VerdictInChild(driver, edit, rule), kPass) << rule;
}

// A driver from before WDDM 1.3.
NTSTATUS DescribeNoGdiSurfaces(HANDLE adapter, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* args) {
  if (args->StandardAllocationType == D3DKMDT_STANDARDALLOCATION_GDISURFACE) return STATUS_NOT_SUPPORTED;
  return SoundTable().DxgkDdiGetStandardAllocationDriverData(adapter, args);
}

TEST(RightDrivers, NoCrossAdapterSurfaces_RulesOfOneAdapterHold_OfTwoDoNotApply) {
  DriverUnderTest driver = system::SoftUnderTest();
  driver.describe = &DescribeStandard;
  const auto edit = [](DRIVER_INITIALIZATION_DATA& table) {
    table.DxgkDdiGetStandardAllocationDriverData = &DescribeNoGdiSurfaces;
  };
  for (const char* rule : {"Present.Blt.SubRects", "Present.Order", "Patch.Moved", "Fence.Current", "Memory.Evict",
                           "Hostile.Commands", "Hostile.PrivateData", "Workload.Random", "Leak.Adapter", "LifeCycle.Twins"})
    EXPECT_EQ(VerdictInChild(driver, edit, rule), kPass) << rule;
  for (const char* rule : {"CrossAdapter.SameBytes", "CrossAdapter.Lifetime", "Flip.Order"})
    EXPECT_EQ(VerdictInChild(driver, edit, rule), kNotApplicable) << rule;
}

DXGKRNL_INTERFACE kernel_functions;

NTSTATUS KeepTheFunctions(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE kernel, PULONG sources,
                          PULONG children) {
  kernel_functions = *kernel;
  return SoundTable().DxgkDdiStartDevice(context, info, kernel, sources, children);
}

// A list of modes takes the place of what the kernel wants.
NTSTATUS OfferOneSize(HANDLE adapter, const DXGKARG_ENUMVIDPNCOFUNCMODALITY* args) {
  const DXGK_VIDPN_INTERFACE* vidpn = nullptr;
  D3DKMDT_HVIDPNSOURCEMODESET set = nullptr;
  const DXGK_VIDPNSOURCEMODESET_INTERFACE* modes = nullptr;
  D3DKMDT_VIDPN_SOURCE_MODE* mode = nullptr;
  if (args->EnumPivotType == D3DKMDT_EPT_NOPIVOT) {
    const D3DKMDT_HVIDPN handle = args->hConstrainingVidPn;
    kernel_functions.DxgkCbQueryVidPnInterface(handle, DXGK_VIDPN_INTERFACE_VERSION_V1, &vidpn);
    vidpn->pfnCreateNewSourceModeSet(handle, 0, &set, &modes);
    modes->pfnCreateNewModeInfo(set, &mode);
    mode->Type = D3DKMDT_RMT_GRAPHICS;
    mode->Format.Graphics.PrimSurfSize = mode->Format.Graphics.VisibleRegionSize = {1024, 768};
    mode->Format.Graphics.Stride = 1024 * 4;
    mode->Format.Graphics.PixelFormat = D3DDDIFMT_A8R8G8B8;
    mode->Format.Graphics.ColorBasis = D3DKMDT_CB_SRGB;
    mode->Format.Graphics.PixelValueAccessMode = D3DKMDT_PVAM_DIRECT;
    modes->pfnAddMode(set, mode);
    if (!NT_SUCCESS(vidpn->pfnAssignSourceModeSet(handle, 0, set))) vidpn->pfnReleaseSourceModeSet(handle, set);
  }
  return SoundTable().DxgkDdiEnumVidPnCofuncModality(adapter, args);
}

TEST(RightDrivers, OneModeOfItsOwn_IsAMode_AndRulesWithOthersDoNotApply) {
  const auto edit = [](DRIVER_INITIALIZATION_DATA& table) {
    table.DxgkDdiStartDevice = &KeepTheFunctions;
    table.DxgkDdiEnumVidPnCofuncModality = &OfferOneSize;
  };
  EXPECT_EQ(VerdictInChild(system::SoftUnderTest(), edit, "VidPn.Modes"), kPass);
  for (const char* rule : {"Flip.NoOp", "Screen.FillPrimary", "Present.Blt.Rotate"})
    EXPECT_EQ(VerdictInChild(system::SoftUnderTest(), edit, rule), kNotApplicable) << rule;
}

NTSTATUS AnswerForAnyChild(PVOID context, PDXGK_CHILD_STATUS status, BOOLEAN non_destructive_only) {
  status->ChildUid = 0;
  return SoundTable().DxgkDdiQueryChildStatus(context, status, non_destructive_only);
}

// The kernel asks for the children that the driver has, and for no others.
TEST(RightDrivers, AnyChildIsAnswered_ItsRuleHolds) {
  const auto edit = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiQueryChildStatus = &AnswerForAnyChild; };
  EXPECT_EQ(VerdictInChild(system::SoftUnderTest(), edit, "Target.Connected"), kPass);
}

}  // namespace
}  // namespace tandem::conform
