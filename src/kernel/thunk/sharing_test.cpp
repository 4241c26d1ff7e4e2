// Shared resources: creation rules, sizes, opening by other devices, who goes first.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/memory_map.h"
#include "base/unique_fd.h"
#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

class Sharing : public KernelFixture {
 protected:
  void SetUp() override {
    miniport_.on_standard_allocation = [](DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* args) {
      args->pCreateGdiSurfaceData->Pitch = 256;
      args->AllocationPrivateDriverDataSize = 8;
      args->ResourcePrivateDriverDataSize = 4;
      return STATUS_SUCCESS;
    };
    Open();
    D3DDDI_ALLOCATIONINFO2 info{};
    info.pPrivateDriverData = private_data_;
    info.PrivateDriverDataSize = sizeof(private_data_);
    D3DKMT_CREATEALLOCATION create = CrossAdapter(info);
    ASSERT_EQ(D3DKMTCreateAllocation2(&create), STATUS_SUCCESS);
    resource_ = create.hResource;
    share_ = create.hGlobalShare;
    allocation_ = info.hAllocation;
    ASSERT_NE(share_, 0u);
    maker_ = device_;
  }
  D3DKMT_CREATEALLOCATION CrossAdapter(D3DDDI_ALLOCATIONINFO2& info) const {
    D3DKMT_CREATEALLOCATION create = Allocation(info);
    create.Flags.CreateResource = create.Flags.CreateShared = create.Flags.CrossAdapter = 1;
    return create;
  }
  // Valid for a second device on the same adapter, which sees the maker's private data.
  D3DKMT_OPENRESOURCE OpenRequest() {
    D3DKMT_OPENRESOURCE open{};
    open.hDevice = device_;
    open.hGlobalShare = share_;
    open.NumAllocations = 1;
    open.pOpenAllocationInfo2 = &opened_;
    open.pTotalPrivateDriverDataBuffer = total_;
    open.TotalPrivateDriverDataBufferSize = sizeof(total_);
    return open;
  }
  NTSTATUS DestroyResource(D3DKMT_HANDLE device, D3DKMT_HANDLE resource) const {
    D3DKMT_DESTROYALLOCATION2 destroy{};
    destroy.hDevice = device;
    destroy.hResource = resource;
    return D3DKMTDestroyAllocation2(&destroy);
  }

  char private_data_[4] = {'a', 'b', 'c', 'd'};
  char total_[16] = {};
  D3DDDI_OPENALLOCATIONINFO2 opened_{};
  D3DKMT_HANDLE maker_ = 0, resource_ = 0, share_ = 0, allocation_ = 0;
};

TEST_F(Sharing, PrimaryOfAMode_IsFoundByItsGlobalHandle) {
  D3DKMT_GETSHAREDPRIMARYHANDLE get{adapter_, 0, 99};
  EXPECT_EQ(D3DKMTGetSharedPrimaryHandle(&get), STATUS_SUCCESS);
  EXPECT_EQ(get.hSharedPrimary, 0u) << "There is no mode.";
  D3DDDI_ALLOCATIONINFO2 info{};
  info.Flags.Primary = 1;
  D3DKMT_CREATEALLOCATION create = Allocation(info);
  create.Flags.CreateResource = create.Flags.CreateShared = 1;
  ASSERT_EQ(D3DKMTCreateAllocation2(&create), STATUS_SUCCESS);
  D3DKMT_SETDISPLAYMODE mode{};
  mode.hDevice = device_;
  mode.hPrimaryAllocation = info.hAllocation;
  mode.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
  mode.DisplayOrientation = D3DDDI_ROTATION_IDENTITY;
  ASSERT_EQ(D3DKMTSetDisplayMode(&mode), STATUS_SUCCESS);
  EXPECT_EQ(D3DKMTGetSharedPrimaryHandle(&get), STATUS_SUCCESS);
  EXPECT_EQ(get.hSharedPrimary, create.hGlobalShare);
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  D3DKMT_OPENRESOURCE open = OpenRequest();
  open.hGlobalShare = get.hSharedPrimary;
  EXPECT_EQ(D3DKMTOpenResource2(&open), STATUS_SUCCESS);
  get.VidPnSourceId = 1;
  EXPECT_EQ(D3DKMTGetSharedPrimaryHandle(&get), STATUS_INVALID_PARAMETER);
  get.hAdapter = 0;
  EXPECT_EQ(D3DKMTGetSharedPrimaryHandle(&get), STATUS_INVALID_PARAMETER);
}

