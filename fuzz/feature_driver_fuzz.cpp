// A driver whose every answer to the feature query is fuzz: nothing it says crashes the kernel, and nothing is enabled at a
// version that the kernel has not.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "kernel/feature/adapter_features.h"
#include "kernel/feature/feature_rows.h"

namespace {

using namespace tandem::kernel;

class FuzzDriver final : public AdapterFeatures::Driver {
 public:
  FuzzDriver(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  [[nodiscard]] bool has_interface() const override { return true; }
  NTSTATUS QueryFeatureSupport(DXGKARG_QUERYFEATURESUPPORT& args) override {
    Fill(&args, sizeof(args));
    return Status();
  }
  NTSTATUS QueryFeatureInterface(DXGKARG_QUERYFEATUREINTERFACE& args) override {
    Fill(args.Interface, args.InterfaceSize);
    Fill(&args.InterfaceSize, sizeof(args.InterfaceSize));
    return Status();
  }
  [[nodiscard]] std::span<const std::byte> KernelInterface(DXGK_FEATURE_ID, DXGK_FEATURE_VERSION) const override { return {}; }
  void ReportViolation(const char*, const std::string&) override {}

 private:
  // The fuzzer's bytes over what is there, until they end.
  void Fill(void* out, std::size_t bytes) {
    const std::size_t count = bytes < size_ ? bytes : size_;
    std::memcpy(out, data_, count);
    data_ += count;
    size_ -= count;
  }
  NTSTATUS Status() {
    std::uint8_t fails = 0;
    Fill(&fails, 1);
    return fails > 200 ? STATUS_UNSUCCESSFUL : STATUS_SUCCESS;
  }

  const std::uint8_t* data_;
  std::size_t size_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzDriver driver(data, size);
  KernelFeatures kernel(*FeatureRegistry::Create(BuiltInFeatures()));
  AdapterFeatures features(kernel, driver);
  features.QueryAll();
  for (const FeatureState& state : features.States()) {
    const Feature& feature = kernel.registry().at(kernel.registry().IndexOf(state.id));
    if (state.result.Enabled != 0 && !feature.versions.Has(state.result.Version)) std::abort();
    (void)features.DriverInterface(state.id);
  }
  return 0;
}
