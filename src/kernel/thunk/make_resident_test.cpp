// User mode needs allocations, needs them no more, or lets their bytes go.
#include <gtest/gtest.h>

#include "kernel/testing/small_memory.h"

namespace tandem::kernel {
namespace {

class MakeResidentTest : public SmallMemory {};

TEST_F(MakeResidentTest, MakeResident_OfWhatIsAway_IsPending_AndItsFenceCounts) {
  Open();
  OpenQueue();
  const auto allocations = CreateMany(2 * kRoom);
  for (std::size_t i = 0; i < kRoom; ++i) Paint(allocations[kRoom + i], 1);
  D3DDDI_MAKERESIDENT request = MakeResident({allocations.data(), 2});
  ASSERT_EQ(D3DKMTMakeResident(&request), STATUS_PENDING);
  EXPECT_EQ(request.PagingFenceValue, 1u);
  ASSERT_EQ(WaitFor(queue_fence_, request.PagingFenceValue), STATUS_SUCCESS);
  // They are here now, and stay although others use all the rest.
  const std::size_t moved = count(DXGK_OPERATION_TRANSFER);
  request = MakeResident({allocations.data(), 2});
  EXPECT_EQ(D3DKMTMakeResident(&request), STATUS_SUCCESS);
  EXPECT_EQ(count(DXGK_OPERATION_TRANSFER), moved);
  for (std::size_t i = 2; i < 2 * kRoom; ++i) Paint(allocations[i], 3);
  const std::size_t others = count(DXGK_OPERATION_TRANSFER);
  Paint(allocations[0], 4);
  Paint(allocations[1], 4);
  EXPECT_EQ(count(DXGK_OPERATION_TRANSFER), others);
}

TEST_F(MakeResidentTest, MakeResident_BeyondTheBudget_SaysWhatIsMissing) {
  Open();
  OpenQueue();
  const auto allocations = CreateMany(kRoom + 1);
  D3DDDI_MAKERESIDENT request = MakeResident({allocations.data(), kRoom});
  EXPECT_EQ(D3DKMTMakeResident(&request), STATUS_NO_MEMORY);
  const D3DKMT_QUERYVIDEOMEMORYINFO memory = QueryMemory();
  EXPECT_EQ(request.NumBytesToTrim, kRoom * kAllocationBytes - memory.Budget);
  request.Flags.CantTrimFurther = 1;
  const NTSTATUS at_last = D3DKMTMakeResident(&request);
  EXPECT_TRUE(at_last == STATUS_SUCCESS || at_last == STATUS_PENDING);
  request = MakeResident({allocations.data() + kRoom, 1});
  request.Flags.CantTrimFurther = 1;
  EXPECT_EQ(D3DKMTMakeResident(&request), STATUS_NO_MEMORY);
  EXPECT_EQ(request.NumBytesToTrim, kAllocationBytes);
  request.Flags.CantTrimFurther = 0;
  request.Flags.MustSucceed = 1;
  EXPECT_EQ(D3DKMTMakeResident(&request), STATUS_INVALID_PARAMETER);
}

TEST_F(MakeResidentTest, MakeResident_ThatMustSucceed_AndCannot_LosesTheDevice) {
  Open();
  OpenQueue();
  const auto allocations = CreateMany(kRoom + 1);
  D3DDDI_MAKERESIDENT request = MakeResident({allocations.data(), kRoom + 1});
  request.Flags.CantTrimFurther = request.Flags.MustSucceed = 1;
  EXPECT_EQ(D3DKMTMakeResident(&request), STATUS_NO_MEMORY);
  D3DKMT_GETDEVICESTATE state{};
  state.hDevice = device_;
  state.StateType = D3DKMT_DEVICESTATE_EXECUTION;
  ASSERT_EQ(D3DKMTGetDeviceState(&state), STATUS_SUCCESS);
  EXPECT_EQ(state.ExecutionState, D3DKMT_DEVICEEXECUTION_ERROR_OUTOFMEMORY);
  D3DKMT_PRESENT present = Copy(allocations[0], allocations[1]);
  EXPECT_EQ(D3DKMTPresent(&present), STATUS_NO_MEMORY);
}

TEST_F(MakeResidentTest, MakeResident_ThatMustSucceed_DrivesOutWhatOthersReferenced) {
  Open();
  OpenQueue();
  const auto allocations = CreateMany(kRoom);
  D3DDDI_MAKERESIDENT request = MakeResident({allocations.data(), kRoom});
  request.Flags.CantTrimFurther = request.Flags.MustSucceed = 1;
  const NTSTATUS status = D3DKMTMakeResident(&request);
  ASSERT_TRUE(status == STATUS_SUCCESS || status == STATUS_PENDING);
  ASSERT_EQ(WaitFor(queue_fence_, request.PagingFenceValue), STATUS_SUCCESS);
  EXPECT_EQ(QueryMemory().CurrentUsage, kRoom * kAllocationBytes);
}

TEST_F(MakeResidentTest, Evict_OncePerReference_AndNotOftener) {
  Open();
  OpenQueue();
  const auto allocations = CreateMany(2);
  D3DDDI_MAKERESIDENT request = MakeResident({allocations.data(), 1});
  ASSERT_EQ(D3DKMTMakeResident(&request), STATUS_SUCCESS);
  EXPECT_EQ(Evict({allocations.data(), 2}), STATUS_INVALID_PARAMETER);  // and takes none
  EXPECT_EQ(Evict({allocations.data(), 1}), STATUS_SUCCESS);
  EXPECT_EQ(Evict({allocations.data(), 1}), STATUS_INVALID_PARAMETER);
}

TEST_F(MakeResidentTest, Offered_GoesFirst_AndLosesItsBytes) {
  Open();
  OpenQueue();
  const auto allocations = CreateMany(kRoom + 1);
  for (const D3DKMT_HANDLE allocation : allocations) Paint(allocation, 7);
  for (std::size_t i = 0; i < kRoom; ++i) Paint(allocations[i], 8);  // all but the last are here
  D3DKMT_OFFERALLOCATIONS offer{};
  offer.hDevice = device_;
  offer.HandleList = &allocations[kRoom - 1];  // used last
  offer.NumAllocations = 1;
  offer.Priority = D3DKMT_OFFER_PRIORITY_NORMAL;
  ASSERT_EQ(D3DKMTOfferAllocations(&offer), STATUS_SUCCESS);
  const std::size_t moved = count(DXGK_OPERATION_TRANSFER);
  ExpectPainted(allocations[kRoom], 7);
  EXPECT_EQ(count(DXGK_OPERATION_TRANSFER), moved + 1);  // in; nothing was worth saving
  EXPECT_EQ(count(DXGK_OPERATION_DISCARD_CONTENT), 1u);
  D3DDDI_RECLAIM_RESULT results[2] = {};
  D3DKMT_RECLAIMALLOCATIONS2 reclaim{};
  reclaim.hPagingQueue = queue_;
  reclaim.NumAllocations = 2;
  reclaim.HandleList = &allocations[kRoom - 1];
  reclaim.pResults = results;
  EXPECT_EQ(D3DKMTReclaimAllocations2(&reclaim), STATUS_PENDING);
  EXPECT_EQ(WaitFor(queue_fence_, reclaim.PagingFenceValue), STATUS_SUCCESS);
  EXPECT_EQ(results[0], D3DDDI_RECLAIM_RESULT_DISCARDED);
  EXPECT_EQ(results[1], D3DDDI_RECLAIM_RESULT_OK);
  ExpectPainted(allocations[kRoom - 1], 0);
}

TEST_F(MakeResidentTest, OfferAndReclaim_OneArgumentBroken_IsRefused) {
  Open();
  OpenQueue();
  const auto allocations = CreateMany(1);
  D3DKMT_OFFERALLOCATIONS offer{};
  offer.hDevice = device_;
  offer.NumAllocations = 1;
  offer.Priority = D3DKMT_OFFER_PRIORITY_LOW;
  EXPECT_EQ(D3DKMTOfferAllocations(&offer), STATUS_INVALID_PARAMETER);
  offer.HandleList = allocations.data();
  offer.Priority = static_cast<D3DKMT_OFFER_PRIORITY>(9);
  EXPECT_EQ(D3DKMTOfferAllocations(&offer), STATUS_INVALID_PARAMETER);
  offer.Priority = D3DKMT_OFFER_PRIORITY_LOW;
  offer.HandleList = &device_;
  EXPECT_EQ(D3DKMTOfferAllocations(&offer), STATUS_INVALID_PARAMETER);
  D3DKMT_RECLAIMALLOCATIONS2 reclaim{};
  reclaim.hPagingQueue = queue_;
  reclaim.NumAllocations = 1;
  D3DKMT_HANDLE resource = allocations[0];
  reclaim.pResources = &resource;
  EXPECT_EQ(D3DKMTReclaimAllocations2(&reclaim), STATUS_INVALID_PARAMETER);
}

}  // namespace
}  // namespace tandem::kernel
