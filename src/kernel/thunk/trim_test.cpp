// Devices that are asked to trim what they keep in memory.
#include <gtest/gtest.h>

#include <condition_variable>

#include "kernel/testing/small_memory.h"

namespace tandem::kernel {
namespace {

class TrimTest : public SmallMemory {
 protected:
  struct Asked {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<D3DKMT_TRIMNOTIFICATION> notifications;
    bool Await(std::size_t count) {
      std::unique_lock<std::mutex> lock(mutex);
      return changed.wait_for(lock, std::chrono::seconds(20), [&] { return notifications.size() >= count; });
    }
  };
  static VOID APIENTRY Note(D3DKMT_TRIMNOTIFICATION* notification) {
    auto& asked = *static_cast<Asked*>(notification->Context);
    const std::lock_guard<std::mutex> lock(asked.mutex);
    asked.notifications.push_back(*notification);
    asked.changed.notify_all();
  }
  D3DKMT_REGISTERTRIMNOTIFICATION Registration() {
    D3DKMT_REGISTERTRIMNOTIFICATION data{};
    data.AdapterLuid = luid_;
    data.hDevice = device_;
    data.Callback = &Note;
    data.Context = &asked_;
    return data;
  }
  Asked asked_;
};

TEST_F(TrimTest, ReferencesBeyondTheBudget_AskEveryDeviceToTrim) {
  Open();
  OpenQueue();
  D3DKMT_REGISTERTRIMNOTIFICATION data = Registration();
  ASSERT_EQ(D3DKMTRegisterTrimNotification(&data), STATUS_SUCCESS);
  const auto allocations = CreateMany(kRoom);
  D3DDDI_MAKERESIDENT request = MakeResident(allocations);
  request.Flags.CantTrimFurther = 1;
  const NTSTATUS status = D3DKMTMakeResident(&request);
  ASSERT_TRUE(status == STATUS_SUCCESS || status == STATUS_PENDING);
  ASSERT_TRUE(asked_.Await(1));
  EXPECT_EQ(asked_.notifications[0].Flags.TrimToBudget, 1u);
  EXPECT_EQ(asked_.notifications[0].NumBytesToTrim, kRoom * kAllocationBytes - QueryMemory().Budget);
  ASSERT_EQ(WaitFor(queue_fence_, request.PagingFenceValue), STATUS_SUCCESS);
  EXPECT_EQ(Evict({allocations.data(), 1}), STATUS_SUCCESS);
  const D3DKMT_UNREGISTERTRIMNOTIFICATION gone{data.Handle, nullptr};
  D3DKMT_UNREGISTERTRIMNOTIFICATION unregister = gone;
  EXPECT_EQ(D3DKMTUnregisterTrimNotification(&unregister), STATUS_SUCCESS);
  EXPECT_EQ(D3DKMTUnregisterTrimNotification(&unregister), STATUS_INVALID_PARAMETER);
}

TEST_F(TrimTest, RequestThatFindsNoBudget_AsksTheOthers_AndNotWhoAskedForIt) {
  Open();
  D3DKMT_REGISTERTRIMNOTIFICATION others = Registration();
  ASSERT_EQ(D3DKMTRegisterTrimNotification(&others), STATUS_SUCCESS);
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  OpenQueue();
  Asked own;
  D3DKMT_REGISTERTRIMNOTIFICATION data = Registration();
  data.Context = &own;
  ASSERT_EQ(D3DKMTRegisterTrimNotification(&data), STATUS_SUCCESS);
  const auto allocations = CreateMany(kRoom);
  D3DDDI_MAKERESIDENT request = MakeResident(allocations);
  EXPECT_EQ(D3DKMTMakeResident(&request), STATUS_NO_MEMORY);
  ASSERT_TRUE(asked_.Await(1));
  EXPECT_EQ(asked_.notifications[0].NumBytesToTrim, request.NumBytesToTrim);
  D3DKMT_UNREGISTERTRIMNOTIFICATION by_callback{nullptr, &Note};
  EXPECT_EQ(D3DKMTUnregisterTrimNotification(&by_callback), STATUS_SUCCESS);
  EXPECT_TRUE(own.notifications.empty());
}

TEST_F(TrimTest, OneFieldBroken_IsRefused) {
  Open();
  const auto with = [this](auto change) {
    D3DKMT_REGISTERTRIMNOTIFICATION data = Registration();
    change(data);
    return D3DKMTRegisterTrimNotification(&data);
  };
  EXPECT_EQ(with([](auto& data) { data.hDevice = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(with([](auto& data) { data.Callback = nullptr; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(with([](auto& data) { ++data.AdapterLuid.LowPart; }), STATUS_INVALID_PARAMETER);
  D3DKMT_UNREGISTERTRIMNOTIFICATION nothing{};
  EXPECT_EQ(D3DKMTUnregisterTrimNotification(&nothing), STATUS_INVALID_PARAMETER);
}

}  // namespace
}  // namespace tandem::kernel
