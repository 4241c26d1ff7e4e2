// Allocations move between a small memory segment and system pages: what is where, and what their users see of it.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "kernel/testing/small_memory.h"

namespace tandem::kernel {
namespace {

class ResidencyTest : public SmallMemory {};

TEST_F(ResidencyTest, MoreAllocationsThanRoom_KeepTheirBytes) {
  Open();
  std::vector<D3DKMT_HANDLE> allocations(3 * kRoom);
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    ASSERT_EQ(CreateAllocation(allocations[i]), STATUS_SUCCESS);
    Paint(allocations[i], static_cast<unsigned char>(i + 1));
  }
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < allocations.size(); ++i) ExpectPainted(allocations[i], static_cast<unsigned char>(i + 1));
  }
  EXPECT_GT(count(DXGK_OPERATION_TRANSFER), 2 * allocations.size());
}

TEST_F(ResidencyTest, QueryResidency_TellsWhoIsInMemoryAndWhoIsAway) {
  Open();
  const auto allocations = CreateMany(kRoom + 1);
  for (const D3DKMT_HANDLE allocation : allocations) Paint(allocation, 1);  // the last one drives the first one out
  std::vector<D3DKMT_ALLOCATIONRESIDENCYSTATUS> status(allocations.size());
  D3DKMT_QUERYALLOCATIONRESIDENCY query{device_, 0, allocations.data(), static_cast<UINT>(allocations.size()), status.data()};
  ASSERT_EQ(D3DKMTQueryAllocationResidency(&query), STATUS_SUCCESS);
  EXPECT_EQ(status.front(), D3DKMT_ALLOCATIONRESIDENCYSTATUS_NOTRESIDENT);
  EXPECT_EQ(status.back(), D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY);
  segment_ = 2;
  D3DKMT_HANDLE in_aperture = 0;
  ASSERT_EQ(CreateAllocation(in_aperture), STATUS_SUCCESS);
  query.phAllocationList = &in_aperture;
  query.AllocationCount = 1;
  ASSERT_EQ(D3DKMTQueryAllocationResidency(&query), STATUS_SUCCESS);
  EXPECT_EQ(status.front(), D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINSHAREDMEMORY);
  EXPECT_EQ(DestroyAllocation(in_aperture), STATUS_SUCCESS) << "The question holds nothing.";
  EXPECT_EQ(D3DKMTQueryAllocationResidency(&query), STATUS_INVALID_PARAMETER);
  query.hResource = allocations[0];
  EXPECT_EQ(D3DKMTQueryAllocationResidency(&query), STATUS_INVALID_PARAMETER) << "a resource and a list";
  query.phAllocationList = nullptr;
  EXPECT_EQ(D3DKMTQueryAllocationResidency(&query), STATUS_INVALID_PARAMETER) << "an allocation is no resource";
}

TEST_F(ResidencyTest, QueryResidency_OfAResource_AnswersForItsAllocations) {
  Open();
  D3DDDI_ALLOCATIONINFO2 info{};
  D3DKMT_CREATEALLOCATION create = Allocation(info);
  create.Flags.CreateResource = 1;
  ASSERT_EQ(D3DKMTCreateAllocation2(&create), STATUS_SUCCESS);
  D3DKMT_ALLOCATIONRESIDENCYSTATUS status{};
  D3DKMT_QUERYALLOCATIONRESIDENCY query{device_, create.hResource, nullptr, 1, &status};
  EXPECT_EQ(D3DKMTQueryAllocationResidency(&query), STATUS_SUCCESS);
  EXPECT_EQ(status, D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY);
  query.AllocationCount = 2;
  EXPECT_EQ(D3DKMTQueryAllocationResidency(&query), STATUS_INVALID_PARAMETER);
}

TEST_F(ResidencyTest, NewAllocation_WhereAnotherWas_IsZero) {
  Open();
  D3DKMT_HANDLE first = 0, second = 0;
  ASSERT_EQ(CreateAllocation(first), STATUS_SUCCESS);
  Paint(first, 0x5A);
  EXPECT_EQ(DestroyAllocation(first), STATUS_SUCCESS);
  ASSERT_EQ(CreateAllocation(second), STATUS_SUCCESS);
  ExpectPainted(second, 0);
}

TEST_F(ResidencyTest, Create_LargerThanEverySegment_IsRefused) {
  Open();
  change_info_ = [](DXGK_ALLOCATIONINFO& info) { info.Size = (kRoom + 1) * kAllocationBytes; };
  D3DKMT_HANDLE allocation = 0;
  EXPECT_EQ(CreateAllocation(allocation), STATUS_GRAPHICS_NO_VIDEO_MEMORY);
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyAllocation"), 1u);
}

