#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/feature/feature_guest.h"
#include "kernel/feature/remote_feature_host.h"
#include "kernel/testing/fake_feature_driver.h"
#include "kernel/testing/kernel_fixture.h"
#include "kernel/testing/test_features.h"

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
  EXPECT_EQ(Ask(device_, DXGK_FEATURE_SAMPLE), STATUS_INVALID_PARAMETER);
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

std::pair<UniqueFd, UniqueFd> SocketPair() {
  int fds[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

// Another kernel's features, with a driver that has SAMPLE 3 to 5.
struct OtherKernel {
  OtherKernel() { driver.supports[DXGK_FEATURE_SAMPLE] = {{3, 5}, true, false}; }
  FakeFeatureDriver driver;
  KernelFeatures kernel{BuiltInRegistry()};
};

TEST_F(FeatureThunks, ServeGuest_AnotherKernel_IsToldWhatIsOnHere) {
  Open();
  auto [here, there] = SocketPair();
  ASSERT_TRUE(kernel_->ServeGuest(luid_, std::move(here)).ok());
  OtherKernel guest;
  auto host = RemoteFeatureHost::Create(std::move(there), MonotonicClock());
  ASSERT_TRUE(host.ok()) << host.error().message;
  guest.kernel.SetHost(*std::move(host));
  AdapterFeatures features(guest.kernel, guest.driver);
  EXPECT_EQ(features.Query(DXGK_FEATURE_SAMPLE).Version, 4);
  ASSERT_TRUE(kernel_->RemoveAdapter(luid_).ok());
  EXPECT_EQ(kernel_->ServeGuest(luid_, UniqueFd()).error().kind, ErrorKind::kNotFound);
}

TEST_F(FeatureThunks, ServeGuest_MoreThanTheLimit_AreRefusedUntilOneGoes) {
  Open();
  std::vector<UniqueFd> guests;
  for (std::size_t i = 0; i < kMaxFeatureGuests; ++i) {
    auto [here, there] = SocketPair();
    ASSERT_TRUE(kernel_->ServeGuest(luid_, std::move(here)).ok());
    guests.push_back(std::move(there));
  }
  EXPECT_EQ(kernel_->ServeGuest(luid_, SocketPair().first).error().kind, ErrorKind::kLimit);
}

TEST_F(FeatureThunks, JoinHost_TheNextAdapter_IsAGuests) {
  OtherKernel host;
  host.driver.supports[DXGK_FEATURE_SAMPLE].versions = {5, 5};  // the fake has 4
  AdapterFeatures features(host.kernel, host.driver);
  auto [here, there] = SocketPair();
  auto served = FeatureGuest::Create(std::move(there), features);
  ASSERT_TRUE(served.ok());
  auto kernel = Kernel::Create(MonotonicClock());
  ASSERT_TRUE(kernel.ok());
  ASSERT_TRUE((*kernel)->JoinHost(std::move(here)).ok());
  auto driver = (*kernel)->LoadDriver(FakeMiniport::Entry(), "fake");
  ASSERT_TRUE(driver.ok());
  const auto enabled = [&](const Result<LUID>& luid) {
    EXPECT_TRUE(luid.ok());
    const auto states = (*kernel)->FeatureStates(*luid);
    EXPECT_TRUE(states.ok());
    return std::ranges::find(*states, DXGK_FEATURE_SAMPLE, &FeatureState::id)->result.Enabled != 0;
  };
  EXPECT_FALSE(enabled((*kernel)->AddAdapter(**driver, nullptr, "guest")));
  // The host was for that one only.
  EXPECT_TRUE((*kernel)->RemoveAdapter((*kernel)->Adapters().front().luid).ok());
  EXPECT_TRUE(enabled((*kernel)->AddAdapter(**driver, nullptr, "own")));
}

TEST_F(FeatureThunks, JoinHost_HostWithoutWelcome_IsAnErrorAndNoAdapterIsAGuests) {
  auto kernel = Kernel::Create(MonotonicClock());
  ASSERT_TRUE(kernel.ok());
  auto [here, there] = SocketPair();
  there.Reset();
  EXPECT_EQ((*kernel)->JoinHost(std::move(here)).error().kind, ErrorKind::kDeviceLost);
  auto driver = (*kernel)->LoadDriver(FakeMiniport::Entry(), "fake");
  ASSERT_TRUE(driver.ok());
  const auto luid = (*kernel)->AddAdapter(**driver, nullptr, "own");
  ASSERT_TRUE(luid.ok());
  const auto states = (*kernel)->FeatureStates(*luid);
  ASSERT_TRUE(states.ok());
  EXPECT_NE(std::ranges::find(*states, DXGK_FEATURE_SAMPLE, &FeatureState::id)->result.Enabled, 0U);
}

// The guest's whole kernel in a process of its own; it says what it enabled by its exit code, the version of SAMPLE.
TEST_F(FeatureThunks, TwoKernels_InTwoProcesses_AgreeOnTheCommonVersion) {
  auto [here, there] = SocketPair();
  auto [ready_here, ready_there] = SocketPair();
  const pid_t child = fork();
  if (child == 0) {
    here.Reset();
    ready_here.Reset();
    // The host's driver has version 4, this one 3 to 5.
    miniport_.on_query_feature_support = [](DXGKARG_QUERYFEATURESUPPORT* args) {
      if (args->FeatureId != DXGK_FEATURE_SAMPLE) return STATUS_SUCCESS;
      args->SupportedByDriver = args->SupportedOnCurrentConfig = TRUE;
      args->MinSupportedVersion = 3;
      args->MaxSupportedVersion = 5;
      return STATUS_SUCCESS;
    };
    char ready = 0;  // the host serves; until then a guest would wait by the clock
    if (read(ready_there.get(), &ready, 1) != 1) _exit(99);
    auto kernel = Kernel::Create(MonotonicClock());
    if (!kernel.ok() || !(*kernel)->JoinHost(std::move(there)).ok()) _exit(100);
    auto driver = (*kernel)->LoadDriver(FakeMiniport::Entry(), "guest");
    if (!driver.ok()) _exit(101);
    const auto luid = (*kernel)->AddAdapter(**driver, nullptr, "guest0");
    if (!luid.ok()) _exit(102);
    const auto states = (*kernel)->FeatureStates(*luid);
    const auto sample = std::ranges::find(*states, DXGK_FEATURE_SAMPLE, &FeatureState::id);
    _exit(sample->result.Enabled != 0 ? sample->result.Version : 0);
  }
  there.Reset();
  Open();
  ASSERT_TRUE(kernel_->ServeGuest(luid_, std::move(here)).ok());
  ASSERT_EQ(write(ready_here.get(), "1", 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 4);
}

}  // namespace
}  // namespace tandem::kernel
