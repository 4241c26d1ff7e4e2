/* Mutexes, semaphores, fences of before and notifications: made, shared by global handle, and used by contexts. */
#define _GNU_SOURCE
#include "library.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static NTSTATUS Create(D3DKMT_HANDLE device, D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type, D3DKMT_HANDLE* object) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT create = {.hDevice = device, .Info = {.Type = type}};
  const NTSTATUS status = CALL(D3DKMTCreateSynchronizationObject, &create);
  *object = create.hSyncObject;
  return status;
}

static NTSTATUS Create2(D3DKMT_HANDLE device, const D3DDDI_SYNCHRONIZATIONOBJECTINFO2* info, D3DKMT_HANDLE* object,
                        D3DKMT_HANDLE* share) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = device, .Info = *info};
  const NTSTATUS status = CALL(D3DKMTCreateSynchronizationObject2, &create);
  *object = create.hSyncObject;
  if (share != NULL) *share = create.Info.SharedHandle;
  return status;
}

static NTSTATUS Destroy(D3DKMT_HANDLE object) {
  const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy = {object};
  return CALL(D3DKMTDestroySynchronizationObject, &destroy);
}

static NTSTATUS Open(D3DKMT_HANDLE share, D3DKMT_HANDLE* object) {
  D3DKMT_OPENSYNCHRONIZATIONOBJECT open = {.hSharedHandle = share};
  const NTSTATUS status = CALL(D3DKMTOpenSynchronizationObject, &open);
  *object = open.hSyncObject;
  return status;
}

static NTSTATUS Signal(D3DKMT_HANDLE context, D3DKMT_HANDLE object) {
  const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT signal = {.hContext = context, .ObjectCount = 1, .ObjectHandleArray = {object}};
  return CALL(D3DKMTSignalSynchronizationObject, &signal);
}

static NTSTATUS Wait(D3DKMT_HANDLE context, D3DKMT_HANDLE object) {
  const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT wait = {.hContext = context, .ObjectCount = 1, .ObjectHandleArray = {object}};
  return CALL(D3DKMTWaitForSynchronizationObject, &wait);
}

static NTSTATUS SignalFence(D3DKMT_HANDLE context, D3DKMT_HANDLE object, UINT64 value) {
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 signal = {.hContext = context, .ObjectCount = 1, .ObjectHandleArray = {object}};
  signal.Fence.FenceValue = value;
  return CALL(D3DKMTSignalSynchronizationObject2, &signal);
}

/* An eventfd that is written when the context is through with what it has. */
static int EventBehind(D3DKMT_HANDLE context) {
  const int event = eventfd(0, EFD_CLOEXEC);
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 notify = {.hContext = context};
  notify.Flags.EnqueueCpuEvent = 1;
  notify.CpuEventHandle = (HANDLE)(intptr_t)event;
  EXPECT_EQ(CALL(D3DKMTSignalSynchronizationObject2, &notify), STATUS_SUCCESS);
  return event;
}

static int IsReady(int event, int timeout_ms) {
  struct pollfd state = {event, POLLIN, 0};
  return poll(&state, 1, timeout_ms);
}

static void ExpectThrough(D3DKMT_HANDLE context) {
  const int event = EventBehind(context);
  EXPECT_EQ(IsReady(event, 10000), 1);
  close(event);
}

static void TestFirstVersion(D3DKMT_HANDLE device) {
  D3DKMT_HANDLE first = 0, second = 0, unused = 0;
  EXPECT_EQ(Create(device, 0, &unused), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Create(0, D3DDDI_SYNCHRONIZATION_MUTEX, &unused), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Create(device, D3DDDI_FENCE, &unused), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Create(device, D3DDDI_MONITORED_FENCE, &unused), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Create(device, D3DDDI_SYNCHRONIZATION_MUTEX, &first), STATUS_SUCCESS);
  EXPECT_EQ(Create(device, D3DDDI_SEMAPHORE, &second), STATUS_SUCCESS);
  EXPECT_EQ(first & 0x3f, 0);
  EXPECT_EQ(second, first + 0x40);
  EXPECT_EQ(Destroy(first), STATUS_SUCCESS);
  EXPECT_EQ(Destroy(first), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Destroy(second), STATUS_SUCCESS);
}

