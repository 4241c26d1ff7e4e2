// Each allocation of memory that a thunk makes fails once: the caller is told, nothing is left behind, and the next call
// succeeds.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <atomic>
#include <functional>

#include "kernel/testing/heap.h"
#include "kernel/testing/small_memory.h"

namespace tandem::kernel {
namespace {

// A driver that allocates nothing itself, and counts what it holds.
std::atomic<int> created{0}, opened{0};
std::atomic<std::uintptr_t> next_handle{0x1000};

class OutOfMemory : public KernelFixture {
 protected:
  void SetUp() override {
    if (!heap::IsWatched()) GTEST_SKIP() << "A sanitizer has operator new for itself.";
    created = opened = 0;
    DRIVER_INITIALIZATION_DATA& table = miniport_.table;
    table.DxgkDdiCreateAllocation = [](HANDLE, DXGKARG_CREATEALLOCATION* args) {
      for (UINT i = 0; i < args->NumAllocations; ++i) {
        FillAllocationInfo(args->pAllocationInfo[i], 2);
        args->pAllocationInfo[i].hAllocation = reinterpret_cast<HANDLE>(next_handle += 16);
      }
      created += static_cast<int>(args->NumAllocations);
      return STATUS_SUCCESS;
    };
    table.DxgkDdiDestroyAllocation = [](HANDLE, CONST DXGKARG_DESTROYALLOCATION* args) {
      created -= static_cast<int>(args->NumAllocations);
      return STATUS_SUCCESS;
    };
    table.DxgkDdiOpenAllocation = [](HANDLE, CONST DXGKARG_OPENALLOCATION* args) {
      for (UINT i = 0; i < args->NumAllocations; ++i)
        args->pOpenAllocation[i].hDeviceSpecificAllocation = reinterpret_cast<HANDLE>(next_handle += 16);
      opened += static_cast<int>(args->NumAllocations);
      return STATUS_SUCCESS;
    };
    table.DxgkDdiCloseAllocation = [](HANDLE, CONST DXGKARG_CLOSEALLOCATION* args) {
      opened -= static_cast<int>(args->NumAllocations);
      return STATUS_SUCCESS;
    };
    table.DxgkDdiDescribeAllocation = [](HANDLE, DXGKARG_DESCRIBEALLOCATION* args) {
      args->Width = 64;
      args->Height = 32;
      args->Format = D3DDDIFMT_A8R8G8B8;
      return STATUS_SUCCESS;
    };
    table.DxgkDdiGetStandardAllocationDriverData = [](HANDLE, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* args) {
      args->pCreateGdiSurfaceData->Pitch = 256;
      return STATUS_SUCCESS;
    };
    table.DxgkDdiBuildPagingBuffer = [](HANDLE, DXGKARG_BUILDPAGINGBUFFER*) { return STATUS_SUCCESS; };
    Open();
  }
  // `call` with its first allocation failing, its second, ... until none does; `undo` what it made at last. How many there were.
  int FailEach(const std::function<NTSTATUS()>& call) {
    for (int number = 0; number < 1000; ++number) {
      const int created_before = created, opened_before = opened;
      heap::FailOnce(number);
      const NTSTATUS status = call();
      if (!heap::StopFailing()) {
        EXPECT_EQ(status, STATUS_SUCCESS);
        return number;
      }
      if (NT_SUCCESS(status)) {
        ADD_FAILURE() << "Allocation " << number << " failed and nobody said so.";
        return number;
      }
      EXPECT_EQ(status, STATUS_NO_MEMORY) << number;
      EXPECT_EQ(created, created_before) << number;
      EXPECT_EQ(opened, opened_before) << number;
      EXPECT_EQ(*kernel_->Violation(luid_), "") << number;
    }
    return -1;
  }
  D3DKMT_CREATEALLOCATION CrossAdapter(D3DDDI_ALLOCATIONINFO2& info) const {
    D3DKMT_CREATEALLOCATION create = Allocation(info);
    create.Flags.CreateResource = create.Flags.CreateShared = create.Flags.CrossAdapter = 1;
    return create;
  }
};

TEST_F(OutOfMemory, CreateAllocation_EachFailure_LeavesNothing) {
  D3DDDI_ALLOCATIONINFO2 infos[3]{};
  char data[8] = {};
  for (auto& info : infos) {
    info.pPrivateDriverData = data;
    info.PrivateDriverDataSize = sizeof(data);
  }
  D3DKMT_CREATEALLOCATION create = Allocation(infos[0]);
  create.NumAllocations = 3;
  EXPECT_GT(FailEach([&] { return D3DKMTCreateAllocation2(&create); }), 10);
  EXPECT_EQ(created, 3);
  EXPECT_EQ(DestroyDevice(), STATUS_SUCCESS);
  EXPECT_EQ(created, 0);
  EXPECT_EQ(opened, 0);
}

TEST_F(OutOfMemory, CreateSharedResource_EachFailure_LeavesNothing) {
  D3DDDI_ALLOCATIONINFO2 info{};
  D3DKMT_CREATEALLOCATION create = CrossAdapter(info);
  EXPECT_GT(FailEach([&] { return D3DKMTCreateAllocation2(&create); }), 10);
  EXPECT_EQ(created, 1);
  EXPECT_EQ(DestroyDevice(), STATUS_SUCCESS);
  EXPECT_EQ(created, 0);
}

TEST_F(OutOfMemory, OpenResource_EachFailure_LeavesTheMakersAlone) {
  D3DDDI_ALLOCATIONINFO2 info{};
  D3DKMT_CREATEALLOCATION create = CrossAdapter(info);
  ASSERT_EQ(D3DKMTCreateAllocation2(&create), STATUS_SUCCESS);
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  D3DDDI_OPENALLOCATIONINFO2 opened_info{};
  D3DKMT_OPENRESOURCE open{};
  open.hDevice = device_;
  open.hGlobalShare = create.hGlobalShare;
  open.NumAllocations = 1;
  open.pOpenAllocationInfo2 = &opened_info;
  EXPECT_GT(FailEach([&] { return D3DKMTOpenResource2(&open); }), 4);
  EXPECT_EQ(created, 1);
  EXPECT_EQ(opened, 2);
}

TEST_F(OutOfMemory, MakeResident_EachFailure_HoldsNothing) {
  D3DKMT_HANDLE allocation = 0;
  ASSERT_EQ(CreateAllocation(allocation), STATUS_SUCCESS);
  D3DKMT_CREATEPAGINGQUEUE queue{};
  queue.hDevice = device_;
  ASSERT_EQ(D3DKMTCreatePagingQueue(&queue), STATUS_SUCCESS);
  D3DDDI_MAKERESIDENT request{};
  request.hPagingQueue = queue.hPagingQueue;
  request.NumAllocations = 1;
  request.AllocationList = &allocation;
  EXPECT_GT(FailEach([&] { return D3DKMTMakeResident(&request); }), 0);
  D3DKMT_EVICT evict{};
  evict.hDevice = device_;
  evict.NumAllocations = 1;
  evict.AllocationList = &allocation;
  EXPECT_EQ(D3DKMTEvict(&evict), STATUS_SUCCESS);
  EXPECT_EQ(D3DKMTEvict(&evict), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(DestroyAllocation(allocation), STATUS_SUCCESS);  // nothing waits for a use that is counted for ever
}

// Fewer resources for a scope.
class Limit {
 public:
  Limit(decltype(RLIMIT_AS) resource, rlim_t most) : resource_(resource) {
    EXPECT_EQ(getrlimit(resource_, &before_), 0);
    const rlimit less{most, before_.rlim_max};
    EXPECT_EQ(setrlimit(resource_, &less), 0);
  }
  ~Limit() { EXPECT_EQ(setrlimit(resource_, &before_), 0); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  decltype(RLIMIT_AS) resource_;
  rlimit before_{};
};

TEST_F(OutOfMemory, NoDescriptorsForPages_IsSaid_AndLeavesNothing) {
  D3DDDI_ALLOCATIONINFO2 info{};
  D3DKMT_CREATEALLOCATION create = CrossAdapter(info);
  {
    const Limit descriptors(RLIMIT_NOFILE, 0);
    EXPECT_EQ(D3DKMTCreateAllocation2(&create), STATUS_NO_MEMORY);
  }
  EXPECT_EQ(created, 0);
  EXPECT_EQ(D3DKMTCreateAllocation2(&create), STATUS_SUCCESS);
}

class OutOfPages : public SmallMemory {};

TEST_F(OutOfPages, NothingToEvictInto_IsSaid_AndWhatIsResidentStays) {
  if (!heap::IsWatched()) GTEST_SKIP() << "A sanitizer needs address space of its own.";
  Open();
  const auto allocations = CreateMany(kRoom + 1);
  for (std::size_t i = 0; i < kRoom; ++i) Paint(allocations[i], static_cast<unsigned char>(i + 1));
  D3DKMT_LOCK2 lock{device_, allocations[kRoom], {}, nullptr};
  {
    const Limit address_space(RLIMIT_AS, 0);
    EXPECT_EQ(D3DKMTLock2(&lock), STATUS_NO_MEMORY);
  }
  for (std::size_t i = 0; i < kRoom; ++i) ExpectPainted(allocations[i], static_cast<unsigned char>(i + 1));
  EXPECT_EQ(D3DKMTLock2(&lock), STATUS_SUCCESS);
}

}  // namespace
}  // namespace tandem::kernel
