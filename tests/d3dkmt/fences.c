/* Monitored fences, fences of before and events. */
#define _GNU_SOURCE
#include "library.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { kPairs = 100000 };

struct Pair {
  D3DKMT_HANDLE device, context, there, back;
};

static NTSTATUS Signal(D3DKMT_HANDLE device, D3DKMT_HANDLE fence, UINT64 value) {
  const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU signal = {
      .hDevice = device, .ObjectCount = 1, .ObjectHandleArray = &fence, .FenceValueArray = &value};
  return CALL(D3DKMTSignalSynchronizationObjectFromCpu, &signal);
}

static NTSTATUS Wait(D3DKMT_HANDLE device, D3DKMT_HANDLE fence, UINT64 value, int event) {
  const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait = {.hDevice = device,
                                                           .ObjectCount = 1,
                                                           .ObjectHandleArray = &fence,
                                                           .FenceValueArray = &value,
                                                           .hAsyncEvent = event < 0 ? NULL : (HANDLE)(intptr_t)event};
  return CALL(D3DKMTWaitForSynchronizationObjectFromCpu, &wait);
}

static void* Answer(void* argument) {
  const struct Pair* const pair = argument;
  for (UINT64 value = 1; value <= kPairs; ++value) {
    EXPECT_EQ(Wait(pair->device, pair->there, value, -1), STATUS_SUCCESS);
    EXPECT_EQ(Signal(pair->device, pair->back, value), STATUS_SUCCESS);
  }
  return NULL;
}

/* Two threads take turns. */
static void TestPairsOfTheProcessor(struct Pair* pair) {
  pthread_t thread;
  EXPECT_EQ(pthread_create(&thread, NULL, Answer, pair), 0);
  for (UINT64 value = 1; value <= kPairs; ++value) {
    EXPECT_EQ(Signal(pair->device, pair->there, value), STATUS_SUCCESS);
    EXPECT_EQ(Wait(pair->device, pair->back, value, -1), STATUS_SUCCESS);
  }
  EXPECT_EQ(pthread_join(thread, NULL), 0);
}

/* A context waits for the processor's signal, and signals in turn. */
static void TestPairsOfAContext(const struct Pair* pair, volatile UINT64* back_value) {
  for (UINT64 value = kPairs + 1; value <= 2 * kPairs; ++value) {
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU wait = {
        .hContext = pair->context, .ObjectCount = 1, .ObjectHandleArray = &pair->there, .MonitoredFenceValueArray = &value};
    EXPECT_EQ(CALL(D3DKMTWaitForSynchronizationObjectFromGpu, &wait), STATUS_SUCCESS);
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU signal = {
        .hContext = pair->context, .ObjectCount = 1, .ObjectHandleArray = &pair->back, .MonitoredFenceValueArray = &value};
    EXPECT_EQ(CALL(D3DKMTSignalSynchronizationObjectFromGpu, &signal), STATUS_SUCCESS);
    EXPECT(*back_value < value);
    EXPECT_EQ(Signal(pair->device, pair->there, value), STATUS_SUCCESS);
    EXPECT_EQ(Wait(pair->device, pair->back, value, -1), STATUS_SUCCESS);
    EXPECT_EQ(*back_value, value);
  }
}

static int IsReady(int event, int timeout_ms) {
  struct pollfd state = {event, POLLIN, 0};
  return poll(&state, 1, timeout_ms);
}

/* The way of programs that poll: an eventfd for each wait. */
static void TestEvents(const struct Pair* pair) {
  const int event = eventfd(0, EFD_CLOEXEC);
  for (UINT64 value = 2 * kPairs + 1; value <= 2 * kPairs + 1000; ++value) {
    EXPECT_EQ(Wait(pair->device, pair->there, value, event), STATUS_SUCCESS);
    EXPECT_EQ(IsReady(event, 0), 0);
    EXPECT_EQ(Signal(pair->device, pair->there, value), STATUS_SUCCESS);
    EXPECT_EQ(IsReady(event, 10000), 1);
    UINT64 count = 0;
    EXPECT_EQ(read(event, &count, sizeof(count)), sizeof(count));
    EXPECT_EQ(count, 1);
  }
  close(event);
}

