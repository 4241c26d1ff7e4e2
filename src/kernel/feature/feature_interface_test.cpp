#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>

#include "kernel/feature/adapter_features.h"
#include "kernel/feature/feature_rules.h"
#include "kernel/testing/fake_feature_driver.h"
#include "kernel/testing/test_features.h"

namespace tandem::kernel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

VOID Function(PVOID) {}

// SAMPLE, whose driver has all versions and answers well unless a test bends it.
class FeatureInterfaceTest : public ::testing::Test {
 protected:
  FeatureInterfaceTest() {
    driver_.supports[DXGK_FEATURE_SAMPLE] = {{3, 5}, true, false};
    driver_.kernel_interface.assign(sizeof(DXGKCBINT_FEATURE_SAMPLE_4), std::byte{0xAB});
    driver_.on_interface = [this](DXGKARG_QUERYFEATUREINTERFACE& args) {
      room_ = args.InterfaceSize;
      const std::array<PINTERFACE_REFERENCE, 2> functions{&Function, &Function};
      const USHORT bytes = args.Version == 5 ? 16 : 8;
      std::memset(args.Interface, 0, args.InterfaceSize);
      std::memcpy(args.Interface, functions.data(), bytes);
      args.InterfaceSize = bytes;
      if (bend_) bend_(args);
      return status_;
    };
  }
  Result<AdapterFeatures::Interface> Ask() { return features_.DriverInterface(DXGK_FEATURE_SAMPLE); }
  // The rule that the bent driver breaks.
  std::string Broken() {
    EXPECT_FALSE(Ask().ok());
    return driver_.violations.size() == 1 ? driver_.violations[0] : std::to_string(driver_.violations.size()) + " violations";
  }
  NTSTATUS AskKernel(USHORT version, USHORT size) {
    bytes_.fill(std::byte{0x77});
    args_ = {DXGK_FEATURE_SAMPLE, version, size, bytes_.data()};
    return features_.QueryKernelInterface(args_);
  }

  FakeFeatureDriver driver_;
  KernelFeatures kernel_{BuiltInRegistry()};
  AdapterFeatures features_{kernel_, driver_};
  std::function<void(DXGKARG_QUERYFEATUREINTERFACE&)> bend_;
  NTSTATUS status_ = STATUS_SUCCESS;
  USHORT room_ = 0;
  std::array<std::byte, 64> bytes_{};
  DXGKARGCB_QUERYFEATUREINTERFACE args_{};
};

TEST_F(FeatureInterfaceTest, DriverInterface_GoodDriver_IsAskedOnce) {
  for (int i = 0; i < 2; ++i) {
    const auto interface = Ask();
    ASSERT_TRUE(interface.ok()) << interface.error().message;
    EXPECT_EQ(interface->version, 5);
    EXPECT_EQ(interface->size, sizeof(DXGKDDIINT_FEATURE_SAMPLE_5));
  }
  EXPECT_EQ(room_, sizeof(DXGKDDIINT_FEATURE_SAMPLE_5));
  EXPECT_EQ(driver_.interfaces_asked, 1);
}

// The buffer fits every version; what is behind version 4 stays zero.
TEST_F(FeatureInterfaceTest, DriverInterface_SmallerVersion_HasAZeroedTail) {
  driver_.supports[DXGK_FEATURE_SAMPLE].versions.max = 4;
  const auto interface = Ask();
  ASSERT_TRUE(interface.ok()) << interface.error().message;
  EXPECT_EQ(room_, sizeof(DXGKDDIINT_FEATURE_SAMPLE_5));
  EXPECT_EQ(interface->size, sizeof(DXGKDDIINT_FEATURE_SAMPLE_4));
  EXPECT_EQ(interface->bytes[8], std::byte{});
}

TEST_F(FeatureInterfaceTest, DriverInterface_VersionWithoutOne_AsksNobody) {
  driver_.supports[DXGK_FEATURE_SAMPLE].versions.max = 3;
  const auto interface = Ask();
  ASSERT_TRUE(interface.ok()) << interface.error().message;
  EXPECT_EQ(interface->version, 3);
  EXPECT_EQ(interface->size, 0);
  EXPECT_EQ(driver_.interfaces_asked, 0);
}

