// A driver whose answers to feature queries are arbitrary, its interface included. No answer may crash the kernel or enable a
// version that the kernel lacks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "kernel/adapter/feature_driver.h"
#include "kernel/feature/adapter_features.h"
#include "kernel/feature/feature_rows.h"

namespace {

using namespace tandem::kernel;

const std::uint8_t* bytes;
std::size_t left;

// Overwrites memory with the fuzzer's bytes until they end.
void Fill(void* out, std::size_t count) {
  count = std::min(count, left);
  std::memcpy(out, bytes, count);
  bytes += count;
  left -= count;
}
std::uint8_t Next() {
  std::uint8_t byte = 0;
  Fill(&byte, 1);
  return byte;
}
NTSTATUS Status() { return Next() > 200 ? STATUS_UNSUCCESSFUL : STATUS_SUCCESS; }

NTSTATUS APIENTRY QueryFeatureSupport(HANDLE, DXGKARG_QUERYFEATURESUPPORT* args) {
  Fill(args, sizeof(*args));
  return Status();
}
NTSTATUS APIENTRY QueryFeatureInterface(HANDLE, DXGKARG_QUERYFEATUREINTERFACE* args) {
  Fill(args->Interface, args->InterfaceSize);
  Fill(&args->InterfaceSize, sizeof(args->InterfaceSize));
  return Status();
}
void Refer(PVOID) {}

// A valid interface, in which the fuzzer clears or overwrites parts.
NTSTATUS APIENTRY QueryInterface(const PVOID, QUERY_INTERFACE* query) {
  auto& answer = *reinterpret_cast<DXGKDDI_FEATURE_INTERFACE*>(query->Interface);
  const std::uint8_t how = Next();
  answer.Size = sizeof(answer);
  answer.Version = query->Version;
  answer.InterfaceReference = (how & 1) == 0 ? &Refer : nullptr;
  answer.InterfaceDereference = (how & 2) == 0 ? &Refer : nullptr;
  answer.QueryFeatureSupport = (how & 4) == 0 ? &QueryFeatureSupport : nullptr;
  answer.QueryFeatureInterface = (how & 8) == 0 ? &QueryFeatureInterface : nullptr;
  if ((how & 16) != 0) Fill(&answer.Size, sizeof(answer.Size));
  if ((how & 32) != 0) Fill(&answer.Version, sizeof(answer.Version));
  if ((how & 64) != 0) Fill(&answer + 1, Next() % 64);  // after the interface
  return Status();
}

class Reports final : public DdiGate::Owner {
 public:
  void ReportViolation(const char*, const std::string&) override {}
  void OnUnwatchedCall() override {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bytes = data;
  left = size;
  Reports reports;
  DdiGate gate(reports);
  FeatureDriver driver(gate);
  DRIVER_INITIALIZATION_DATA table{};
  table.DxgkDdiQueryInterface = &QueryInterface;
  driver.Acquire(table, nullptr);
  KernelFeatures kernel(*FeatureRegistry::Create(BuiltInFeatures()));
  AdapterFeatures features(kernel, driver);
  features.QueryAll();
  for (const FeatureState& state : features.States()) {
    const Feature& feature = kernel.registry().at(kernel.registry().IndexOf(state.id));
    if (state.result.Enabled != 0 && !feature.versions.Has(state.result.Version)) std::abort();
    (void)features.DriverInterface(state.id);
  }
  driver.Release();
  return 0;
}