/* D3DDDI_FENCE: the context alone reads and writes it. An event says when it has done so. */
static void TestFencesOfBefore(const struct Pair* pair) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = pair->device};
  create.Info.Type = D3DDDI_FENCE;
  EXPECT_EQ(CALL(D3DKMTCreateSynchronizationObject2, &create), STATUS_SUCCESS);
  const D3DKMT_HANDLE other_context = MakeContext(pair->device);
  const int event = eventfd(0, EFD_CLOEXEC);
  for (UINT64 value = 1; value <= 1000; ++value) {
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 wait = {.hContext = pair->context, .ObjectCount = 1};
    wait.ObjectHandleArray[0] = create.hSyncObject;
    wait.Fence.FenceValue = value;
    EXPECT_EQ(CALL(D3DKMTWaitForSynchronizationObject2, &wait), STATUS_SUCCESS);
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 notify = {.hContext = pair->context};
    notify.Flags.EnqueueCpuEvent = 1;
    notify.CpuEventHandle = (HANDLE)(intptr_t)event;
    EXPECT_EQ(CALL(D3DKMTSignalSynchronizationObject2, &notify), STATUS_SUCCESS);
    EXPECT_EQ(IsReady(event, 0), 0);
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 signal = {.hContext = other_context, .ObjectCount = 1};
    signal.ObjectHandleArray[0] = create.hSyncObject;
    signal.Fence.FenceValue = value;
    EXPECT_EQ(CALL(D3DKMTSignalSynchronizationObject2, &signal), STATUS_SUCCESS);
    EXPECT_EQ(IsReady(event, 10000), 1);
    UINT64 count = 0;
    EXPECT_EQ(read(event, &count, sizeof(count)), sizeof(count));
  }
  close(event);
  const D3DKMT_DESTROYCONTEXT destroy = {other_context};
  EXPECT_EQ(CALL(D3DKMTDestroyContext, &destroy), STATUS_SUCCESS);
}

/* The event comes although the context goes before its wait is over. */
static void TestEventOfAContextThatGoes(const struct Pair* pair) {
  const D3DKMT_DESTROYCONTEXT destroy = {MakeContext(pair->device)};
  const UINT64 never = ~(UINT64)0;
  const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU wait = {
      .hContext = destroy.hContext, .ObjectCount = 1, .ObjectHandleArray = &pair->there, .MonitoredFenceValueArray = &never};
  EXPECT_EQ(CALL(D3DKMTWaitForSynchronizationObjectFromGpu, &wait), STATUS_SUCCESS);
  const int event = eventfd(0, EFD_CLOEXEC);
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2 notify = {.BroadcastContextCount = 1, .BroadcastContextArray = &destroy.hContext};
  notify.Flags.EnqueueCpuEvent = 1;
  notify.CpuEventHandle = (HANDLE)(intptr_t)event;
  EXPECT_EQ(CALL(D3DKMTSignalSynchronizationObjectFromGpu2, &notify), STATUS_SUCCESS);
  EXPECT_EQ(IsReady(event, 0), 0);
  EXPECT_EQ(CALL(D3DKMTDestroyContext, &destroy), STATUS_SUCCESS);
  EXPECT_EQ(IsReady(event, 10000), 1);
  close(event);
}

