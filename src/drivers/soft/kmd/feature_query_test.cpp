#include "drivers/processor/kmd/feature_query.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "drivers/processor/kmd/ddi.h"
#include "drivers/processor/kmd/device.h"
#include "drivers/processor/kmd/feature_client.h"
#include "drivers/soft/soft_device.h"

namespace tandem::soft {
namespace {

using namespace processor;

// A kernel that enables SAMPLE at `version`; null services make it an older one. One at a time.
struct QueryKernel {
  DXGK_FEATURE_VERSION version = 5;
  int declared = 0;
  DXGKRNL_INTERFACE callbacks{};

  QueryKernel() {
    kernel = this;
    callbacks.DeviceHandle = this;
    callbacks.DxgkCbQueryServices = [](HANDLE device, DXGK_SERVICES service, PINTERFACE interface) -> NTSTATUS {
      EXPECT_EQ(service, DxgkServicesFeature);
      EXPECT_EQ(interface->Size, sizeof(DXGK_FEATURE_INTERFACE));
      auto& out = *reinterpret_cast<DXGK_FEATURE_INTERFACE*>(interface);
      out.Context = device;
      out.IsFeatureEnabled = [](HANDLE, DXGKARGCB_ISFEATUREENABLED2* args) -> NTSTATUS {
        args->Result.Version = kernel->version;
        args->Result.Enabled = args->FeatureId == DXGK_FEATURE_SAMPLE && kernel->version != 0 ? 1 : 0;
        return STATUS_SUCCESS;
      };
      out.QueryFeatureInterface = [](HANDLE, DXGKARGCB_QUERYFEATUREINTERFACE* args) -> NTSTATUS {
        const DXGKCBINT_FEATURE_SAMPLE_4 sample = {[](HANDLE, DXGKARGCB_FEATURE_SAMPLE_GETVALUE* value) -> NTSTATUS {
          value->Value = 10;
          return STATUS_SUCCESS;
        }};
        std::memcpy(args->Interface, &sample, sizeof(sample));
        args->InterfaceSize = sizeof(sample);
        return STATUS_SUCCESS;
      };
      return STATUS_SUCCESS;
    };
    callbacks.DxgkCbQueryFeatureSupport = [](DXGKARGCB_QUERYFEATURESUPPORT* args) -> NTSTATUS {
      ++kernel->declared;
      args->Enabled = TRUE;
      return STATUS_SUCCESS;
    };
  }
  static inline QueryKernel* kernel = nullptr;
};

class SoftFeatures : public ::testing::Test {
 protected:
  SoftFeatures() {
    device_object_.DeviceExtension = &description_;
    EXPECT_EQ(table_.DxgkDdiAddDevice(&device_object_, &adapter_), STATUS_SUCCESS);
  }
  ~SoftFeatures() override { table_.DxgkDdiRemoveDevice(adapter_); }

  void Start() { const_cast<FeatureClient&>(static_cast<Device*>(adapter_)->features()).Start(kernel_.callbacks); }
  NTSTATUS Ask(USHORT version, USHORT size) {
    bytes_.fill(std::byte{0x77});
    args_ = {DXGK_FEATURE_SAMPLE, version, size, bytes_.data()};
    return ProcessorQueryFeatureInterface(adapter_, &args_);
  }