TEST_F(ResidencyTest, Present_OfWhatIsAway_PagesInBeforeItIsPatched) {
  Open();
  const auto allocations = CreateMany(2 * kRoom);
  for (std::size_t i = 0; i < kRoom; ++i) Paint(allocations[kRoom + i], 1);  // the first ones are away now
  const std::size_t before = count(DXGK_OPERATION_TRANSFER);
  D3DKMT_PRESENT present = Copy(allocations[0], allocations[1]);
  ASSERT_EQ(D3DKMTPresent(&present), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);
  EXPECT_GT(count(DXGK_OPERATION_TRANSFER), before);
  EXPECT_EQ(LastBuilt()[DXGK_PRESENT_SOURCE_INDEX].SegmentId, 0u) << "Its place was not known yet.";
  const auto patched = LastPatched();
  EXPECT_EQ(patched[DXGK_PRESENT_SOURCE_INDEX].SegmentId, 1u);
  EXPECT_EQ(patched[DXGK_PRESENT_DESTINATION_INDEX].SegmentId, 1u);
  EXPECT_NE(patched[DXGK_PRESENT_SOURCE_INDEX].PhysicalAddress.QuadPart,
            patched[DXGK_PRESENT_DESTINATION_INDEX].PhysicalAddress.QuadPart);
}

TEST_F(ResidencyTest, Present_MovedBetweenBuildAndSubmission_IsPatchedWithTheNewAddress) {
  Open();
  const auto allocations = CreateMany(kRoom + 2);
  Paint(allocations[0], 1);
  Paint(allocations[1], 2);
  D3DKMT_HANDLE held = fence_;
  ASSERT_EQ(CreateFence(), STATUS_SUCCESS);
  ASSERT_EQ(HoldContext(held, 1), STATUS_SUCCESS);
  D3DKMT_PRESENT present = Copy(allocations[0], allocations[1]);
  ASSERT_EQ(D3DKMTPresent(&present), STATUS_SUCCESS);
  const auto built = LastBuilt();
  EXPECT_EQ(built[DXGK_PRESENT_SOURCE_INDEX].SegmentId, 1u);
  // Others come in, so that the two go and come back elsewhere.
  for (std::size_t i = kRoom + 2; i-- > 2;) Paint(allocations[i], static_cast<unsigned char>(i));
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  ASSERT_EQ(SignalFromCpu(held, 1), STATUS_SUCCESS);
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);
  const auto patched = LastPatched();
  for (const UINT index : {UINT{DXGK_PRESENT_SOURCE_INDEX}, UINT{DXGK_PRESENT_DESTINATION_INDEX}}) {
    EXPECT_EQ(patched[index].SegmentId, 1u);
    EXPECT_EQ(BytesAt(static_cast<std::uint64_t>(patched[index].PhysicalAddress.QuadPart)), static_cast<unsigned char>(index));
  }
  EXPECT_NE(patched[DXGK_PRESENT_SOURCE_INDEX].PhysicalAddress.QuadPart,
            built[DXGK_PRESENT_SOURCE_INDEX].PhysicalAddress.QuadPart);
}

TEST_F(ResidencyTest, Present_OfMoreThanTheSegmentHolds_IsRefused) {
  Open();
  change_info_ = [](DXGK_ALLOCATIONINFO& info) { info.Size = kAllocationBytes * (kRoom / 2 + 1); };
  const auto allocations = CreateMany(2);
  D3DKMT_PRESENT present = Copy(allocations[0], allocations[1]);
  EXPECT_EQ(D3DKMTPresent(&present), STATUS_GRAPHICS_NO_VIDEO_MEMORY);
  // The context lives on.
  present = Copy(allocations[0], allocations[0]);
  EXPECT_EQ(D3DKMTPresent(&present), STATUS_SUCCESS);
}

TEST_F(ResidencyTest, Locked_StaysWhereItIs_UntilUnlocked) {
  Open();
  const auto allocations = CreateMany(kRoom + 1);
  std::vector<void*> addresses;
  for (std::size_t i = 0; i < kRoom; ++i) addresses.push_back(Lock(allocations[i]));
  void* last = nullptr;
  std::thread waiter([&] { last = Lock(allocations[kRoom]); });
  Unlock(allocations[2]);
  waiter.join();
  EXPECT_EQ(last, addresses[2]);
  EXPECT_EQ(Lock(allocations[0]), addresses[0]);  // a second lock of what is locked
}