/* More fences than the calls with inline arrays take. */
static void TestManyFences(const struct Pair* pair) {
  enum { kMany = 100, kTooMany = 4096 };
  static D3DKMT_HANDLE fences[kTooMany];
  static UINT64 values[kTooMany];
  volatile UINT64* value = NULL;
  for (int i = 0; i < kMany; ++i) {
    fences[i] = MakeFence(pair->device, 0, &value);
    values[i] = (UINT64)i + 1;
  }
  const int event = eventfd(0, EFD_CLOEXEC);
  D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait = {.hDevice = pair->device,
                                                     .ObjectCount = kMany,
                                                     .ObjectHandleArray = fences,
                                                     .FenceValueArray = values,
                                                     .hAsyncEvent = (HANDLE)(intptr_t)event};
  EXPECT_EQ(CALL(D3DKMTWaitForSynchronizationObjectFromCpu, &wait), STATUS_SUCCESS);
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU signal = {
      .hDevice = pair->device, .ObjectCount = kMany - 1, .ObjectHandleArray = fences, .FenceValueArray = values};
  EXPECT_EQ(CALL(D3DKMTSignalSynchronizationObjectFromCpu, &signal), STATUS_SUCCESS);
  EXPECT_EQ(IsReady(event, 0), 0);
  EXPECT_EQ(Signal(pair->device, fences[kMany - 1], kMany), STATUS_SUCCESS);
  EXPECT_EQ(IsReady(event, 10000), 1);
  close(event);
  wait.hAsyncEvent = NULL;
  EXPECT_EQ(CALL(D3DKMTWaitForSynchronizationObjectFromCpu, &wait), STATUS_SUCCESS);
  const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU from_gpu = {
      .hContext = pair->context, .ObjectCount = kMany, .ObjectHandleArray = fences, .MonitoredFenceValueArray = values};
  for (int i = 0; i < kMany; ++i) values[i] = 1000;
  EXPECT_EQ(CALL(D3DKMTSignalSynchronizationObjectFromGpu, &from_gpu), STATUS_SUCCESS);
  EXPECT_EQ(CALL(D3DKMTWaitForSynchronizationObjectFromCpu, &wait), STATUS_SUCCESS);
  EXPECT_EQ(*value, 1000);
  wait.ObjectCount = kTooMany;
  EXPECT_EQ(CALL(D3DKMTWaitForSynchronizationObjectFromCpu, &wait), STATUS_INVALID_PARAMETER);
  signal.ObjectCount = kTooMany;
  EXPECT_EQ(CALL(D3DKMTSignalSynchronizationObjectFromCpu, &signal), STATUS_INVALID_PARAMETER);
}

/* A value below the current one is refused, unless the signal allows it; then it wakes nobody who waits for more. */
static void TestRewind(const struct Pair* pair) {
  volatile UINT64* value = NULL;
  const D3DKMT_HANDLE fence = MakeFence(pair->device, 0, &value);
  EXPECT_EQ(Signal(pair->device, fence, 500), STATUS_SUCCESS);
  const int event = eventfd(0, EFD_CLOEXEC);
  EXPECT_EQ(Wait(pair->device, fence, 501, event), STATUS_SUCCESS);
  UINT64 before = 3;
  D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU rewind = {
      .hDevice = pair->device, .ObjectCount = 1, .ObjectHandleArray = &fence, .FenceValueArray = &before};
  EXPECT_EQ(CALL(D3DKMTSignalSynchronizationObjectFromCpu, &rewind), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(*value, 500);
  EXPECT_EQ(Signal(pair->device, fence, 500), STATUS_SUCCESS);
  rewind.Flags.AllowFenceRewind = 1;
  EXPECT_EQ(CALL(D3DKMTSignalSynchronizationObjectFromCpu, &rewind), STATUS_SUCCESS);
  EXPECT_EQ(*value, 3);
  EXPECT_EQ(IsReady(event, 0), 0);
  before = 501;
  EXPECT_EQ(CALL(D3DKMTSignalSynchronizationObjectFromCpu, &rewind), STATUS_SUCCESS);
  EXPECT_EQ(IsReady(event, 10000), 1);
  rewind.Flags.SignalAtSubmission = 1;
  EXPECT_EQ(CALL(D3DKMTSignalSynchronizationObjectFromCpu, &rewind), STATUS_NOT_SUPPORTED);
  close(event);
}

void TestFences(void) {
  const D3DKMT_HANDLE adapter = OpenSoftAdapter();
  struct Pair pair = {.device = MakeDevice(adapter)};
  pair.context = MakeContext(pair.device);
  volatile UINT64 *there_value = NULL, *back_value = NULL;
  pair.there = MakeFence(pair.device, 0, &there_value);
  pair.back = MakeFence(pair.device, 0, &back_value);
  TestPairsOfTheProcessor(&pair);
  EXPECT_EQ(*there_value, kPairs);
  TestPairsOfAContext(&pair, back_value);
  TestEvents(&pair);
  TestFencesOfBefore(&pair);
  TestEventOfAContextThatGoes(&pair);
  TestManyFences(&pair);
  TestRewind(&pair);
  DestroyDevice(pair.device);
  CloseHandleOfAdapter(adapter);
}