  const DRIVER_INITIALIZATION_DATA table_ = SoftDriverTable();
  DeviceDescription description_;
  DEVICE_OBJECT device_object_{};
  PVOID adapter_ = nullptr;
  QueryKernel kernel_;
  alignas(8) std::array<std::byte, 64> bytes_{};
  DXGKARG_QUERYFEATUREINTERFACE args_{};
};

TEST_F(SoftFeatures, QueryInterface_ForeignTypeOrVersion_IsNotSupported) {
  DXGKDDI_FEATURE_INTERFACE interface {};
  const GUID foreign{1, 2, 3, {}};
  QUERY_INTERFACE query{&foreign, sizeof(interface), 1, reinterpret_cast<PINTERFACE>(&interface), nullptr, 0};
  EXPECT_EQ(ProcessorQueryInterface(adapter_, &query), STATUS_NOT_SUPPORTED);
  query.InterfaceType = &GUID_WDDM_INTERFACE_FEATURE;
  query.Version = 2;
  EXPECT_EQ(ProcessorQueryInterface(adapter_, &query), STATUS_NOT_SUPPORTED);
}

TEST_F(SoftFeatures, QueryInterface_SmallerBuffer_IsLeftAlone) {
  DXGKDDI_FEATURE_INTERFACE interface {};
  QUERY_INTERFACE query{
      &GUID_WDDM_INTERFACE_FEATURE, sizeof(interface) - 1, 1, reinterpret_cast<PINTERFACE>(&interface), nullptr, 0};
  EXPECT_EQ(ProcessorQueryInterface(adapter_, &query), STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(interface.Size, 0);
  EXPECT_EQ(interface.QueryFeatureSupport, nullptr);
}

TEST_F(SoftFeatures, QueryFeatureInterface_EachVersion_HasItsSizeAndAZeroedTail) {
  EXPECT_EQ(Ask(3, 16), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(args_.InterfaceSize, 0);
  ASSERT_EQ(Ask(4, 16), STATUS_SUCCESS);
  EXPECT_EQ(args_.InterfaceSize, sizeof(DXGKDDIINT_FEATURE_SAMPLE_4));
  for (std::size_t i = 8; i < 16; ++i) EXPECT_EQ(bytes_[i], std::byte{}) << i;
  EXPECT_EQ(bytes_[16], std::byte{0x77});
  EXPECT_EQ(Ask(5, 8), STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(bytes_[0], std::byte{0x77});
  ASSERT_EQ(Ask(5, 16), STATUS_SUCCESS);
  EXPECT_EQ(args_.InterfaceSize, sizeof(DXGKDDIINT_FEATURE_SAMPLE_5));
  EXPECT_EQ(Ask(2, 16), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Ask(6, 16), STATUS_INVALID_PARAMETER);
}

// A table that is indexed by id would read beyond its end here.
TEST_F(SoftFeatures, QueryFeatureSupport_IdOfAnyCategory_IsNotSupported) {
  for (const UINT id : {0U, 30U, 37U, 38U, 0x10000000U, 0xFFFFFFFFU}) {
    DXGKARG_QUERYFEATURESUPPORT args{};
    args.FeatureId = static_cast<DXGK_FEATURE_ID>(id);
    args.SupportedByDriver = TRUE;
    EXPECT_EQ(ProcessorQueryFeatureSupport(adapter_, &args), STATUS_SUCCESS) << id;
    EXPECT_EQ(args.SupportedByDriver, FALSE) << id;
  }
}

TEST_F(SoftFeatures, Sample_Version5_AddsAndSubtractsTheKernelsValue) {
  Start();
  DXGKARG_FEATURE_SAMPLE_ADDVALUE add{32, 0};
  EXPECT_EQ(ProcessorSampleAddValue(adapter_, &add), STATUS_SUCCESS);
  EXPECT_EQ(add.OutputValue, 42U);
  DXGKARG_FEATURE_SAMPLE_SUBTRACTVALUE subtract{32, 0};
  EXPECT_EQ(ProcessorSampleSubtractValue(adapter_, &subtract), STATUS_SUCCESS);
  EXPECT_EQ(subtract.OutputValue, 22U);
}

TEST_F(SoftFeatures, Sample_FunctionOfANewerVersion_IsRefused) {
  kernel_.version = 4;
  Start();
  DXGKARG_FEATURE_SAMPLE_ADDVALUE add{1, 0};
  DXGKARG_FEATURE_SAMPLE_SUBTRACTVALUE subtract{1, 0};
  EXPECT_EQ(ProcessorSampleAddValue(adapter_, &add), STATUS_SUCCESS);
  EXPECT_EQ(ProcessorSampleSubtractValue(adapter_, &subtract), STATUS_INVALID_PARAMETER);
  kernel_.version = 3;
  Start();
  EXPECT_EQ(ProcessorSampleAddValue(adapter_, &add), STATUS_INVALID_PARAMETER);
}

// An older kernel is told of what exists in version 1; SAMPLE does not.
TEST_F(SoftFeatures, Start_KernelWithoutTheInterface_GoesTheOlderWay) {
  kernel_.callbacks.DxgkCbQueryServices = nullptr;
  Start();
  EXPECT_EQ(static_cast<Device*>(adapter_)->features().sample_version(), 0);
  kernel_.callbacks.DxgkCbQueryServices = [](HANDLE, DXGK_SERVICES, PINTERFACE) -> NTSTATUS { return STATUS_NOT_SUPPORTED; };
  Start();
  EXPECT_EQ(static_cast<Device*>(adapter_)->features().sample_version(), 0);
  EXPECT_EQ(static_cast<Device*>(adapter_)->features().Query(DXGK_FEATURE_HWSCH).Enabled, 0);
  EXPECT_EQ(kernel_.declared, 0);
}

}  // namespace
}  // namespace tandem::soft
