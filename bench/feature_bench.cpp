// Measures a feature query after its first answer, and all queries at the start of the soft adapter.
#include <benchmark/benchmark.h>

#include <memory>

#include "base/clock.h"
#include "drivers/soft/soft_device.h"
#include "kernel/adapter/adapter.h"
#include "kernel/adapter/driver.h"
#include "kernel/adapter/feature_driver.h"
#include "kernel/feature/feature_rows.h"
#include "kernel/kernel.h"

#include <d3dkmthk.h>

namespace {

using namespace tandem;

// The soft adapter without a kernel.
struct Machine {
  kernel::KernelFeatures features{*kernel::FeatureRegistry::Create(kernel::BuiltInFeatures())};
  std::unique_ptr<kernel::Driver> driver = *kernel::LoadDriver(soft::SoftDriverEntry, "soft", features);
  soft::DeviceDescription description;
  std::unique_ptr<kernel::Adapter> adapter =
      *kernel::StartAdapter(*driver, &description, "bench", LUID{1, 0}, kernel::AdapterVisibility::kListed, MonotonicClock());
};

Machine& TheMachine() {
  static Machine machine;
  return machine;
}

// A query inside the kernel.
void CachedQuery(benchmark::State& state) {
  kernel::AdapterFeatures& features = TheMachine().adapter->features();
  for (auto _ : state) {
    auto id = DXGK_FEATURE_SAMPLE;
    benchmark::DoNotOptimize(id);
    auto result = features.Query(id);
    benchmark::DoNotOptimize(result);
  }
}
BENCHMARK(CachedQuery)->Threads(1)->Threads(2);

// A query from user mode, with handle lookup and guards.
void CachedQueryByTheThunk(benchmark::State& state) {
  auto kernel = *kernel::Kernel::Create(MonotonicClock());
  soft::DeviceDescription description;
  const LUID luid = *kernel->AddAdapter(**kernel->LoadDriver(soft::SoftDriverEntry, "soft"), &description, "bench");
  D3DKMT_OPENADAPTERFROMLUID open{luid, 0};
  if (!NT_SUCCESS(D3DKMTOpenAdapterFromLuid(&open))) state.SkipWithError("no adapter");
  D3DKMT_ISFEATUREENABLED data{};
  data.hAdapter = open.hAdapter;
  data.FeatureId = DXGK_FEATURE_SAMPLE;
  for (auto _ : state) {
    if (!NT_SUCCESS(D3DKMTIsFeatureEnabled(&data)) || data.Result.Enabled == 0) state.SkipWithError("not enabled");
  }
}
BENCHMARK(CachedQueryByTheThunk);

// Queries the driver's interface, then every feature of the driver.
void StartUpNegotiation(benchmark::State& state) {
  Machine& machine = TheMachine();
  for (auto _ : state) {
    kernel::FeatureDriver driver(machine.adapter->gate());
    driver.Acquire(machine.adapter->ddi(), machine.adapter->miniport_context());
    kernel::AdapterFeatures features(machine.features, driver);
    features.QueryAll();
    if (features.Query(DXGK_FEATURE_SAMPLE).Version != 5) state.SkipWithError("not negotiated");
    driver.Release();
  }
}
BENCHMARK(StartUpNegotiation)->Unit(benchmark::kMicrosecond);

}  // namespace