TEST_F(Sharing, Create_OneFlagBroken_IsRefused) {
  const auto broken = [&](auto change) {
    D3DDDI_ALLOCATIONINFO2 info{};
    D3DKMT_CREATEALLOCATION create = CrossAdapter(info);
    change(create);
    return D3DKMTCreateAllocation2(&create);
  };
  EXPECT_EQ(broken([](auto& c) { c.Flags.CreateResource = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& c) { c.Flags.CreateShared = 0; }), STATUS_INVALID_PARAMETER_MIX);
  EXPECT_EQ(broken([](auto& c) { c.NumAllocations = 2; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& c) { c.NumAllocations = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& c) { c.pAllocationInfo2 = nullptr; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& c) { c.Flags.OpenCrossAdapter = 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& c) { c.PrivateDriverDataSize = 4; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& c) { c.PrivateRuntimeDataSize = 1u << 30; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& c) { c.Flags.ExistingSysMem = 1; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& c) { c.Flags.CreateProtected = 1; }), STATUS_NOT_SUPPORTED);
}

TEST_F(Sharing, SecondDevice_SameAdapter_OpensTheSameAllocation) {
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  D3DKMT_QUERYRESOURCEINFO query{};
  query.hDevice = device_;
  query.hGlobalShare = share_;
  ASSERT_EQ(D3DKMTQueryResourceInfo(&query), STATUS_SUCCESS);
  EXPECT_EQ(query.NumAllocations, 1u);
  EXPECT_EQ(query.TotalPrivateDriverDataSize, sizeof(private_data_));
  const std::size_t created = miniport_.count("DxgkDdiCreateAllocation");
  D3DKMT_OPENRESOURCE open = OpenRequest();
  ASSERT_EQ(D3DKMTOpenResource2(&open), STATUS_SUCCESS);
  EXPECT_EQ(miniport_.count("DxgkDdiCreateAllocation"), created);
  EXPECT_EQ(std::string(total_, 4), "abcd");

  D3DKMT_LOCK2 first{maker_, allocation_, {}, nullptr}, second{device_, opened_.hAllocation, {}, nullptr};
  ASSERT_EQ(D3DKMTLock2(&first), STATUS_SUCCESS);
  ASSERT_EQ(D3DKMTLock2(&second), STATUS_SUCCESS);
  EXPECT_EQ(first.pData, second.pData);

  EXPECT_EQ(DestroyResource(maker_, resource_), STATUS_SUCCESS);
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyAllocation"), 0u);
  EXPECT_EQ(DestroyResource(device_, open.hResource), STATUS_SUCCESS);
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyAllocation"), 1u);
  open = OpenRequest();
  EXPECT_EQ(D3DKMTOpenResource2(&open), STATUS_INVALID_PARAMETER);
}

