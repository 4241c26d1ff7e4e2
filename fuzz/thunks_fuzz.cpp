// D3DKMT calls in any order with arbitrary values: known, stale or invented handles, sizes, rectangles, flags. Pointers are
// valid, as in a working process. The soft driver keeps every rule, so a violation is a finding, like a crash or a hang.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "drivers/processor/allocation_data.h"
#include "drivers/processor/user_commands.h"
#include "drivers/soft/soft_device.h"
#include "fuzz/input_bytes.h"
#include "kernel/kernel.h"

#include <d3dkmthk.h>

namespace {

using namespace tandem;
using fuzz::Bytes;

constexpr std::size_t kMostCalls = 64;  // per input
constexpr std::size_t kMostHandles = 64;

struct Machine {
  Machine() {
    device.connectors = soft::CreateConnectors(1);
    device.local_memory_bytes = 1ULL << 20;
    kernel = *kernel::Kernel::Create(MonotonicClock());
    luid = *kernel->AddAdapter(**kernel->LoadDriver(&soft::SoftDriverEntry, "soft"), &device, "fuzzed");
  }
  soft::DeviceDescription device;
  std::unique_ptr<kernel::Kernel> kernel;
  LUID luid{};
};

class Caller {
 public:
  Caller(Bytes bytes, LUID luid) : bytes_(bytes) {
    D3DKMT_OPENADAPTERFROMLUID open{luid, 0};
    static_cast<void>(D3DKMTOpenAdapterFromLuid(&open));
    adapter_ = open.hAdapter;
    CreateDevice();
  }
  ~Caller() {
    for (const D3DKMT_HANDLE handle : mutexes_) {
      const D3DKMT_DESTROYKEYEDMUTEX destroy{handle};
      static_cast<void>(D3DKMTDestroyKeyedMutex(&destroy));
    }
    for (const D3DKMT_HANDLE handle : fences_) {  // those of no device
      const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy{handle};
      static_cast<void>(D3DKMTDestroySynchronizationObject(&destroy));
    }
    for (const D3DKMT_HANDLE handle : devices_) {
      const D3DKMT_DESTROYDEVICE destroy{handle};
      static_cast<void>(D3DKMTDestroyDevice(&destroy));
    }
    const D3DKMT_CLOSEADAPTER close{adapter_};
    static_cast<void>(D3DKMTCloseAdapter(&close));
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  void Run() {
    for (std::size_t call = 0; call < kMostCalls && !bytes_.empty(); ++call) One();
  }

 private:
  void One() {
    switch (bytes_.Take<std::uint8_t>() % 19) {
      case 0: return CreateDevice();
      case 1: return CreateContext();
      case 2: return CreateAllocation();
      case 3: return DestroyAllocation();
      case 4: return Open();
      case 5: return Present();
      case 6: return Render();
      case 7: return LockAndTouch();
      case 8: return Residency();
      case 9: return Offer();
      case 10: return Fence();
      case 11: return Signal();
      case 12: return DestroyContext();
      case 13: return QueryAdapter();
      case 14: return OwnSource();
      case 15: return DestroySync();
      case 16: return Mutex();
      case 17: return OpenShared();
      default: return Share();
    }
  }

  // Mostly an existing handle; sometimes one that never existed.
  D3DKMT_HANDLE Handle(const std::vector<D3DKMT_HANDLE>& known) {
    const auto choice = bytes_.Take<std::uint8_t>();
    if (known.empty() || choice >= 0xF0) return bytes_.Take<D3DKMT_HANDLE>();
    return known[choice % known.size()];
  }
  static void Keep(std::vector<D3DKMT_HANDLE>& known, D3DKMT_HANDLE handle) {
    if (handle != 0 && known.size() < kMostHandles) known.push_back(handle);
  }

  void CreateDevice() {
    D3DKMT_CREATEDEVICE create{};
    create.hAdapter = adapter_;
    if (NT_SUCCESS(D3DKMTCreateDevice(&create))) Keep(devices_, create.hDevice);
  }

  void CreateContext() {
    D3DKMT_CREATECONTEXT create{};
    create.hDevice = Handle(devices_);
    create.NodeOrdinal = bytes_.Take<std::uint8_t>() % 3;
    if (!NT_SUCCESS(D3DKMTCreateContext(&create))) return;
    Keep(contexts_, create.hContext);
    if (buffers_.size() < kMostHandles) buffers_.push_back(create);
  }

  void DestroyContext() {
    const D3DKMT_DESTROYCONTEXT destroy{Handle(contexts_)};
    static_cast<void>(D3DKMTDestroyContext(&destroy));
    std::erase_if(buffers_, [&](const D3DKMT_CREATECONTEXT& buffer) { return buffer.hContext == destroy.hContext; });
  }

  void CreateAllocation() {
    const auto width = bytes_.Take<std::uint16_t>();
    const auto height = bytes_.Take<std::uint8_t>();
    const auto use = bytes_.Take<std::uint8_t>();
    const auto described = processor::DescribeSurface(width % 600u + 1, height + 1u, color::Format::kB8G8R8A8Unorm, use % 4u, 0);
    processor::AllocationData data = described.ok() ? *described : processor::AllocationData{};
    if ((use & 0x40) != 0) data = bytes_.Take<processor::AllocationData>();
    D3DDDI_ALLOCATIONINFO2 info{};
    info.pPrivateDriverData = &data;
    info.PrivateDriverDataSize = (use & 0x80) != 0 ? bytes_.Take<std::uint8_t>() % sizeof(data) : sizeof(data);
    info.Flags.Primary = use & 1u;
    D3DKMT_CREATEALLOCATION create{};
    create.hDevice = Handle(devices_);
    create.NumAllocations = 1;
    create.pAllocationInfo2 = &info;
    create.Flags.CreateResource = 1;
    create.Flags.CreateShared = create.Flags.CrossAdapter = (use >> 1) & 1u;
    if (!NT_SUCCESS(D3DKMTCreateAllocation2(&create))) return;
    Keep(allocations_, info.hAllocation);
    Keep(resources_, create.hResource);
    Keep(shares_, create.hGlobalShare);
  }

  void DestroyAllocation() {
    D3DKMT_DESTROYALLOCATION2 destroy{};
    destroy.hDevice = Handle(devices_);
    const D3DKMT_HANDLE allocation = Handle(allocations_);
    if ((bytes_.Take<std::uint8_t>() & 1) != 0) {
      destroy.phAllocationList = &allocation;
      destroy.AllocationCount = 1;
    } else {
      destroy.hResource = Handle(resources_);
    }
    static_cast<void>(D3DKMTDestroyAllocation2(&destroy));
  }

  void Open() {
    D3DKMT_QUERYRESOURCEINFO query{};
    query.hDevice = Handle(devices_);
    query.hGlobalShare = Handle(shares_);
    if (!NT_SUCCESS(D3DKMTQueryResourceInfo(&query)) || query.NumAllocations != 1) return;
    std::vector<std::byte> total(query.TotalPrivateDriverDataSize);
    std::vector<std::byte> resource(query.ResourcePrivateDriverDataSize);
    D3DDDI_OPENALLOCATIONINFO2 info{};
    D3DKMT_OPENRESOURCE open{};
    open.hDevice = query.hDevice;
    open.hGlobalShare = query.hGlobalShare;
    open.NumAllocations = 1;
    open.pOpenAllocationInfo2 = &info;
    open.pTotalPrivateDriverDataBuffer = total.data();
    open.TotalPrivateDriverDataBufferSize = static_cast<UINT>(total.size());
    open.pResourcePrivateDriverData = resource.data();
    open.ResourcePrivateDriverDataSize = static_cast<UINT>(resource.size());
    if (!NT_SUCCESS(D3DKMTOpenResource2(&open))) return;
    Keep(allocations_, info.hAllocation);
    Keep(resources_, open.hResource);
  }

  RECT Rect() {
    const auto take = [this] { return static_cast<LONG>(bytes_.Take<std::int16_t>()); };
    return {take(), take(), take(), take()};
  }

  void Present() {
    D3DKMT_PRESENT present{};
    present.hContext = Handle(contexts_);
    present.hSource = Handle(allocations_);
    present.hDestination = Handle(allocations_);
    present.Flags.Value = bytes_.Take<std::uint16_t>();
    present.Flags.FlipDoNotWait = 1;  // vertical blanks come at their own pace
    present.Color = bytes_.Take<std::uint16_t>();
    present.SrcRect = Rect();
    present.DstRect = Rect();
    std::array<RECT, 8> rects{};
    present.SubRectCnt = bytes_.Take<std::uint8_t>() % (rects.size() + 1);
    for (UINT i = 0; i < present.SubRectCnt; ++i) rects[i] = Rect();
    present.pSrcSubRects = rects.data();
    present.VidPnSourceId = bytes_.Take<std::uint8_t>() % 3;
    present.FlipInterval = static_cast<D3DDDI_FLIPINTERVAL_TYPE>(bytes_.Take<std::uint8_t>() % 8);
    static_cast<void>(D3DKMTPresent(&present));
  }

  void Render() {
    if (buffers_.empty()) return;
    D3DKMT_CREATECONTEXT& context = buffers_[bytes_.Take<std::uint8_t>() % buffers_.size()];
    std::array<std::uint64_t, 16> commands{};
    for (std::uint64_t& word : commands) {
      word = bytes_.Take<std::uint64_t>();
      // Removes delays, which take time and find nothing.
      if (static_cast<std::uint32_t>(word) == static_cast<std::uint32_t>(processor::UserOpcode::kDelay)) word = 0;
    }
    D3DKMT_RENDER render{};
    render.hContext = context.hContext;
    render.CommandLength =
        std::min<UINT>(bytes_.Take<std::uint8_t>(), std::min<UINT>(sizeof(commands), context.CommandBufferSize));
    std::memcpy(context.pCommandBuffer, commands.data(), render.CommandLength);
    render.AllocationCount = std::min<UINT>(bytes_.Take<std::uint8_t>() % 4, context.AllocationListSize);
    for (UINT i = 0; i < render.AllocationCount; ++i) {
      context.pAllocationList[i] = {};
      context.pAllocationList[i].hAllocation = Handle(allocations_);
      context.pAllocationList[i].WriteOperation = bytes_.Take<std::uint8_t>() & 1u;
    }
    if (!NT_SUCCESS(D3DKMTRender(&render))) return;
    context.pCommandBuffer = render.pNewCommandBuffer;
    context.CommandBufferSize = render.NewCommandBufferSize;
    context.pAllocationList = render.pNewAllocationList;
    context.AllocationListSize = render.NewAllocationListSize;
  }

  void LockAndTouch() {
    D3DKMT_LOCK2 lock{};
    lock.hDevice = Handle(devices_);
    lock.hAllocation = Handle(allocations_);
    if (!NT_SUCCESS(D3DKMTLock2(&lock))) return;
    static_cast<volatile std::uint8_t*>(lock.pData)[0] = 1;
    const D3DKMT_UNLOCK2 unlock{lock.hDevice, lock.hAllocation};
    if ((bytes_.Take<std::uint8_t>() & 7) != 0) static_cast<void>(D3DKMTUnlock2(&unlock));
  }

  void Residency() {
    const D3DKMT_HANDLE allocation = Handle(allocations_);
    const auto choice = bytes_.Take<std::uint8_t>();
    if (choice % 3 == 0) {
      D3DKMT_CREATEPAGINGQUEUE create{};
      create.hDevice = Handle(devices_);
      if (NT_SUCCESS(D3DKMTCreatePagingQueue(&create))) Keep(paging_queues_, create.hPagingQueue);
    } else if (choice % 3 == 1) {
      D3DDDI_MAKERESIDENT resident{};
      resident.hPagingQueue = Handle(paging_queues_);
      resident.NumAllocations = 1;
      resident.AllocationList = &allocation;
      resident.Flags.Value = choice >> 6;
      static_cast<void>(D3DKMTMakeResident(&resident));
    } else {
      D3DKMT_EVICT evict{};
      evict.hDevice = Handle(devices_);
      evict.NumAllocations = 1;
      evict.AllocationList = &allocation;
      static_cast<void>(D3DKMTEvict(&evict));
    }
  }

  void Offer() {
    const D3DKMT_HANDLE allocation = Handle(allocations_);
    D3DKMT_OFFERALLOCATIONS offer{};
    offer.hDevice = Handle(devices_);
    offer.HandleList = &allocation;
    offer.NumAllocations = 1;
    offer.Priority = static_cast<D3DKMT_OFFER_PRIORITY>(bytes_.Take<std::uint8_t>() % 6);
    static_cast<void>(D3DKMTOfferAllocations(&offer));
    if ((bytes_.Take<std::uint8_t>() & 1) == 0) return;
    D3DDDI_RECLAIM_RESULT result{};
    D3DKMT_RECLAIMALLOCATIONS2 reclaim{};
    reclaim.hPagingQueue = Handle(paging_queues_);
    reclaim.NumAllocations = 1;
    reclaim.HandleList = &allocation;
    reclaim.pResults = &result;
    static_cast<void>(D3DKMTReclaimAllocations2(&reclaim));
  }

  void Fence() {
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create{};
    create.hDevice = Handle(devices_);
    create.Info.Type = static_cast<D3DDDI_SYNCHRONIZATIONOBJECT_TYPE>(bytes_.Take<std::uint8_t>() % 8);
    create.Info.MonitoredFence.InitialFenceValue = bytes_.Take<std::uint8_t>();
    create.Info.Flags.Value = bytes_.Take<std::uint8_t>();
    if (!NT_SUCCESS(D3DKMTCreateSynchronizationObject2(&create))) return;
    Keep(fences_, create.hSyncObject);
    Keep(fence_shares_, create.Info.SharedHandle);
  }

  // No call waits: the timeout is 0.
  void Mutex() {
    std::array<std::byte, 16> data{};
    D3DKMT_CREATEKEYEDMUTEX2 create{};
    create.Flags.Value = bytes_.Take<std::uint8_t>() & 1u;
    create.pPrivateRuntimeData = data.data();
    create.PrivateRuntimeDataSize = bytes_.Take<std::uint8_t>() % data.size();
    if (NT_SUCCESS(D3DKMTCreateKeyedMutex2(&create))) Keep(mutexes_, create.hKeyedMutex);
    LARGE_INTEGER now{};
    D3DKMT_ACQUIREKEYEDMUTEX acquire{Handle(mutexes_), bytes_.Take<std::uint8_t>(), &now, 0};
    static_cast<void>(D3DKMTAcquireKeyedMutex(&acquire));
    D3DKMT_RELEASEKEYEDMUTEX release{Handle(mutexes_), bytes_.Take<std::uint8_t>(), 7};
    static_cast<void>(D3DKMTReleaseKeyedMutex(&release));
    const D3DKMT_DESTROYKEYEDMUTEX destroy{Handle(mutexes_)};
    if ((bytes_.Take<std::uint8_t>() & 3) == 0) static_cast<void>(D3DKMTDestroyKeyedMutex(&destroy));
  }

  void OpenShared() {
    D3DKMT_OPENSYNCHRONIZATIONOBJECT open{};
    open.hSharedHandle = Handle(fence_shares_);
    if (NT_SUCCESS(D3DKMTOpenSynchronizationObject(&open))) Keep(fences_, open.hSyncObject);
  }

  // One object or a bundle, with one of a few names, and what its descriptor opens.
  void Share() {
    const std::array handles{Handle(resources_), Handle(mutexes_), Handle(fences_)};
    const auto choice = bytes_.Take<std::uint8_t>();
    const UINT first = choice % handles.size();
    const UINT count = (choice & 0x80) != 0 ? 3 : 1;
    std::array<WCHAR, 4> text{u'\\', u'n', static_cast<WCHAR>(u'a' + (choice >> 4 & 3)), u'x'};
    UNICODE_STRING name{static_cast<USHORT>((choice >> 2 & 3) * 2), sizeof(text), text.data()};
    OBJECT_ATTRIBUTES attributes{sizeof(attributes), nullptr, &name, 0, nullptr, nullptr};
    HANDLE shared = nullptr;
    const UniqueFd fd(NT_SUCCESS(D3DKMTShareObjects(count, &handles[count == 3 ? 0 : first], &attributes, 1, &shared))
                          ? static_cast<int>(reinterpret_cast<std::intptr_t>(shared))
                          : -1);
    D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME named{1, &attributes, nullptr};
    const UniqueFd again(NT_SUCCESS(D3DKMTOpenSyncObjectNtHandleFromName(&named))
                             ? static_cast<int>(reinterpret_cast<std::intptr_t>(named.hNtHandle))
                             : -1);
    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 open{};
    open.hNtHandle = reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(again.valid() ? again.get() : fd.get()));
    open.hDevice = Handle(devices_);
    if (NT_SUCCESS(D3DKMTOpenSyncObjectFromNtHandle2(&open))) Keep(fences_, open.hSyncObject);
    OpenBundle(fd.get());
  }
  void OpenBundle(int fd) {
    std::array<std::byte, 1024> data{};
    D3DDDI_OPENALLOCATIONINFO2 info{};
    D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE query{};
    query.hDevice = Handle(devices_);
    query.hNtHandle = reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(fd));
    if (!NT_SUCCESS(D3DKMTQueryResourceInfoFromNtHandle(&query))) return;
    D3DKMT_OPENRESOURCEFROMNTHANDLE open{};
    open.hDevice = query.hDevice;
    open.hNtHandle = query.hNtHandle;
    open.NumAllocations = 1;
    open.pOpenAllocationInfo2 = &info;
    open.pResourcePrivateDriverData = data.data();
    open.ResourcePrivateDriverDataSize = query.ResourcePrivateDriverDataSize;
    open.pTotalPrivateDriverDataBuffer = data.data();
    open.TotalPrivateDriverDataBufferSize = data.size();
    open.pKeyedMutexPrivateRuntimeData = data.data();
    open.KeyedMutexPrivateRuntimeDataSize = bytes_.Take<std::uint8_t>() % 16;
    if (query.ResourcePrivateDriverDataSize > data.size() || !NT_SUCCESS(D3DKMTOpenResourceFromNtHandle(&open))) return;
    Keep(resources_, open.hResource);
    Keep(allocations_, info.hAllocation);
    Keep(mutexes_, open.hKeyedMutex);
    Keep(fences_, open.hSyncObject);
  }

