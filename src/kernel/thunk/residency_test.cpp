// Allocations move between a small memory segment and system pages: what is where, what a driver is asked, what user mode is
// told.
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstring>
#include <thread>

#include "base/fake_clock.h"
#include "kernel/submit/limits.h"
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

TEST_F(ResidencyTest, MakeResident_OfWhatIsAway_IsPending_AndItsFenceCounts) {
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

TEST_F(ResidencyTest, MakeResident_BeyondTheBudget_SaysWhatIsMissing) {
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

TEST_F(ResidencyTest, MakeResident_ThatMustSucceed_AndCannot_LosesTheDevice) {
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

TEST_F(ResidencyTest, MakeResident_ThatMustSucceed_DrivesOutWhatOthersReferenced) {
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
  EXPECT_EQ(with([](auto& data) { data.hDevice = 0; }), STATUS_INVALID_HANDLE);
  EXPECT_EQ(with([](auto& data) { data.Callback = nullptr; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(with([](auto& data) { ++data.AdapterLuid.LowPart; }), STATUS_INVALID_PARAMETER);
  D3DKMT_UNREGISTERTRIMNOTIFICATION nothing{};
  EXPECT_EQ(D3DKMTUnregisterTrimNotification(&nothing), STATUS_INVALID_PARAMETER);
}

TEST_F(ResidencyTest, Evict_OncePerReference_AndNotOftener) {
  Open();
  OpenQueue();
  const auto allocations = CreateMany(2);
  D3DDDI_MAKERESIDENT request = MakeResident({allocations.data(), 1});
  ASSERT_EQ(D3DKMTMakeResident(&request), STATUS_SUCCESS);
  EXPECT_EQ(Evict({allocations.data(), 2}), STATUS_INVALID_PARAMETER);  // and takes none
  EXPECT_EQ(Evict({allocations.data(), 1}), STATUS_SUCCESS);
  EXPECT_EQ(Evict({allocations.data(), 1}), STATUS_INVALID_PARAMETER);
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

TEST_F(ResidencyTest, Transfer_FoundBusy_IsAskedAgainWithTheIdleFlag) {
  std::vector<UINT> idle;
  miniport_.on_build_paging_buffer = [&](DXGKARG_BUILDPAGINGBUFFER* args) {
    if (args->Operation != DXGK_OPERATION_TRANSFER) return Page(*args);
    idle.push_back(args->Transfer.Flags.AllocationIsIdle);
    return args->Transfer.Flags.AllocationIsIdle ? Page(*args) : STATUS_GRAPHICS_ALLOCATION_BUSY;
  };
  Open();
  const auto allocations = CreateMany(kRoom + 1);
  Paint(allocations[0], 9);
  for (std::size_t i = 1; i <= kRoom; ++i) Paint(allocations[i], 1);
  ExpectPainted(allocations[0], 9);
  ASSERT_GE(idle.size(), 4u);
  for (std::size_t i = 0; i < idle.size(); ++i) EXPECT_EQ(idle[i], i % 2);
}

TEST_F(ResidencyTest, Transfer_InSeveralPasses_IsOneMove) {
  std::vector<UINT> passes;
  miniport_.on_build_paging_buffer = [&](DXGKARG_BUILDPAGINGBUFFER* args) {
    if (args->Operation != DXGK_OPERATION_TRANSFER) return Page(*args);
    passes.push_back(args->MultipassOffset);
    args->pDmaBuffer = static_cast<std::byte*>(args->pDmaBuffer) + 8;
    if (++args->MultipassOffset < 3) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    return Page(*args);
  };
  Open();
  const auto allocations = CreateMany(kRoom + 1);
  Paint(allocations[0], 9);
  for (std::size_t i = 1; i <= kRoom; ++i) Paint(allocations[i], 1);
  ExpectPainted(allocations[0], 9);
  ASSERT_GE(passes.size(), 6u);
  for (std::size_t i = 0; i < passes.size(); ++i) EXPECT_EQ(passes[i], i % 3);
}

TEST_F(ResidencyTest, Transfer_OfALargeAllocation_ComesInPieces) {
  struct Piece {
    UINT offset, mdl_page;
    SIZE_T size;
    bool start, end;
  };
  std::vector<Piece> pieces;
  miniport_.segments[0].Size = 80ULL << 20;
  miniport_.segments[0].Flags.CpuVisible = 0;
  miniport_.on_build_paging_buffer = [&](DXGKARG_BUILDPAGINGBUFFER* args) {
    const auto& transfer = args->Transfer;
    if (args->Operation == DXGK_OPERATION_TRANSFER && transfer.Source.SegmentId == 1) {
      pieces.push_back({transfer.TransferOffset, transfer.MdlOffset, transfer.TransferSize, transfer.Flags.TransferStart != 0,
                        transfer.Flags.TransferEnd != 0});
    }
    return STATUS_SUCCESS;
  };
  Open();
  change_info_ = [](DXGK_ALLOCATIONINFO& info) { info.Size = 70ULL << 20; };
  const auto allocations = CreateMany(2);
  D3DKMT_PRESENT present = Copy(allocations[1], allocations[1]);
  ASSERT_EQ(D3DKMTPresent(&present), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);
  ASSERT_EQ(pieces.size(), 3u);
  UINT offset = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(pieces[i].offset, offset);
    EXPECT_EQ(pieces[i].mdl_page, offset / PAGE_SIZE);
    EXPECT_EQ(pieces[i].start, i == 0);
    EXPECT_EQ(pieces[i].end, i == 2);
    offset += static_cast<UINT>(pieces[i].size);
  }
  EXPECT_EQ(offset, 70u << 20);
}

TEST_F(ResidencyTest, Offered_GoesFirst_AndLosesItsBytes) {
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

TEST_F(ResidencyTest, OfferAndReclaim_OneArgumentBroken_IsRefused) {
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
  EXPECT_EQ(D3DKMTOfferAllocations(&offer), STATUS_INVALID_HANDLE);
  D3DKMT_RECLAIMALLOCATIONS2 reclaim{};
  reclaim.hPagingQueue = queue_;
  reclaim.NumAllocations = 1;
  D3DKMT_HANDLE resource = allocations[0];
  reclaim.pResources = &resource;
  EXPECT_EQ(D3DKMTReclaimAllocations2(&reclaim), STATUS_INVALID_HANDLE);
}

class ResidencyWait : public SmallMemory {
 protected:
  ResidencyWait() {
    clock_ = &time_;
    miniport_.on_submit = [this](const DXGKARG_SUBMITCOMMAND* args) {
      const std::lock_guard<std::mutex> lock(mutex_);
      (args->Flags.NullRendering ? not_executed_ : executed_) += 1;
      return STATUS_SUCCESS;
    };
  }
  ~ResidencyWait() override { kernel_.reset(); }

  FakeClock time_{1'000'000'000};
  int executed_ = 0, not_executed_ = 0;  // guarded by mutex_
};

TEST_F(ResidencyWait, NoMemoryForTooLong_PacketIsNotExecuted_ItsContextRefusesMore_OthersGoOn) {
  Open();
  const auto allocations = CreateMany(kRoom + 1);
  for (std::size_t i = 0; i < kRoom; ++i) static_cast<void>(Lock(allocations[i]));
  D3DKMT_PRESENT starving = Copy(allocations[kRoom], allocations[kRoom]);
  ASSERT_EQ(D3DKMTPresent(&starving), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);

  const D3DKMT_HANDLE waiting_context = context_, waiting_fence = fence_;
  ASSERT_EQ(CreateContext(), STATUS_SUCCESS);
  ASSERT_EQ(CreateFence(), STATUS_SUCCESS);
  D3DKMT_PRESENT other = Copy(allocations[0], allocations[1]);
  ASSERT_EQ(D3DKMTPresent(&other), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  ASSERT_EQ(Wait(1), STATUS_SUCCESS);

  time_.Advance(kMemoryWaitNs);
  EXPECT_EQ(WaitFor(waiting_fence, 1), STATUS_SUCCESS);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    EXPECT_EQ(executed_, 1);
    EXPECT_EQ(not_executed_, 1);
  }
  starving.hContext = waiting_context;
  EXPECT_EQ(D3DKMTPresent(&starving), STATUS_GRAPHICS_NO_VIDEO_MEMORY);
  EXPECT_EQ(D3DKMTPresent(&other), STATUS_SUCCESS);
  EXPECT_EQ(*kernel_->Violation(luid_), "");
}

TEST_F(ResidencyWait, MemoryComesInTime_PacketIsExecuted) {
  Open();
  const auto allocations = CreateMany(kRoom + 1);
  for (std::size_t i = 0; i < kRoom; ++i) static_cast<void>(Lock(allocations[i]));
  D3DKMT_PRESENT starving = Copy(allocations[kRoom], allocations[kRoom]);
  ASSERT_EQ(D3DKMTPresent(&starving), STATUS_SUCCESS);
  ASSERT_EQ(Signal(1), STATUS_SUCCESS);
  Unlock(allocations[1]);
  EXPECT_EQ(Wait(1), STATUS_SUCCESS);
  const std::lock_guard<std::mutex> lock(mutex_);
  EXPECT_EQ(executed_, 1);
}

}  // namespace
}  // namespace tandem::kernel
