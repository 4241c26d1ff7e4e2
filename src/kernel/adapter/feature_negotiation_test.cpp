// Features between the kernel and a miniport: what the adapter asks while it starts, and what the driver can ask.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "base/testing/fake_clock.h"
#include "kernel/adapter/adapter.h"
#include "kernel/adapter/driver.h"
#include "kernel/adapter/feature_callbacks.h"
#include "kernel/adapter/rules.h"
#include "kernel/feature/feature_rules.h"
#include "kernel/testing/fake_miniport.h"
#include "kernel/testing/test_features.h"

namespace tandem::kernel {
namespace {

using ::testing::HasSubstr;

class FeatureNegotiation : public ::testing::Test {
 protected:
  FeatureNegotiation() {
    miniport_.OfferFeatures();
    miniport_.on_query_feature_support = [this](DXGKARG_QUERYFEATURESUPPORT* args) {
      asked_.push_back(args->FeatureId);
      if (args->FeatureId == DXGK_FEATURE_SAMPLE) {
        args->SupportedByDriver = args->SupportedOnCurrentConfig = TRUE;
        args->MinSupportedVersion = 4;
        args->MaxSupportedVersion = 9;
      }
      return STATUS_SUCCESS;
    };
  }
  Result<void> TryStart() {
    auto driver = LoadDriver(FakeMiniport::Entry(), "fake", features_);
    if (!driver.ok()) return std::move(driver).error();
    driver_ = *std::move(driver);
    auto adapter = StartAdapter(*driver_, nullptr, "fake0", LUID{7, 0}, AdapterVisibility::kListed, clock_);
    if (!adapter.ok()) return std::move(adapter).error();
    adapter_ = *std::move(adapter);
    return {};
  }
  void Start() {
    const auto started = TryStart();
    ASSERT_TRUE(started.ok()) << started.error().message;
  }
  std::string Failure() {
    const auto started = TryStart();
    return started.ok() ? "started" : started.error().message;
  }
  DXGK_FEATURE_INTERFACE Service() {
    DXGK_FEATURE_INTERFACE interface {};
    interface.Size = sizeof(interface);
    interface.Version = DXGK_FEATURE_INTERFACE_VERSION_1;
    EXPECT_EQ(QueryService(interface), STATUS_SUCCESS);
    return interface;
  }
  NTSTATUS QueryService(DXGK_FEATURE_INTERFACE& interface) {
    return miniport_.kernel().DxgkCbQueryServices(handle(), DxgkServicesFeature, reinterpret_cast<PINTERFACE>(&interface));
  }
  HANDLE handle() { return miniport_.kernel().DeviceHandle; }

