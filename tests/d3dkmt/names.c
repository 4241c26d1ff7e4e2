/* Shared synchronization objects have names. */
#include "library.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const WCHAR kName[] = u"\\BaseNamedObjects\\Tandem_D3DKMT";
static const WCHAR kLowerName[] = u"\\BaseNamedObjects\\tandem_d3dkmt";
static const WCHAR kOtherName[] = u"\\BaseNamedObjects\\Tandem_Other";

static void TestNamesOfSyncObjects(D3DKMT_HANDLE device) {
  const D3DKMT_HANDLE made = MakeSync(device);
  HANDLE handle = NULL, other = NULL, named = NULL;
  D3DKMT_HANDLE opened = 0;
  EXPECT_EQ(OpenSyncName(kName, 1, &named), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(ShareNamed(1, &made, u"no path", &handle), STATUS_OBJECT_PATH_SYNTAX_BAD);
  EXPECT_EQ(ShareNamed(1, &made, kName, &handle), STATUS_SUCCESS);
  EXPECT_EQ((uintptr_t)handle & 0xc0000000, 0);
  EXPECT_EQ(ShareNamed(1, &made, kLowerName, &other), STATUS_OBJECT_NAME_COLLISION);
  EXPECT_EQ(OpenSyncName(kOtherName, 0, &named), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(OpenSyncName(kLowerName, 0, &named), STATUS_ACCESS_DENIED);
  EXPECT_EQ(OpenResourceName(kName, 1, &named), STATUS_OBJECT_TYPE_MISMATCH);
  EXPECT_EQ(OpenSyncName(kLowerName, 1, &named), STATUS_SUCCESS);
  DestroySync(made);
  CloseNtHandle(handle);
  EXPECT_EQ(OpenSync(device, handle, &opened), STATUS_INVALID_HANDLE);
  EXPECT_EQ(OpenSync(0, named, &opened), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(OpenSync(device, named, &opened), STATUS_SUCCESS);
  CloseNtHandle(named);
  /* The name is gone with its last descriptor, and the object is shared again. */
  EXPECT_EQ(OpenSyncName(kName, 1, &named), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(ShareNamed(1, &opened, kName, &handle), STATUS_SUCCESS);
  EXPECT_EQ(OpenSyncName(kLowerName, 1, &named), STATUS_SUCCESS);
  DestroySync(opened);
  D3DKMT_OPENSYNCOBJECTFROMNTHANDLE first = {.hNtHandle = named};
  EXPECT_EQ(CALL(D3DKMTOpenSyncObjectFromNtHandle, &first), STATUS_SUCCESS);
  EXPECT_EQ(ShareNamed(1, &first.hSyncObject, NULL, &other), STATUS_INVALID_PARAMETER);
  DestroySync(first.hSyncObject);
  CloseNtHandle(named);
  CloseNtHandle(handle);
  first.hNtHandle = NULL;
  EXPECT_EQ(CALL(D3DKMTOpenSyncObjectFromNtHandle, &first), STATUS_INVALID_HANDLE);
}

/* A monitored fence has its address on a device alone. */
static void TestMonitoredFence(D3DKMT_HANDLE device) {
  volatile UINT64* value = NULL;
  const D3DKMT_HANDLE fence = MakeFence(device, 1, &value);
  HANDLE handle = NULL;
  EXPECT_EQ(ShareNamed(1, &fence, kName, &handle), STATUS_SUCCESS);
  D3DKMT_OPENSYNCOBJECTFROMNTHANDLE open = {.hNtHandle = handle};
  EXPECT_EQ(CALL(D3DKMTOpenSyncObjectFromNtHandle, &open), STATUS_INVALID_PARAMETER);
  D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 open2 = {.hNtHandle = handle, .hDevice = device};
  EXPECT_EQ(CALL(D3DKMTOpenSyncObjectFromNtHandle2, &open2), STATUS_SUCCESS);
  EXPECT(open2.MonitoredFence.FenceValueCPUVirtualAddress == (void*)value);
  DestroySync(open2.hSyncObject);
  DestroySync(fence);
  CloseNtHandle(handle);
}

/* A descriptor keeps an object that a context waits for; the wait ends with the last descriptor and handle. */
static void TestWaitEndsWithTheLastName(D3DKMT_HANDLE device) {
  for (int close_first = 0; close_first < 2; ++close_first) {
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = device, .Info = {.Type = D3DDDI_SYNCHRONIZATION_MUTEX}};
    create.Info.Flags.Shared = create.Info.Flags.NtSecuritySharing = 1;
    create.Info.SynchronizationMutex.InitialState = TRUE;
    EXPECT_EQ(CALL(D3DKMTCreateSynchronizationObject2, &create), STATUS_SUCCESS);
    HANDLE handle = NULL;
    EXPECT_EQ(ShareNamed(1, &create.hSyncObject, NULL, &handle), STATUS_SUCCESS);
    const D3DKMT_DESTROYCONTEXT context = {MakeContext(device)};
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT wait = {
        .hContext = context.hContext, .ObjectCount = 1, .ObjectHandleArray = {create.hSyncObject}};
    EXPECT_EQ(CALL(D3DKMTWaitForSynchronizationObject, &wait), STATUS_SUCCESS);
    const int event = eventfd(0, EFD_CLOEXEC);
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 notify = {.hContext = context.hContext};
    notify.Flags.EnqueueCpuEvent = 1;
    notify.CpuEventHandle = (HANDLE)(intptr_t)event;
    EXPECT_EQ(CALL(D3DKMTSignalSynchronizationObject2, &notify), STATUS_SUCCESS);
    struct pollfd state = {event, POLLIN, 0};
    if (close_first) CloseNtHandle(handle);
    DestroySync(create.hSyncObject);
    if (!close_first) {
      EXPECT_EQ(poll(&state, 1, 0), 0);
      CloseNtHandle(handle);
      DestroySync(MakeSync(device)); /* the kernel looks at descriptors when objects go */
    }
    EXPECT_EQ(poll(&state, 1, 10000), 1);
    close(event);
    EXPECT_EQ(CALL(D3DKMTDestroyContext, &context), STATUS_SUCCESS);
  }
}

void TestNames(void) {
  const D3DKMT_HANDLE adapter = OpenSoftAdapter();
  const D3DKMT_HANDLE device = MakeDevice(adapter);
  for (int turn = 0; turn < 50; ++turn) {
    TestNamesOfSyncObjects(device);
    TestMonitoredFence(device);
    TestWaitEndsWithTheLastName(device);
  }
  DestroyDevice(device);
  CloseHandleOfAdapter(adapter);
}