static void TestTypes(D3DKMT_HANDLE device) {
  static const struct {
    D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type;
    NTSTATUS own, global, nt;
  } kTypes[] = {
      {0, STATUS_INVALID_PARAMETER, STATUS_INVALID_PARAMETER, STATUS_INVALID_PARAMETER},
      {D3DDDI_SYNCHRONIZATION_MUTEX, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS},
      {D3DDDI_SEMAPHORE, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS},
      {D3DDDI_FENCE, STATUS_SUCCESS, STATUS_SUCCESS, STATUS_SUCCESS},
      {D3DDDI_CPU_NOTIFICATION, STATUS_INVALID_HANDLE, STATUS_INVALID_PARAMETER, STATUS_INVALID_PARAMETER},
      {D3DDDI_MONITORED_FENCE, STATUS_SUCCESS, STATUS_INVALID_PARAMETER, STATUS_SUCCESS},
      {D3DDDI_PERIODIC_MONITORED_FENCE, STATUS_INVALID_PARAMETER, STATUS_INVALID_PARAMETER, STATUS_INVALID_PARAMETER},
      {D3DDDI_NATIVE_FENCE, STATUS_INVALID_PARAMETER, STATUS_INVALID_PARAMETER, STATUS_INVALID_PARAMETER},
      {D3DDDI_SYNCHRONIZATION_TYPE_LIMIT, STATUS_INVALID_PARAMETER, STATUS_INVALID_PARAMETER, STATUS_INVALID_PARAMETER},
  };
  for (size_t i = 0; i < sizeof(kTypes) / sizeof(kTypes[0]); ++i) {
    for (UINT flags = 0; flags < 4; ++flags) {
      D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info = {.Type = kTypes[i].type, .SharedHandle = 0x1eadbeed};
      info.Flags.Shared = flags & 1u;
      info.Flags.NtSecuritySharing = flags >> 1 & 1u;
      D3DKMT_HANDLE object = 0, share = 0;
      const NTSTATUS status = Create2(device, &info, &object, &share);
      const NTSTATUS expected[] = {kTypes[i].own, kTypes[i].global, STATUS_INVALID_PARAMETER, kTypes[i].nt};
      EXPECT_EQ(status, expected[flags]);
      if (status != STATUS_SUCCESS) continue;
      EXPECT_EQ(object & 0x3f, 0);
      if (flags == 1) EXPECT((share & 0xc0000000) != 0 && (share & 0x3f) == 2);
      if (flags == 3) EXPECT_EQ(share, 0);
      EXPECT_EQ(Destroy(object), STATUS_SUCCESS);
    }
  }
}

