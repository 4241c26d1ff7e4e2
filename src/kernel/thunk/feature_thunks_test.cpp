#include <gtest/gtest.h>

#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

class FeatureThunks : public KernelFixture {
 protected:
  FeatureThunks() {
    miniport_.OfferFeatures();
    miniport_.on_query_feature_support = [](DXGKARG_QUERYFEATURESUPPORT* args) {
      if (args->FeatureId != DXGK_FEATURE_SAMPLE) return STATUS_SUCCESS;
      args->SupportedByDriver = args->SupportedOnCurrentConfig = TRUE;
      args->MinSupportedVersion = args->MaxSupportedVersion = 4;
      return STATUS_SUCCESS;
    };
  }
  NTSTATUS Ask(D3DKMT_HANDLE adapter, DXGK_FEATURE_ID id) {
    data_ = {};
    data_.hAdapter = adapter;
    data_.FeatureId = id;
    return D3DKMTIsFeatureEnabled(&data_);
  }
  D3DKMT_ISFEATUREENABLED data_{};
};

TEST_F(FeatureThunks, IsFeatureEnabled_OfAnAdapter_IsTheNegotiatedAnswer) {
  Open();
  EXPECT_EQ(Ask(adapter_, DXGK_FEATURE_SAMPLE), STATUS_SUCCESS);
  EXPECT_EQ(data_.Result.Version, 4);
  EXPECT_EQ(data_.Result.Value, 0xF);
  EXPECT_EQ(Ask(adapter_, DXGK_FEATURE_HWSCH), STATUS_SUCCESS);
  EXPECT_EQ(data_.Result.Value, 0x2);
  EXPECT_EQ(Ask(adapter_, DXGK_FEATURE_64K_PT_DEMOTION_FIX), STATUS_SUCCESS);
  EXPECT_EQ(data_.Result.Value, 0x2);
}

TEST_F(FeatureThunks, IsFeatureEnabled_AdapterAndFeatureDoNotFit_IsInvalid) {
  Open();
  EXPECT_EQ(Ask(0, DXGK_FEATURE_GPUVAIOMMU), STATUS_SUCCESS);
  EXPECT_EQ(data_.Result.Value, 0x2);
  EXPECT_EQ(Ask(adapter_, DXGK_FEATURE_GPUVAIOMMU), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Ask(0, DXGK_FEATURE_SAMPLE), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Ask(device_, DXGK_FEATURE_SAMPLE), STATUS_INVALID_HANDLE);
  EXPECT_EQ(D3DKMTIsFeatureEnabled(nullptr), STATUS_INVALID_PARAMETER);
}

TEST_F(FeatureThunks, IsFeatureEnabled_UnknownFeature_IsNotKnown) {
  Open();
  for (const D3DKMT_HANDLE adapter : {D3DKMT_HANDLE{0}, adapter_}) {
    EXPECT_EQ(Ask(adapter, static_cast<DXGK_FEATURE_ID>(20)), STATUS_SUCCESS);
    EXPECT_EQ(data_.Result.Value, 0);
  }
}

TEST_F(FeatureThunks, IsFeatureEnabled_AdapterRemoved_SaysSo) {
  Open();
  ASSERT_TRUE(kernel_->RemoveAdapter(luid_).ok());
  EXPECT_EQ(Ask(adapter_, DXGK_FEATURE_SAMPLE), STATUS_DEVICE_REMOVED);
  EXPECT_FALSE(kernel_->FeatureStates(luid_).ok());
}

TEST_F(FeatureThunks, FeatureStates_AfterTheStart_KnowEveryFeatureOfTheDriver) {
  Open();
  const auto states = kernel_->FeatureStates(luid_);
  ASSERT_TRUE(states.ok()) << states.error().message;
  ASSERT_EQ(states->size(), Kernel::Features().size());
  for (std::size_t i = 0; i < states->size(); ++i) {
    EXPECT_EQ((*states)[i].id, Kernel::Features()[i].id);
    EXPECT_EQ((*states)[i].queried, Kernel::Features()[i].driver) << Kernel::Features()[i].name;
  }
}

}  // namespace
}  // namespace tandem::kernel