TEST_F(ResidencyTest, Unlock_MoreOftenThanLocked_IsRefused) {
  Open();
  const auto allocations = CreateMany(1);
  static_cast<void>(Lock(allocations[0]));
  const D3DKMT_UNLOCK2 unlock{device_, allocations[0]};
  EXPECT_EQ(D3DKMTUnlock2(&unlock), STATUS_SUCCESS);
  EXPECT_EQ(D3DKMTUnlock2(&unlock), STATUS_INVALID_PARAMETER);
}

TEST_F(ResidencyTest, DestroyDevice_WhileLocked_GivesThePlaceBack) {
  Open();
  const auto allocations = CreateMany(kRoom);
  for (const D3DKMT_HANDLE allocation : allocations) static_cast<void>(Lock(allocation));
  ASSERT_EQ(DestroyDevice(), STATUS_SUCCESS);
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  for (const D3DKMT_HANDLE allocation : CreateMany(kRoom)) ExpectPainted(allocation, 0);
}

// There is room for the new one, but in two gaps.
TEST_F(ResidencyTest, RoomInPieces_IsJoined_AndNobodyHasToGo) {
  Open();
  const auto allocations = CreateMany(kRoom);
  for (std::size_t i = 0; i < kRoom; ++i) Paint(allocations[i], static_cast<unsigned char>(i + 1));
  ASSERT_EQ(DestroyAllocation(allocations[0]), STATUS_SUCCESS);
  ASSERT_EQ(DestroyAllocation(allocations[2]), STATUS_SUCCESS);
  change_info_ = [](DXGK_ALLOCATIONINFO& info) { info.Size = 2 * kAllocationBytes; };
  D3DKMT_HANDLE large = 0;
  ASSERT_EQ(CreateAllocation(large), STATUS_SUCCESS);
  std::memset(Lock(large), 9, 2 * kAllocationBytes);
  Unlock(large);
  EXPECT_EQ(QueryMemory().CurrentUsage, kRoom * kAllocationBytes) << "Nothing was driven out.";
  ExpectPainted(allocations[1], 2);
  ExpectPainted(allocations[3], 4);
  ExpectPainted(large, 9);
}

TEST_F(ResidencyTest, RoomInPieces_BetweenWhatIsPinned_IsNotJoined) {
  Open();
  const auto allocations = CreateMany(kRoom);
  ASSERT_EQ(DestroyAllocation(allocations[0]), STATUS_SUCCESS);
  ASSERT_EQ(DestroyAllocation(allocations[2]), STATUS_SUCCESS);
  void* const first = Lock(allocations[1]);
  void* const last = Lock(allocations[3]);
  std::memset(first, 5, kAllocationBytes);
  change_info_ = [](DXGK_ALLOCATIONINFO& info) { info.Size = 2 * kAllocationBytes; };
  D3DKMT_HANDLE large = 0;
  ASSERT_EQ(CreateAllocation(large), STATUS_SUCCESS);
  EXPECT_EQ(QueryMemory().CurrentUsage, 2 * kAllocationBytes);
  EXPECT_EQ(Lock(allocations[1]), first);
  EXPECT_EQ(Lock(allocations[3]), last);
  for (const std::size_t i : {std::size_t{1}, std::size_t{3}}) {
    Unlock(allocations[i]);
    Unlock(allocations[i]);
  }
  std::memset(Lock(large), 9, 2 * kAllocationBytes);  // and now it is
  ExpectPainted(allocations[1], 5);
}

TEST_F(ResidencyTest, QueryVideoMemoryInfo_CountsWhatIsResident) {
  Open();
  EXPECT_EQ(QueryMemory().CurrentUsage, 0u);
  const auto allocations = CreateMany(2);
  EXPECT_EQ(QueryMemory().CurrentUsage, 2 * kAllocationBytes);
  EXPECT_LE(QueryMemory().Budget, kRoom * kAllocationBytes);
  EXPECT_EQ(DestroyAllocation(allocations[0]), STATUS_SUCCESS);
  EXPECT_EQ(QueryMemory().CurrentUsage, kAllocationBytes);
  D3DKMT_CHANGEVIDEOMEMORYRESERVATION reserve{};
  reserve.hAdapter = adapter_;
  reserve.Reservation = QueryMemory().AvailableForReservation;
  EXPECT_EQ(D3DKMTChangeVideoMemoryReservation(&reserve), STATUS_SUCCESS);
  EXPECT_EQ(QueryMemory().CurrentReservation, reserve.Reservation);
  reserve.Reservation += 1;
  EXPECT_EQ(D3DKMTChangeVideoMemoryReservation(&reserve), STATUS_INVALID_PARAMETER);
}

}  // namespace
}  // namespace tandem::kernel
