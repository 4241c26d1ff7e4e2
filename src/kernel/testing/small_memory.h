// The kernel over a fake miniport whose memory segment is an array of the test's and holds four allocations: its paging
// operations really move bytes.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {

class SmallMemory : public KernelFixture {
 protected:
  static constexpr std::size_t kAllocationBytes = 64 * 1024;
  static constexpr std::size_t kRoom = 4;  // allocations that the memory segment holds

  SmallMemory() : memory_(kRoom * kAllocationBytes + PAGE_SIZE) {
    segment_ = 1;
    base_ = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(memory_.data()) + PAGE_SIZE - 1) &
                                         ~std::uintptr_t{PAGE_SIZE - 1});
    miniport_.segments[0].Size = kRoom * kAllocationBytes;
    miniport_.segments[0].CpuTranslatedAddress.QuadPart = static_cast<LONGLONG>(reinterpret_cast<std::uintptr_t>(base_));
    miniport_.on_build_paging_buffer = [this](DXGKARG_BUILDPAGINGBUFFER* args) { return Page(*args); };
    miniport_.on_present = [this](DXGKARG_PRESENT* args) {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        built_.assign(args->pAllocationList, args->pAllocationList + DXGK_PRESENT_MAX_INDEX + 1);
      }
      return WritePresent(*args);
    };
    miniport_.on_patch = [this](const DXGKARG_PATCH* args) {
      const std::lock_guard<std::mutex> lock(mutex_);
      patched_.assign(args->pAllocationList, args->pAllocationList + args->AllocationListSize);
      return STATUS_SUCCESS;
    };
  }
  ~SmallMemory() override { kernel_.reset(); }

  // The engine that the paging operations would run on.
  NTSTATUS Page(const DXGKARG_BUILDPAGINGBUFFER& args) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      operations_.push_back(args.Operation);
    }
    if (args.Operation == DXGK_OPERATION_FILL) {
      std::memset(base_ + args.Fill.Destination.SegmentAddress.QuadPart, static_cast<int>(args.Fill.FillPattern),
                  args.Fill.FillSize);
    }
    if (args.Operation != DXGK_OPERATION_TRANSFER) return STATUS_SUCCESS;
    const auto& transfer = args.Transfer;
    const auto side = [&](const auto& place) {
      return place.SegmentId != 0 ? base_ + place.SegmentAddress.QuadPart + transfer.TransferOffset
                                  : static_cast<std::byte*>(place.pMdl->StartVa) + std::size_t{transfer.MdlOffset} * PAGE_SIZE;
    };
    std::memcpy(side(transfer.Destination), side(transfer.Source), transfer.TransferSize);
    return STATUS_SUCCESS;
  }

  std::vector<D3DKMT_HANDLE> CreateMany(std::size_t count) {
    std::vector<D3DKMT_HANDLE> allocations(count);
    for (D3DKMT_HANDLE& allocation : allocations) EXPECT_EQ(CreateAllocation(allocation), STATUS_SUCCESS);
    return allocations;
  }
  void* Lock(D3DKMT_HANDLE allocation) const {
    D3DKMT_LOCK2 lock{device_, allocation, {}, nullptr};
    EXPECT_EQ(D3DKMTLock2(&lock), STATUS_SUCCESS);
    return lock.pData;
  }
  void Unlock(D3DKMT_HANDLE allocation) const {
    const D3DKMT_UNLOCK2 unlock{device_, allocation};
    EXPECT_EQ(D3DKMTUnlock2(&unlock), STATUS_SUCCESS);
  }
  void Paint(D3DKMT_HANDLE allocation, unsigned char value) const {
    std::memset(Lock(allocation), value, kAllocationBytes);
    Unlock(allocation);
  }
  void ExpectPainted(D3DKMT_HANDLE allocation, unsigned char value) const {
    const auto* const bytes = static_cast<const unsigned char*>(Lock(allocation));
    EXPECT_TRUE(std::all_of(bytes, bytes + kAllocationBytes, [value](unsigned char byte) { return byte == value; }))
        << "expected " << int{value} << ", got " << int{bytes[0]};
    Unlock(allocation);
  }
  // The first byte of what the GPU calls by this address.
  [[nodiscard]] unsigned char BytesAt(std::uint64_t address) const { return static_cast<unsigned char>(base_[address]); }

  void OpenQueue() {
    D3DKMT_CREATEPAGINGQUEUE create{};
    create.hDevice = device_;
    ASSERT_EQ(D3DKMTCreatePagingQueue(&create), STATUS_SUCCESS);
    queue_ = create.hPagingQueue;
    queue_fence_ = create.hSyncObject;
    queue_fence_value_ = static_cast<const volatile UINT64*>(create.FenceValueCPUVirtualAddress);
  }
  [[nodiscard]] D3DDDI_MAKERESIDENT MakeResident(std::span<const D3DKMT_HANDLE> allocations) const {
    D3DDDI_MAKERESIDENT request{};
    request.hPagingQueue = queue_;
    request.NumAllocations = static_cast<UINT>(allocations.size());
    request.AllocationList = allocations.data();
    return request;
  }
  [[nodiscard]] NTSTATUS Evict(std::span<const D3DKMT_HANDLE> allocations) const {
    D3DKMT_EVICT evict{};
    evict.hDevice = device_;
    evict.NumAllocations = static_cast<UINT>(allocations.size());
    evict.AllocationList = allocations.data();
    return D3DKMTEvict(&evict);
  }
  [[nodiscard]] D3DKMT_QUERYVIDEOMEMORYINFO QueryMemory() const {
    D3DKMT_QUERYVIDEOMEMORYINFO memory{};
    memory.hAdapter = adapter_;
    EXPECT_EQ(D3DKMTQueryVideoMemoryInfo(&memory), STATUS_SUCCESS);
    return memory;
  }

  [[nodiscard]] std::size_t count(DXGK_BUILDPAGINGBUFFER_OPERATION operation) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<std::size_t>(std::count(operations_.begin(), operations_.end(), operation));
  }
  [[nodiscard]] std::vector<DXGK_ALLOCATIONLIST> LastBuilt() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return built_;
  }
  [[nodiscard]] std::vector<DXGK_ALLOCATIONLIST> LastPatched() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return patched_;
  }

  std::vector<std::byte> memory_;
  std::byte* base_ = nullptr;  // the memory segment's, whose addresses begin at 0
  std::mutex mutex_;
  std::vector<DXGK_BUILDPAGINGBUFFER_OPERATION> operations_;
  std::vector<DXGK_ALLOCATIONLIST> built_, patched_;
  D3DKMT_HANDLE queue_ = 0, queue_fence_ = 0;
  const volatile UINT64* queue_fence_value_ = nullptr;
};

}  // namespace tandem::kernel