TEST_F(Sharing, Open_OneFieldBroken_IsRefused_AndNothingIsLeft) {
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  const auto broken = [&](auto change) {
    D3DKMT_OPENRESOURCE open = OpenRequest();
    change(open);
    return D3DKMTOpenResource2(&open);
  };
  EXPECT_EQ(broken([](auto& o) { o.hGlobalShare = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([&](auto& o) { o.hGlobalShare = allocation_; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& o) { o.hDevice = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& o) { o.NumAllocations = 2; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& o) { o.pOpenAllocationInfo2 = nullptr; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(broken([](auto& o) { o.TotalPrivateDriverDataBufferSize = 3; }), STATUS_NO_MEMORY);
  EXPECT_EQ(broken([](auto& o) { o.pTotalPrivateDriverDataBuffer = nullptr; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(miniport_.count("DxgkDdiOpenAllocation"), 1u);
  EXPECT_EQ(DestroyResource(maker_, resource_), STATUS_SUCCESS);
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyAllocation"), 1u);
}

TEST_F(Sharing, Open_DriverWritesPrivateData_IsNamed) {
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  miniport_.on_open_allocation = [](const DXGKARG_OPENALLOCATION* args) {
    static_cast<char*>(args->pOpenAllocation[0].pPrivateDriverData)[0] = 'z';
    return STATUS_SUCCESS;
  };
  D3DKMT_OPENRESOURCE open = OpenRequest();
  EXPECT_EQ(D3DKMTOpenResource2(&open), STATUS_DEVICE_REMOVED);
  EXPECT_NE(kernel_->Violation(luid_)->find("OpenAllocation.PrivateDriverData"), std::string::npos);
}

TEST_F(Sharing, OpenedOnAnAdapterWhoseDriverTakesLong_OtherAdaptersDoNotWait) {
  miniport_.on_build_paging_buffer = [](DXGKARG_BUILDPAGINGBUFFER*) { return STATUS_SUCCESS; };  // by the CPU
  const auto driver = kernel_->LoadDriver(FakeMiniport::Entry(), "fake");
  ASSERT_TRUE(driver.ok());
  const auto luid = kernel_->AddAdapter(**driver, nullptr, "fake1");
  ASSERT_TRUE(luid.ok()) << luid.error().message;
  D3DKMT_OPENADAPTERFROMLUID adapter{*luid, 0};
  ASSERT_EQ(D3DKMTOpenAdapterFromLuid(&adapter), STATUS_SUCCESS);
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  D3DKMT_OPENRESOURCE slow = OpenRequest();
  adapter_ = adapter.hAdapter;
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  std::atomic<int> opens{0};
  std::atomic<bool> leave{false};
  miniport_.on_open_allocation = [&](const DXGKARG_OPENALLOCATION*) {
    if (opens++ == 0) {
      while (!leave) std::this_thread::yield();
    }
    return STATUS_SUCCESS;
  };
  std::thread first([&] { EXPECT_EQ(D3DKMTOpenResource2(&slow), STATUS_SUCCESS); });
  while (opens == 0) std::this_thread::yield();
  std::atomic<bool> done{false};
  D3DDDI_OPENALLOCATIONINFO2 info{};
  char total[16] = {};
  std::thread second([&] {
    D3DKMT_OPENRESOURCE open = OpenRequest();
    open.pOpenAllocationInfo2 = &info;
    open.pTotalPrivateDriverDataBuffer = total;
    char resource_data[4] = {};
    open.pResourcePrivateDriverData = resource_data;
    open.ResourcePrivateDriverDataSize = sizeof(resource_data);
    EXPECT_EQ(D3DKMTOpenResource2(&open), STATUS_SUCCESS);
    done = true;
  });
  for (int i = 0; i < 4'000 && !done; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(done) << "A driver keeps another adapter's caller waiting.";
  leave = true;
  first.join();
  second.join();
}

TEST_F(Sharing, ManyThreads_OpenAndClose_LeaveOneResourceToItsMaker) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      D3DKMT_CREATEDEVICE create{};
      create.hAdapter = adapter_;
      ASSERT_EQ(D3DKMTCreateDevice(&create), STATUS_SUCCESS);
      for (int round = 0; round < 50; ++round) {
        char total[16];
        D3DDDI_OPENALLOCATIONINFO2 info{};
        D3DKMT_OPENRESOURCE open{};
        open.hDevice = create.hDevice;
        open.hGlobalShare = share_;
        open.NumAllocations = 1;
        open.pOpenAllocationInfo2 = &info;
        open.pTotalPrivateDriverDataBuffer = total;
        open.TotalPrivateDriverDataBufferSize = sizeof(total);
        ASSERT_EQ(D3DKMTOpenResource2(&open), STATUS_SUCCESS);
        EXPECT_EQ(DestroyResource(create.hDevice, open.hResource), STATUS_SUCCESS);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyAllocation"), 0u);
  EXPECT_EQ(DestroyResource(maker_, resource_), STATUS_SUCCESS);
  EXPECT_EQ(miniport_.count("DxgkDdiCreateAllocation"), 1u);
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyAllocation"), 1u);
}

class NtSharing : public Sharing {
 protected:
  void SetUp() override {
    Sharing::SetUp();
    D3DDDI_ALLOCATIONINFO2 info{};
    D3DKMT_CREATEALLOCATION create = CrossAdapter(info);
    create.Flags.NtSecuritySharing = 1;
    ASSERT_EQ(D3DKMTCreateAllocation2(&create), STATUS_SUCCESS);
    EXPECT_EQ(create.hGlobalShare, 0u);
    by_descriptor_ = create.hResource;
    HANDLE shared = nullptr;
    ASSERT_EQ(D3DKMTShareObjects(1, &by_descriptor_, nullptr, 0, &shared), STATUS_SUCCESS);
    fd_ = UniqueFd(static_cast<int>(reinterpret_cast<std::intptr_t>(shared)));
    D3DKMT_LOCK2 lock{device_, info.hAllocation, {}, nullptr};
    ASSERT_EQ(D3DKMTLock2(&lock), STATUS_SUCCESS);
    pixels_ = static_cast<char*>(lock.pData);
  }
  NTSTATUS OpenFrom(int fd, D3DDDI_OPENALLOCATIONINFO2& info) {
    D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE query{};
    query.hDevice = device_;
    query.hNtHandle = reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(fd));
    if (const NTSTATUS status = D3DKMTQueryResourceInfoFromNtHandle(&query); !NT_SUCCESS(status)) return status;
    D3DKMT_OPENRESOURCEFROMNTHANDLE open{};
    open.hDevice = device_;
    open.hNtHandle = query.hNtHandle;
    open.NumAllocations = 1;
    open.pOpenAllocationInfo2 = &info;
    open.pTotalPrivateDriverDataBuffer = total_;
    open.TotalPrivateDriverDataBufferSize = sizeof(total_);
    open.pResourcePrivateDriverData = resource_data_;
    open.ResourcePrivateDriverDataSize = std::min<UINT>(query.ResourcePrivateDriverDataSize, sizeof(resource_data_));
    return D3DKMTOpenResourceFromNtHandle(&open);
  }

  D3DKMT_HANDLE by_descriptor_ = 0;
  UniqueFd fd_;
  char* pixels_ = nullptr;
  char resource_data_[16] = {};
};

TEST_F(NtSharing, Descriptor_OpenedElsewhere_SeesTheSamePages) {
  ASSERT_EQ(CreateDevice(), STATUS_SUCCESS);
  D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE query{};
  query.hDevice = device_;
  query.hNtHandle = reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(fd_.get()));
  ASSERT_EQ(D3DKMTQueryResourceInfoFromNtHandle(&query), STATUS_SUCCESS);
  EXPECT_EQ(query.NumAllocations, 1u);
  EXPECT_EQ(query.TotalPrivateDriverDataSize, 8u);
  D3DDDI_OPENALLOCATIONINFO2 info{};
  ASSERT_EQ(OpenFrom(fd_.get(), info), STATUS_SUCCESS);
  D3DKMT_LOCK2 lock{device_, info.hAllocation, {}, nullptr};
  ASSERT_EQ(D3DKMTLock2(&lock), STATUS_SUCCESS);
  pixels_[100] = 'x';
  EXPECT_EQ(static_cast<char*>(lock.pData)[100], 'x');
}

TEST_F(NtSharing, Descriptor_OutlivesItsMaker) {
  pixels_[7] = 'y';
  EXPECT_EQ(DestroyResource(device_, by_descriptor_), STATUS_SUCCESS);
  D3DDDI_OPENALLOCATIONINFO2 info{};
  ASSERT_EQ(OpenFrom(fd_.get(), info), STATUS_SUCCESS);
  D3DKMT_LOCK2 lock{device_, info.hAllocation, {}, nullptr};
  ASSERT_EQ(D3DKMTLock2(&lock), STATUS_SUCCESS);
  EXPECT_EQ(static_cast<char*>(lock.pData)[7], 'y');
}

TEST_F(NtSharing, ForeignDescriptors_AreRefused) {
  D3DDDI_OPENALLOCATIONINFO2 info{};
  EXPECT_EQ(OpenFrom(-1, info), STATUS_INVALID_HANDLE);
  EXPECT_EQ(OpenFrom(1 << 20, info), STATUS_INVALID_HANDLE);
  const auto pages = CreateSharedPages("foreign", 8192);
  ASSERT_TRUE(pages.ok());
  EXPECT_EQ(OpenFrom(pages->get(), info), STATUS_INVALID_PARAMETER);
  // One byte of the description after the other is broken: refused, or opened, never worse.
  const off_t end = lseek(fd_.get(), 0, SEEK_END) - 4096;
  for (off_t at = end; at < end + 40; ++at) {
    char good = 0;
    ASSERT_EQ(pread(fd_.get(), &good, 1, at), 1);
    const char bad = static_cast<char>(good ^ 0x80);
    ASSERT_EQ(pwrite(fd_.get(), &bad, 1, at), 1);
    static_cast<void>(OpenFrom(fd_.get(), info));
    ASSERT_EQ(pwrite(fd_.get(), &good, 1, at), 1);
  }
  EXPECT_EQ(OpenFrom(fd_.get(), info), STATUS_SUCCESS);
}

TEST_F(NtSharing, ShareObjects_OneArgumentBroken_IsRefused) {
  HANDLE shared = nullptr;
  EXPECT_EQ(D3DKMTShareObjects(1, &resource_, nullptr, 0, &shared), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(D3DKMTShareObjects(1, &allocation_, nullptr, 0, &shared), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(D3DKMTShareObjects(0, &by_descriptor_, nullptr, 0, &shared), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(D3DKMTShareObjects(1, nullptr, nullptr, 0, &shared), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(D3DKMTShareObjects(1, &by_descriptor_, nullptr, 0, nullptr), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(D3DKMTShareObjects(2, &by_descriptor_, nullptr, 0, &shared), STATUS_INVALID_PARAMETER);
}

}  // namespace
}  // namespace tandem::kernel
