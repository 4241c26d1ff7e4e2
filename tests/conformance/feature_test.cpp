// The feature query on each driver, both halves.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "conform/driver_under_test.h"
#include "kernel/adapter/adapter.h"
#include "kernel/adapter/driver.h"
#include "kernel/adapter/feature_callbacks.h"
#include "kernel/feature/feature_rows.h"
#include "system/conformance_drivers.h"
#include "tests/conformance/print.h"

namespace tandem::conform {
namespace {

std::vector<DriverUnderTest> FeatureDrivers() {
  std::vector<DriverUnderTest> drivers{system::SoftUnderTest()};
#ifdef TANDEM_CONFORMANCE_VULKAN
  for (const DriverUnderTest& driver : system::VulkanUnderTest()) drivers.push_back(driver);
#endif
  return drivers;
}

class FeatureConformance : public ::testing::TestWithParam<DriverUnderTest> {
 protected:
  // Starts the adapter with SAMPLE limited to versions 3 to `newest`. False if the driver does not offer SAMPLE in them.
  bool StartWithSample(DXGK_FEATURE_VERSION newest) {
    adapter_.reset();
    EXPECT_TRUE(features_.SetOverrides({{DXGK_FEATURE_SAMPLE, {}, DXGK_FEATURE_VERSION{3}, newest, {}}}).ok());
    auto adapter = kernel::StartAdapter(*driver_, device_->extension(), "conformance", LUID{1, 0},
                                        kernel::AdapterVisibility::kListed, MonotonicClock());
    EXPECT_TRUE(adapter.ok()) << adapter.error().message;
    if (!adapter.ok()) return false;
    adapter_ = *std::move(adapter);
    return adapter_->features().Query(DXGK_FEATURE_SAMPLE).Version == newest;
  }
  template <class Functions>
  Functions SampleInterface() {
    Functions functions{};
    const auto interface = adapter_->features().DriverInterface(DXGK_FEATURE_SAMPLE);
    EXPECT_TRUE(interface.ok()) << interface.error().message;
    if (interface.ok()) {
      EXPECT_EQ(interface->size, sizeof(functions));
      std::memcpy(&functions, interface->bytes.data(), sizeof(functions));
    }
    return functions;
  }
  void SetUp() override {
    device_ = GetParam().make_device(nullptr);
    auto driver = kernel::LoadDriver(GetParam().entry, GetParam().name, features_);
    ASSERT_TRUE(driver.ok()) << driver.error().message;
    driver_ = *std::move(driver);
  }
  HANDLE context() { return adapter_->miniport_context(); }

  kernel::KernelFeatures features_{*kernel::FeatureRegistry::Create(kernel::BuiltInFeatures())};
  std::unique_ptr<BusDevice> device_;
  std::unique_ptr<kernel::Driver> driver_;
  std::unique_ptr<kernel::Adapter> adapter_;
};

TEST_P(FeatureConformance, Start_EveryFeatureOfTheDriver_HasAnAnswer) {
  static_cast<void>(StartWithSample(5));
  ASSERT_NE(adapter_, nullptr);
  EXPECT_TRUE(adapter_->alive()) << adapter_->violation();
  for (const kernel::FeatureState& state : adapter_->features().States()) {
    const kernel::Feature& feature = features_.registry().at(features_.registry().IndexOf(state.id));
    EXPECT_TRUE(state.queried || !feature.driver) << feature.name;
    EXPECT_TRUE(state.result.Enabled == 0 || feature.versions.Has(state.result.Version)) << feature.name;
  }
}

TEST_P(FeatureConformance, Sample_Version3_HasNoInterface) {
  if (!StartWithSample(3)) GTEST_SKIP() << "The driver does not offer SAMPLE in version 3.";
  const auto interface = adapter_->features().DriverInterface(DXGK_FEATURE_SAMPLE);
  ASSERT_TRUE(interface.ok()) << interface.error().message;
  EXPECT_EQ(interface->size, 0);
}

TEST_P(FeatureConformance, Sample_Version4_AddsTheKernelsValue) {
  if (!StartWithSample(4)) GTEST_SKIP() << "The driver does not offer SAMPLE in version 4.";
  const auto functions = SampleInterface<DXGKDDIINT_FEATURE_SAMPLE_4>();
  ASSERT_NE(functions.AddValue, nullptr);
  DXGKARG_FEATURE_SAMPLE_ADDVALUE add{100, 0};
  EXPECT_EQ(adapter_->gate().Call(kernel::Ddi::kFeatureFunction, functions.AddValue, context(), &add), STATUS_SUCCESS);
  EXPECT_EQ(add.OutputValue, 100 + kernel::kFeatureSampleValue);
}

TEST_P(FeatureConformance, Sample_Version5_AddsAndSubtractsTheKernelsValue) {
  if (!StartWithSample(5)) GTEST_SKIP() << "The driver does not offer SAMPLE in version 5.";
  const auto functions = SampleInterface<DXGKDDIINT_FEATURE_SAMPLE_5>();
  ASSERT_NE(functions.SubtractValue, nullptr);
  DXGKARG_FEATURE_SAMPLE_ADDVALUE add{100, 0};
  EXPECT_EQ(adapter_->gate().Call(kernel::Ddi::kFeatureFunction, functions.AddValue, context(), &add), STATUS_SUCCESS);
  EXPECT_EQ(add.OutputValue, 100 + kernel::kFeatureSampleValue);
  DXGKARG_FEATURE_SAMPLE_SUBTRACTVALUE subtract{100, 0};
  EXPECT_EQ(adapter_->gate().Call(kernel::Ddi::kFeatureFunction, functions.SubtractValue, context(), &subtract), STATUS_SUCCESS);
  EXPECT_EQ(subtract.OutputValue, 100 - kernel::kFeatureSampleValue);
}

INSTANTIATE_TEST_SUITE_P(Drivers, FeatureConformance, ::testing::ValuesIn(FeatureDrivers()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tandem::conform