/* The processor has nothing to do with objects that contexts alone read. */
static void TestProcessor(D3DKMT_HANDLE device) {
  for (int type = D3DDDI_SYNCHRONIZATION_MUTEX; type <= D3DDDI_FENCE; ++type) {
    const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info = {.Type = (D3DDDI_SYNCHRONIZATIONOBJECT_TYPE)type};
    D3DKMT_HANDLE object = 0;
    EXPECT_EQ(Create2(device, &info, &object, NULL), STATUS_SUCCESS);
    const UINT64 value = 0;
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait = {
        .hDevice = device, .ObjectCount = 1, .ObjectHandleArray = &object, .FenceValueArray = &value};
    EXPECT_EQ(CALL(D3DKMTWaitForSynchronizationObjectFromCpu, &wait), STATUS_INVALID_PARAMETER);
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU signal = {
        .hDevice = device, .ObjectCount = 1, .ObjectHandleArray = &object, .FenceValueArray = &value};
    EXPECT_EQ(CALL(D3DKMTSignalSynchronizationObjectFromCpu, &signal), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(Destroy(object), STATUS_SUCCESS);
  }
}

static void TestGlobalHandles(D3DKMT_HANDLE device) {
  D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info = {.Type = D3DDDI_SYNCHRONIZATION_MUTEX, .Flags = {.Shared = 1}};
  D3DKMT_HANDLE object = 0, share = 0, opened = 0, again = 0;
  EXPECT_EQ(Create2(device, &info, &object, &share), STATUS_SUCCESS);
  EXPECT_EQ(Destroy(share), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Open(0, &opened), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Open(object, &opened), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Open(share, &opened), STATUS_SUCCESS);
  EXPECT_EQ(opened, object + 0x40);
  EXPECT_EQ(Destroy(opened), STATUS_SUCCESS);
  EXPECT_EQ(Destroy(opened), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Open(share, &again), STATUS_SUCCESS);
  EXPECT_EQ(Destroy(object), STATUS_SUCCESS);
  EXPECT_EQ(Open(share, &opened), STATUS_SUCCESS);
  EXPECT_EQ(Destroy(opened), STATUS_SUCCESS);
  EXPECT_EQ(Destroy(again), STATUS_SUCCESS);
  EXPECT_EQ(Open(share, &opened), STATUS_INVALID_PARAMETER); /* went with the last handle */
}

/* One context has the mutex, and the other one gets it by the first one's signal. */
static void TestMutex(D3DKMT_HANDLE device, D3DKMT_HANDLE first, D3DKMT_HANDLE second) {
  D3DKMT_HANDLE mutex = 0;
  EXPECT_EQ(Create(device, D3DDDI_SYNCHRONIZATION_MUTEX, &mutex), STATUS_SUCCESS);
  for (int turn = 0; turn < 500; ++turn) {
    EXPECT_EQ(Wait(first, mutex), STATUS_SUCCESS);
    ExpectThrough(first);
    EXPECT_EQ(Wait(second, mutex), STATUS_SUCCESS);
    const int event = EventBehind(second);
    EXPECT_EQ(IsReady(event, 0), 0);
    EXPECT_EQ(Signal(first, mutex), STATUS_SUCCESS);
    EXPECT_EQ(IsReady(event, 10000), 1);
    close(event);
    EXPECT_EQ(Signal(second, mutex), STATUS_SUCCESS);
    EXPECT_EQ(Signal(second, mutex), STATUS_SUCCESS); /* a free mutex stays free, once */
    ExpectThrough(second);
  }
  EXPECT_EQ(SignalFence(first, mutex, 77), STATUS_SUCCESS); /* the second version takes it, without a value */
  EXPECT_EQ(Destroy(mutex), STATUS_SUCCESS);
  EXPECT_EQ(Wait(first, mutex), STATUS_INVALID_PARAMETER);
}

static void TestSemaphore(D3DKMT_HANDLE device, D3DKMT_HANDLE first, D3DKMT_HANDLE second) {
  D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info = {.Type = D3DDDI_SEMAPHORE, .Semaphore = {.MaxCount = 3, .InitialCount = 2}};
  D3DKMT_HANDLE semaphore = 0, unused = 0;
  EXPECT_EQ(Create2(device, &info, &semaphore, NULL), STATUS_SUCCESS);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Wait(first, semaphore), STATUS_SUCCESS);
  ExpectThrough(first);
  EXPECT_EQ(Wait(first, semaphore), STATUS_SUCCESS);
  int event = EventBehind(first);
  EXPECT_EQ(IsReady(event, 0), 0);
  EXPECT_EQ(Signal(second, semaphore), STATUS_SUCCESS);
  EXPECT_EQ(IsReady(event, 10000), 1);
  close(event);
  /* The count stops at its most. */
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Signal(second, semaphore), STATUS_SUCCESS);
  ExpectThrough(second);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Wait(first, semaphore), STATUS_SUCCESS);
  ExpectThrough(first);
  EXPECT_EQ(Wait(first, semaphore), STATUS_SUCCESS);
  event = EventBehind(first);
  EXPECT_EQ(IsReady(event, 0), 0);
  /* The last handle ends the wait. */
  EXPECT_EQ(Destroy(semaphore), STATUS_SUCCESS);
  EXPECT_EQ(IsReady(event, 10000), 1);
  close(event);
  info.Semaphore.InitialCount = 4;
  EXPECT_EQ(Create2(device, &info, &unused, NULL), STATUS_INVALID_PARAMETER);
}

/* Each of many waits takes one signal, whichever context it belongs to. */
static void TestManyWaits(D3DKMT_HANDLE device, D3DKMT_HANDLE first, D3DKMT_HANDLE second) {
  const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info = {.Type = D3DDDI_SEMAPHORE, .Semaphore = {.MaxCount = 1000}};
  D3DKMT_HANDLE semaphore = 0;
  EXPECT_EQ(Create2(device, &info, &semaphore, NULL), STATUS_SUCCESS);
  const D3DKMT_HANDLE third = MakeContext(device);
  for (int turn = 0; turn < 200; ++turn) {
    EXPECT_EQ(Wait(first, semaphore), STATUS_SUCCESS);
    EXPECT_EQ(Wait(second, semaphore), STATUS_SUCCESS);
    const int events[] = {EventBehind(first), EventBehind(second)};
    EXPECT_EQ(Signal(third, semaphore), STATUS_SUCCESS);
    struct pollfd states[] = {{events[0], POLLIN, 0}, {events[1], POLLIN, 0}};
    EXPECT_EQ(poll(states, 2, 10000), 1);
    EXPECT_EQ(Signal(third, semaphore), STATUS_SUCCESS);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(IsReady(events[i], 10000), 1);
      close(events[i]);
    }
  }
  const D3DKMT_DESTROYCONTEXT destroy = {third};
  EXPECT_EQ(CALL(D3DKMTDestroyContext, &destroy), STATUS_SUCCESS);
  EXPECT_EQ(Destroy(semaphore), STATUS_SUCCESS);
}