TEST_F(FeatureInterfaceTest, DriverInterface_FeatureThatIsOff_AsksNobody) {
  driver_.supports.clear();
  EXPECT_EQ(Ask().error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(features_.DriverInterface(static_cast<DXGK_FEATURE_ID>(7)).error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(driver_.interfaces_asked, 0);
}

TEST_F(FeatureInterfaceTest, DriverInterface_OfferedVersionRefused_IsAViolation) {
  status_ = STATUS_UNSUCCESSFUL;
  EXPECT_EQ(Broken(), rules::kFeatureInterfaceRefused);
}

TEST_F(FeatureInterfaceTest, DriverInterface_WrongSize_IsAViolation) {
  for (const USHORT lie : {USHORT{0}, USHORT{8}, USHORT{15}, USHORT{17}, USHORT{0xFFFF}}) {
    driver_.violations.clear();
    bend_ = [lie](DXGKARG_QUERYFEATUREINTERFACE& args) { args.InterfaceSize = lie; };
    EXPECT_EQ(Broken(), rules::kFeatureInterfaceSize) << lie;
  }
}

TEST_F(FeatureInterfaceTest, DriverInterface_TailNotZeroed_IsAViolation) {
  driver_.supports[DXGK_FEATURE_SAMPLE].versions.max = 4;
  bend_ = [](DXGKARG_QUERYFEATUREINTERFACE& args) { static_cast<char*>(args.Interface)[15] = 1; };
  EXPECT_EQ(Broken(), rules::kFeatureInterfaceTail);
}

TEST_F(FeatureInterfaceTest, DriverInterface_WritesBehindTheBuffer_IsAViolation) {
  bend_ = [](DXGKARG_QUERYFEATUREINTERFACE& args) { static_cast<char*>(args.Interface)[16] = 0; };
  EXPECT_EQ(Broken(), rules::kFeatureInterfaceOverrun);
}

TEST_F(FeatureInterfaceTest, DriverInterface_NullFunction_IsAViolation) {
  bend_ = [](DXGKARG_QUERYFEATUREINTERFACE& args) { std::memset(static_cast<char*>(args.Interface) + 8, 0, 8); };
  EXPECT_EQ(Broken(), rules::kFeatureInterfaceFunctions);
}

TEST_F(FeatureInterfaceTest, DriverInterface_InputChanged_IsAViolation) {
  bend_ = [](DXGKARG_QUERYFEATUREINTERFACE& args) { args.Version = 4; };
  EXPECT_EQ(Broken(), rules::kFeatureInterfaceInput);
}

TEST_F(FeatureInterfaceTest, KernelInterface_OfferedVersions_AreFilledWithAZeroedTail) {
  for (const USHORT version : {USHORT{4}, USHORT{5}}) {
    ASSERT_EQ(AskKernel(version, 32), STATUS_SUCCESS) << version;
    EXPECT_EQ(args_.InterfaceSize, sizeof(DXGKCBINT_FEATURE_SAMPLE_4));
    EXPECT_EQ(bytes_[7], std::byte{0xAB});
    for (std::size_t i = 8; i < 32; ++i) EXPECT_EQ(bytes_[i], std::byte{}) << i;
    EXPECT_EQ(bytes_[32], std::byte{0x77});
  }
  EXPECT_EQ(AskKernel(5, 8), STATUS_SUCCESS);
}

TEST_F(FeatureInterfaceTest, KernelInterface_SmallerBuffer_IsLeftAlone) {
  EXPECT_EQ(AskKernel(5, 7), STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(args_.InterfaceSize, 0);
  EXPECT_EQ(bytes_[0], std::byte{0x77});
}

TEST_F(FeatureInterfaceTest, KernelInterface_WhatIsNotThere_IsRefused) {
  EXPECT_EQ(AskKernel(3, 32), STATUS_INVALID_PARAMETER);  // has none
  EXPECT_EQ(AskKernel(2, 32), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(AskKernel(6, 32), STATUS_INVALID_PARAMETER);
  args_ = {DXGK_FEATURE_SAMPLE, 5, 8, nullptr};
  EXPECT_EQ(features_.QueryKernelInterface(args_), STATUS_INVALID_PARAMETER);
  args_ = {DXGK_FEATURE_HWSCH, 1, 64, bytes_.data()};
  EXPECT_EQ(features_.QueryKernelInterface(args_), STATUS_NOT_SUPPORTED);
  args_ = {DXGK_FEATURE_GPUVAIOMMU, 1, 64, bytes_.data()};
  EXPECT_EQ(features_.QueryKernelInterface(args_), STATUS_INVALID_PARAMETER);
}

// The driver gave the version up: the kernel's side of it is gone too.
TEST_F(FeatureInterfaceTest, KernelInterface_VersionThatTheDriverDidNotOffer_IsRefused) {
  driver_.supports[DXGK_FEATURE_SAMPLE].versions.max = 4;
  EXPECT_EQ(AskKernel(5, 32), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(AskKernel(4, 32), STATUS_SUCCESS);
}

}  // namespace
}  // namespace tandem::kernel
