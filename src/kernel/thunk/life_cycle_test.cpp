// Devices, contexts, allocations: made and unmade in order, whoever fails and however handles are abused.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "kernel/testing/kernel_fixture.h"

namespace tandem::kernel {
namespace {

class LifeCycle : public KernelFixture {};

TEST_F(LifeCycle, Everything_MadeAndDestroyed_PairsEachDdi) {
  Open();
  D3DKMT_HANDLE allocation = 0;
  ASSERT_EQ(CreateAllocation(allocation), STATUS_SUCCESS);
  EXPECT_EQ(DestroyAllocation(allocation), STATUS_SUCCESS);
  EXPECT_EQ(DestroyDevice(), STATUS_SUCCESS);
  for (const char* pair : {"Device", "Context", "Allocation"}) {
    const std::string name(pair);
    EXPECT_EQ(miniport_.count("DxgkDdiCreate" + name), 1u) << pair;
    EXPECT_EQ(miniport_.count("DxgkDdiDestroy" + name), 1u) << pair;
  }
  EXPECT_EQ(miniport_.count("DxgkDdiOpenAllocation"), 1u);
  EXPECT_EQ(miniport_.count("DxgkDdiCloseAllocation"), 1u);
  EXPECT_EQ(miniport_.count("DxgkDdiBuildPagingBuffer"), 2u);  // mapped, unmapped
}

TEST_F(LifeCycle, DestroyDevice_TakesEverythingAlong) {
  Open();
  D3DKMT_HANDLE allocation = 0;
  ASSERT_EQ(CreateAllocation(allocation), STATUS_SUCCESS);
  EXPECT_EQ(DestroyDevice(), STATUS_SUCCESS);
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyContext"), 1u);
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyAllocation"), 1u);
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyDevice"), 1u);
  const D3DKMT_DESTROYCONTEXT destroy{context_};
  EXPECT_EQ(D3DKMTDestroyContext(&destroy), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(DestroyAllocation(allocation), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Signal(1), STATUS_INVALID_PARAMETER);
}

TEST_F(LifeCycle, HandleCallbacks_LeadFromAllocationToResourceAndBack) {
  std::vector<D3DKMT_HANDLE> parents, children;
  miniport_.on_open_allocation = [&](const DXGKARG_OPENALLOCATION* args) {
    for (UINT i = 0; i < args->NumAllocations; ++i) {
      const D3DKMT_HANDLE parent = miniport_.kernel().DxgkCbGetHandleParent(args->pOpenAllocation[i].hAllocation);
      const DXGKARGCB_ENUMHANDLECHILDREN child{parent, i}, behind{parent, args->NumAllocations};
      parents.push_back(parent);
      children.push_back(miniport_.kernel().DxgkCbEnumHandleChildren(&child));
      EXPECT_EQ(miniport_.kernel().DxgkCbEnumHandleChildren(&behind), 0u);
    }
    return STATUS_SUCCESS;
  };
  Open();
  D3DDDI_ALLOCATIONINFO2 infos[2]{};
  D3DKMT_CREATEALLOCATION create = Allocation(infos[0]);
  create.NumAllocations = 2;
  create.Flags.CreateResource = 1;
  ASSERT_EQ(D3DKMTCreateAllocation2(&create), STATUS_SUCCESS);
  EXPECT_EQ(parents, (std::vector<D3DKMT_HANDLE>{create.hResource, create.hResource}));
  EXPECT_EQ(children, (std::vector<D3DKMT_HANDLE>{infos[0].hAllocation, infos[1].hAllocation}));
  // One that stands alone has none.
  D3DKMT_HANDLE alone = 0;
  ASSERT_EQ(CreateAllocation(alone), STATUS_SUCCESS);
  EXPECT_EQ(parents.back(), 0u);
  EXPECT_EQ(children.back(), 0u);
}

TEST_F(LifeCycle, RemoveAdapter_HandlesStay_AndAnswerDeviceRemoved) {
  Open();
  D3DKMT_HANDLE allocation = 0;
  ASSERT_EQ(CreateAllocation(allocation), STATUS_SUCCESS);
  ASSERT_TRUE(kernel_->RemoveAdapter(luid_).ok());
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyAllocation"), 1u);
  EXPECT_EQ(miniport_.count("DxgkDdiDestroyDevice"), 1u);
  EXPECT_EQ(miniport_.names().back(), "DxgkDdiRemoveDevice");
  D3DKMT_PRESENT present = Copy(allocation, allocation);
  EXPECT_EQ(D3DKMTPresent(&present), STATUS_DEVICE_REMOVED);
  EXPECT_EQ(Signal(1), STATUS_DEVICE_REMOVED);
  EXPECT_EQ(Wait(1), STATUS_DEVICE_REMOVED);
  D3DKMT_HANDLE other = 0;
  EXPECT_EQ(CreateAllocation(other), STATUS_DEVICE_REMOVED);
  D3DKMT_GETDEVICESTATE state{};
  state.hDevice = device_;
  state.StateType = D3DKMT_DEVICESTATE_EXECUTION;
  EXPECT_EQ(D3DKMTGetDeviceState(&state), STATUS_SUCCESS);
  EXPECT_EQ(state.ExecutionState, D3DKMT_DEVICEEXECUTION_STOPPED);
  EXPECT_EQ(DestroyAllocation(allocation), STATUS_SUCCESS);
  EXPECT_EQ(DestroyDevice(), STATUS_SUCCESS);
}

TEST_F(LifeCycle, RemoveAdapter_WhileLocked_ThePagesStayUntilTheHandleGoes) {
  Open();
  D3DKMT_HANDLE allocation = 0;
  ASSERT_EQ(CreateAllocation(allocation), STATUS_SUCCESS);
  D3DKMT_LOCK2 lock{};
  lock.hDevice = device_;
  lock.hAllocation = allocation;
  ASSERT_EQ(D3DKMTLock2(&lock), STATUS_SUCCESS);
  ASSERT_TRUE(kernel_->RemoveAdapter(luid_).ok());
  std::memset(lock.pData, 0x5A, 4096);
  EXPECT_EQ(static_cast<const unsigned char*>(lock.pData)[4095], 0x5A);
  EXPECT_EQ(D3DKMTLock2(&lock), STATUS_DEVICE_REMOVED);
  const D3DKMT_UNLOCK2 unlock{device_, allocation};
  EXPECT_EQ(D3DKMTUnlock2(&unlock), STATUS_SUCCESS);
  EXPECT_EQ(D3DKMTUnlock2(&unlock), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(DestroyAllocation(allocation), STATUS_SUCCESS);
}

TEST_F(LifeCycle, RemoveAdapter_WhileAThreadWaits_WakesIt) {
  Open();
  NTSTATUS status = STATUS_SUCCESS;
  std::thread waiter([&] { status = Wait(1); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(kernel_->RemoveAdapter(luid_).ok());
  waiter.join();
  EXPECT_EQ(status, STATUS_DEVICE_REMOVED);
}

TEST_F(LifeCycle, RemoveAdapter_WhileAThreadPresents_EndsIt) {
  std::atomic<bool> completes{false};  // nothing is complete at first: the DMA buffers run out
  miniport_.complete_at_once = false;
  miniport_.on_submit = [&](const DXGKARG_SUBMITCOMMAND* args) {
    if (completes) miniport_.CompleteDma(args->NodeOrdinal, args->SubmissionFenceId);
    return STATUS_SUCCESS;
  };
  segment_ = 1;
  Open();
  D3DKMT_HANDLE allocation = 0;
  ASSERT_EQ(CreateAllocation(allocation), STATUS_SUCCESS);
  std::atomic<NTSTATUS> status{STATUS_SUCCESS};
  std::thread presenter([&] {
    while (NT_SUCCESS(status)) {
      D3DKMT_PRESENT present = Copy(allocation, allocation);
      status = D3DKMTPresent(&present);
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  completes = true;
  for (UINT fence = 1; fence <= 4; ++fence) miniport_.CompleteDma(0, fence);
  EXPECT_TRUE(kernel_->RemoveAdapter(luid_).ok());
  presenter.join();
  EXPECT_EQ(status, STATUS_DEVICE_REMOVED);
}

TEST_F(LifeCycle, KernelGone_EveryThunkAnswersDeviceRemoved) {
  Open();
  kernel_.reset();
  EXPECT_EQ(CreateDevice(), STATUS_DEVICE_REMOVED);
  D3DKMT_ENUMADAPTERS2 enumerate{};
  EXPECT_EQ(D3DKMTEnumAdapters2(&enumerate), STATUS_DEVICE_REMOVED);
  EXPECT_EQ(D3DKMTEnumAdapters2(nullptr), STATUS_INVALID_PARAMETER);
}

TEST_F(LifeCycle, EveryHandle_InEveryWrongPlace_IsRefused) {
  Open();
  D3DKMT_HANDLE allocation = 0;
  ASSERT_EQ(CreateAllocation(allocation), STATUS_SUCCESS);
  const std::vector<D3DKMT_HANDLE> handles{0, ~0u, 1, adapter_, device_, context_, fence_, allocation, device_ ^ (1u << 20)};
  const auto refused = [](NTSTATUS status) {
    return status == STATUS_INVALID_PARAMETER || status == STATUS_GRAPHICS_INVALID_ALLOCATION_HANDLE;
  };
  for (const D3DKMT_HANDLE handle : handles) {
    if (handle != device_) {
      const D3DKMT_DESTROYDEVICE destroy{handle};
      EXPECT_TRUE(refused(D3DKMTDestroyDevice(&destroy))) << handle;
      D3DKMT_CREATECONTEXT create{};
      create.hDevice = handle;
      EXPECT_TRUE(refused(D3DKMTCreateContext(&create))) << handle;
    }
    if (handle != context_) {
      const D3DKMT_DESTROYCONTEXT destroy{handle};
      EXPECT_TRUE(refused(D3DKMTDestroyContext(&destroy))) << handle;
      D3DKMT_PRESENT present = Copy(allocation, allocation);
      present.hContext = handle;
      EXPECT_TRUE(refused(D3DKMTPresent(&present))) << handle;
    }
    if (handle != allocation) {
      EXPECT_TRUE(refused(DestroyAllocation(handle))) << handle;
      D3DKMT_PRESENT present = Copy(allocation, handle);
      EXPECT_TRUE(refused(D3DKMTPresent(&present))) << handle;
      D3DKMT_LOCK2 lock{};
      lock.hDevice = device_;
      lock.hAllocation = handle;
      EXPECT_TRUE(refused(D3DKMTLock2(&lock))) << handle;
    }
    if (handle != fence_) {
      const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy{handle};
      EXPECT_TRUE(refused(D3DKMTDestroySynchronizationObject(&destroy))) << handle;
    }
  }
  EXPECT_EQ(DestroyDevice(), STATUS_SUCCESS);
}

// Whatever DDI fails first, nothing is left behind: the pairs match, and the address sanitizer finds nothing.
TEST_F(LifeCycle, NthDdiFails_NothingLeaks) {
  bool passed = false;
  for (int failing = 0; failing < 40 && !passed; ++failing) {
    kernel_.reset();
    miniport_.fail_call = -1;
    Plug();
    D3DKMT_OPENADAPTERFROMLUID open{luid_, 0};
    ASSERT_EQ(D3DKMTOpenAdapterFromLuid(&open), STATUS_SUCCESS);
    adapter_ = open.hAdapter;
    miniport_.ForgetCalls();
    miniport_.fail_call = failing;
    D3DKMT_HANDLE source = 0, destination = 0;
    D3DKMT_PRESENT present{};
    passed = NT_SUCCESS(CreateDevice()) && NT_SUCCESS(CreateContext()) && NT_SUCCESS(CreateFence()) &&
             NT_SUCCESS(CreateAllocation(source)) && NT_SUCCESS(CreateAllocation(destination)) &&
             (present = Copy(source, destination), NT_SUCCESS(D3DKMTPresent(&present))) && NT_SUCCESS(Signal(1)) &&
             NT_SUCCESS(Wait(1));
    static_cast<void>(DestroyDevice());
    if (failing < 3) {
      EXPECT_FALSE(passed) << failing;
    }
  }
  EXPECT_TRUE(passed);
}

TEST_F(KernelFixture, QueryAdapterInfo_RenderSupported_FollowsTheNodes) {
  static DXGK_ENGINE_TYPE first_node;
  miniport_.table.DxgkDdiGetNodeMetadata = [](HANDLE, UINT node, DXGKARG_GETNODEMETADATA* metadata) -> NTSTATUS {
    metadata->EngineType = node == 0 ? first_node : DXGK_ENGINE_TYPE_COPY;
    return STATUS_SUCCESS;
  };
  for (const auto& [engine, renders] : {std::pair{DXGK_ENGINE_TYPE_3D, 1u}, {DXGK_ENGINE_TYPE_VIDEO_DECODE, 0u}}) {
    first_node = engine;
    Open();
    D3DKMT_ADAPTERTYPE type{};
    const D3DKMT_QUERYADAPTERINFO query{adapter_, KMTQAITYPE_ADAPTERTYPE, &type, sizeof(type)};
    EXPECT_EQ(D3DKMTQueryAdapterInfo(&query), STATUS_SUCCESS);
    EXPECT_EQ(type.RenderSupported, renders);
    kernel_.reset();
  }
}

TEST_F(KernelFixture, QueryAdapterInfo_TellsTheCrossAdapterTierAndTheOlderCaps) {
  for (const int tier : {0, 1, 2, 3}) {
    miniport_.caps.MemoryManagementCaps.CrossAdapterResource = tier >= 1 ? 1 : 0;
    miniport_.caps.MemoryManagementCaps.CrossAdapterResourceTexture = tier >= 2 ? 1 : 0;
    miniport_.caps.MemoryManagementCaps.CrossAdapterResourceScanout = tier >= 3 ? 1 : 0;
    miniport_.caps.HybridIntegrated = tier == 3 ? TRUE : FALSE;
    Open();
    D3DKMT_CROSSADAPTERRESOURCE_SUPPORT support{};
    D3DKMT_QUERYADAPTERINFO query{adapter_, KMTQAITYPE_CROSSADAPTERRESOURCE_SUPPORT, &support, sizeof(support)};
    EXPECT_EQ(D3DKMTQueryAdapterInfo(&query), STATUS_SUCCESS);
    EXPECT_EQ(static_cast<int>(support.SupportTier), tier);
    query.PrivateDriverDataSize = sizeof(support) - 1;
    EXPECT_FALSE(NT_SUCCESS(D3DKMTQueryAdapterInfo(&query)));
    D3DKMT_WDDM_1_3_CAPS caps{};
    query = {adapter_, KMTQAITYPE_WDDM_1_3_CAPS, &caps, sizeof(caps)};
    EXPECT_EQ(D3DKMTQueryAdapterInfo(&query), STATUS_SUCCESS);
    EXPECT_EQ(caps.SupportCrossAdapterResource, tier >= 1 ? 1u : 0u);
    EXPECT_EQ(caps.IsHybridIntegratedGPU, tier == 3 ? 1u : 0u);
    EXPECT_EQ(caps.IsHybridDiscreteGPU, 0u);
    kernel_.reset();
  }
}

}  // namespace
}  // namespace tandem::kernel