static void TestNotification(D3DKMT_HANDLE device, D3DKMT_HANDLE first, D3DKMT_HANDLE second) {
  const int event = eventfd(0, EFD_CLOEXEC);
  D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info = {.Type = D3DDDI_CPU_NOTIFICATION};
  D3DKMT_HANDLE notification = 0, mutex = 0;
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  info.CPUNotification.Event = (HANDLE)(intptr_t)ends[1];
  EXPECT_EQ(Create2(device, &info, &notification, NULL), STATUS_OBJECT_TYPE_MISMATCH);
  close(ends[0]);
  close(ends[1]);
  EXPECT_EQ(Create2(device, &info, &notification, NULL), STATUS_INVALID_HANDLE);
  info.CPUNotification.Event = (HANDLE)(intptr_t)event;
  EXPECT_EQ(Create2(device, &info, &notification, NULL), STATUS_SUCCESS);
  D3DKMT_CREATESYNCHRONIZATIONOBJECT owned = {.hDevice = device, .Info = {.Type = D3DDDI_SYNCHRONIZATION_MUTEX}};
  owned.Info.SynchronizationMutex.InitialState = TRUE;
  EXPECT_EQ(CALL(D3DKMTCreateSynchronizationObject, &owned), STATUS_SUCCESS);
  mutex = owned.hSyncObject;
  EXPECT_EQ(Wait(first, notification), STATUS_INVALID_PARAMETER);
  for (int turn = 0; turn < 100; ++turn) {
    EXPECT_EQ(Wait(first, mutex), STATUS_SUCCESS);
    EXPECT_EQ(SignalFence(first, notification, 0), STATUS_SUCCESS);
    EXPECT_EQ(IsReady(event, 0), 0);
    EXPECT_EQ(Signal(second, mutex), STATUS_SUCCESS);
    EXPECT_EQ(IsReady(event, 10000), 1);
    UINT64 count = 0;
    EXPECT_EQ(read(event, &count, sizeof(count)), sizeof(count));
    EXPECT_EQ(count, 1);
  }
  EXPECT_EQ(Destroy(notification), STATUS_SUCCESS);
  EXPECT_EQ(Destroy(mutex), STATUS_SUCCESS);
  close(event);
}

/* A fence of before, by the handle that another device's program opened. Its value stands where others have an array. */
static void TestSharedFence(D3DKMT_HANDLE device, D3DKMT_HANDLE first, D3DKMT_HANDLE second) {
  D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info = {.Type = D3DDDI_FENCE, .Flags = {.Shared = 1}, .Fence = {.FenceValue = 5}};
  D3DKMT_HANDLE made = 0, share = 0, opened = 0;
  EXPECT_EQ(Create2(device, &info, &made, &share), STATUS_SUCCESS);
  EXPECT_EQ(Open(share, &opened), STATUS_SUCCESS);
  EXPECT_EQ(Wait(first, made), STATUS_INVALID_PARAMETER);
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU wait = {.hContext = first, .ObjectCount = 1, .ObjectHandleArray = &made};
  wait.FenceValue = 5;
  EXPECT_EQ(CALL(D3DKMTWaitForSynchronizationObjectFromGpu, &wait), STATUS_SUCCESS);
  ExpectThrough(first);
  wait.FenceValue = 6;
  EXPECT_EQ(CALL(D3DKMTWaitForSynchronizationObjectFromGpu, &wait), STATUS_SUCCESS);
  const int event = EventBehind(first);
  EXPECT_EQ(IsReady(event, 0), 0);
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2 signal = {
      .ObjectCount = 1, .ObjectHandleArray = &opened, .BroadcastContextCount = 1, .BroadcastContextArray = &second};
  signal.FenceValue = 6;
  EXPECT_EQ(CALL(D3DKMTSignalSynchronizationObjectFromGpu2, &signal), STATUS_SUCCESS);
  EXPECT_EQ(IsReady(event, 10000), 1);
  close(event);
  EXPECT_EQ(Destroy(made), STATUS_SUCCESS);
  EXPECT_EQ(Destroy(opened), STATUS_SUCCESS);
}

void TestSyncObjects(void) {
  const D3DKMT_HANDLE adapter = OpenSoftAdapter();
  const D3DKMT_HANDLE device = MakeDevice(adapter);
  TestFirstVersion(device);
  TestTypes(device);
  TestProcessor(device);
  TestGlobalHandles(device);
  const D3DKMT_HANDLE first = MakeContext(device), second = MakeContext(device);
  TestMutex(device, first, second);
  TestSemaphore(device, first, second);
  TestManyWaits(device, first, second);
  TestNotification(device, first, second);
  TestSharedFence(device, first, second);
  /* A device takes its objects with it, and their global handles. */
  D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info = {.Type = D3DDDI_SEMAPHORE, .Flags = {.Shared = 1}};
  D3DKMT_HANDLE object = 0, share = 0, opened = 0;
  EXPECT_EQ(Create2(device, &info, &object, &share), STATUS_SUCCESS);
  DestroyDevice(device);
  EXPECT_EQ(Destroy(object), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Open(share, &opened), STATUS_INVALID_PARAMETER);
  CloseHandleOfAdapter(adapter);
}
