// Fences, keyed mutexes, and what is shared by a handle or a name.
#include <array>
#include <cstddef>
#include <cstdint>

#include <sys/eventfd.h>

#include "base/unique_fd.h"
#include "fuzz/thunks/calls.h"

namespace tandem::fuzz {

void Fence(Program& program) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create{};
  create.hDevice = program.Handle(program.devices);
  create.Info.Type = static_cast<D3DDDI_SYNCHRONIZATIONOBJECT_TYPE>(program.bytes.Take<std::uint8_t>() % 8);
  create.Info.MonitoredFence.InitialFenceValue = program.bytes.Take<std::uint8_t>();
  create.Info.Flags.Value = program.bytes.Take<std::uint8_t>();
  if (!NT_SUCCESS(D3DKMTCreateSynchronizationObject2(&create))) return;
  Program::Keep(program.fences, create.hSyncObject);
  Program::Keep(program.fence_shares, create.Info.SharedHandle);
}

// No call waits: the timeout is 0.
void Mutex(Program& program) {
  std::array<std::byte, 16> data{};
  D3DKMT_CREATEKEYEDMUTEX2 create{};
  create.Flags.Value = program.bytes.Take<std::uint8_t>() & 1u;
  create.pPrivateRuntimeData = data.data();
  create.PrivateRuntimeDataSize = program.bytes.Take<std::uint8_t>() % data.size();
  if (NT_SUCCESS(D3DKMTCreateKeyedMutex2(&create))) Program::Keep(program.mutexes, create.hKeyedMutex);
  LARGE_INTEGER now{};
  D3DKMT_ACQUIREKEYEDMUTEX acquire{program.Handle(program.mutexes), program.bytes.Take<std::uint8_t>(), &now, 0};
  static_cast<void>(D3DKMTAcquireKeyedMutex(&acquire));
  D3DKMT_RELEASEKEYEDMUTEX release{program.Handle(program.mutexes), program.bytes.Take<std::uint8_t>(), 7};
  static_cast<void>(D3DKMTReleaseKeyedMutex(&release));
  const D3DKMT_DESTROYKEYEDMUTEX destroy{program.Handle(program.mutexes)};
  if ((program.bytes.Take<std::uint8_t>() & 3) == 0) static_cast<void>(D3DKMTDestroyKeyedMutex(&destroy));
}

void OpenShared(Program& program) {
  D3DKMT_OPENSYNCHRONIZATIONOBJECT open{};
  open.hSharedHandle = program.Handle(program.fence_shares);
  if (NT_SUCCESS(D3DKMTOpenSynchronizationObject(&open))) Program::Keep(program.fences, open.hSyncObject);
}

namespace {

void OpenBundle(Program& program, int fd) {
  std::array<std::byte, 1024> data{};
  D3DDDI_OPENALLOCATIONINFO2 info{};
  D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE query{};
  query.hDevice = program.Handle(program.devices);
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
  open.KeyedMutexPrivateRuntimeDataSize = program.bytes.Take<std::uint8_t>() % 16;
  if (query.ResourcePrivateDriverDataSize > data.size() || !NT_SUCCESS(D3DKMTOpenResourceFromNtHandle(&open))) return;
  Program::Keep(program.resources, open.hResource);
  Program::Keep(program.allocations, info.hAllocation);
  Program::Keep(program.mutexes, open.hKeyedMutex);
  Program::Keep(program.fences, open.hSyncObject);
}

}  // namespace

// One object or a bundle, with one of a few names, and what its descriptor opens.
void Share(Program& program) {
  const std::array handles{program.Handle(program.resources), program.Handle(program.mutexes), program.Handle(program.fences)};
  const auto choice = program.bytes.Take<std::uint8_t>();
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
  open.hDevice = program.Handle(program.devices);
  if (NT_SUCCESS(D3DKMTOpenSyncObjectFromNtHandle2(&open))) Program::Keep(program.fences, open.hSyncObject);
  OpenBundle(program, fd.get());
}

void DestroySync(Program& program) {
  const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy{program.Handle(program.fences)};
  static_cast<void>(D3DKMTDestroySynchronizationObject(&destroy));
}

// Every GPU wait is followed by the signal that ends it; otherwise later work would rightly wait for ever.
void Signal(Program& program) {
  const D3DKMT_HANDLE fence = program.Handle(program.fences);
  const UINT64 value = program.bytes.Take<std::uint16_t>();
  const D3DKMT_HANDLE context = program.Handle(program.contexts);
  const D3DKMT_HANDLE device = program.Handle(program.devices);
  const auto choice = program.bytes.Take<std::uint8_t>();
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
  for (const D3DKMT_HANDLE owner : program.devices) {
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
  for (const D3DKMT_HANDLE handle : program.fences) {
    const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy{handle};
    static_cast<void>(D3DKMTDestroySynchronizationObject(&destroy));
  }
  program.fences.clear();
}

}  // namespace tandem::fuzz