  void DestroySync() {
    const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy{Handle(fences_)};
    static_cast<void>(D3DKMTDestroySynchronizationObject(&destroy));
  }

  // Every GPU wait is followed by the signal that ends it; otherwise later work would rightly wait for ever.
  void Signal() {
    const D3DKMT_HANDLE fence = Handle(fences_);
    const UINT64 value = bytes_.Take<std::uint16_t>();
    const D3DKMT_HANDLE context = Handle(contexts_);
    const D3DKMT_HANDLE device = Handle(devices_);
    const auto choice = bytes_.Take<std::uint8_t>();
    if ((choice & 1) != 0) {
      D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU signal{};
      signal.hContext = context;
      signal.ObjectCount = 1;
      signal.ObjectHandleArray = &fence;
      signal.MonitoredFenceValueArray = &value;
      static_cast<void>(D3DKMTSignalSynchronizationObjectFromGpu(&signal));
    }
    if ((choice & 2) != 0) {
      const UniqueFd event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
      D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait{};
      wait.hDevice = device;
      wait.ObjectCount = 1;
      wait.ObjectHandleArray = &fence;
      wait.FenceValueArray = &value;
      wait.hAsyncEvent = reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(event.get()));
      static_cast<void>(D3DKMTWaitForSynchronizationObjectFromCpu(&wait));
    }
    if ((choice & 4) == 0) return;
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU wait{};
    wait.hContext = context;
    wait.ObjectCount = 1;
    wait.ObjectHandleArray = &fence;
    wait.MonitoredFenceValueArray = &value;
    if (!NT_SUCCESS(D3DKMTWaitForSynchronizationObjectFromGpu(&wait))) return;
    bool signalled = false;
    for (const D3DKMT_HANDLE owner : devices_) {
      D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU signal{};
      signal.hDevice = owner;
      signal.ObjectCount = 1;
      signal.ObjectHandleArray = &fence;
      signal.FenceValueArray = &value;
      signal.Flags.AllowFenceRewind = 1;
      signalled = NT_SUCCESS(D3DKMTSignalSynchronizationObjectFromCpu(&signal)) || signalled;
    }
    // The processor signals no other objects. Their waits end with all of their handles.
    if (signalled) return;
    for (const D3DKMT_HANDLE handle : fences_) {
      const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy{handle};
      static_cast<void>(D3DKMTDestroySynchronizationObject(&destroy));
    }
    fences_.clear();
  }

  void QueryAdapter() {
    std::array<std::byte, 256> answer{};
    D3DKMT_QUERYADAPTERINFO query{};
    query.hAdapter = adapter_;
    query.Type = static_cast<KMTQUERYADAPTERINFOTYPE>(bytes_.Take<std::uint8_t>());
    query.pPrivateDriverData = answer.data();
    query.PrivateDriverDataSize = bytes_.Take<std::uint8_t>();
    static_cast<void>(D3DKMTQueryAdapterInfo(&query));
  }

  void OwnSource() {
    const auto type = static_cast<D3DKMT_VIDPNSOURCEOWNER_TYPE>(bytes_.Take<std::uint8_t>() % 6);
    const D3DDDI_VIDEO_PRESENT_SOURCE_ID source = bytes_.Take<std::uint8_t>() % 3;
    D3DKMT_SETVIDPNSOURCEOWNER own{};
    own.hDevice = Handle(devices_);
    own.pType = &type;
    own.pVidPnSourceId = &source;
    own.VidPnSourceCount = 1;
    static_cast<void>(D3DKMTSetVidPnSourceOwner(&own));
  }

  Bytes bytes_;
  D3DKMT_HANDLE adapter_ = 0;
  std::vector<D3DKMT_HANDLE> devices_, contexts_, allocations_, resources_, shares_, fences_, paging_queues_;
  std::vector<D3DKMT_HANDLE> fence_shares_, mutexes_;
  std::vector<D3DKMT_CREATECONTEXT> buffers_;  // buffers of the living contexts
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static auto* const machine = new Machine;
  {
    Caller caller(Bytes({data, size}), machine->luid);
    caller.Run();
  }
  const auto violation = machine->kernel->Violation(machine->luid);
  if (!violation.ok() || !violation->empty()) {
    std::fprintf(stderr, "%s\n", violation.ok() ? violation->c_str() : violation.error().message.c_str());
    std::abort();
  }
  return 0;
}