  FakeClock clock_{1000};
  FakeMiniport miniport_;
  KernelFeatures features_{BuiltInRegistry()};
  std::vector<DXGK_FEATURE_ID> asked_;
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<Adapter> adapter_;
};

TEST_F(FeatureNegotiation, Start_EveryFeatureOfTheDriver_IsAskedForOnce) {
  Start();
  std::vector<DXGK_FEATURE_ID> expected;
  for (const Feature& feature : BuiltInFeatures()) {
    if (feature.driver) expected.push_back(feature.id);
  }
  EXPECT_THAT(asked_, ::testing::UnorderedElementsAreArray(expected));
  EXPECT_TRUE(adapter_->FeatureEnabled(DXGK_FEATURE_SAMPLE));
  EXPECT_EQ(adapter_->features().Query(DXGK_FEATURE_SAMPLE).Version, 5);
  EXPECT_EQ(asked_.size(), expected.size());
  for (const FakeMiniport::Call& call : miniport_.calls()) {
    EXPECT_TRUE(call.ddi != "QueryFeatureSupport" || call.irql == PASSIVE_LEVEL);
  }
}

TEST_F(FeatureNegotiation, Start_TheInterface_IsReferredToUntilTheDeviceGoes) {
  miniport_.on_remove_device = [this] {
    EXPECT_EQ(miniport_.feature_references, 0);
    return STATUS_SUCCESS;
  };
  Start();
  EXPECT_EQ(miniport_.feature_references, 1);
  adapter_.reset();
  EXPECT_EQ(miniport_.count("DxgkDdiRemoveDevice"), 1U);
}

TEST_F(FeatureNegotiation, StartDevice_AsksForAFeature_IsAskedInTurn) {
  miniport_.on_start_device = [this] {
    DXGKARGCB_ISFEATUREENABLED2 args{};
    args.FeatureId = DXGK_FEATURE_SAMPLE;
    EXPECT_EQ(Service().IsFeatureEnabled(handle(), &args), STATUS_SUCCESS);
    EXPECT_EQ(args.Result.Version, 5);
    EXPECT_EQ(args.Result.Value, 0xF);
    EXPECT_EQ(asked_, std::vector<DXGK_FEATURE_ID>{DXGK_FEATURE_SAMPLE});
    return STATUS_SUCCESS;
  };
  Start();
  EXPECT_EQ(std::count(asked_.begin(), asked_.end(), DXGK_FEATURE_SAMPLE), 1);
}

TEST_F(FeatureNegotiation, QueryServices_SizeAndVersion_AreChecked) {
  Start();
  DXGK_FEATURE_INTERFACE interface {};
  interface.Size = sizeof(interface) - 1;
  interface.Version = DXGK_FEATURE_INTERFACE_VERSION_1;
  EXPECT_EQ(QueryService(interface), STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(interface.IsFeatureEnabled, nullptr);
  interface.Size = sizeof(interface);
  interface.Version = 2;
  EXPECT_EQ(QueryService(interface), STATUS_NOT_SUPPORTED);
  EXPECT_EQ(miniport_.kernel().DxgkCbQueryServices(handle(), DxgkServicesFeature, nullptr), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(miniport_.kernel().DxgkCbQueryServices(handle(), DxgkServicesAgp, reinterpret_cast<PINTERFACE>(&interface)),
            STATUS_NOT_SUPPORTED);
  EXPECT_EQ(Service().Size, sizeof(DXGK_FEATURE_INTERFACE));
}

TEST_F(FeatureNegotiation, IsFeatureEnabled2_HandleAndFeature_FitEachOther) {
  Start();
  const DXGK_FEATURE_INTERFACE interface = Service();
  DXGKARGCB_ISFEATUREENABLED2 args{};
  args.FeatureId = DXGK_FEATURE_GPUVAIOMMU;
  EXPECT_EQ(interface.IsFeatureEnabled(handle(), &args), STATUS_SUCCESS) << "as the published sample asks";
  EXPECT_EQ(args.Result.KnownFeature, 1);
  args.Result = {};
  EXPECT_EQ(interface.IsFeatureEnabled(nullptr, &args), STATUS_SUCCESS);
  EXPECT_EQ(args.Result.KnownFeature, 1);
  args.FeatureId = DXGK_FEATURE_SAMPLE;
  EXPECT_EQ(interface.IsFeatureEnabled(nullptr, &args), STATUS_INVALID_PARAMETER);
  args.Flags.Value = 1;
  EXPECT_EQ(interface.IsFeatureEnabled(handle(), &args), STATUS_INVALID_PARAMETER);
  args = {};
  args.FeatureId = static_cast<DXGK_FEATURE_ID>(29);
  args.Result.Value = 0xF;
  EXPECT_EQ(interface.IsFeatureEnabled(handle(), &args), STATUS_SUCCESS);
  EXPECT_EQ(args.Result.Value, 0);
}

TEST_F(FeatureNegotiation, SampleInterface_OfTheKernel_TellsTheValue) {
  Start();
  DXGKCBINT_FEATURE_SAMPLE_4 sample{};
  DXGKARGCB_QUERYFEATUREINTERFACE args{DXGK_FEATURE_SAMPLE, 5, sizeof(sample), &sample};
  ASSERT_EQ(Service().QueryFeatureInterface(handle(), &args), STATUS_SUCCESS);
  DXGKARGCB_FEATURE_SAMPLE_GETVALUE value{};
  ASSERT_EQ(sample.GetValue(handle(), &value), STATUS_SUCCESS);
  EXPECT_EQ(value.Value, kFeatureSampleValue);
  EXPECT_EQ(sample.GetValue(nullptr, &value), STATUS_INVALID_PARAMETER);
}

TEST_F(FeatureNegotiation, IsFeatureEnabled_OlderCallback_GivesTheSameAnswer) {
  Start();
  DXGKARGCB_ISFEATUREENABLED args{handle(), DXGK_FEATURE_SAMPLE, FALSE};
  EXPECT_EQ(miniport_.kernel().DxgkCbIsFeatureEnabled(&args), STATUS_SUCCESS);
  EXPECT_EQ(args.Enabled, TRUE);
  args.FeatureId = DXGK_FEATURE_HWSCH;
  EXPECT_EQ(miniport_.kernel().DxgkCbIsFeatureEnabled(&args), STATUS_SUCCESS);
  EXPECT_EQ(args.Enabled, FALSE);
}

TEST_F(FeatureNegotiation, DriverWithoutTheInterface_DeclaresByTheOlderCallback) {
  miniport_.table.DxgkDdiQueryInterface = nullptr;
  Start();
  EXPECT_FALSE(adapter_->FeatureEnabled(DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD));
  DXGKARGCB_QUERYFEATURESUPPORT args{handle(), DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD, DXGK_FEATURE_SUPPORT_STABLE, FALSE};
  EXPECT_EQ(miniport_.kernel().DxgkCbQueryFeatureSupport(&args), STATUS_SUCCESS);
  EXPECT_TRUE(args.Enabled);
  EXPECT_TRUE(adapter_->FeatureEnabled(DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD));
  args.DriverSupportState = DXGK_FEATURE_SUPPORT_ALWAYS_ON + 1;
  EXPECT_EQ(miniport_.kernel().DxgkCbQueryFeatureSupport(&args), STATUS_INVALID_PARAMETER);
  EXPECT_TRUE(adapter_->alive());
}

TEST_F(FeatureNegotiation, QueryInterface_AnyError_MeansADriverWithoutTheInterface) {
  for (const NTSTATUS status : {STATUS_NOT_SUPPORTED, STATUS_INVALID_PARAMETER, STATUS_BUFFER_TOO_SMALL}) {
    miniport_.on_query_interface = [status](QUERY_INTERFACE*) { return status; };
    Start();
    EXPECT_TRUE(adapter_->alive());
    EXPECT_TRUE(asked_.empty());
    adapter_.reset();
  }
}

TEST_F(FeatureNegotiation, DriverEntry_AsksBeforeInitialization_ForTheSubset) {
  static DXGK_ISFEATUREENABLED_RESULT seen;
  static NTSTATUS refused;
  auto driver = LoadDriver(
      [](DRIVER_OBJECT* object, UNICODE_STRING* path) -> NTSTATUS {
        DXGKARGCB_ISFEATUREENABLED2 args{};
        args.FeatureId = DXGK_FEATURE_GPUVAIOMMU;
        EXPECT_EQ(DxgkIsFeatureEnabled2(object, &args), STATUS_SUCCESS);
        seen = args.Result;
        args.FeatureId = DXGK_FEATURE_SAMPLE;
        refused = DxgkIsFeatureEnabled2(object, &args);
        return FakeMiniport::Entry()(object, path);
      },
      "early", features_);
  ASSERT_TRUE(driver.ok()) << driver.error().message;
  EXPECT_EQ(seen.KnownFeature, 1);
  EXPECT_EQ(seen.Enabled, 0);
  EXPECT_EQ(refused, STATUS_INVALID_PARAMETER);
}

TEST_F(FeatureNegotiation, Start_NativeFenceCapWithoutTheFeature_NamesTheRule) {
  miniport_.caps.SchedulingCaps.NativeGpuFence = 1;
  EXPECT_THAT(Failure(), HasSubstr(rules::kNativeFenceFeature));
}

TEST_F(FeatureNegotiation, Callback_AboveItsIrql_IsAViolation) {
  Start();
  const DXGK_FEATURE_INTERFACE interface = Service();
  DXGKARGCB_ISFEATUREENABLED2 args{};
  const IrqlScope raised(DISPATCH_LEVEL);
  EXPECT_EQ(interface.IsFeatureEnabled(handle(), &args), STATUS_INVALID_DEVICE_STATE);
  EXPECT_THAT(adapter_->violation(), HasSubstr(rules::kCallbackIrql));
}

struct Lie {
  const char* rule;
  void (*tell)(FakeMiniport&);
};
class LyingFeatures : public FeatureNegotiation, public ::testing::WithParamInterface<Lie> {};

DXGKDDI_FEATURE_INTERFACE& InterfaceOf(QUERY_INTERFACE* query) {
  return *reinterpret_cast<DXGKDDI_FEATURE_INTERFACE*>(query->Interface);
}

TEST_P(LyingFeatures, Start_OneAnswerBent_NamesTheRuleAndRemovesTheDevice) {
  GetParam().tell(miniport_);
  EXPECT_THAT(Failure(), HasSubstr(std::string(GetParam().rule) + ": "));
  EXPECT_EQ(miniport_.count("DxgkDdiRemoveDevice"), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, LyingFeatures,
    ::testing::Values(Lie{rules::kQueryInterfaceHead,
                          [](FakeMiniport& m) {
                            m.on_query_interface = [](QUERY_INTERFACE* query) {
                              InterfaceOf(query).Size = 8;
                              return STATUS_SUCCESS;
                            };
                          }},
                      Lie{rules::kQueryInterfaceHead,
                          [](FakeMiniport& m) {
                            m.on_query_interface = [](QUERY_INTERFACE* query) {
                              InterfaceOf(query).Version = 2;
                              return STATUS_SUCCESS;
                            };
                          }},
                      Lie{rules::kQueryInterfaceFunctions,
                          [](FakeMiniport& m) {
                            m.on_query_interface = [](QUERY_INTERFACE* query) {
                              InterfaceOf(query).QueryFeatureInterface = nullptr;
                              return STATUS_SUCCESS;
                            };
                          }},
                      Lie{rules::kQueryInterfaceOverrun,
                          [](FakeMiniport& m) {
                            m.on_query_interface = [](QUERY_INTERFACE* query) {
                              reinterpret_cast<char*>(query->Interface)[query->Size] = 1;
                              return STATUS_SUCCESS;
                            };
                          }},
                      Lie{rules::kFeatureSupportVersions,
                          [](FakeMiniport& m) {
                            m.on_query_feature_support = [](DXGKARG_QUERYFEATURESUPPORT* args) {
                              args->SupportedByDriver = TRUE;
                              args->MinSupportedVersion = 2;
                              args->MaxSupportedVersion = 1;
                              return STATUS_SUCCESS;
                            };
                          }},
                      Lie{rules::kFeatureSupportReentered,
                          [](FakeMiniport& m) {
                            m.on_query_feature_support = [&m](DXGKARG_QUERYFEATURESUPPORT* args) {
                              DXGKARGCB_ISFEATUREENABLED again{m.kernel().DeviceHandle, args->FeatureId, FALSE};
                              return m.kernel().DxgkCbIsFeatureEnabled(&again);
                            };
                          }},
                      Lie{rules::kDdiReturnsAtSameIrql, [](FakeMiniport& m) {
                            m.on_query_feature_support = [](DXGKARG_QUERYFEATURESUPPORT*) {
                              internal::current_irql = DISPATCH_LEVEL;
                              return STATUS_SUCCESS;
                            };
                          }}));

}  // namespace
}  // namespace tandem::kernel
