// Display drivers of the Direct3D 9 class that break the contract: the rules of the user-mode half see it through the
// translation.
#include <cstdio>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conform/plan.h"
#include "drivers/soft/soft_device.h"
#include "shim/class9/translation.h"
#include "system/conformance_drivers.h"

namespace tandem::conform {
namespace {

constexpr unsigned kLimitSeconds = 60;

D3DDDI_ADAPTERFUNCS sound_adapter;
D3DDDI_DEVICEFUNCS sound_device;

HRESULT FailToOpen(D3DDDIARG_OPENADAPTER* /*args*/) { return E_FAIL; }

HRESULT APIENTRY FailToCreateDevice(HANDLE /*adapter*/, D3DDDIARG_CREATEDEVICE* /*args*/) { return E_FAIL; }
HRESULT OpenWithoutDevices(D3DDDIARG_OPENADAPTER* args) {
  const HRESULT opened = soft::SoftOpenAdapter(args);
  if (SUCCEEDED(opened)) args->pAdapterFuncs->pfnCreateDevice = FailToCreateDevice;
  return opened;
}

// Leaves the runtime's handle, as if it were the driver's.
HRESULT APIENTRY CreateNothing(HANDLE /*device*/, D3DDDIARG_CREATERESOURCE2* /*args*/) { return S_OK; }
HRESULT APIENTRY CreateNothingsDevice(HANDLE adapter, D3DDDIARG_CREATEDEVICE* args) {
  const HRESULT created = sound_adapter.pfnCreateDevice(adapter, args);
  if (SUCCEEDED(created)) args->pDeviceFuncs->pfnCreateResource2 = CreateNothing;
  return created;
}
HRESULT OpenWithoutResources(D3DDDIARG_OPENADAPTER* args) {
  const HRESULT opened = soft::SoftOpenAdapter(args);
  if (FAILED(opened)) return opened;
  sound_adapter = *args->pAdapterFuncs;
  args->pAdapterFuncs->pfnCreateDevice = CreateNothingsDevice;
  return opened;
}

// Forgets that a surface is shared with the other adapter.
HRESULT APIENTRY CreatePrivately(HANDLE device, D3DDDIARG_CREATERESOURCE2* args) {
  args->Flags2.CrossAdapter = 0;
  return sound_device.pfnCreateResource2(device, args);
}
HRESULT APIENTRY CreatePrivateDevice(HANDLE adapter, D3DDDIARG_CREATEDEVICE* args) {
  const HRESULT created = sound_adapter.pfnCreateDevice(adapter, args);
  if (FAILED(created)) return created;
  sound_device = *args->pDeviceFuncs;
  args->pDeviceFuncs->pfnCreateResource2 = CreatePrivately;
  return created;
}
HRESULT OpenPrivately(D3DDDIARG_OPENADAPTER* args) {
  const HRESULT opened = soft::SoftOpenAdapter(args);
  if (FAILED(opened)) return opened;
  sound_adapter = *args->pAdapterFuncs;
  args->pAdapterFuncs->pfnCreateDevice = CreatePrivateDevice;
  return opened;
}

// The verdict on CrossAdapter.Primary, or a larger number if the process did not exit by itself.
int VerdictInChild(PFND3DDDI_OPENADAPTER open) {
  constexpr int kDied = 100, kNoSuchRule = 101;
  const pid_t child = fork();
  if (child == 0) {
    alarm(kLimitSeconds);
    DriverUnderTest driver = system::SoftUnderTest();
    driver.open_adapter = shim::TranslatedEntry(open);
    for (const Trial& trial : PlanFor(driver, driver)) {
      if (trial.rule->id != "CrossAdapter.Primary") continue;
      const Outcome outcome = RunTrial(trial);
      std::fprintf(stderr, "%s\n", outcome.seen.c_str());
      _exit(static_cast<int>(outcome.verdict));
    }
    _exit(kNoSuchRule);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kDied;
}

TEST(Class9Drivers, Broken_AreSeenByTheRulesOfUserMode) {
  EXPECT_EQ(VerdictInChild(soft::SoftOpenAdapter), static_cast<int>(Verdict::kPass));
  for (const PFND3DDDI_OPENADAPTER broken : {FailToOpen, OpenWithoutDevices, OpenWithoutResources, OpenPrivately})
    EXPECT_EQ(VerdictInChild(broken), static_cast<int>(Verdict::kFail));
}

template <int kNumber>
HRESULT Another(D3DDDIARG_OPENADAPTER* /*args*/) {
  return E_NOTIMPL - kNumber;
}

template <int... kNumbers>
std::vector<PFND3DDDI_OPENADAPTER> Others(std::integer_sequence<int, kNumbers...> /*numbers*/) {
  return {Another<kNumbers>...};
}

// Entries are for ever, so a process of its own takes them.
TEST(Class9Drivers, EntriesOfAProcess_AreEightAndTheDriversOwn) {
  const auto entries_are_right = [] {
    const auto others = Others(std::make_integer_sequence<int, 9>());
    std::set<PFND3D10DDI_OPENADAPTER> entries;
    for (const PFND3DDDI_OPENADAPTER driver : others) {
      const PFND3D10DDI_OPENADAPTER entry = shim::TranslatedEntry(driver);
      if (entry == nullptr) break;  // the process has translated other drivers before
      if (!entries.insert(entry).second || shim::TranslatedEntry(driver) != entry) return false;
    }
    return !entries.empty() && entries.size() <= 8 && shim::TranslatedEntry(others.back()) == nullptr;
  };
  EXPECT_EXIT(_exit(entries_are_right() ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tandem::conform
