#include <ntddk.h>

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

constexpr ULONG kTag = 0x6b6f6f4c;  // 'Look'

TEST(SList, PushesAndPops_LastInFirstOut) {
  SLIST_HEADER head;
  InitializeSListHead(&head);
  SLIST_ENTRY one, two;
  EXPECT_EQ(InterlockedPushEntrySList(&head, &one), nullptr);
  EXPECT_EQ(InterlockedPushEntrySList(&head, &two), &one);
  EXPECT_EQ(ExQueryDepthSList(&head), 2);
  EXPECT_EQ(InterlockedPopEntrySList(&head), &two);
  EXPECT_EQ(ExInterlockedFlushSList(&head), &one);
  EXPECT_EQ(InterlockedPopEntrySList(&head), nullptr);
  EXPECT_EQ(sizeof(SLIST_HEADER), 16u);
}

TEST(SList, ThreadsLoseNoEntry) {
  SLIST_HEADER head;
  InitializeSListHead(&head);
  std::vector<SLIST_ENTRY> entries(64);
  for (SLIST_ENTRY& entry : entries) InterlockedPushEntrySList(&head, &entry);
  const auto turn = [&] {
    for (int i = 0; i < 20'000; ++i) {
      if (PSLIST_ENTRY const entry = InterlockedPopEntrySList(&head)) InterlockedPushEntrySList(&head, entry);
    }
  };
  std::thread other(turn);
  turn();
  other.join();
  int count = 0;
  while (InterlockedPopEntrySList(&head) != nullptr) ++count;
  EXPECT_EQ(count, 64);
}

TEST(Lookaside, FreedBlock_IsTheNextAllocated_AndDeleteFreesIt) {
  FakeKernel kernel;
  NPAGED_LOOKASIDE_LIST list;
  ExInitializeNPagedLookasideList(&list, nullptr, nullptr, POOL_NX_ALLOCATION, 100, kTag, 0);
  void* const first = ExAllocateFromNPagedLookasideList(&list);
  ASSERT_NE(first, nullptr);
  ExFreeToNPagedLookasideList(&list, first);
  EXPECT_EQ(ExAllocateFromNPagedLookasideList(&list), first);
  ExFreeToNPagedLookasideList(&list, first);
  ExDeleteNPagedLookasideList(&list);
  kernel.Detach();
  EXPECT_TRUE(kernel.Reports().empty()) << kernel.Reports().front();
}

TEST(Lookaside, ListThatIsNotDeleted_LeaksItsBlocks) {
  FakeKernel kernel;
  LOOKASIDE_LIST_EX list;
  EXPECT_EQ(ExInitializeLookasideListEx(&list, nullptr, nullptr, NonPagedPoolNx, 3, 64, kTag, 0), STATUS_INVALID_PARAMETER_MIX);
  EXPECT_EQ(ExInitializeLookasideListEx(&list, nullptr, nullptr, NonPagedPoolNx, 0, 64, kTag, 0), STATUS_SUCCESS);
  ExFreeToLookasideListEx(&list, ExAllocateFromLookasideListEx(&list));
  kernel.Detach();
  EXPECT_TRUE(kernel.Reported("Nt.PoolLeak", "'Look': 1 allocation"));
}

TEST(Lookaside, PagedListAtDispatchLevel_IsReported) {
  FakeKernel kernel;
  PAGED_LOOKASIDE_LIST list;
  ExInitializePagedLookasideList(&list, nullptr, nullptr, 0, 64, kTag, 0);
  FakeKernel::irql = DISPATCH_LEVEL;
  ExFreeToPagedLookasideList(&list, ExAllocateFromPagedLookasideList(&list));
  EXPECT_TRUE(kernel.Reported("Nt.Irql", "ExAllocateFromPagedLookasideList"));
  FakeKernel::irql = PASSIVE_LEVEL;
  ExDeletePagedLookasideList(&list);
}

TEST(Lookaside, OwnFunctions_GetTheList) {
  FakeKernel kernel;
  static LOOKASIDE_LIST_EX* seen;
  static int freed;
  LOOKASIDE_LIST_EX list;
  freed = 0;
  const auto allocate = [](POOL_TYPE type, SIZE_T size, ULONG tag, PLOOKASIDE_LIST_EX of) {
    seen = of;
    return ExAllocatePoolWithTag(type, size, tag);
  };
  const auto free = [](PVOID block, PLOOKASIDE_LIST_EX) {
    ++freed;
    ExFreePool(block);
  };
  EXPECT_EQ(ExInitializeLookasideListEx(&list, allocate, free, NonPagedPoolNx, 0, 8, kTag, 0), STATUS_SUCCESS);
  std::vector<void*> blocks(6);
  for (void*& block : blocks) block = ExAllocateFromLookasideListEx(&list);
  EXPECT_EQ(seen, &list);
  for (void* const block : blocks) ExFreeToLookasideListEx(&list, block);
  EXPECT_EQ(freed, 2) << "the list keeps four";
  ExDeleteLookasideListEx(&list);
  EXPECT_EQ(freed, 6);
}

}  // namespace
}  // namespace tandem::drivers::host
